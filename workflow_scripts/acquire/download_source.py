"""Download one file of the table of sources: word vectors, semantic groups.

Where the table names a member, the download is a zip archive and the member is the file. A cut connection is taken up
where it broke; the file gets its name when its digest is that of the table or of sources.lock.
"""

import dataclasses
import logging
import shutil
from pathlib import Path

from workflow_scripts.acquire import download_options, sources_lock
from workflow_scripts.acquire.nlm_md5 import digests
from workflow_scripts.acquire.pinned_download import Source, fetch
from workflow_scripts.acquire.source_table import published_digest, read_source
from workflow_scripts.common import archives, command, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open


@dataclasses.dataclass(frozen=True)
class Params:
    """The row of the table of sources."""

    source: str


def page_fault(path):
    """What is wrong with a file that should be data, in a few words: some servers answer with a page instead."""
    with open(path, "rb") as stream:
        head = stream.read(200).lstrip()
    if not head:
        return "an empty file"
    return f"a page instead of data: {head[:60]!r}" if head[:1] == b"<" and b"<html" in head.lower() else None


def fetch_member(source, member):
    """Get the member of a zip archive as the file `source.target`; the archive goes when the member is there."""
    target, label = source.target, f"{source.label}/{member}"
    if not target.is_file():
        whole = dataclasses.replace(source, target=target.with_name(f"{target.name}.zip"), fault=archives.archive_fault)
        fetch(whole)
        with archives.opened(whole.target) as archive:
            if member not in archive.namelist():
                raise DataError(
                    whole.target,
                    found=f"no member {member}; there is {', '.join(archive.namelist()[:12])}",
                    expected="the member that the table of sources names",
                    remedy="mend column member of experiments/sources.tsv",
                )
            entry = archive.getinfo(member)
            archives.require_plain(whole.target, entry)
            if entry.file_size > (free := shutil.disk_usage(target.parent).free):
                raise DataError(
                    target, found=f"{free:,} bytes free", expected=f"{entry.file_size:,}", remedy="make room"
                )
            with archives.member(archive, entry, whole.target) as stream, atomic_open(target, "wb") as out:
                archives.copy_whole(stream, out, f"{whole.target}, {member}")
        whole.target.unlink()
        logging.info("%s: %s bytes", target, f"{target.stat().st_size:,}")
    sha256, _ = digests(target)
    sources_lock.pin(source.lock, sources_lock.Pin(label, sha256, target.stat().st_size, source.shown))


def main(args):
    """Download the file."""
    settings = params.parse(Params, args.params)
    row = read_source(args.sources, settings.source)
    source = Source(
        url=row["url"],
        target=args.file,
        lock=args.lock,
        label=settings.source,
        sha256=published_digest(row),
        fault=page_fault,
        remedy=f"look at the address in a browser, mend row {settings.source} of {args.sources}, or put the file there "
        "by hand; start again to go on where this ended",
        policy=download_options.policy(args),
    )
    if row["member"]:
        fetch_member(source, row["member"])
    else:
        fetch(source)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--file", type=Path, required=True, help="the file to write")
    parser.add_argument("--sources", type=Path, required=True, help="the table of sources")
    download_options.add(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
