"""The .md5 files that NLM puts beside its releases, and the check of a file against one."""

import gzip
import hashlib
import pathlib
import re
import zlib

from workflow_scripts.common.errors import DataError

_NLM = re.compile(r"MD5\s*\(\s*(?P<name>[^()]+?)\s*\)\s*=\s*(?P<md5>[0-9a-fA-F]{32})")
_COREUTILS = re.compile(r"(?P<md5>[0-9a-fA-F]{32})(?:\s+\*?(?P<name>\S+))?")


def parse_md5(text, name):
    """The digest of file `name` in the text of an .md5 file, in lower case; None where the text holds none.

    NLM writes `MD5(name)= hex`; the format of md5sum, `hex  name`, is read too. A line that names another file
    does not count.
    """
    for line in text.splitlines():
        match = _NLM.fullmatch(line.strip()) or _COREUTILS.fullmatch(line.strip())
        if match and (match["name"] is None or pathlib.PurePosixPath(match["name"]).name == name):
            return match["md5"].lower()
    return None


def nlm_line(name, md5):
    """The content of an .md5 file in NLM's format."""
    return f"MD5({name})= {md5}\n"


def digests(path, block=1 << 20):
    """(sha256, md5) of a file in hexadecimal, in one reading."""
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as stream:
        while chunk := stream.read(block):
            sha256.update(chunk)
            md5.update(chunk)
    return sha256.hexdigest(), md5.hexdigest()


def gzip_fault(path, block=1 << 20):
    """What is wrong with a .gz file, in a few words; None for a sound one."""
    try:
        with gzip.open(path) as stream:
            while stream.read(block):
                pass
    except EOFError:
        return "the gzip stream ends in the middle: the file is cut short"
    except (OSError, zlib.error) as error:
        return f"no sound gzip file ({error})"
    return None


def checked_sha256(path, remedy, may_be_empty=False):
    """SHA-256 of a file that is whole.

    A file with an .md5 beside it must have that digest; a .gz without one must unpack to its end, so that a
    truncated file is met here and not hours later.

    Raises
    ------
    DataError
        If the file is missing, empty, cut short or not what its .md5 says; `remedy` says what to do.
    """
    path = pathlib.Path(path)
    if not path.is_file():
        there = (
            ", ".join(sorted(p.name for p in path.parent.glob("*"))[:8]) if path.parent.is_dir() else "no such folder"
        )
        raise DataError(path, found=f"no such file (in {path.parent}: {there})", expected="a file", remedy=remedy)
    if not path.stat().st_size and not may_be_empty:
        raise DataError(path, found="an empty file", expected="data", remedy=remedy)
    sha256, md5 = digests(path)
    beside = path.with_name(path.name + ".md5")
    if beside.is_file():
        _compare(path, md5, beside, remedy)
    elif path.suffix == ".gz" and (fault := gzip_fault(path)):
        raise DataError(path, found=fault, expected="a whole .gz file", remedy=remedy)
    return sha256


def _compare(path, md5, beside, remedy):
    stated = parse_md5(beside.read_text(encoding="utf-8", errors="replace"), path.name)
    if stated is None:
        raise DataError(
            beside,
            found="no line for this file",
            expected=f"MD5({path.name})= and 32 hexadecimal digits",
            remedy=remedy,
        )
    if stated != md5:
        fault = gzip_fault(path) if path.suffix == ".gz" else None
        raise DataError(
            path,
            found=f"md5 {md5}, {path.stat().st_size:,} bytes" + (f"; {fault}" if fault else ""),
            expected=f"md5 {stated} ({beside.name})",
            remedy=remedy,
        )
