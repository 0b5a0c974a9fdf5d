"""A released corpus as the start of a run: read, checked, and the same as what was released."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.corpus.helpers import SPLITS
from tests.corpus.test_check import SETTINGS
from tests.corpus.test_export import export
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.corpora import released_files
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import read_json
from workflow_scripts.common.tables import check_file, read_table
from workflow_scripts.corpus.release import PUBLISHED_RELATIONS

PARTS = {"train": "train", "valid": "validation", "test": "test"}


@pytest.fixture(scope="module")
def exported(run_command, built, tmp_path_factory):
    return export(run_command, built / "out", tmp_path_factory.mktemp("export") / "inductive")


@pytest.fixture
def released(exported, tmp_path):
    """A copy that a test may spoil: one folder with the OpenNRE files, one with the Parquet files."""
    (tmp_path / "opennre").mkdir()
    for path in exported.glob("med_distant19*"):
        shutil.copy(path, tmp_path / "opennre")
    shutil.copytree(exported / "data", tmp_path / "hub")
    return tmp_path


def read(run_command, folder, target):
    options = ["--files", *released_files(folder, "inductive"), "--output", target, "--params", json.dumps(SETTINGS)]
    return run_command("corpus/import_corpus.py", *options)


@pytest.mark.parametrize("form", ["opennre", "hub"])
def test_what_was_exported_comes_back(run_command, built, released, tmp_path, form):
    process = read(run_command, released / form, tmp_path / "in")
    assert process.returncode == 0, process.stderr
    names = [f"{split}.jsonl" for split in SPLITS] + ["rel2id.json"]
    names += [f"{split}.parquet" for split in SPLITS] if form == "hub" else []
    for name in names:
        assert (tmp_path / "in" / name).read_bytes() == (built / "out" / name).read_bytes(), name
    for split in SPLITS:
        check_file(tmp_path / f"in/{split}.parquet", INSTANCES)
        table = read_table(tmp_path / f"in/{split}.parquet", INSTANCES)
        assert table["sentence_id"] == read_table(built / f"out/{split}.parquet", INSTANCES)["sentence_id"]
    ours, theirs = (read_json(folder / "statistics.json") for folder in (tmp_path / "in", built / "out"))
    for name in ("splits", "entities", "relations", "instances_by_relation"):
        assert ours[name] == theirs[name], name
    assert ours["types"] is None and "pruned_mentions" not in ours
    report = read_json(tmp_path / "in/check.json")
    assert report["kept"] and sum(promise["checked"] for promise in report["promises"]) == 10
    unavailable = read_json(tmp_path / "in/import.json")["unavailable"]
    assert {"Table 5", "Table A.2", "Table A.3", "Table A.4"} < set(unavailable)
    assert "not at hand: Table 5" in process.stderr


def test_order_of_lines_does_not_matter(run_command, built, released, tmp_path):
    path = released / "opennre/med_distant19_train.txt"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert read(run_command, released / "opennre", tmp_path / "in").returncode == 0
    assert (tmp_path / "in/train.jsonl").read_bytes() == (built / "out/train.jsonl").read_bytes()


def test_class_labels_come_from_the_file_or_are_those_of_the_published_benchmark(run_command, tmp_path):
    text = "aspirin helps headache"
    sides = [{"id": "C1", "pos": [0, 7], "name": "aspirin"}, {"id": "C2", "pos": [14, 22], "name": "headache"}]
    rows = [{"text": f"{text} {n}", "h": sides[0], "t": sides[1], "relation": n} for n in range(22)]
    for part in PARTS.values():
        path = tmp_path / f"hub/data/{part}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), path)
    process = read(run_command, tmp_path / "hub", tmp_path / "in")
    assert process.returncode == 0, process.stderr
    found = {row["text"]: row["relation"] for row in read_table(tmp_path / "in/test.parquet", INSTANCES).to_pylist()}
    assert found == {f"{text} {n}": name for n, name in enumerate(PUBLISHED_RELATIONS)}
    # the same sentences and pairs in all splits: counted, not refused
    broken = {p["name"] for p in read_json(tmp_path / "in/check.json")["promises"] if p["violations"]}
    assert {"pairs_in_one_split", "one_relation_per_pair", "one_pair_per_sentence"} <= broken


def spoil(line, **changes):
    return json.dumps(json.loads(line) | changes)


@pytest.mark.parametrize(
    "spoiled, words",
    [
        (lambda line: line[:40], ["line 3", "a JSON object per line"]),
        (lambda line: spoil(line, relation="cures"), ["record 3", "relation 'cures'", "rel2id.json"]),
        (lambda line: spoil(line, h={"id": "C1", "name": "x"}), ["record 3", "pos"]),
        (lambda line: spoil(line, t={"id": "C1", "pos": [1, 2], "name": "xyz"}), ["record 3", "at 1:2", "'xyz'"]),
        (lambda line: spoil(line, t={"id": "C1", "pos": [0, 0], "name": ""}), ["record 3", "at 0:0"]),
    ],
    ids=["no_json", "relation", "field", "offset", "empty"],
)
def test_a_bad_line_is_named_and_nothing_of_its_split_is_written(run_command, released, tmp_path, spoiled, words):
    path = released / "opennre/med_distant19_train.txt"
    lines = path.read_text().splitlines()
    lines[2] = spoiled(lines[2])
    path.write_text("\n".join(lines) + "\n")
    process = read(run_command, released / "opennre", tmp_path / "in")
    assert process.returncode == 3 and "Traceback" not in process.stderr
    for word in ["med_distant19_train.txt", *words]:
        assert word in process.stderr
    assert not (tmp_path / "in/train.parquet").exists() and not (tmp_path / "in/rel2id.json").exists()


def test_a_folder_without_a_corpus_says_what_is_expected(released, tmp_path):
    (released / "opennre/med_distant19_val.txt").unlink()
    for folder in (released / "opennre", tmp_path / "nowhere"):
        with pytest.raises(UsageError, match=r"corpora\.inductive\.import(.|\n)*_val\.txt(.|\n)*validation\*\.parquet"):
            released_files(folder, "inductive")
