"""Check one table of a UMLS release and write its digest, `sha256  name`.

A table with an .md5 beside it must match it. The digest, not the time stamp of the table, decides what runs again.
"""

from pathlib import Path

from workflow_scripts.acquire.nlm_md5 import checked_sha256
from workflow_scripts.common import command
from workflow_scripts.common.files import atomic_open

REMEDY = (
    "point umls.meta_dir (linking.kb.meta_dir for the linker's release, umls.semantic_groups for the groups) to an "
    "installed release that holds the table, or install it again"
)


def main(args):
    """Check the table and write the digest."""
    sha256 = checked_sha256(args.table, REMEDY)
    with atomic_open(args.digest) as stream:
        stream.write(f"{sha256}  {args.table.name}\n")


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--table", type=Path, required=True, help="an RRF table or the file of semantic groups")
    parser.add_argument("--digest", type=Path, required=True, help="the digest file to write")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
