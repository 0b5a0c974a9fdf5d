"""Parquet tables keep their contract."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workflow_scripts.common import tables
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import Contract, column

PAIRS = Contract(
    "pairs",
    pa.schema(
        [column("a", pa.string(), "a"), column("b", pa.int32(), "b"), column("c", pa.string(), "c", nullable=True)]
    ),
    sort_by=("a", "b"),
    unique=("a", "b"),
)
LOOSE = Contract("loose", PAIRS.schema, sort_by=("a", "c"))


def rows(*values):
    return pa.table({"a": [v[0] for v in values], "b": [v[1] for v in values], "c": [v[2] for v in values]})


def test_round_trip_and_equal_bytes(tmp_path):
    table = rows(("x", 1, None), ("x", 2, "u"), ("y", 1, "v"))
    tables.write_table(tmp_path / "1.parquet", table, PAIRS)
    tables.write_table(tmp_path / "2.parquet", table.select(["c", "b", "a"]), PAIRS)
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()
    assert tables.read_table(tmp_path / "1.parquet", PAIRS).to_pylist() == table.to_pylist()
    assert tables.check_file(tmp_path / "1.parquet", PAIRS) == 3
    assert tables.read_table(tmp_path / "1.parquet", PAIRS, columns=["b"]).column_names == ["b"]


@pytest.mark.parametrize(
    "bad, words",
    [
        ([("y", 1, None), ("x", 1, None)], "sorted by a, b"),
        ([("x", 2, None), ("x", 1, None)], "sorted by a, b"),
        ([("x", 1, None), ("x", 1, "u")], "unique a, b"),
        ([(None, 1, "u")], "null in column a"),
    ],
)
def test_broken_promises_leave_no_file(tmp_path, bad, words):
    with pytest.raises(DataError, match=words):
        tables.write_table(tmp_path / "t.parquet", rows(*bad), PAIRS)
    assert not list(tmp_path.iterdir())


def test_order_is_checked_across_the_chunks_of_a_stream(tmp_path):
    with pytest.raises(DataError, match="sorted by"), tables.open_writer(tmp_path / "t", PAIRS) as write:
        write(rows(("b", 1, None)))
        write(rows(("a", 1, None)))
    with pytest.raises(DataError, match="unique"), tables.open_writer(tmp_path / "t", PAIRS) as write:
        write(rows(("b", 1, None)))
        write(rows(("b", 1, None)))


def test_nulls_sort_first(tmp_path):
    tables.write_table(tmp_path / "t", rows(("x", 1, None), ("x", 1, None), ("x", 1, "")), LOOSE)
    with pytest.raises(DataError, match="sorted by a, c"):
        tables.write_table(tmp_path / "u", rows(("x", 1, ""), ("x", 1, None)), LOOSE)


def test_empty_table(tmp_path):
    tables.write_table(tmp_path / "t", rows(), PAIRS)
    assert tables.check_file(tmp_path / "t", PAIRS) == 0


def test_unknown_and_missing_columns(tmp_path):
    with pytest.raises(DataError, match="the columns of pairs: a, b, c"):
        tables.write_table(tmp_path / "t", rows(("x", 1, None)).append_column("d", pa.array([1])), PAIRS)
    with pytest.raises(DataError, match="the columns of pairs"):
        tables.write_table(tmp_path / "t", rows(("x", 1, None)).select(["a"]), PAIRS)


def test_reading_what_is_not_the_table(tmp_path):
    (tmp_path / "text").write_text("no parquet")
    with pytest.raises(DataError, match="a Parquet file of pairs"):
        tables.read_table(tmp_path / "text", PAIRS)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other")
    with pytest.raises(DataError, match="found:    a int64"):
        tables.check_file(tmp_path / "other", PAIRS)


def test_check_file_finds_a_broken_order(tmp_path):
    pq.write_table(rows(("y", 1, None), ("x", 1, None)).cast(PAIRS.schema), tmp_path / "t")
    with pytest.raises(DataError, match="sorted by a, b"):
        tables.check_file(tmp_path / "t", PAIRS)


def test_a_contract_must_make_sense():
    with pytest.raises(ValueError, match="unique columns must lead"):
        Contract("x", PAIRS.schema, sort_by=("a", "b"), unique=("b",))
