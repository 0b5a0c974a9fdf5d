"""The RRF reader: columns, literal characters, errors that name file and line, bounded blocks."""

import duckdb
import pyarrow as pa
import pytest

from workflow_scripts.common import rrf
from workflow_scripts.common.errors import DataError


def sty_row(cui, tui="T047", sty="Disease or Syndrome"):
    return f"{cui}|{tui}|B2.2.1.2.1|{sty}|AT{cui[1:]}|256|"


def write(path, rows, end="\n"):
    path.write_bytes("".join(row + end for row in rows).encode())
    return path


def test_columns_in_the_order_asked_with_line_numbers(tmp_path):
    path = write(tmp_path / "MRSTY.RRF", [sty_row("C0000001"), sty_row("C0000002", "T121")])
    table = rrf.read(path, "MRSTY", ["TUI", "CUI"], line_numbers=True)
    assert table.schema == pa.schema([("TUI", pa.string()), ("CUI", pa.string()), ("LINE", pa.int64())])
    assert table.to_pydict() == {"TUI": ["T047", "T121"], "CUI": ["C0000001", "C0000002"], "LINE": [1, 2]}


@pytest.mark.parametrize(
    "text", ['"', '"open', 'a "b" c', "NA", "None", "null", "", " x ", "µ é 𝒳", "a\\", "#1", "'", "\x85"]
)
def test_every_text_is_itself(tmp_path, text):
    rows = [sty_row("C0000001", sty=text), sty_row("C0000002", sty="next")]
    table = rrf.read(write(tmp_path / "MRSTY.RRF", rows), "MRSTY", ["STY"])
    assert table["STY"].to_pylist() == [text, "next"]


@pytest.mark.parametrize("table", sorted(rrf.COLUMNS))
def test_each_table_has_distinct_columns_and_reads(tmp_path, table):
    names = rrf.COLUMNS[table]
    assert len(set(names)) == len(names)
    row = "|".join(names) + ("" if table in rrf.UNCLOSED else "|")
    assert rrf.read(write(tmp_path / "x", [row]), table).to_pylist() == [dict(zip(names, names, strict=True))]


@pytest.mark.parametrize("rows", [1, 999, 5000])
def test_small_blocks_give_the_same_rows(tmp_path, rows):
    expected = [f"C{number:07d}" for number in range(rows)]
    path = write(tmp_path / "MRSTY.RRF", [sty_row(cui) for cui in expected])
    for block in (512, 4096, rrf.BLOCK):
        with rrf.reading(path, "MRSTY", ["CUI"], line_numbers=True, block=block) as batches:
            table = batches.read_all()
        assert table["CUI"].to_pylist() == expected
        assert table["LINE"].to_pylist() == list(range(1, rows + 1))


def test_windows_line_ends_an_empty_file_and_a_last_row_without_line_feed(tmp_path):
    windows = write(tmp_path / "a", [sty_row("C1"), sty_row("C2")], "\r\n")
    assert rrf.read(windows, "MRSTY", ["CVF"])["CVF"].to_pylist() == ["256", "256"]
    assert rrf.read(write(tmp_path / "b", []), "MRSTY").num_rows == 0
    (tmp_path / "c").write_text(sty_row("C1") + "\n" + sty_row("C2"))
    assert rrf.read(tmp_path / "c", "MRSTY", ["CUI"])["CUI"].to_pylist() == ["C1", "C2"]


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("C0000009|T047|B2|Disease|AT1|", "5 columns"),
        ("C0000009|T047|B2|Disease|AT1|256|x|", "7 columns"),
        ("C0000009|T047|B2|Disease|AT1|256|x", "no closing '|'"),
        ("C0000009|T047|B2|Disease|AT1|256", "6 columns, no closing '|'"),
        ("C0000009", "1 columns, no closing"),
        ("", "1 columns, no closing"),
        ("C0000009|T047|B2|Dis\rease|AT1|256|", "carriage return"),
    ],
)
@pytest.mark.parametrize("line", [1, 700, 1500])
def test_a_broken_row_is_named(tmp_path, broken, found, line):
    rows = [sty_row(f"C{number:07d}") for number in range(1499)]
    rows.insert(line - 1, broken)
    path = write(tmp_path / "MRSTY.RRF", rows)
    with pytest.raises(DataError) as caught:
        with rrf.reading(path, "MRSTY", ["CUI"], block=4096) as batches:
            batches.read_all()
    message = str(caught.value)
    assert caught.value.line == line and found in message
    assert str(path) in message and "6 columns of MRSTY (CUI|TUI|STN|STY|ATUI|CVF)" in message


@pytest.mark.parametrize("column", ["STY", "CVF"])
def test_a_byte_that_is_no_utf8_is_named_even_in_a_column_not_asked_for(tmp_path, column):
    good = sty_row("C0000001").encode() + b"\n"
    bad = good.replace(b"Disease" if column == "STY" else b"256", b"Bj\xf6rk")
    path = tmp_path / "MRSTY.RRF"
    path.write_bytes(good * 400 + bad + good * 400)
    with pytest.raises(DataError) as caught:
        rrf.read(path, "MRSTY", ["CUI"])
    assert caught.value.line == 401
    assert f"byte 0xf6 at byte {bad.index(0xF6) + 1} of the line" in str(caught.value)


def test_the_error_of_the_file_comes_through_duckdb(tmp_path):
    path = write(tmp_path / "MRSTY.RRF", [sty_row("C0000001")] * 3 + ["C0000002|T047|"])
    connection = duckdb.connect()
    with pytest.raises(DataError) as caught:
        with rrf.reading(path, "MRSTY") as rows:
            connection.register("mrsty", rows)
            connection.execute("SELECT count(*) FROM mrsty").fetchall()
    assert caught.value.line == 4


def test_an_error_of_the_user_stays_his(tmp_path):
    path = write(tmp_path / "MRSTY.RRF", [sty_row("C0000001")])
    with pytest.raises(ZeroDivisionError):
        with rrf.reading(path, "MRSTY"):
            raise ZeroDivisionError


def test_missing_file_and_missing_folder(tmp_path):
    write(tmp_path / "MRSTY.RRF", [])
    with pytest.raises(DataError, match=r"(?s)MRREL\.RRF.*the folder holds MRSTY\.RRF.*umls\.meta_dir"):
        rrf.read(tmp_path / "MRREL.RRF", "MRREL")
    with pytest.raises(DataError, match="no folder"):
        rrf.read(tmp_path / "META" / "MRREL.RRF", "MRREL")
