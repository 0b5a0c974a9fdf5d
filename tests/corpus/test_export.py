"""The released form of a corpus: what others get, and what they may not get."""

import hashlib
import json
import shutil
import tarfile

import pyarrow.parquet as pq
import pytest
import yaml

from tests.corpus.helpers import SPLITS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.files import read_json, write_json
from workflow_scripts.common.tables import read_table
from workflow_scripts.corpus.release import PUBLISHED_RELATIONS

FREE, RESTRICTED = ({"restricted": value, "vocabulary": "SNOMEDCT_US"} for value in (False, True))


def export(run_command, source, target, corpus="inductive", settings=FREE):
    write_json(source / "check.json", {"kept": True, "promises": []})
    process = run_command(
        "corpus/export_corpus.py",
        *("--corpus", corpus, "--folder", source, "--relations", source / "rel2id.json"),
        *("--check", source / "check.json", "--output", target, "--params", json.dumps(settings)),
    )
    assert process.returncode == 0, process.stderr
    return target


@pytest.fixture(scope="module")
def exported(run_command, built, tmp_path_factory):
    return export(run_command, built / "out", tmp_path_factory.mktemp("export") / "inductive")


def test_the_files_are_those_of_the_release(built, exported):
    names = {path.relative_to(exported).as_posix() for path in exported.rglob("*") if path.is_file()}
    plain = {f"med_distant19_{part}.txt" for part in ("train", "val", "test")} | {"med_distant19_rel2id.json"}
    assert names == plain | {
        *(f"data/{part}.parquet" for part in ("train", "validation", "test")),
        *("README.md", "terms.json", "croissant.json", "SHA256SUMS"),
    }
    for split, part in zip(SPLITS, ("train", "val", "test"), strict=True):
        assert (exported / f"med_distant19_{part}.txt").read_bytes() == (built / f"out/{split}.jsonl").read_bytes()
    assert read_json(exported / "med_distant19_rel2id.json") == read_json(built / "out/rel2id.json")
    listed = dict(line.split("  ")[::-1] for line in (exported / "SHA256SUMS").read_text().splitlines())
    assert listed == {
        name: hashlib.sha256((exported / name).read_bytes()).hexdigest() for name in names - {"SHA256SUMS"}
    }


def test_the_parquet_holds_the_instances_in_the_form_of_the_hub(built, exported):
    numbers = read_json(built / "out/rel2id.json")
    for split, part in zip(SPLITS, ("train", "validation", "test"), strict=True):
        rows = pq.read_table(exported / f"data/{part}.parquet", partitioning=None).to_pylist()
        expected = [
            {
                "text": row["text"],
                **{
                    side: {
                        "id": row[role],
                        "pos": [row[f"{role}_start"], row[f"{role}_end"]],
                        "name": row[f"{role}_name"],
                    }
                    for side, role in (("h", "head"), ("t", "tail"))
                },
                "relation": numbers[row["relation"]],
                "sentence_id": row["sentence_id"],
                "rui": row["rui"],
            }
            for row in read_table(built / f"out/{split}.parquet", INSTANCES).to_pylist()
        ]
        assert rows == expected and len(rows) > 40


def test_card_and_metadata_agree_with_the_files(built, exported):
    front = yaml.safe_load((exported / "README.md").read_text().split("---\n")[1])
    rows = {part["name"]: part["num_examples"] for part in front["dataset_info"]["splits"]}
    stored = {part: pq.read_metadata(exported / f"data/{part}.parquet") for part in ("train", "validation", "test")}
    assert rows == {part: footer.num_rows for part, footer in stored.items()}
    described = {feature["name"]: feature for feature in front["dataset_info"]["features"]}
    columns = pq.read_schema(exported / "data/train.parquet")
    assert list(described) == columns.names
    numbers = read_json(built / "out/rel2id.json")
    labels = described["relation"]["dtype"]["class_label"]["names"]
    assert {name: int(number) for number, name in labels.items()} == numbers
    assert json.loads(columns.metadata[b"huggingface"])["info"]["features"]["relation"]["names"] == list(numbers)

    metadata = read_json(exported / "croissant.json")
    assert metadata["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    objects = {entry["@id"]: entry for entry in metadata["distribution"]}
    for name, entry in objects.items():
        if entry["@type"] == "cr:FileObject":
            content = (exported / entry["contentUrl"]).read_bytes()
            assert entry["sha256"] == hashlib.sha256(content).hexdigest(), name
            assert entry["contentSize"] == f"{len(content)} B"
    (records,) = metadata["recordSet"]
    leaves = [leaf for field in records["field"] for leaf in field.get("subField", [field])]
    assert {leaf["source"]["extract"]["column"] for leaf in leaves} == set(columns.names)
    assert all(leaf["source"]["fileSet"]["@id"] in objects for leaf in leaves)


def test_other_corpora_carry_their_id(run_command, built, tmp_path):
    folder = export(run_command, built / "out", tmp_path / "x", corpus="transductive")
    assert (folder / "med_distant19_transductive_val.txt").is_file()
    assert (folder / "med_distant19_transductive_rel2id.json").is_file()


def test_a_corpus_that_breaks_its_promises_is_not_exported(run_command, built, tmp_path):
    write_json(tmp_path / "check.json", {"kept": False})
    process = run_command(
        "corpus/export_corpus.py",
        *("--corpus", "x", "--folder", built / "out", "--relations", built / "out/rel2id.json"),
        *("--check", tmp_path / "check.json", "--output", tmp_path / "out", "--params", json.dumps(FREE)),
    )
    assert process.returncode == 3 and "broken promises" in process.stderr
    assert not (tmp_path / "out").exists()


def bundle(run_command, folder, output, allowed):
    settings = json.dumps({"may_redistribute": allowed})
    options = ["--sums", folder / "SHA256SUMS", "--output", output, "--params", settings]
    return run_command("corpus/bundle_corpus.py", *options)


def test_the_gate_marks_and_refuses_what_is_derived_from_the_umls(run_command, built, tmp_path):
    folder = export(run_command, built / "out", tmp_path / "inductive", settings=RESTRICTED)
    assert read_json(folder / "terms.json")["derived_from_umls"] is True
    assert "**Derived from the UMLS.**" in (folder / "README.md").read_text()
    assert "nlm.nih.gov" in read_json(folder / "croissant.json")["license"]
    refused = bundle(run_command, folder, tmp_path / "a.tar.gz", False)
    assert refused.returncode == 2 and "export.may_redistribute" in refused.stderr
    assert not (tmp_path / "a.tar.gz").exists()
    assert bundle(run_command, folder, tmp_path / "a.tar.gz", True).returncode == 0


def test_a_bundle_has_the_same_bytes_every_time_and_all_files(run_command, exported, tmp_path):
    shutil.copytree(exported, tmp_path / "inductive")  # other times, other inodes
    for name, folder in (("a", exported), ("b", tmp_path / "inductive")):
        process = bundle(run_command, folder, tmp_path / f"{name}.tar.gz", False)
        assert process.returncode == 0, process.stderr
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        found = {member.name: archive.extractfile(member).read() for member in archive}
    expected = {f"inductive/{p.relative_to(exported)}": p.read_bytes() for p in exported.rglob("*") if p.is_file()}
    assert found == expected


def test_a_changed_file_is_not_packed(run_command, exported, tmp_path):
    shutil.copytree(exported, tmp_path / "inductive")
    with open(tmp_path / "inductive/med_distant19_val.txt", "a") as stream:
        stream.write("\n")
    process = bundle(run_command, tmp_path / "inductive", tmp_path / "a.tar.gz", True)
    assert process.returncode == 3 and "med_distant19_val.txt" in process.stderr
    assert not (tmp_path / "a.tar.gz").exists()


def test_the_published_numbers_of_relations():
    assert PUBLISHED_RELATIONS[0] == "NA" and PUBLISHED_RELATIONS[1:] == sorted(PUBLISHED_RELATIONS[1:])
    assert len(PUBLISHED_RELATIONS) == 22
