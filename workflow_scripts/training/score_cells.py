"""Train the chosen cells of one encoder and level once more, to the same weights, and score the test split once."""

import csv
import dataclasses
import pathlib
import shutil

from workflow_scripts.common import command, params
from workflow_scripts.common.files import write_json
from workflow_scripts.common.models.tokenization import encode_split, tokenizer_from_json
from workflow_scripts.training.cells import Params, Place, add_arguments, split_metrics, train_cell
from workflow_scripts.training.train_run import identity, input_digests, prepare_torch, read_rel2id


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    device, relations = prepare_torch(settings), read_rel2id(args.rel2id)
    indexes = {path.name.removeprefix("words."): path for path in args.indexes}
    wanted = chosen_cells(args.best)
    plain, results = dataclasses.replace(settings, cells=[]), []

    def score(model, task, vocabulary):
        sentences, _ = encode_split(args.test, tokenizer_from_json(vocabulary), relations)
        return split_metrics(model, task, sentences)

    for training in settings.cells:
        if training["cell"] in wanted:
            args.index = indexes[training["row"]["embedding"]]
            known = identity(plain, input_digests(args))
            place = Place(args.index, relations, device, settings.tokens_per_batch, known, args.state, args.save_every)
            results.append(train_cell(training, place, score))
    write_json(args.output, results)
    shutil.rmtree(args.state, ignore_errors=True)


def chosen_cells(path):
    """Names of the cells in best.tsv."""
    with open(path, encoding="utf-8", newline="") as stream:
        return {row["cell"] for row in csv.DictReader(stream, delimiter="\t")}


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--best", type=path, required=True, help="the chosen cells (tsv)")
    parser.add_argument("--indexes", type=path, nargs="+", required=True, help="folders of token arrays, words.<slot>")
    parser.add_argument("--test", type=path, required=True, help="instances of the test split (Parquet)")
    parser.add_argument("--output", type=path, required=True, help="test metrics of the cells (JSON)")
    add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
