"""Link each distinct surface of one shard with scispaCy's own linker (linking.mode scispacy).

The reference for the exact search: the same knowledge base and rule, scispaCy's code, an approximate graph.
"""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.tables import read_table
from workflow_scripts.linking.links import Rule, link
from workflow_scripts.linking.scispacy_linker import ScispacyGenerator, knowledge_base


@dataclasses.dataclass(frozen=True)
class Params:
    """The rule."""

    threshold: float
    no_definition_threshold: float
    k: int
    max_candidates: int


def main(args):
    """Run the command."""
    rule = Rule(**dataclasses.asdict(params.parse(Params, args.params)))
    base = knowledge_base(read_table(args.aliases, ALIASES))
    total, linked = link(args.surfaces, args.links, ScispacyGenerator(base, args.index[0].parent, rule))
    logging.info("%s of %s distinct surfaces linked", f"{linked:,}", f"{total:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--aliases", type=Path, required=True, help="names of the knowledge base (Parquet)")
    parser.add_argument("--index", type=Path, nargs="+", required=True, help="files of scispaCy's index")
    parser.add_argument("--surfaces", type=Path, required=True, help="distinct surfaces (Parquet)")
    parser.add_argument("--links", type=Path, required=True, help="output: concepts of the surfaces (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
