"""Released files of knowledge bases as checked streams: plain, gzip, bzip2, or a member of a tar archive.

A file is read once, in blocks, so it needs no more memory than a small one. What is damaged or cut off stops the
reading with the file, the place and what was expected.
"""

import bz2
import contextlib
import dataclasses
import gzip
import tarfile
import zlib

import pyarrow as pa
import pyarrow.csv

from workflow_scripts.common.errors import DataError

BLOCK = 8 << 20
# Stands for a separator of several characters; no released table holds it.
UNIT = b"\x1f"
REMEDY = "get the file again and compare its size and digest with the publisher's"


@dataclasses.dataclass(frozen=True)
class Layout:
    """How the lines of a table are made.

    Parameters
    ----------
    columns : tuple of str
    separator : bytes
        Between two columns.
    closing : bytes
        What ends a line after its last column.
    comments : bool
        Lines that start with '#' are no rows.
    """

    columns: tuple
    separator: bytes = b"\t"
    closing: bytes = b""
    comments: bool = False


@contextlib.contextmanager
def opened(path, member=None):
    """Yield the bytes of a file as a stream, uncompressed; errors of the compression are DataErrors.

    Parameters
    ----------
    path : Path
        Plain, gzip or bzip2: its first bytes tell.
    member : str, optional
        The file inside a tar archive (plain or gzip) to read instead.

    Raises
    ------
    DataError
        If the file is missing, damaged or cut off, or has no such member.
    """
    try:
        with contextlib.ExitStack() as stack:
            if member is None:
                with open(path, "rb") as stream:
                    head = stream.read(3)
                opener = gzip.open if head[:2] == b"\x1f\x8b" else bz2.open if head == b"BZh" else open
                yield stack.enter_context(opener(path, "rb"))
            else:
                archive = stack.enter_context(tarfile.open(path))
                yield stack.enter_context(_member(archive, path, member))
    except EOFError:
        raise DataError(
            path, found="a compressed file whose end is missing", expected="a whole file", remedy=REMEDY
        ) from None
    except (zlib.error, gzip.BadGzipFile, tarfile.TarError) as error:
        raise DataError(path, found=f"damaged data ({error})", expected="a whole file", remedy=REMEDY) from None
    except FileNotFoundError:
        raise DataError(path, found="no such file", expected="a released file", remedy="name its folder") from None
    except OSError as error:
        if error.errno is not None:
            raise
        # bz2 has no error of its own
        raise DataError(path, found=f"damaged data ({error})", expected="a whole file", remedy=REMEDY) from None


def _member(archive, path, name):
    try:
        stream = archive.extractfile(name)
    except KeyError:
        stream = None
    if stream is None:
        raise DataError(
            path, found=f"no member {name}; there is {', '.join(archive.getnames()[:12])}", expected=name, remedy=REMEDY
        )
    return stream


def lines(stream, path, size=BLOCK):
    """Yield (number of the first line from 1, bytes of whole lines) of a stream; all bytes are checked to be UTF-8.

    The last line gets its line feed where it has none; a carriage return before a line feed goes.
    """
    number, rest = 1, b""
    while data := stream.read(size):
        data = rest + data
        cut = data.rfind(b"\n") + 1
        rest = data[cut:]
        if cut:
            yield number, _checked(data[:cut], path, number)
            number += data.count(b"\n", 0, cut)
    if rest:
        yield number, _checked(rest + b"\n", path, number)


def _checked(block, path, number):
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            path,
            line=number + block.count(b"\n", 0, error.start),
            found=f"byte 0x{block[error.start]:02x}, which is no UTF-8 ({error.reason})",
            expected="UTF-8 text",
            remedy=REMEDY,
        ) from None
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block


def heading(path, limit=200):
    """The lines that start with '#' at the beginning of a file, without it; at most `limit`."""
    found = []
    with opened(path) as stream:
        for line in stream:
            if not line.startswith(b"#") or len(found) == limit:
                break
            found.append(line[1:].decode("utf-8", "replace").strip())
    return found


def tables(path, layout, columns=None, member=None, block=BLOCK):
    """Yield the rows of a file as Arrow tables of string columns without nulls, block by block, in file order.

    Quotes are characters like any other. An empty file has no rows.

    Parameters
    ----------
    path : Path
    layout : Layout
    columns : sequence of str, optional
        The columns wanted; all by default.
    member : str, optional
        As in `opened`.
    block : int
        Bytes read at once.

    Raises
    ------
    DataError
        As `opened`; and if a line has another number of columns than the layout: file, line, found and expected.
    """
    with opened(path, member) as stream:
        for number, data in lines(stream, path, block):
            table = _parsed(data, layout, list(columns or layout.columns))
            if table is None:
                raise _broken_line(path, data, number, layout)
            if table.num_rows:
                yield table


def _parsed(data, layout, columns):
    """The table of a block of whole lines; None where a line is broken."""
    if b"\r" in data:
        return None
    if layout.comments and (data.startswith(b"#") or b"\n#" in data):
        data = b"".join(line for line in data.splitlines(keepends=True) if not line.startswith(b"#"))
    if layout.closing:
        if data.count(layout.closing + b"\n") != data.count(b"\n"):
            return None
        data = data.replace(layout.closing + b"\n", b"\n")
    delimiter = layout.separator
    if len(delimiter) > 1:
        data, delimiter = data.replace(delimiter, UNIT), UNIT
    if data.startswith(b"\n") or b"\n\n" in data:
        return None
    # One column more or less makes the parser stop.
    if not data:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    try:
        return pyarrow.csv.read_csv(
            pa.BufferReader(data),
            read_options=pyarrow.csv.ReadOptions(
                column_names=layout.columns, use_threads=False, block_size=max(len(data), 1)
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=delimiter.decode(),
                quote_char=False,
                double_quote=False,
                escape_char=False,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={name: pa.string() for name in layout.columns},
                include_columns=columns,
                null_values=[],
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
    except pa.ArrowInvalid:
        return None


def _broken_line(path, data, number, layout):
    """The error for the first broken line of a block."""
    for line in data.split(b"\n")[:-1]:
        fault = None if layout.comments and line.startswith(b"#") else _fault(line, layout)
        if fault:
            return DataError(
                path,
                line=number,
                found=fault,
                expected=f"{len(layout.columns)} columns: {', '.join(layout.columns)}",
                remedy="the file is damaged or of another kind or year: " + REMEDY,
            )
        number += 1
    return DataError(path, line=number, found="a block that cannot be read", expected="lines of a table")


def _fault(line, layout):
    """What is wrong with a line, or None."""
    shown = line[:120].decode("utf-8", "replace")
    if line == layout.closing:
        return "an empty line"
    if b"\r" in line:
        return f"a carriage return inside the line: {shown!r}"
    if layout.closing and not line.endswith(layout.closing):
        return f"no {layout.closing.decode()!r} at the end of the line: {shown!r}"
    found = line.removesuffix(layout.closing).count(layout.separator) + 1
    if found != len(layout.columns):
        return f"{found} column{'s' * (found != 1)}: {shown!r}"
    return None
