"""Write what the stage linking made of the texts of spans as a predictions file.

Identifiers of equal score tie. With --names (for an engine that prefers equal names) those that have the text as a
name, lower-cased, come before others of the same score.
"""

import dataclasses
from pathlib import Path

from workflow_scripts.belb import systems
from workflow_scripts.belb.contracts import SPANS
from workflow_scripts.belb.predictions import write_predictions
from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.mentions import MENTIONS
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
    spans = read_table(args.spans, SPANS)
    equal = systems.exact_ranks(args.names, sorted(set(spans["text"].to_pylist()))) if args.names else None
    ranks = systems.linked_ranks(read_table(args.links, MENTIONS), equal)
    write_predictions(args.predictions, systems.predictions_for(spans, ranks, **dataclasses.asdict(settings)))


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--spans", type=Path, required=True, help="what was to be linked (Parquet)")
    parser.add_argument("--links", type=Path, required=True, help="linked texts (Parquet of linking/mentions)")
    parser.add_argument("--names", type=Path, nargs="?", help="names.parquet, for an engine that prefers equal names")
    parser.add_argument("--predictions", type=Path, required=True, help="output: predictions file")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
