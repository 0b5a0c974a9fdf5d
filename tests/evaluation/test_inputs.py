"""OpenNRE lines as instances without labels: positions, names, order, and messages for what is wrong."""

import json
import random

import pyarrow as pa
import pytest

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import check_file, read_table, write_table
from workflow_scripts.evaluation.inputs import write_unlabelled

SENTENCES = [
    ("Naïve aspirin users rarely had gastric ulcers .", "aspirin", "gastric ulcers", "causes"),
    ("gastric ulcers after aspirin", "aspirin", "gastric ulcers", None),
    ("insulin lowers glucose", "insulin", "glucose", "affects"),
]


def line(text, head, tail, relation, **change):
    item = {"text": text}
    for key, name in (("h", head), ("t", tail)):
        item[key] = {"id": f"C{len(name):03d}", "pos": [text.index(name), text.index(name) + len(name)], "name": name}
    if relation is not None:
        item["relation"] = relation
    return json.dumps(item | change, ensure_ascii=False)


def as_tokens(text):
    """The same line with tokens and token positions."""
    item, tokens = json.loads(text), json.loads(text)["text"].split(" ")
    starts = [len(" ".join([*tokens[:i], ""])) for i in range(len(tokens))]
    for key in "ht":
        start, end = item[key]["pos"]
        first = starts.index(start)
        item[key]["pos"] = [first, first + item["text"][start:end].count(" ") + 1]
    return json.dumps({name: value for name, value in item.items() if name != "text"} | {"token": tokens})


def convert(tmp_path, lines):
    source, target = tmp_path / "lines.jsonl", tmp_path / "instances.parquet"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_unlabelled(source, target)
    assert check_file(target, INSTANCES) == sum(bool(text) for text in lines)
    return read_table(target, INSTANCES).to_pylist()


def test_rows_are_the_lines(tmp_path):
    rows = convert(tmp_path, [line(*sentence) for sentence in SENTENCES])
    found = {(row["text"], row["head_name"], row["tail_name"], row["relation"]) for row in rows}
    assert found == {(*sentence[:3], "NA") for sentence in SENTENCES}
    for row in rows:
        for role in ("head", "tail"):
            assert row["text"][row[f"{role}_start"] : row[f"{role}_end"]] == row[f"{role}_name"]
            assert row[role] == f"C{len(row[f'{role}_name']):03d}"


def test_order_of_lines_and_empty_lines_change_nothing(tmp_path):
    lines = [line(*sentence) for sentence in SENTENCES]
    expected = convert(tmp_path, lines)
    for seed in range(4):
        shuffled = [*lines, ""]
        random.Random(seed).shuffle(shuffled)
        assert convert(tmp_path, shuffled) == expected


def test_tokens_give_the_same_rows_as_text(tmp_path):
    lines = [line(*sentence) for sentence in SENTENCES]
    assert convert(tmp_path, [as_tokens(text) for text in lines]) == convert(tmp_path, lines)


def test_a_wrong_name_is_replaced_by_the_text(tmp_path):
    text = json.loads(line(*SENTENCES[2]))
    text["h"]["name"] = "INSULIN"
    assert convert(tmp_path, [json.dumps(text)])[0]["head_name"] == "insulin"


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        ("{'text': 'python, not JSON'}", "no JSON"),
        ('{"text": "no entities"}', "KeyError 'h'"),
        ('["a list"]', "AttributeError"),
        ('{"h": {"id": "a", "pos": [0, 1]}, "t": {"id": "b", "pos": [0, 1]}}', "TypeError"),
        (line(*SENTENCES[2], h={"id": "C1", "pos": [5, 3]}), r"h.pos \[5, 3\] of a text of 22"),
        (line(*SENTENCES[2], t={"id": "C1", "pos": [5, 23]}), r"t.pos \[5, 23\]"),
        (line(*SENTENCES[2], t={"id": "C1", "pos": [5]}), "ValueError"),
        ('{"token": ["a", "b"], "h": {"id": "a", "pos": [0, 1]}, "t": {"id": "b", "pos": [1, 3]}}', "of 2 tokens"),
        ('{"text": "a b", "h": {"id": "a", "pos": [0, 3]}, "t": {"id": "b", "pos": [2, 3]}}', "overlap: 'a b' and 'b'"),
    ],
)
def test_a_bad_line_is_named(tmp_path, bad, found):
    with pytest.raises(DataError, match=found) as caught:
        convert(tmp_path, [line(*SENTENCES[0]), bad])
    assert caught.value.line == 2


def test_bytes_that_are_not_utf8_are_named(tmp_path):
    (tmp_path / "lines.jsonl").write_bytes(line(*SENTENCES[0]).encode() + b"\n{\xff}\n")
    with pytest.raises(DataError, match="not UTF-8 .*byte 2 of the line") as caught:
        write_unlabelled(tmp_path / "lines.jsonl", tmp_path / "instances.parquet")
    assert caught.value.line == 2


@pytest.mark.parametrize("name", ["none.jsonl", "none.parquet"])
def test_a_file_that_is_not_there(tmp_path, name):
    with pytest.raises(DataError, match="no such file"):
        write_unlabelled(tmp_path / name, tmp_path / "instances.parquet")


def test_a_file_without_lines(tmp_path):
    with pytest.raises(DataError, match="no line"):
        convert(tmp_path, ["", ""])


def test_instances_lose_their_labels_and_nothing_else(tmp_path):
    rows = convert(tmp_path, [line(*sentence) for sentence in SENTENCES])
    labelled = [row | {"relation": f"r{number}", "rui": "R1"} for number, row in enumerate(rows)]
    table = pa.Table.from_pylist(labelled, schema=INSTANCES.schema)
    write_table(tmp_path / "labelled.parquet", table.sort_by([(n, "ascending") for n in INSTANCES.sort_by]), INSTANCES)
    write_unlabelled(tmp_path / "labelled.parquet", tmp_path / "plain.parquet")
    assert read_table(tmp_path / "plain.parquet", INSTANCES).to_pylist() == rows
