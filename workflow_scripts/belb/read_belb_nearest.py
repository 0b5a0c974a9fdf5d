"""Write the names nearest to the texts of spans as a predictions file: a rank for each, with the entities that tie."""

import dataclasses
from pathlib import Path

from workflow_scripts.belb import systems
from workflow_scripts.belb.contracts import SPANS
from workflow_scripts.belb.predictions import write_predictions
from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.nearest_names import NEAREST_NAMES
from workflow_scripts.common.tables import read_table


@dataclasses.dataclass(frozen=True)
class Params:
    """What the header says."""

    corpus: str
    kb: str
    system: str


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    ranks = systems.nearest_ranks(read_table(args.nearest, NEAREST_NAMES))
    found = systems.predictions_for(read_table(args.spans, SPANS), ranks, **dataclasses.asdict(settings))
    write_predictions(args.predictions, found)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--spans", type=Path, required=True, help="what was to be linked (Parquet)")
    parser.add_argument("--nearest", type=Path, required=True, help="nearest names of the distinct texts (Parquet)")
    parser.add_argument("--predictions", type=Path, required=True, help="output: predictions file")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
