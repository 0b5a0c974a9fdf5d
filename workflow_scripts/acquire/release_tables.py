"""The RRF tables of a UMLS release archive, as NLM packs them.

A full release holds archives (.nlm), and they hold a table as META/MRSTY.RRF.gz or, cut, as META/MRCONSO.RRF.aa.gz,
.ab.gz and so on; other archives hold META/MRCONSO.RRF as it is. The pieces are joined in the order of their names; the
zip's and gzip's checksums are tested, and rows and bytes of a table are those that MRFILES states, before a table gets
its name.
"""

import contextlib
import gzip
import logging
import pathlib
import re
import tempfile
import zlib

from workflow_scripts.common.archives import BLOCK, REMEDY, copy_whole, walk
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_path
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.release_files import require_stated_size, stated_sizes

PIECE = re.compile(r"(?P<table>MR[A-Z]+)\.RRF(?:\.(?P<order>(?!gz)[a-z]{2}))?(?P<gzip>\.gz)?")
FILES = "MRFILES"
# A release need not define a concept.
MAY_LACK = frozenset({"MRDEF"})


def extract_tables(archive, tables, folder, temporary):
    """Write tables of a release into a folder, each as a whole or not at all.

    Parameters
    ----------
    archive : str or Path
        Zip archive of a release.
    tables : sequence of str
        Names such as "MRCONSO".
    folder : str or Path
    temporary : str or Path
        Folder for pieces and inner archives; it needs about the size of the archive.

    Raises
    ------
    DataError
        If a table is missing or damaged, stands there twice, or is not of the size that MRFILES states.
    """
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory(prefix="release.", dir=temporary) as work:
        pieces = _collect(archive, {*tables, FILES}, pathlib.Path(work))
        missing = [table for table in tables if table not in pieces and table not in MAY_LACK]
        if missing:
            raise DataError(
                archive,
                found=f"no {', '.join(missing)}; there is {', '.join(sorted(pieces)) or 'no table at all'}",
                expected="the tables of a UMLS release",
                remedy="take the full release, umls-<release>-full.zip (experiments/sources.tsv)",
            )
        stated = _stated(pieces.get(FILES), archive)
        with contextlib.ExitStack() as stack:
            for table in tables:
                path = stack.enter_context(atomic_path(folder / f"{table}.RRF"))
                rows, size = _join(pieces.get(table, []), path, archive)
                require_stated_size(archive, table, (rows, size), stated, REMEDY)
                if not rows:
                    logging.warning("the release has no rows of %s", table)
                logging.info("%s: %s rows, %s bytes", table, f"{rows:,}", f"{size:,}")


def _collect(archive, tables, work):
    """Copy the pieces of some tables into a folder; gives (order, path, gzip) of each table, sorted."""

    def wanted(base):
        match = PIECE.fullmatch(base)
        return bool(match) and match["table"] in tables

    pieces, origin = {}, {}
    progress = Progress("pieces of tables")
    for name, stream in walk(archive, wanted, work):
        base = pathlib.PurePosixPath(name).name
        match = PIECE.fullmatch(base)
        if base in origin:
            raise DataError(
                archive,
                record=name,
                found=f"{base} a second time (first: {origin[base]})",
                expected="each table once",
                remedy="take an archive of one release",
            )
        origin[base] = name
        with open(work / base, "wb") as copy:
            copy_whole(stream, copy, f"{archive}, {name}")
        pieces.setdefault(match["table"], []).append((match["order"] or "", work / base, bool(match["gzip"])))
        progress.add()
    progress.close()
    for table, found in pieces.items():
        found.sort()
        _require_whole_row(archive, table, [order for order, _, _ in found])
    return pieces


def _require_whole_row(archive, table, orders):
    """The pieces are one file, or aa, ab, ac, ... without a gap."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    expected = [""] if "" in orders else [letters[i // 26] + letters[i % 26] for i in range(len(orders))]
    if orders != expected:
        raise DataError(
            archive, record=table, found=f"pieces {', '.join(orders)}", expected=", ".join(expected), remedy=REMEDY
        )


def _join(pieces, path, archive):
    """Unpack and join pieces; gives the numbers of rows and bytes."""
    rows = size = 0
    with open(path, "wb") as out:
        for _, piece, packed in pieces:
            try:
                with gzip.open(piece) if packed else open(piece, "rb") as stream:
                    while block := stream.read(BLOCK):
                        rows += block.count(b"\n")
                        size += len(block)
                        out.write(block)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise DataError(
                    archive, record=piece.name, found=f"damaged gzip data ({error})", expected="whole", remedy=REMEDY
                ) from None
            piece.unlink()
    return rows, size


def _stated(pieces, archive):
    """(rows, bytes) by table, as MRFILES states them."""
    if not pieces:
        logging.warning("%s has no MRFILES: the sizes of the tables are not checked, only their checksums", archive)
        return {}
    (_, piece, packed), *_ = pieces
    with gzip.open(piece, "rt", encoding="utf-8") if packed else open(piece, encoding="utf-8") as stream:
        return stated_sizes(stream)
