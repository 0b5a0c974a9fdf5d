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


@pytest.mark.parametrize("planned", [None, 900.0, 1001.4])
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        (None, None),
        ("workflow_scripts/kg/build_kg.py", "workflow_scripts/kg/build_kg.py"),
        ("workflow_scripts/common/files.py", "workflow_scripts/common/files.py"),
        ("experiments/relations.tsv", "experiments/relations.tsv"),
        # results and the configuration have other guards
        ("results/demo/kg/triples.parquet", None),
        ("config.yaml", None),
    ],
)
def test_the_first_source_that_is_another_one(tree, tmp_path, name, answer, planned):
    record = tree()
    if name:
        (tmp_path / name).write_text("edited")
    assert records.outdated(record, tmp_path, planned) == answer


def test_a_module_that_is_gone_or_was_edited_while_it_was_loaded(tree, tmp_path):
    record = tree(code={"workflow_scripts/kg/build_kg.py": "edited while it was loaded"})
    assert records.outdated(record, tmp_path) == "workflow_scripts/kg/build_kg.py"
    record = tree()
    (tmp_path / "workflow_scripts/common/files.py").unlink()
    assert records.outdated(record, tmp_path) == "workflow_scripts/common/files.py"


def test_what_was_accepted_after_its_end_is_current(tree, tmp_path):
    record = tree()
    (tmp_path / "workflow_scripts/kg/build_kg.py").write_text("edited")
    assert records.outdated(record, tmp_path, 1002.0) is None


def test_records_that_say_nothing(tree, tmp_path):
    old = json.loads(tree(code={"workflow_scripts/kg/build_kg.py": "other"}).read_text())
    del old["ended"]
    (tmp_path / "record.json").write_text(json.dumps(old))
    assert records.outdated(tmp_path / "record.json", tmp_path) is None
    for text in ("", "[1]", '{"code": {}}'):
        (tmp_path / "record.json").write_text(text)
        assert records.outdated(tmp_path / "record.json", tmp_path) is None
    assert records.outdated(tmp_path / "none.json", tmp_path) is None
