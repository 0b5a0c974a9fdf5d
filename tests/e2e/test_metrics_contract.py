"""Every metrics.json of a finished results folder against a recomputation from its scores and its corpus.

Set MEDDISTANT_FINISHED to the folder (results/demo) to run it.
"""

import json
import os
import pathlib

import numpy as np
import pytest

from benchmarks.metrics_speed import literal_metrics
from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.scores import SCORES
from workflow_scripts.common.tables import check_file, read_table

FINISHED = os.environ.get("MEDDISTANT_FINISHED")
pytestmark = pytest.mark.skipif(not FINISHED, reason="MEDDISTANT_FINISHED names no finished results folder")
KEYS = "auc ap max_micro_f1 max_macro_f1 threshold micro_f1 macro_f1 p@100 p@200 p@300 p@1000 p@2000".split()


def evaluations():
    return sorted(pathlib.Path(FINISHED).glob("evaluation/*/*/metrics.json")) if FINISHED else []


def split_of(folder, split):
    """Predictions in the order of the file, facts, and relations other than NA, of an evaluation folder."""
    results = folder.parents[2]
    config = json.loads((results / "runs" / folder.parent.name / "config.json").read_text())
    path = results / "corpus" / config["corpus"] / f"{split}.parquet"
    instances = read_table(path, INSTANCES, columns=["head", "tail", "relation"]).to_pylist()
    rows = read_table(folder / ("scores.parquet" if split == "test" else "scores_valid.parquet"), SCORES).to_pylist()
    predictions = [
        {"pair": (row["head"], row["tail"]), "relation": row["relation"], "score": row["score"]} for row in rows
    ]
    facts = {((row["head"], row["tail"]), row["relation"]) for row in instances if row["relation"] != "NA"}
    return predictions, facts, {(row["head"], row["tail"]) for row in instances}, sorted(set(config["rel2id"]) - {"NA"})


def test_there_is_something_to_check():
    assert evaluations()


@pytest.mark.parametrize("path", evaluations(), ids=lambda path: "/".join(path.parts[-3:-1]))
def test_metrics_follow_from_scores_and_corpus(path):
    metrics = json.loads(path.read_text())
    assert set(KEYS) | {"per_relation", "n_facts", "n_ties"} <= set(metrics)
    ks = [int(key[2:]) for key in metrics if key.startswith("p@")]
    for split, found in (("test", metrics), ("valid", metrics["valid"])):
        predictions, facts, pairs, relations = split_of(path.parent, split)
        assert {item["pair"] for item in predictions} == pairs and len(predictions) == len(pairs) * len(relations)
        expected = literal_metrics(predictions, facts, relations, ks, metrics["fixed_threshold"])
        for key, value in expected.items():
            assert found[key] == pytest.approx(value, abs=1e-9), (split, key)
            assert value is None or key == "n_facts" or 0 <= value <= 1
        scores = np.array([item["score"] for item in predictions])
        _, counts = np.unique(scores, return_counts=True)
        assert found["n_ties"] == counts[counts > 1].sum()
    assert set(metrics["per_relation"]) == set(relations)
    assert sum(row["n_facts"] for row in metrics["per_relation"].values()) == metrics["n_facts"]


@pytest.mark.parametrize("path", evaluations(), ids=lambda path: "/".join(path.parts[-3:-1]))
def test_curve_lies_on_the_scores(path):
    assert check_file(path.parent / "curve.parquet", CURVE)
    predictions, facts, _, _ = split_of(path.parent, "test")
    ranked = sorted(predictions, key=lambda item: -item["score"])
    right = np.cumsum([(item["pair"], item["relation"]) in facts for item in ranked])
    for point in read_table(path.parent / "curve.parquet", CURVE).to_pylist():
        found = right[point["rank"] - 1]
        assert (
            point["recall"] == pytest.approx(found / len(facts))
            and point["score"] == ranked[point["rank"] - 1]["score"]
        )
        assert point["precision"] == pytest.approx(found / point["rank"])
