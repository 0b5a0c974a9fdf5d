"""The sample of bags: which pairs, which sentences, what of them."""

import json

import numpy as np
import pytest

from workflow_scripts.common.contracts.bags import BAGS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.scores import SCORES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table
from workflow_scripts.evaluation.sample_bags import choose_pairs, pair_labels

LABELS = {(f"H{i}", f"T{i}"): ["causes"] if i % 5 == 0 else [] for i in range(100)}


@pytest.mark.parametrize("n, facts, others", [(10, 5, 5), (11, 6, 5), (1, 1, 0), (60, 20, 40), (500, 20, 80)])
def test_half_of_the_pairs_are_facts_as_far_as_there_are(n, facts, others):
    chosen = choose_pairs(LABELS, n, None, "f")
    assert sum(bool(LABELS[pair]) for pair in chosen) == facts and len(chosen) == facts + others
    assert chosen == choose_pairs(dict(sorted(LABELS.items(), reverse=True)), n, None, "f"), "order does not matter"


def test_few_other_pairs_leave_room_for_facts():
    labels = {pair: ["causes"] for pair in LABELS} | {("A", "B"): []}
    assert len(choose_pairs(labels, 10, None, "f")) == 10


def test_a_larger_sample_holds_the_smaller_one():
    small, large = choose_pairs(LABELS, 10, None, "f"), choose_pairs(LABELS, 20, None, "f")
    assert small < large


def test_the_example_is_always_there_in_its_direction():
    for pair in LABELS:
        assert pair in choose_pairs(LABELS, 2, list(pair), "f") and len(choose_pairs(LABELS, 2, pair, "f")) <= 2
    with pytest.raises(DataError, match="experiments.bags.example"):
        choose_pairs(LABELS, 2, ["T1", "H1"], "f")


@pytest.mark.parametrize("encoder, pooling", [("cnn", "avg"), ("cnn", "one"), ("cnn", "att"), ("bert", "avg")])
def test_the_sample_says_what_the_evaluation_says(corpus, make_run, run_command, tmp_path, encoder, pooling):
    run = make_run(encoder, pooling)
    settings = {"pairs": 12, "sentences": 3, "example": None, "device": "cpu", "threads": 1}
    for name in ("a", "b"):
        done = run_command(
            "evaluation/sample_bags.py", "--run", run, "--test", corpus / "test.parquet", "--pooling", pooling,
            "--output", tmp_path / f"{name}.parquet", "--params", json.dumps(settings),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    done = run_command(
        "evaluation/predict.py", "--run", run, "--input", corpus / "test.parquet", "--pooling", pooling,
        "--output", tmp_path / "scores.parquet", "--device", "cpu",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    scores = {(row["head"], row["tail"], row["relation"]): row["score"]
              for row in read_table(tmp_path / "scores.parquet", SCORES).to_pylist()}  # fmt: skip
    table = read_table(corpus / "test.parquet", INSTANCES)
    labels, instances = pair_labels(table), table.to_pylist()
    bags = {}
    for row in read_table(tmp_path / "a.parquet", BAGS).to_pylist():
        bags.setdefault((row["head"], row["tail"]), []).append(row)
    assert set(bags) == choose_pairs(labels, 12, None, "f")
    for pair, rows in bags.items():
        best = max(score for key, score in scores.items() if key[:2] == pair)
        own = [(line["text"], line["head_start"], line["tail_end"]) for line in instances
               if (line["head"], line["tail"]) == pair]  # fmt: skip
        assert [row["rank"] for row in rows] == list(range(1, min(3, len(own)) + 1))
        for row in rows:
            assert row["score"] == pytest.approx(best, abs=1e-6)
            assert scores[*pair, row["relation"]] == pytest.approx(best, abs=1e-6)
            assert row["labels"] == ("|".join(labels[pair]) or "NA") and row["n_sentences"] == len(own)
            assert (row["text"], row["head_start"], row["tail_end"]) in own
            assert 0 <= row["probability"] <= 1 and 0 <= row["weight"] <= 1
        weights = np.array([row["weight"] for row in rows])
        assert (np.diff(weights) <= 0).all() and (len(own) > 3 or weights.sum() == pytest.approx(1, abs=1e-5))
