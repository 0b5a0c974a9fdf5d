"""Check the MEDLINE files of one batch and write their digests.

A file with an .md5 beside it must match it; one without must unpack to its end. The digest file has one line
`sha256  name` per MEDLINE file; it, not the time stamp of the files, decides what runs again.
"""

from pathlib import Path

from workflow_scripts.acquire.nlm_md5 import checked_sha256
from workflow_scripts.common import command
from workflow_scripts.common.files import atomic_open
from workflow_scripts.common.progress import Progress

REMEDY = "remove the file and get it again (medline.source: download does so), or mend medline.baseline_dir"


def main(args):
    """Check the files and write the digests."""
    progress = Progress("MEDLINE files", len(args.files))
    lines = []
    for path in args.files:
        lines.append(f"{checked_sha256(path, REMEDY)}  {path.name}\n")
        progress.add()
    with atomic_open(args.digest) as stream:
        stream.writelines(lines)
    progress.close()


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=Path, nargs="+", required=True, help="MEDLINE .xml.gz files")
    parser.add_argument("--digest", type=Path, required=True, help="the digest file to write")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
