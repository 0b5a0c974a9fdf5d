"""Link each distinct surface of one shard to the concepts that it may mean, with scores.

`tfidf` is the linker of the paper (scispaCy's; section 3.1) with an exact search in place of its approximate one;
`literal` takes equal names only. Surfaces of one key (lower-cased, words sorted) are searched once.
"""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.common import command, params
from workflow_scripts.linking.candidates import make_generator
from workflow_scripts.linking.links import Rule, link
from workflow_scripts.linking.name_index import NameIndex


@dataclasses.dataclass(frozen=True)
class Params:
    """How candidates are found and chosen."""

    candidates: str
    mode: str
    threshold: float
    no_definition_threshold: float
    k: int
    max_candidates: int


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    rule = Rule(settings.threshold, settings.no_definition_threshold, settings.k, settings.max_candidates)
    generator = make_generator(settings.candidates, settings.mode, NameIndex(args.index), rule)
    total, linked = link(args.surfaces, args.links, generator)
    logging.info("%s of %s distinct surfaces linked", f"{linked:,}", f"{total:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--index", type=Path, required=True, help="index.json of index_names; names.bin is beside it")
    parser.add_argument("--surfaces", type=Path, required=True, help="distinct surfaces (Parquet)")
    parser.add_argument("--links", type=Path, required=True, help="output: concepts of the surfaces (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
