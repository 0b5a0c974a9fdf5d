"""Train a batch of cells of the grid of Table A.1 and write what each scores on the validation split.

The test split is not read. Finished cells are kept until the whole batch is done: stopped by SIGTERM, the command saves
its state and exits with 75, and the next call goes on from there.
"""

import dataclasses
import pathlib
import shutil

from workflow_scripts.common import command, params
from workflow_scripts.common.files import write_json
from workflow_scripts.training.cells import Params, Place, add_arguments, train_cell, validation_metrics
from workflow_scripts.training.train_run import identity, input_digests, prepare_torch, read_rel2id


def main(args):
    """Train the batch."""
    settings = params.parse(Params, args.params)
    place = Place(
        index=args.index,
        relations=read_rel2id(args.rel2id),
        device=prepare_torch(settings),
        tokens_per_batch=settings.tokens_per_batch,
        # the cells are no part of it: another cell in the batch undoes none that is finished
        identity=identity(dataclasses.replace(settings, cells=[]), input_digests(args)),
        state=args.state,
        save_every=args.save_every,
    )
    write_json(args.output, [train_cell(training, place, validation_metrics) for training in settings.cells])
    shutil.rmtree(args.state, ignore_errors=True)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--index", type=path, required=True, help="folder of the corpus' token arrays")
    parser.add_argument("--output", type=path, required=True, help="validation metrics of the cells (JSON)")
    add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
