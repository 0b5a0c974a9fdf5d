"""Tables as csv, and back: keys, then for each metric `m`, `m_sd`, `m_paper` (text columns: no sd), then run_ids.

Numbers are in the paper's unit with up to six decimals, the paper's as printed; names and run ids are separated by "|".
"""

import csv

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_delimited
from workflow_scripts.reporting.table import Cell, Row, Table

SEPARATOR = "|"
NO_NAMES = "-"


def header(spec):
    """The column names of a table's csv."""
    names = [key.name for key in spec.keys]
    for column in spec.columns:
        names += [column.name, f"{column.name}_sd"] if column.numeric else [column.name]
        names += [f"{column.name}_paper"]
    return [*names, "run_ids"]


def write_csv(path, table):
    """Write a table."""
    write_delimited(path, header(table.spec), [_line(table.spec, row) for row in table.rows])


def read_csv(path, spec, caption=""):
    """Read a table back.

    Raises
    ------
    DataError
        If the columns are not those of the table, or a number is none.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if reader.fieldnames != header(spec):
            raise DataError(
                path,
                line=1,
                found=f"columns {', '.join(reader.fieldnames or [])}",
                expected=f"columns {', '.join(header(spec))}",
                remedy="make the table again",
            )
        rows = [_row(path, line, spec, record) for line, record in enumerate(reader, 2)]
    return Table(spec, tuple(rows), caption)


def number_text(value):
    """A number with up to six decimals, without trailing zeros."""
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _line(spec, row):
    values = list(row.keys.values())
    for column in spec.columns:
        cell = row.cells[column.name]
        if column.numeric:
            values += [number_text(cell.value), number_text(cell.sd), cell.paper or ""]
        elif column.kind == "names":
            values += [_names(cell.value), _names(cell.paper)]
        else:
            values += [cell.value or "", cell.paper or ""]
    return [*values, SEPARATOR.join(row.runs)]


def _names(names):
    return "" if names is None else SEPARATOR.join(names) or NO_NAMES


def _row(path, line, spec, record):
    cells = {}
    for column in spec.columns:
        value, paper = record[column.name], record[f"{column.name}_paper"] or None
        if column.kind == "names":
            cells[column.name] = Cell(_read_names(value), None, _read_names(paper))
        elif column.numeric:
            sd = record[f"{column.name}_sd"]
            kind = int if column.kind == "count" else float
            try:
                cells[column.name] = Cell(kind(value) if value else None, float(sd) if sd else None, paper)
            except ValueError:
                raise DataError(path, line=line, found=f"{column.name} {value!r}", expected="a number") from None
        else:
            cells[column.name] = Cell(value or None, None, paper)
    runs = tuple(record["run_ids"].split(SEPARATOR)) if record["run_ids"] else ()
    return Row({key.name: record[key.name] for key in spec.keys}, cells, runs)


def _read_names(text):
    if not text:
        return None
    return () if text == NO_NAMES else tuple(text.split(SEPARATOR))
