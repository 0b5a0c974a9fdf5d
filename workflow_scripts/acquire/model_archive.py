"""Archives of spaCy models as scispaCy publishes them: a source package, .tar.gz, with the model somewhere in it.

The model is the one folder with config.cfg and meta.json, in en_core_sci_lg-0.5.4.tar.gz
en_core_sci_lg-0.5.4/en_core_sci_lg/en_core_sci_lg-0.5.4. Nothing else is unpacked, and nothing of the package is run.
"""

import gzip
import pathlib
import shutil
import tarfile
import zlib

from workflow_scripts.common import archives
from workflow_scripts.common.errors import DataError

MARKS = ("config.cfg", "meta.json")
DAMAGED = (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error)
GZIP = b"\x1f\x8b"


def fault(path):
    """What is wrong with a file that should be such an archive, in a few words; None for a sound one, read whole."""
    with open(path, "rb") as stream:
        head = stream.read(200)
    if not head.startswith(GZIP):
        kind = "a page" if head.lstrip()[:1] == b"<" else "something else"
        return f"{kind} instead of a .tar.gz: {head[:60]!r}" if head else "an empty file"
    try:
        _model_files(path)
    except DataError as error:
        return error.found
    return None


def unpack(path, folder):
    """Unpack the model of an archive as `folder`; what stands there gives way when all is unpacked.

    Raises
    ------
    DataError
        If the archive is damaged, has no model or a name that leads out of it, or the disk has no room.
    """
    files, root = _model_files(path)
    needed, free = sum(size for _, size in files), shutil.disk_usage(folder.parent).free
    if needed > free:
        raise DataError(folder, found=f"{free:,} bytes free", expected=f"{needed:,}", remedy="make room")
    unpacked = folder.with_name(f".{folder.name}.unpacked")
    shutil.rmtree(unpacked, ignore_errors=True)
    try:
        with tarfile.open(path, "r:gz") as archive:
            for entry in archive:
                name = pathlib.PurePosixPath(entry.name)
                if entry.isfile() and root in name.parents:
                    target = unpacked / name.relative_to(root)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.extractfile(entry) as stream, open(target, "wb") as out:
                        shutil.copyfileobj(stream, out, archives.BLOCK)
        (folder / "meta.json").unlink(missing_ok=True)  # first, for it says that a model is whole
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.replace(folder)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)


def _model_files(path):
    """((name, bytes) of the files of the model, its folder in the archive); reads the archive to its end."""
    files = []
    try:
        with gzip.open(path) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            for entry in archive:
                if not (entry.isfile() or entry.isdir()):
                    raise _wrong(path, f"{entry.name}: a link or a device")
                archives.safe_path(path, entry.name, ".")
                if entry.isfile():
                    files.append((pathlib.PurePosixPath(entry.name), entry.size))
            # gzip checks its sum at the end
            while stream.read(archives.BLOCK):
                pass
    except DAMAGED as error:
        raise _wrong(path, f"a damaged archive ({type(error).__name__}: {error})") from None
    names = {name for name, _ in files}
    roots = sorted({name.parent for name in names if all(name.parent / mark in names for mark in MARKS)})
    if len(roots) != 1:
        there = ", ".join(map(str, roots or sorted(names)[:12]))
        raise _wrong(path, f"{len(roots)} folders with {' and '.join(MARKS)}; there is {there or 'nothing'}")
    return [(name, size) for name, size in files if roots[0] in name.parents], roots[0]


def _wrong(path, found):
    return DataError(path, found=found, expected="a package with one spaCy model", remedy=archives.REMEDY)
