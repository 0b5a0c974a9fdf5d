"""Parquet tables with a contract: columns, types, units, sort order and unique keys, checked when written and read."""

import contextlib
import dataclasses

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_path


@dataclasses.dataclass(frozen=True)
class Contract:
    """What a Parquet file that crosses the wall between two stages promises.

    Parameters
    ----------
    name : str
        The name of the table.
    schema : pyarrow.Schema
        Columns and types; the unit or meaning of a column stands in its field metadata (`column`).
    sort_by : tuple of str
        Columns by which the rows are sorted, ascending, strings by code point.
    unique : tuple of str
        Columns that together identify a row within one file; empty when rows may repeat. They must be
        the leading columns of `sort_by`.
    """

    name: str
    schema: pa.Schema
    sort_by: tuple = ()
    unique: tuple = ()

    def __post_init__(self):
        if self.unique and set(self.sort_by[: len(self.unique)]) != set(self.unique):
            raise ValueError(f"{self.name}: unique columns must lead the sort order")


def column(name, kind, meaning, nullable=False):
    """A field of a contract, with its meaning or unit."""
    return pa.field(name, kind, nullable=nullable, metadata={"meaning": meaning})


def write_table(path, table, contract):
    """Check a table against its contract and write it; nothing is left behind on an error."""
    with open_writer(path, contract) as write:
        write(table)


@contextlib.contextmanager
def open_writer(path, contract):
    """Yield `write(table)` for a stream of tables that together obey the contract.

    Row groups follow the calls; equal calls give equal bytes.
    """
    last = None

    with atomic_path(path) as temporary:
        writer = pq.ParquetWriter(temporary, contract.schema, compression="zstd", write_statistics=True)

        def write(table):
            nonlocal last
            table = _conform(table, contract, path)
            if table.num_rows:
                _check_rows(table, contract, path, last)
                last = table.slice(table.num_rows - 1)
                writer.write_table(table, row_group_size=1 << 17)

        try:
            yield write
        finally:
            writer.close()


def read_table(path, contract, columns=None):
    """Read a table (some of its columns) after checking its columns and types."""
    check_schema(path, contract)
    return pq.read_table(path, columns=columns, partitioning=None)


def check_schema(path, contract):
    """Raise DataError unless the file has the columns and types of the contract."""
    try:
        found = pq.read_schema(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(
            path, found=str(error).split("\n")[0], expected=f"a Parquet file of {contract.name}", remedy="make it again"
        ) from None
    if not found.equals(contract.schema):
        raise DataError(
            path,
            found=_schema_text(found),
            expected=f"{contract.name}: {_schema_text(contract.schema)}",
            remedy="the file comes from another version of the workflow: remove it and run again",
        )


def check_file(path, contract):
    """Check columns, types, sort order and unique keys of a whole file, row group by row group."""
    check_schema(path, contract)
    last, rows = None, 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            table = pa.Table.from_batches([batch], schema=file.schema_arrow)
            _check_rows(table, contract, path, last)
            last = table.slice(table.num_rows - 1) if table.num_rows else last
            rows += table.num_rows
    return rows


def _schema_text(schema):
    return ", ".join(f"{field.name} {field.type}" for field in schema)


def _conform(table, contract, path):
    missing = [name for name in contract.schema.names if name not in table.column_names]
    extra = [name for name in table.column_names if name not in contract.schema.names]
    if missing or extra:
        raise DataError(
            path,
            found=", ".join(table.column_names),
            expected=f"the columns of {contract.name}: {', '.join(contract.schema.names)}",
        )
    for field in contract.schema:
        if not field.nullable and table[field.name].null_count:
            raise DataError(path, found=f"null in column {field.name}", expected=f"{contract.name} without nulls there")
    return table.select(contract.schema.names).cast(contract.schema)


def _check_rows(table, contract, path, last):
    if not contract.sort_by:
        return
    if last is not None:
        table = pa.concat_tables([last, table]).select(table.column_names)
    before, after = table.slice(0, table.num_rows - 1), table.slice(1)
    if not before.num_rows:
        return
    less, equal = _compare(before, after, contract.sort_by)
    ordered = pc.or_(less, equal)
    if contract.unique:
        _, same = _compare(before, after, contract.unique)
        _require(pc.invert(same), after, path, f"{contract.name}: unique {', '.join(contract.unique)}")
    _require(ordered, after, path, f"{contract.name} sorted by {', '.join(contract.sort_by)}")


def _compare(before, after, names):
    """Row-wise (before < after, before == after) in lexicographic order; nulls come first."""
    less = equal = None
    for name in names:
        a, b = before[name], after[name]
        null_a, null_b = pc.is_null(a), pc.is_null(b)
        either = pc.or_(null_a, null_b)
        step_equal = pc.if_else(either, pc.and_(null_a, null_b), pc.equal(a, b))
        step_less = pc.if_else(either, pc.and_(null_a, pc.invert(null_b)), pc.less(a, b))
        less = step_less if less is None else pc.or_(less, pc.and_(equal, step_less))
        equal = step_equal if equal is None else pc.and_(equal, step_equal)
    return less, equal


def _require(good, rows, path, promise):
    if not pc.all(good, min_count=0).as_py():
        index = pc.index(good, False).as_py()
        row = {name: values[0] for name, values in rows.slice(index, 1).to_pydict().items()}
        raise DataError(path, found=f"row {row} breaks the promise", expected=promise)
