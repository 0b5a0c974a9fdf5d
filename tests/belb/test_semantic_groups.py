"""Mentions by UMLS semantic group: made-up mentions, and three abstracts of MedMentions as distributed."""

import collections

import pytest

from tests.belb.worlds import corpus_of
from workflow_scripts.belb.count_semantic_groups import count_groups
from workflow_scripts.common.belb_corpora import REGISTRY
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json

TYPES = {"T038": "Physiology", "T047": "Disorders", "T048": "Disorders", "T028": "Genes & Molecular Sequences"}


def mentions(*kinds, foreign=()):
    table = corpus_of((("train", "dev", "test")[n % 3], str(n), "x", ["C1"]) for n in range(len(kinds))).mentions
    rows = sorted(table.to_pylist(), key=lambda row: int(row["document"]))
    pairs = zip(rows, kinds, strict=True)
    rows = [row | {"original_type": kind, "foreign": n in foreign} for n, (row, kind) in enumerate(pairs)]
    return table.from_pylist(rows, schema=table.schema)


def test_counts():
    total, counts = count_groups(mentions("T047", "T038", "T048", "T047,T048", "T047, T038", foreign=[1]), TYPES)
    assert total == 4
    assert counts == {"Disorders": 4, "Physiology": 1, "Genes & Molecular Sequences": 0}
    assert count_groups(mentions(), TYPES)[0] == 0


def test_an_unknown_type():
    with pytest.raises(DataError, match="semantic type 'T999'"):
        count_groups(mentions("T047", "T999"), TYPES)


def test_three_abstracts_of_medmentions(shared_data, tmp_path, repository, run_command):
    text, groups = shared_data / "pubtator/medmentions_3docs.PubTator.txt", shared_data / "umls/SemGroups_2018.txt"
    for path in (text, groups):
        if not path.is_file():
            pytest.skip(f"no {path}")
    data = [tmp_path / kind / "data" for kind in ("st21pv", "full")]
    for folder in data:
        folder.mkdir(parents=True)
    (data[0] / "corpus_pubtator.txt").write_bytes(text.read_bytes())
    documents = [line.split("|")[0] for line in text.read_text(encoding="utf-8").splitlines() if "|t|" in line]
    for part, document in zip(("trng", "dev", "test"), documents, strict=True):
        (data[1] / f"corpus_pubtator_pmids_{part}.txt").write_text(document + "\n")
    out, counts = tmp_path / "corpus", tmp_path / "counts.json"
    options = ("--registry", repository / REGISTRY, "--corpus", "medmentions", "--source", tmp_path, "--output", out)
    done = run_command("belb/build_belb_corpus.py", *options)
    assert done.returncode == 0, done.stderr
    options = ("--corpus", "mm", "--mentions", out / "mentions.parquet", "--semgroups", groups, "--counts", counts)
    done = run_command("belb/count_semantic_groups.py", *options)
    assert done.returncode == 0, done.stderr
    found = read_json(counts)
    lines = [line.split("\t") for line in text.read_text(encoding="utf-8").splitlines()]
    names = {row[2]: row[1] for row in (line.split("|") for line in groups.read_text(encoding="utf-8").splitlines())}
    wanted = collections.Counter(names[line[4]] for line in lines if len(line) == 6)
    assert (found["corpus"], found["mentions"]) == ("mm", 115) and wanted.total() == 115
    assert {group: number for group, number in found["groups"].items() if number} == dict(wanted)
    assert found["groups"]["Genes & Molecular Sequences"] == 0, "as the paper says of the whole corpus"
