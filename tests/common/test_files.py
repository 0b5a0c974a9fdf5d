"""Files appear whole or not at all."""

import os

import pytest

from workflow_scripts.common import files


def test_a_failure_leaves_the_old_file_and_no_rest(tmp_path):
    target = tmp_path / "deep" / "a.txt"
    with files.atomic_open(target) as stream:
        stream.write("old\n")
    with pytest.raises(RuntimeError), files.atomic_open(target) as stream:
        stream.write("half")
        raise RuntimeError
    assert target.read_text() == "old\n"
    assert os.listdir(target.parent) == ["a.txt"]


def test_the_rest_of_a_killed_attempt_is_swept_up(tmp_path):
    (tmp_path / ".a.txt.123.tmp").write_text("half")
    (tmp_path / ".b.txt.123.tmp").write_text("another file's")
    with files.atomic_open(tmp_path / "a.txt") as stream:
        stream.write("new")
    assert sorted(os.listdir(tmp_path)) == [".b.txt.123.tmp", "a.txt"]


def test_text_is_utf8_with_line_feeds(tmp_path):
    with files.atomic_open(tmp_path / "a.txt") as stream:
        stream.write("β\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xce\xb2\n"


def test_json_does_not_depend_on_the_order_of_keys(tmp_path):
    files.write_json(tmp_path / "a.json", {"b": 1, "a": {"y": 2, "x": "β"}})
    files.write_json(tmp_path / "b.json", {"a": {"x": "β", "y": 2}, "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert files.read_json(tmp_path / "a.json") == {"a": {"x": "β", "y": 2}, "b": 1}


@pytest.mark.parametrize("delimiter, cell, text", [(",", "a,b", '"a,b"'), ("\t", "a,b", "a,b"), (",", 'a"b', '"a""b"')])
def test_cells_are_quoted_only_where_they_must(tmp_path, delimiter, cell, text):
    files.write_delimited(tmp_path / "t", ["h", "i"], [[cell, 1]], delimiter)
    assert (tmp_path / "t").read_text() == f"h{delimiter}i\n{text}{delimiter}1\n"
