"""Download one file of the MEDLINE baseline with its .md5, or check the one that is there.

The mirrors are tried in order. A cut connection is taken up where it broke, also by a second start after a kill; the
file gets its name only when its digest is that of the .md5 and that of an earlier download in sources.lock.
"""

import dataclasses
from pathlib import Path

from workflow_scripts.acquire import download_options
from workflow_scripts.acquire.mirrored_download import Download, fetch
from workflow_scripts.common import command, params


@dataclasses.dataclass(frozen=True)
class Params:
    """Config values."""

    mirrors: list
    require_md5: bool = True


def main(args):
    """Download the file."""
    settings = params.parse(Params, args.params)
    policy = download_options.policy(args)
    name, folder = args.file.name, args.file.parent
    fetch(Download(name, settings.mirrors, folder, args.lock, policy, require_md5=settings.require_md5))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--file", type=Path, required=True, help="where the file goes; mirrors are asked for its name")
    download_options.add(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
