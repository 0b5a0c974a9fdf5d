"""Download the archive of a UMLS release from NLM with the key of a UTS account.

The key comes from the environment (UMLS_API_KEY) and is shown nowhere. The service is the one that NLM documents for
automated downloads: <endpoint>?url=<address of the file>&apiKey=<key>. A cut connection is taken up where it broke,
also by a second start; the archive gets its name when its directory is whole and its digest is the one of
sources.lock. UTS_ENDPOINT in the environment replaces the address of the service.
"""

import dataclasses
import os
import urllib.parse
from pathlib import Path

from workflow_scripts.acquire import download_options
from workflow_scripts.acquire.pinned_download import Source, fetch
from workflow_scripts.acquire.source_table import published_digest, read_source
from workflow_scripts.common import command, params
from workflow_scripts.common.archives import archive_fault
from workflow_scripts.common.errors import UsageError

ENDPOINT = "https://uts-ws.nlm.nih.gov/download"
KEY = "UMLS_API_KEY"
LICENCE = (
    "the key is wrong or its account has no UMLS licence: look it up at https://uts.nlm.nih.gov (My Profile) and "
    f"export {KEY}; HTTP 404: there is no such release, see umls.release"
)


@dataclasses.dataclass(frozen=True)
class Params:
    """Config values: the release, such as 2019AB."""

    release: str


def api_key():
    """The key of the environment.

    Raises
    ------
    UsageError
        If there is none, or it holds characters that no key has.
    """
    key = os.environ.get(KEY, "").strip()
    if not key:
        raise UsageError(
            f"{KEY} is not in the environment\n  expected: the API key of a UTS account with a UMLS licence\n"
            f"  remedy:   get one at https://uts.nlm.nih.gov (My Profile), then export {KEY}=..., or install the "
            "release by hand and set umls.source: local"
        )
    if not key.isascii() or any(character.isspace() for character in key):
        raise UsageError(f"{KEY} holds blanks or characters that are not ASCII: copy the key again")
    return key


def main(args):
    """Download the archive."""
    settings = params.parse(Params, args.params)
    row = read_source(args.sources, "umls")
    address = row["url"].replace("{release}", settings.release)
    if args.archive.is_file():
        asked = address  # nothing is asked: the digest of the archive is compared
    else:
        query = urllib.parse.urlencode({"url": address, "apiKey": api_key()})
        asked = f"{os.environ.get('UTS_ENDPOINT') or ENDPOINT}?{query}"
    source = Source(
        url=asked,
        public_url=address,
        target=args.archive,
        lock=args.lock,
        label=f"umls/{args.archive.name}",
        sha256=published_digest(row) if row["release"] == settings.release else None,
        fault=archive_fault,
        remedy=LICENCE,
        policy=download_options.policy(args),
    )
    fetch(source)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--archive", type=Path, required=True, help="the archive to write")
    parser.add_argument("--sources", type=Path, required=True, help="the table of sources; row umls is read")
    download_options.add(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
