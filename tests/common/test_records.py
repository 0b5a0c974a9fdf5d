"""A record against the files of today."""

import hashlib
import json

import pytest

from workflow_scripts.common import records


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def tree(tmp_path):
    """`tree(**changes)`: writes a record of two modules and three files, changed by a test; gives its path."""
    records._today.cache_clear()
    texts = {
        "workflow_scripts/kg/build_kg.py": "a",
        "workflow_scripts/common/files.py": "b",
        "experiments/relations.tsv": "c",
        "results/demo/kg/triples.parquet": "d",
        "config.yaml": "e",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def write(**changes):
        code = {name: sha(text) for name, text in texts.items() if name.endswith(".py")}
        files = {str(tmp_path / name): {"sha256": sha(text)} for name, text in texts.items() if name[-3:] != ".py"}
        record = {"code": code, "files": files, "ended": 1000.5} | changes
        (tmp_path / "record.json").write_text(json.dumps(record))
        return tmp_path / "record.json"

    return write


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("workflow_scripts/kg/build_kg.py", True),
        ("workflow_scripts/common/files.py", True),
        ("experiments/relations.tsv", True),
        # results and the configuration have other guards
        ("results/demo/kg/triples.parquet", False),
        ("config.yaml", False),
    ],
)
def test_sources_that_are_others_now(tree, tmp_path, name, seen):
    record = tree()
    assert records.outdated(record, tmp_path) == {}
    records._today.cache_clear()
    (tmp_path / name).write_text("edited")
    assert records.outdated(record, tmp_path) == ({name: sha("edited")} if seen else {})


def test_a_module_that_is_gone_or_was_edited_while_it_was_loaded(tree, tmp_path):
    files, build = "workflow_scripts/common/files.py", "workflow_scripts/kg/build_kg.py"
    record = tree(code={files: sha("b"), build: "edited while it was loaded"})
    (tmp_path / files).unlink()
    assert list(records.outdated(record, tmp_path).items()) == [(files, None), (build, sha("a"))]


def test_each_state_has_its_name(tree, tmp_path):
    states = [{}, {"a.py": None}, {"a.py": sha("a")}, {"a.py": sha("b")}, {"a.py": sha("a"), "b.py": sha("b")}]
    assert len({records.state_of(state) for state in states}) == len(states)
    assert records.state_of({"a": "1", "b": "2"}) == records.state_of({"b": "2", "a": "1"})


def test_records_that_say_nothing(tree, tmp_path):
    old = json.loads(tree(code={"workflow_scripts/kg/build_kg.py": "other"}).read_text())
    assert records.outdated(tmp_path / "record.json", tmp_path)
    del old["ended"]
    for text in (json.dumps(old), "", "[1]", '{"code": {}}', '{"ended": 1}'):
        (tmp_path / "record.json").write_text(text)
        assert records.outdated(tmp_path / "record.json", tmp_path) == {}
    assert records.outdated(tmp_path / "none.json", tmp_path) == {}
