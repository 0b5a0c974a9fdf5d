"""sources.lock: the digest of each download, pinned when it is first made.

One line per download, sorted by name: name, SHA-256, size in bytes, address, day of the first download (UTC; lines of
older versions have none); tab separated. Many sources have no version: digest and day say which one a run had.
Downloads that run side by side on one machine or over a shared file system add their lines one after another under a
POSIX lock.
"""

import contextlib
import dataclasses
import datetime
import fcntl
import pathlib
import re

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open

_HEADER = "# name\tsha256\tbytes\turl\tday: digests pinned at the first download; a line goes only by hand\n"


@dataclasses.dataclass(frozen=True)
class Pin:
    """What a download was when it was first made."""

    name: str
    sha256: str
    bytes: int
    url: str
    day: str = ""


def pin(path, entry):
    """Add a download to the lock file, or check it against the line that is there.

    Parameters
    ----------
    path : str or Path
        The lock file; made when it is not there.
    entry : Pin

    Raises
    ------
    DataError
        If the download has another digest than the one pinned, or the lock file is broken.
    """
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        known = read(path)
        if entry.name not in known:
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            known[entry.name] = dataclasses.replace(entry, day=entry.day or today)
            _write(path, known)
        elif known[entry.name].sha256 != entry.sha256:
            raise DataError(
                path,
                record=entry.name,
                found=f"sha256 {entry.sha256} ({entry.bytes:,} bytes from {entry.url})",
                expected=f"sha256 {known[entry.name].sha256} ({known[entry.name].bytes:,} bytes), pinned before",
                remedy=f"if the publisher replaced the file and you want the new one, remove the line of {entry.name}",
            )


def read(path):
    """The lines of a lock file as a dict of Pin by name; empty where there is no file."""
    path = pathlib.Path(path)
    if not path.is_file():
        return {}
    entries = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if line.startswith("#") or not line.strip():
            continue
        if len(cells) not in (4, 5) or not re.fullmatch("[0-9a-f]{64}", cells[1]) or not cells[2].isdecimal():
            raise DataError(
                path,
                line=number,
                found=line[:100],
                expected="name, sha256, bytes, url, day; tab separated",
                remedy="mend it",
            )
        entries[cells[0]] = Pin(cells[0], cells[1], int(cells[2]), *cells[3:])
    return entries


def _write(path, entries):
    with atomic_open(path) as stream:
        stream.write(_HEADER)
        for name in sorted(entries):
            entry = entries[name]
            stream.write(
                f"{entry.name}\t{entry.sha256}\t{entry.bytes}\t{entry.url}{entry.day and chr(9) + entry.day}\n"
            )


@contextlib.contextmanager
def _alone(path):
    """Hold a lock that no other process holds; the system drops it when the process dies."""
    with open(path.with_name(f".{path.name}.guard"), "w") as guard:
        fcntl.lockf(guard, fcntl.LOCK_EX)
        yield
