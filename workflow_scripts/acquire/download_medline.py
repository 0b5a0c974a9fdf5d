"""Download one file of the MEDLINE baseline with its .md5, or check the one that is there.

The mirrors are tried in order. A cut connection is taken up where it broke, also by a second start after a kill; the
file gets its name only when its digest is that of the .md5 and that of an earlier download in sources.lock.
"""

import dataclasses
from pathlib import Path

from workflow_scripts.acquire.http_download import Policy
from workflow_scripts.acquire.mirrored_download import Download, fetch
from workflow_scripts.common import command, params


@dataclasses.dataclass(frozen=True)
class Params:
    """Config values."""

    mirrors: list


def main(args):
    """Download the file."""
    settings = params.parse(Params, args.params)
    policy = Policy(attempts=args.attempts, timeout=args.timeout, first_wait=args.wait, longest_wait=args.longest_wait)
    fetch(Download(args.file.name, settings.mirrors, args.file.parent, args.lock, policy))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--file", type=Path, required=True, help="where the file goes; mirrors are asked for its name")
    parser.add_argument("--lock", type=Path, required=True, help="sources.lock, where digests are pinned")
    parser.add_argument("--attempts", type=int, default=Policy.attempts, help="requests in a row without a new byte")
    parser.add_argument("--timeout", type=float, default=Policy.timeout, help="seconds without a byte")
    parser.add_argument("--wait", type=float, default=Policy.first_wait, help="seconds before the second attempt")
    parser.add_argument("--longest-wait", type=float, default=Policy.longest_wait, help="seconds, at most")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
