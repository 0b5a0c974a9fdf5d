"""Rows of UMLS Rich Release Format tables (MRCONSO, MRREL, ...) and of the semantic groups, as Arrow batches.

RRF is '|' separated UTF-8 without quoting, with a closing '|' on every row; "NA", "None", `"` and blanks are
characters like any other and nothing is ever null. A file is read once, in blocks, so an 80-million-row MRREL needs
no more memory than a small one. A row with the wrong number of columns, or a byte that is no UTF-8, stops the reading
with the file, the line and what was expected. Lines end with a line feed, or a carriage return and a line feed.

    with rrf.reading(path, "MRREL", ["CUI1", "REL", "CUI2"]) as rows:   # a pyarrow.RecordBatchReader
        connection.register("mrrel", rows)
        connection.execute("CREATE TABLE kept AS SELECT ... FROM mrrel WHERE ...")   # one pass: rows is used up

Column names: UMLS Reference Manual, chapter 3 (paper, appendix A.1).
"""

import codecs
import contextlib
import io
import os
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from workflow_scripts.common.errors import DataError

COLUMNS = {
    "MRCONSO": "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF".split(),
    "MRREL": "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF".split(),
    "MRSTY": "CUI TUI STN STY ATUI CVF".split(),
    "MRDEF": "CUI AUI ATUI SATUI SAB DEF SUPPRESS CVF".split(),
    "MRDOC": "DOCKEY VALUE TYPE EXPL".split(),
    "MRSAB": (
        "VCUI RCUI VSAB RSAB SON SF SVER VSTART VEND IMETA RMETA SLC SCC SRL TFR CFR CXTY TTYL ATNL LAT CENC CURVER "
        "SABIN SSN SCIT"
    ).split(),
    "SemGroups": "GROUP GROUP_NAME TUI STY".split(),
}
UNCLOSED = frozenset({"SemGroups"})
LINE = "LINE"
BLOCK = 1 << 20
_CLOSING = "closing"


@contextlib.contextmanager
def reading(path, table, columns=None, line_numbers=False, block=BLOCK):
    """Yield the rows of an RRF file as a `pyarrow.RecordBatchReader` that can be used once, in file order.

    The reader may be handed to DuckDB or Polars: an error of the file that they meet while they read leaves this
    block as the DataError it is, not as theirs.

    Parameters
    ----------
    path : str or Path
        The file.
    table : str
        A key of `COLUMNS`.
    columns : sequence of str, optional
        The columns wanted, in this order; all by default. Each is a string column without nulls.
    line_numbers : bool
        Add an int64 column "LINE", from 1.
    block : int
        Bytes read at once; a row must fit in it.

    Raises
    ------
    DataError
        If the file is missing, a row has another number of columns than the table, or a byte is no UTF-8.
    """
    columns = list(COLUMNS[table] if columns is None else columns)
    fields = [pa.field(name, pa.string()) for name in columns] + [pa.field(LINE, pa.int64())] * line_numbers
    failures = []

    def watched():
        try:
            yield from _batches(path, table, columns, line_numbers, block)
        except DataError as error:
            failures.append(error)
            raise

    _require_file(path, table)
    reader = pa.RecordBatchReader.from_batches(pa.schema(fields), watched())
    try:
        yield reader
    except Exception:
        if failures:
            raise failures[0] from None
        raise
    finally:
        reader.close()


def read(path, table, columns=None, line_numbers=False):
    """The rows of a small RRF file (MRSTY's groups, MRSAB, MRDOC) as a `pyarrow.Table`; raises as `reading` does."""
    with reading(path, table, columns, line_numbers) as rows:
        return rows.read_all()


def _require_file(path, table):
    if os.path.isfile(path):
        return
    folder = pathlib.Path(path).parent
    there = sorted(item.name for item in folder.iterdir()) if folder.is_dir() else []
    raise DataError(
        path,
        found=f"no such file; the folder holds {', '.join(there[:20]) or 'nothing'}"
        if folder.is_dir()
        else "no folder",
        expected=f"the {table} table of a UMLS release",
        remedy="point umls.meta_dir (linking.kb.meta_dir for the linker) at a folder of RRF files that MetamorphoSys "
        f"wrote, with {pathlib.Path(path).name} among them",
    )


def _batches(path, table, columns, line_numbers, block):
    if not os.path.getsize(path):
        return
    closed = table not in UNCLOSED
    names = COLUMNS[table] + [_CLOSING] * closed
    wanted = columns + [_CLOSING] * closed
    line = 0
    with open(path, "rb", buffering=0) as raw:
        source = pa.PythonFile(_CheckedStream(raw, path, table), mode="r")
        for batch in _parse(source, path, names, wanted, table, block):
            if closed:
                if pc.max(pc.binary_length(batch[_CLOSING])).as_py():
                    raise _broken_row(path, table)
                batch = batch.select(columns)
            if line_numbers:
                numbers = pa.array(np.arange(line + 1, line + 1 + batch.num_rows, dtype=np.int64))
                batch = batch.append_column(pa.field(LINE, pa.int64()), numbers)
            line += batch.num_rows
            if batch.num_rows:
                yield batch


def _parse(source, path, names, wanted, table, block):
    try:
        reader = pyarrow.csv.open_csv(
            source,
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=block),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter="|", quote_char=False, double_quote=False, escape_char=False
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                include_columns=wanted,
                null_values=[],
                strings_can_be_null=False,
                # _CheckedStream checks every byte, also those of columns that nobody wants.
                check_utf8=False,
            ),
        )
        yield from reader
    except pa.ArrowInvalid:
        raise _broken_row(path, table) from None


class _CheckedStream(io.RawIOBase):
    """The bytes of a file, checked on the way to be UTF-8 and to have no empty line, which a CSV reader forgives."""

    def __init__(self, raw, path, table):
        self._raw, self._path, self._table = raw, path, table
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._before = b"\n"

    def readable(self):
        return True

    def read(self, size=-1):
        data = self._raw.read(size)
        try:
            self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise _bad_byte(self._path) from None
        joint = self._before + data[:2]
        if any(empty in text for empty in (b"\n\n", b"\n\r\n") for text in (joint, data)):
            raise _broken_row(self._path, self._table)
        self._before = (self._before + data[-2:])[-2:]
        return data


def _bad_byte(path):
    """The error for the first byte of a file that is no UTF-8."""
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return DataError(
                    path,
                    line=number,
                    found=f"byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line, which is no UTF-8 "
                    f"({error.reason})",
                    expected="UTF-8 text",
                    remedy="let MetamorphoSys write the subset again as UTF-8, or convert the file with iconv",
                )
    raise AssertionError(f"{path} changed while it was read")


def _broken_row(path, table):
    """The error for the first row of a file that does not have the table's columns."""
    expected = len(COLUMNS[table])
    closing = " and a closing '|'" if table not in UNCLOSED else ""
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, start=1):
            found = _row_fault(line, expected, table not in UNCLOSED)
            if found:
                return DataError(
                    path,
                    line=number,
                    found=found,
                    expected=f"{expected} columns of {table} ({'|'.join(COLUMNS[table])}){closing}",
                    remedy="the file is damaged or of another table: copy it again from the release and compare its "
                    "size and digest",
                )
    return DataError(path, found=f"a row longer than {BLOCK:,} bytes", expected=f"rows of {table}")


def _row_fault(line, expected, closed):
    """What is wrong with a row of bytes, or None."""
    text = line[:-1] if line.endswith(b"\n") else line
    text = text.removesuffix(b"\r")
    shown = text[:120].decode("utf-8", "replace")
    columns = text.count(b"|") + (not closed)
    if closed and not text.endswith(b"|"):
        return f"{columns + 1} columns, no closing '|': {shown}"
    if columns != expected:
        return f"{columns} columns: {shown}"
    if b"\r" in text:
        return f"a carriage return inside the row: {shown}"
    return None
