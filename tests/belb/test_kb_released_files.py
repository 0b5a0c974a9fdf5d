"""Blocks of released files: whatever the size of a block, the same rows; and what a damaged file is told."""

import bz2
import gzip
import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.belb import released_files
from workflow_scripts.belb.released_files import Layout
from workflow_scripts.common.errors import DataError

pytestmark = pytest.mark.timeout(60)
TSV = Layout(("a", "b"), comments=True)
DUMP = Layout(("a", "b"), separator=b"\t|\t", closing=b"\t|")
RRF = Layout(("a", "b"), separator=b"|", closing=b"|")
CELL = st.text(st.characters(exclude_characters="\r\n\t|#\x1f", exclude_categories=["Cs"]), max_size=6)


def rows(path, layout, **options):
    return [
        tuple(row.values()) for table in released_files.tables(path, layout, **options) for row in table.to_pylist()
    ]


@given(st.lists(st.tuples(CELL, CELL)), st.integers(1, 40), st.sampled_from([TSV, DUMP, RRF]), st.booleans())
def test_rows_come_back_whatever_the_block(tmp_path_factory, cells, block, layout, open_end):
    path = tmp_path_factory.mktemp("files") / "table"
    lines = [layout.separator.join(cell.encode() for cell in row) + layout.closing for row in cells]
    path.write_bytes(b"\n".join(lines) + b"\n" * (bool(lines) and not open_end))
    assert rows(path, layout, block=block) == cells


def test_kinds_of_files(tmp_path):
    text = b'# heading\r\n1\t"x\r\n#comment\n2\tNA\n'
    for name, data in (("plain", text), ("gz", gzip.compress(text)), ("bz2", bz2.compress(text))):
        (tmp_path / name).write_bytes(data)
        assert rows(tmp_path / name, TSV) == [("1", '"x'), ("2", "NA")]
    with tarfile.open(tmp_path / "t.tar.gz", "w:gz") as archive:
        for name in ("other.txt", "names.txt"):
            entry = tarfile.TarInfo(name)
            entry.size = len(text) * (name == "names.txt")
            archive.addfile(entry, io.BytesIO(text))
    assert rows(tmp_path / "t.tar.gz", TSV, member="names.txt") == [("1", '"x'), ("2", "NA")]
    with pytest.raises(DataError, match=r"no member merged.dmp; there is other.txt, names.txt"):
        rows(tmp_path / "t.tar.gz", TSV, member="merged.dmp")
    (tmp_path / "empty").write_bytes(b"")
    assert rows(tmp_path / "empty", TSV) == []
    assert released_files.heading(tmp_path / "gz") == ["heading"]


@pytest.mark.parametrize(
    ("layout", "data", "line", "words"),
    [
        (TSV, b"1\t2\n1\t2\t3\n", 2, "3 columns: '1\\t2\\t3'"),
        (TSV, b"#x\n1\t2\n\n3\t4\n", 3, "an empty line"),
        (TSV, b"#x\n1\t2\n3", 3, "1 column: '3'"),
        (TSV, b"1\t2\n1\t2\r3\n", 2, "a carriage return inside the line"),
        (TSV, b"1\t2\n1\t\xff\n", 2, "byte 0xff, which is no UTF-8"),
        (DUMP, b"1\t|\tx\t|\n2\t|\ty\n", 2, "no '\\t|' at the end of the line"),
        (DUMP, b"1\t|\tx\t|\ty\t|\n", 1, "3 columns"),
        (RRF, b"1|x|\n1|x|y|\n", 2, "3 columns"),
        (RRF, b"1|x|\n1|x\n", 2, "no '|' at the end"),
    ],
)
@pytest.mark.parametrize("block", [1, 5, 1000])
def test_a_broken_line_is_named(tmp_path, layout, data, line, words, block):
    (tmp_path / "table").write_bytes(data)
    with pytest.raises(DataError) as caught:
        rows(tmp_path / "table", layout, block=block)
    assert caught.value.line == line and words in caught.value.found, caught.value
    assert "no UTF-8" in words or "2 columns: a, b" in caught.value.expected


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress])
def test_cut_off_and_damaged_files(tmp_path, packed):
    data = packed(b"".join(b"%d\t%d\n" % (i, i * i) for i in range(20_000)))
    (tmp_path / "cut").write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(DataError, match="a compressed file whose end is missing"):
        rows(tmp_path / "cut", TSV)
    (tmp_path / "damaged").write_bytes(data[:500] + bytes(200) + data[700:])
    with pytest.raises(DataError, match="damaged data"):
        rows(tmp_path / "damaged", TSV)
    with pytest.raises(DataError, match="no such file"):
        rows(tmp_path / "absent", TSV)
