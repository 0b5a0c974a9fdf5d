"""Read predictions that were made elsewhere: a predictions file of ours, or one that the benchmark's authors released.

A released file needs the table of its snapshot's identifiers, see workflow_scripts/belb/released.py: without it numbers
count as identifiers, which is right for NCBI Gene, NCBI Taxonomy and dbSNP alone. With --kb, alternative and replaced
identifiers become those of the knowledge base, removed ones are no answer, unknown ones are counted.
"""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.belb import measuring
from workflow_scripts.belb.gold import aligned
from workflow_scripts.belb.predictions import read_predictions, write_predictions
from workflow_scripts.belb.released import read_identifiers, read_released
from workflow_scripts.belb.resolved import resolved
from workflow_scripts.common import command, params
from workflow_scripts.common.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Params:
    """What the header will say."""

    kb: str
    system: str
    split: str = "test"


def is_released(path):
    """Whether a file is a released one: a JSON list."""
    with open(path, "rb") as stream:
        return stream.read(1024).lstrip().startswith(b"[")


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    corpus = measuring.load_corpus(args.corpus)
    gold = corpus.gold(settings.split)
    if is_released(args.released):
        identifiers = read_identifiers(args.identifiers) if args.identifiers else None
        found, unknown = read_released(args.released, gold, identifiers, settings.kb, settings.system)
        logging.info("%s rows are about mentions that the corpus lacks: left out", f"{unknown:,}")
    elif args.identifiers:
        raise UsageError("--identifiers: a predictions file of ours has the released identifiers already")
    else:
        found = read_predictions(args.released, corpus.name)
        found = dataclasses.replace(found, kb=settings.kb, system=settings.system)
    if args.kb:
        found, counts = resolved(found, args.kb)
        logging.info("distinct identifiers: %s", ", ".join(f"{what} {n:,}" for what, n in sorted(counts.items())))
    matched = sum(row >= 0 for row in aligned(gold, found))
    logging.info("%s predictions for %s gold mentions", f"{matched:,}", f"{len(gold):,}")
    write_predictions(args.predictions, found)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--released", type=Path, required=True, help="predictions made elsewhere")
    parser.add_argument(
        "--identifiers", type=Path, nargs="?", help="number of the snapshot, tab, identifier as released"
    )
    parser.add_argument(
        "--kb", type=Path, nargs="?", help="folder of the knowledge base that identifiers are brought to"
    )
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--predictions", type=Path, required=True, help="output: predictions file")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
