"""Extract the RRF tables that the workflow reads from the archive of a UMLS release: the full install.

Rows and bytes of each table must be those that the release's MRFILES states. A table that the release lacks is an
error, but for MRDEF, which is then empty.
"""

from pathlib import Path

from workflow_scripts.acquire.release_tables import extract_tables
from workflow_scripts.common import command


def main(args):
    """Extract the tables."""
    args.folder.mkdir(parents=True, exist_ok=True)
    extract_tables(args.archive, args.tables, args.folder, args.temporary)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--archive", type=Path, required=True, help="umls-<release>-full.zip")
    parser.add_argument("--tables", nargs="+", required=True, help="names of the tables, such as MRCONSO")
    parser.add_argument("--folder", type=Path, required=True, help="where <table>.RRF go")
    parser.add_argument(
        "--temporary", type=Path, required=True, help="folder for inner archives, of the archive's size"
    )
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
