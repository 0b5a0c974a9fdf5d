"""Zip archives, those inside other ones too, read member by member in bounded memory.

What an archive says about its members is not believed: a name never leads out of the folder given, links and encrypted
members are refused, and a member that unpacks to more than it states stops the reading.
"""

import pathlib
import shutil
import stat
import tempfile
import zipfile
import zlib

from workflow_scripts.common.errors import DataError

BLOCK = 1 << 20
NESTED = (".zip", ".nlm")
DEEPEST = 3
ENCRYPTED = 0x1
REMEDY = "remove the archive and get it again"


def archive_fault(path):
    """What is wrong with a file that should be a zip archive, in a few words; None for one whose directory is whole."""
    with open(path, "rb") as stream:
        head = stream.read(200)
    if head.lstrip()[:1] in (b"<", b"{"):
        kind = "a page (HTML or XML)" if head.lstrip()[:1] == b"<" else "a message (JSON)"
        return f"{kind} instead of a zip archive: {head[:80].decode('utf-8', 'replace')!r}"
    if not zipfile.is_zipfile(path):
        return "no zip archive, or one whose end is missing"
    return None


def walk(path, wanted, temporary, inner="", depth=1):
    """Yield (name, stream) of the wanted members of an archive and of the archives in it.

    Parameters
    ----------
    path : str or Path
        The archive.
    wanted : callable
        Gets the base name of a member.
    temporary : str or Path
        Folder where archives inside the archive are unpacked, one at a time.
    inner : str
        Names of the archives around, for messages.

    Yields
    ------
    str, binary file
        The name with those of the archives around it; the stream is read before the next one is asked for.

    Raises
    ------
    DataError
        If an archive or a member is damaged, encrypted or a link.
    """
    with opened(path) as archive:
        for entry in archive.infolist():
            name = f"{inner}{entry.filename}"
            base = pathlib.PurePosixPath(entry.filename).name
            nested = base.lower().endswith(NESTED) and depth < DEEPEST
            if entry.is_dir() or not (nested or wanted(base)):
                continue
            require_plain(path, entry)
            if not nested:
                with member(archive, entry, path) as stream:
                    yield name, stream
                continue
            with tempfile.NamedTemporaryFile(dir=temporary, suffix=".nested") as copy:
                with member(archive, entry, path) as stream:
                    copy_whole(stream, copy, f"{path}, {name}")
                copy.flush()
                fault = archive_fault(copy.name)
                if fault:
                    raise DataError(path, record=name, found=fault, expected="a zip archive", remedy=REMEDY)
                yield from walk(copy.name, wanted, temporary, f"{name}: ", depth + 1)


def opened(path):
    """The archive at a path; raises DataError where it is none."""
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError(path, found=str(error), expected="a zip archive", remedy=REMEDY) from None


def member(archive, entry, path):
    """The stream of a member; raises DataError where its own header does not fit the archive's directory."""
    try:
        return archive.open(entry)
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        raise DataError(path, record=entry.filename, found=str(error), expected="a member", remedy=REMEDY) from None


def require_plain(path, entry):
    """Raise DataError for a member that is a link or encrypted."""
    if entry.flag_bits & ENCRYPTED:
        raise DataError(path, record=entry.filename, found="an encrypted member", expected="a plain one", remedy=REMEDY)
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise DataError(path, record=entry.filename, found="a link", expected="a file", remedy=REMEDY)


def copy_whole(source, target, where):
    """Copy a member to a file, block by block; a wrong checksum or an early end is a DataError."""
    try:
        shutil.copyfileobj(source, target, BLOCK)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DataError(where, found=f"damaged data ({error})", expected="a whole member", remedy=REMEDY) from None


def safe_path(path, member, folder):
    """Where a member, by its name, goes below a folder.

    Raises
    ------
    DataError
        If its name is absolute, climbs out of the folder, or holds a drive or a backslash.
    """
    name = pathlib.PurePosixPath(member)
    if name.is_absolute() or ".." in name.parts or "\\" in member or ":" in member or not name.parts:
        raise DataError(
            path,
            record=member,
            found="a name that leads out of the folder",
            expected="a relative name without ..",
            remedy="do not use this archive: it is not as its publisher made it",
        )
    return pathlib.Path(folder) / name


def unpack(path, folder):
    """Unpack all of an archive below a folder, and give the paths of its files in the order of the archive.

    All names are looked at before the first byte is written; a file that stands there is replaced.
    """
    with opened(path) as archive:
        entries = archive.infolist()
        targets = []
        for entry in entries:
            require_plain(path, entry)
            targets.append(safe_path(path, entry.filename, folder))
        needed, free = sum(entry.file_size for entry in entries), shutil.disk_usage(folder).free
        if needed > free:
            raise DataError(
                path,
                found=f"{needed:,} bytes to unpack, {free:,} free in {folder}",
                expected="room for them",
                remedy="make room, or set the temporary folder to a larger disk",
            )
        for entry, target in zip(entries, targets, strict=True):
            if entry.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with member(archive, entry, path) as stream, open(target, "wb") as out:
                copy_whole(stream, out, f"{path}, {entry.filename}")
        return [target for entry, target in zip(entries, targets, strict=True) if not entry.is_dir()]
