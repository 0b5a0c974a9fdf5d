"""Put the digests of all batches of MEDLINE files into one list.

The list says when all files are checked: no job that reads MEDLINE, or what was made from it, starts before.
"""

from pathlib import Path

from workflow_scripts.common import command
from workflow_scripts.common.files import atomic_open


def main(args):
    """Write the list, in the order of the batches."""
    with atomic_open(args.collected) as stream:
        for path in args.digests:
            stream.write(path.read_text(encoding="utf-8"))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--digests", type=Path, nargs="+", required=True, help="the digest files of the batches")
    parser.add_argument("--collected", type=Path, required=True, help="the list to write")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
