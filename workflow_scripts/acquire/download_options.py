"""Options of the commands that download, with patience as it suits a slow server."""

from pathlib import Path

from workflow_scripts.acquire.http_download import Policy


def add(parser):
    """Add the options."""
    parser.add_argument("--lock", type=Path, required=True, help="sources.lock, where digests are pinned")
    parser.add_argument("--attempts", type=int, default=Policy.attempts, help="requests in a row without a new byte")
    parser.add_argument("--timeout", type=float, default=Policy.timeout, help="seconds without a byte")
    parser.add_argument("--wait", type=float, default=Policy.first_wait, help="seconds before the second attempt")
    parser.add_argument("--longest-wait", type=float, default=Policy.longest_wait, help="seconds, at most")


def policy(args):
    """The policy that the options ask for."""
    return Policy(attempts=args.attempts, timeout=args.timeout, first_wait=args.wait, longest_wait=args.longest_wait)
