"""Check tables of a UMLS release and write the digest of each, `sha256  name`, into a file of its own.

A table with an .md5 beside it must match it; only the table of definitions may be empty. The digest, not the time stamp
of the table, decides what runs again.
"""

import logging
from pathlib import Path

from workflow_scripts.acquire.nlm_md5 import checked_sha256
from workflow_scripts.common import command
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import atomic_open

REMEDY = (
    "point umls.meta_dir (linking.kb.meta_dir for the linker's release, umls.semantic_groups for the groups) to an "
    "installed release that holds the table, or install it again"
)
# A release, or a subset of one, need not define a concept.
MAY_BE_EMPTY = frozenset({"MRDEF"})


def main(args):
    """Check the tables and write the digests."""
    if len(args.tables) != len(args.digests):
        raise UsageError(f"{len(args.tables)} tables but {len(args.digests)} digest files: name one for each")
    for table, digest in zip(args.tables, args.digests, strict=True):
        sha256 = checked_sha256(table, REMEDY, may_be_empty=table.stem in MAY_BE_EMPTY)
        if not table.stat().st_size:
            logging.warning("%s is empty: no concept has a definition, so the linker is strict with all", table)
        with atomic_open(digest) as stream:
            stream.write(f"{sha256}  {table.name}\n")


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--tables", type=Path, nargs="+", required=True, help="RRF tables, or the semantic groups")
    parser.add_argument("--digests", type=Path, nargs="+", required=True, help="the digest file of each table")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
