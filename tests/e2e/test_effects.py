"""What is made on demand, on the finished demo: effects of switches, a determinism report, the second example."""

import json
import re

import pytest

from tests.dag.trees import Tree
from tests.e2e.conftest import snakemake
from workflow_scripts.common.files import read_json

MAY_TREAT = ("--configfile", "profiles/demo/config.yaml", "config.may_treat.yaml", "profiles/demo/may_treat.yaml")


def test_one_switch_is_measured_and_the_run_is_not_touched(finished_demo, tmp_path):
    tree = Tree(finished_demo).copy(tmp_path / "tree")
    before = {path: path.read_bytes() for path in (tree.folder / "results/demo/corpus").rglob("*") if path.is_file()}
    tree.run("results/demo/effects/role_flip.json")
    found = read_json(tree.folder / "results/demo/effects/role_flip.json")
    assert found["side"] == "published" and found["error"] is None
    log = (tree.folder / "results/demo/logs/reporting/measure_effect.role_flip.log").read_text()
    ran = set(re.findall(r"^(?:local)?rule (\w+):$", log, re.M))
    assert ran <= {"align_sentences", "build_corpus"}, ran
    own = read_json(tree.folder / "results/demo/corpus/inductive/statistics.json")
    for split, counts in own["splits"].items():
        # turning a pair for its roles changes NA alone
        assert found["statistics"][f"inductive corpus: {split} facts"] == counts["facts"]
    assert {path: path.read_bytes() for path in before} == before


def test_a_run_is_trained_once_more_and_compared(finished_demo, tmp_path):
    """The determinism report through its rule: nothing else runs, the run itself is not touched."""
    tree, run = Tree(finished_demo).copy(tmp_path / "tree"), "inductive.cnn_sent.s1"
    weights = tree.folder / f"results/demo/runs/{run}/model.safetensors"
    before = weights.read_bytes(), weights.stat().st_mtime_ns
    report = f"results/demo/determinism/{run}.json"
    assert set(tree.plan(report)) == {("repeat_run", f"run={run}")} == set(tree.run(report))
    found = read_json(tree.folder / report)
    assert (found["run"], found["seed"]) == (run, 1) and found["equal_weights"] and found["equal_metrics"]
    assert found["largest_difference"] == 0 and found["epochs"] == found["differing_config"] == []
    assert (weights.read_bytes(), weights.stat().st_mtime_ns) == before
    assert tree.plan(report) == {}


@pytest.mark.soak
def test_every_switch_is_measured(finished_demo, tmp_path):
    tree = Tree(finished_demo).copy(tmp_path / "tree")
    tree.run("effects")
    text = (tree.folder / "results/demo/effects.md").read_text()
    measured = [read_json(path) for path in (tree.folder / "results/demo/effects").glob("*.json")]
    assert len(measured) == 12 and all(found["switch"].replace("_", "\\_") in text for found in measured)
    assert [found["switch"] for found in measured if found["error"]] == ["stream_tails"]


def test_the_second_example_is_planned(finished_demo):
    result = snakemake(finished_demo, *MAY_TREAT, "-n", "corpus")
    assert result.returncode == 0, result.stdout[-3000:]
    assert "generate_treatments" in result.stdout and "train_run" not in result.stdout


@pytest.mark.soak
def test_the_second_example_builds(checkout):
    folder = checkout("may_treat")
    result = snakemake(folder, *MAY_TREAT, "--cores", 2, "corpus")
    assert result.returncode == 0, result.stdout[-3000:]
    corpus = folder / "results/demo_may_treat/corpus/inductive"
    assert list(read_json(corpus / "rel2id.json")) == ["NA", "may_prevent", "may_treat"]
    facts = set((folder / "results/demo_may_treat/kg/inductive/test.tsv").read_text().splitlines())
    rows = list(map(json.loads, (corpus / "test.jsonl").read_text().splitlines()))
    positives = [row for row in rows if row["relation"] != "NA"]
    assert len(positives) > 10
    assert all(f"{row['h']['id']}\t{row['relation']}\t{row['t']['id']}" in facts for row in positives)
