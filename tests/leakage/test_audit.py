"""The audit: equal to a restatement with Python sets, whatever the file format; planted leakage is found exactly."""

import itertools
import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.common import duck
from workflow_scripts.common.errors import DataError
from workflow_scripts.leakage.audit_leakage import Params, audit_files

SPLITS = ("train", "valid", "test")
INVERSES = [("part_of", "has_part"), ("cause_of", "due_to")]
RELATIONS = ["NA", "part_of", "has_part", "cause_of", "due_to", "beside"]
SURFACES = ["cold", "Cold", "flu", "common cold", "virus", "ague"]
CUIS = ["C1", "C2", "C3"]


def restated(rows, names=None, fold=False, inverses=INVERSES):
    """The counts, by sets and loops."""
    turn = dict(inverses) | {b: a for a, b in inverses}
    key = str.lower if fold else str

    def denoted(surface):
        return {surface} if names is None else {cui for name, cui in names if key(name) == key(surface)}

    expanded = {(s, h, r, t) for s, a, r, b in rows for h in denoted(a) for t in denoted(b)}
    result = {}
    for kind in ("surface_triples", "triples", "pairs", "pairs_with_na"):
        items = rows if kind == "surface_triples" else expanded
        by_split = {split: set() for split in SPLITS}
        for split, head, relation, tail in items:
            if kind == "pairs_with_na" or relation != "NA":
                by_split[split].add((head, tail) if "pairs" in kind else (head, relation, tail))
        for split, own in by_split.items():
            numbers = {"n": len(own)}
            if split != "train":
                known = by_split["train"]
                direct = {item for item in own if item in known}
                turned = {
                    item for item in own if tuple(turn.get(part, part) if len(item) == 3 and i == 1 else part
                                                  for i, part in enumerate(item[::-1])) in known
                }  # fmt: skip
                numbers |= {"direct": len(direct), "inverse": len(turned), "either": len(direct | turned)}
            result.setdefault(split, {})[kind] = numbers
    return result


def write_tsv(path, header, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in [header, *rows]), encoding="utf-8")
    return path


def audited(folder, rows, names=None, fold=False, **more):
    triples = write_tsv(folder / "triples.tsv", ["split", "head", "relation", "tail"], rows)
    inverses = write_tsv(folder / "inverses.tsv", ["relation", "inverse"], INVERSES)
    names = None if names is None else write_tsv(folder / "names.tsv", ["surface", "cui"], sorted(names))
    with duck.database(1, 1000, folder) as database:
        return audit_files(database, [(triples, None)], Params(fold_case=fold, **more), "x", names, inverses)


ROWS = st.lists(
    st.tuples(
        st.sampled_from(SPLITS), st.sampled_from(SURFACES), st.sampled_from(RELATIONS), st.sampled_from(SURFACES)
    ),
    max_size=25,
)
NAMES = st.sets(st.tuples(st.sampled_from(SURFACES), st.sampled_from(CUIS)), max_size=9)


@settings(max_examples=40, deadline=None)
@given(rows=ROWS, names=st.none() | NAMES, fold=st.booleans())
def test_equal_to_sets(tmp_path_factory, rows, names, fold):
    fold = fold and names is not None
    found = audited(tmp_path_factory.mktemp("audit"), rows, names, fold)
    assert found["splits"] == restated(set(rows), names, fold)
    triples = [found["splits"][split]["triples"]["either"] for split in ("valid", "test")]
    assert found["overlap"] == any(triples)


@pytest.mark.parametrize("direct, alias, inverse", [(0, 0, 0), (3, 0, 0), (0, 4, 0), (0, 0, 5), (2, 3, 4)])
def test_planted_leakage_is_found_exactly(tmp_path, direct, alias, inverse):
    names = {(f"{word} {i}", f"C{i:02d}") for i in range(60) for word in ("name", "alias")}
    rows = [("train", f"name {i}", "cause_of", f"name {i + 30}") for i in range(20)]
    rows += [("test", f"name {i}", "part_of", f"name {i + 30}") for i in range(20, 30)]
    numbers = itertools.count()
    for _ in range(direct):
        i = next(numbers)
        rows.append(("test", f"name {i}", "cause_of", f"name {i + 30}"))
    for _ in range(alias):
        i = next(numbers)
        rows.append(("test", f"alias {i}", "cause_of", f"name {i + 30}"))
    for _ in range(inverse):
        i = next(numbers)
        rows.append(("test", f"name {i + 30}", "due_to", f"alias {i}"))
    found = audited(tmp_path, rows, names)["splits"]["test"]
    assert found["triples"] == {
        "n": 10 + direct + alias + inverse,
        "direct": direct + alias,
        "inverse": inverse,
        "either": direct + alias + inverse,
    }
    assert found["surface_triples"]["direct"] == direct


def test_names_without_a_concept_are_counted(tmp_path):
    rows = [("train", "cold", "part_of", "flu"), ("test", "cold", "part_of", "ague"), ("test", "x", "NA", "y")]
    found = audited(tmp_path, rows, {("cold", "C1"), ("flu", "C2")})
    assert found["unknown"] == {"surfaces": 3, "examples": ["ague", "x", "y"], "triples": 2}
    assert found["splits"]["test"]["triples"]["n"] == 0 and found["splits"]["train"]["triples"]["n"] == 1
    assert (found["relations"], found["relations_with_na"]) == (1, 2)


def instances(rows, split):
    """The same triples as OpenNRE lines and as Parquet, with identifiers and names."""
    own = [(h, r, t) for s, h, r, t in rows if s == split]
    lines = [{"text": "", "h": {"id": f"id {h}", "name": h}, "t": {"id": f"id {t}", "name": t}, "relation": r}
             for h, r, t in own]  # fmt: skip
    columns = {"head": [f"id {h}" for h, _, _ in own], "head_name": [h for h, _, _ in own],
               "tail": [f"id {t}" for _, _, t in own], "tail_name": [t for _, _, t in own],
               "relation": [r for _, r, _ in own]}  # fmt: skip
    return lines, pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


@pytest.mark.parametrize("names", [None, {("cold", "C1"), ("flu", "C1"), ("virus", "C2")}])
def test_all_formats_give_the_same_counts(tmp_path, names):
    rows = [("train", "cold", "part_of", "virus"), ("valid", "flu", "part_of", "virus"), ("test", "virus", "has_part",
            "cold"), ("test", "flu", "NA", "virus"), ("test", "virus", "beside", "virus")]  # fmt: skip
    expected = audited(tmp_path, rows, names)["splits"]
    assert expected == restated(set(rows), names)
    listed = None if names is None else tmp_path / "names.tsv"
    for ending in ("jsonl", "txt", "parquet"):
        files = []
        for split in SPLITS:
            lines, table = instances(rows, split)
            files.append((tmp_path / f"{split}.{ending}", split))
            if ending == "parquet":
                pq.write_table(table, files[-1][0])
            else:
                files[-1][0].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        with duck.database(1, 1000, tmp_path) as database:
            found = audit_files(database, files, Params(), "x", listed, tmp_path / "inverses.tsv")
        assert found["splits"] == expected


@pytest.mark.parametrize(
    "text, line, words",
    [
        ("split\thead\ttail\n", 1, "columns split, head, relation, tail"),
        ("split\thead\trelation\ttail\ntrain\ta\tb\n", 2, "3 columns"),
        ("split\thead\trelation\ttail\ntrain\ta\tr\tb\ntest2\ta\tr\tb\n", 3, "split 'test2'"),
        ("split\thead\trelation\ttail\ntrain\ta\t\tb\n", 2, "an empty value"),
    ],
)
def test_bad_records_name_file_and_line_and_are_bounded(tmp_path, text, line, words):
    path = tmp_path / "t.tsv"
    path.write_text(text, encoding="utf-8")
    with duck.database(1, 1000, tmp_path) as database:
        with pytest.raises(DataError, match=f"t.tsv, line {line}\n(.|\n)*{words}"):
            audit_files(database, [(path, None)], Params())
    if line > 1:
        with duck.database(1, 1000, tmp_path) as database:
            assert audit_files(database, [(path, None)], Params(max_bad_records=1))["bad_records"] == 1


def test_a_relation_has_one_inverse(tmp_path):
    path = write_tsv(tmp_path / "t.tsv", ["head", "relation", "tail"], [])
    inverses = write_tsv(tmp_path / "i.tsv", ["relation", "inverse"], [("a", "b"), ("c", "b")])
    with duck.database(1, 1000, tmp_path) as database, pytest.raises(DataError, match="inverses a and c"):
        audit_files(database, [(path, split) for split in SPLITS], Params(), inverses=inverses)


def test_the_command(repository, tmp_path):
    rows = [("train", "cold", "part_of", "flu"), ("dev", "cold", "part_of", "flu"), ("test", "a", "part_of", "flu")]
    triples = write_tsv(tmp_path / "triples.tsv", ["split", "head", "relation", "tail"], rows)
    command = [sys.executable, "-P", repository / "workflow_scripts/leakage/audit_leakage.py", "--triples", triples]
    run = {"env": {"PYTHONPATH": str(repository)}, "capture_output": True, "text": True, "check": False}
    done = subprocess.run([*command, "--output", tmp_path / "out.json"], **run)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert found["overlap"] and found["splits"]["valid"]["triples"]["direct"] == 1
    refused = subprocess.run([*command, "--identifiers", "surface", "--output", tmp_path / "no.json"], **run)
    assert refused.returncode == 2 and "needs --names" in refused.stderr and not (tmp_path / "no.json").exists()
