"""Facts of a split as a matrix, and the files that evaluation writes, against metrics recomputed from the files."""

import numpy as np
import pyarrow as pa
import pytest

from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.scores import SCORES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.metrics import evaluate
from workflow_scripts.common.tables import check_file, read_table, write_table
from workflow_scripts.evaluation import results
from workflow_scripts.evaluation.gold import fact_matrix

RELATIONS = ["causes", "part_of", "treats"]


def write_split(path, triples):
    """An instances file with one sentence per (head, tail, relation, i)."""
    rows = [
        {
            "text": f"{head} {tail}", "head": head, "head_name": head, "head_start": 0, "head_end": len(head),
            "tail": tail, "tail_name": tail, "tail_start": len(head) + 1, "tail_end": len(head) + 1 + len(tail),
            "relation": relation, "sentence_id": f"{number:032x}", "rui": None,
        }
        for number, (head, tail, relation) in enumerate(triples)
    ]  # fmt: skip
    table = pa.Table.from_pylist(rows, schema=INSTANCES.schema)
    write_table(path, table.sort_by([(name, "ascending") for name in INSTANCES.sort_by]), INSTANCES)
    return path


def random_split(seed, n_pairs=60):
    generator = np.random.default_rng(seed)
    pairs = sorted({(f"C{a}", f"C{b}") for a, b in generator.integers(100, 130, (n_pairs, 2)) if a != b})
    triples = [
        (*pairs[row], generator.choice(["NA", *RELATIONS]))
        for row in [*range(len(pairs)), *range(0, len(pairs), 3)] * 2
    ]
    return pairs, triples


@pytest.mark.parametrize("seed", range(5))
def test_fact_matrix_is_the_set_of_triples(tmp_path, seed):
    pairs, triples = random_split(seed)
    path = write_split(tmp_path / "test.parquet", triples)
    facts = fact_matrix(path, pairs, RELATIONS)
    expected = {triple for triple in triples if triple[2] != "NA"}
    assert {(*pairs[row], RELATIONS[column]) for row, column in np.argwhere(facts)} == expected
    assert facts.shape == (len(pairs), 3) and facts.sum() == len(expected)


def test_pairs_must_be_those_of_the_split(tmp_path):
    pairs, triples = random_split(1)
    path = write_split(tmp_path / "test.parquet", triples)
    with pytest.raises(DataError, match="0 triples of pairs without scores, 1 scored pairs"):
        fact_matrix(path, [*pairs, ("X", "Y")], RELATIONS)
    own = len({triple for triple in triples if triple[:2] == pairs[0]})
    with pytest.raises(DataError, match=f"{own} triples of pairs without scores, 0 scored pairs"):
        fact_matrix(path, pairs[1:], RELATIONS)


def test_a_relation_unknown_to_the_model_is_named(tmp_path):
    path = write_split(tmp_path / "test.parquet", [("a", "b", "inhibits"), ("a", "c", "NA"), ("a", "d", "causes")])
    with pytest.raises(DataError, match="not trained on: inhibits"):
        fact_matrix(path, [("a", "b"), ("a", "c"), ("a", "d")], RELATIONS)


def test_scores_are_written_in_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "ROWS_PER_GROUP", 7)
    pairs, _ = random_split(2)
    values = np.random.default_rng(2).random((len(pairs), 3)).astype(np.float32)
    results.write_scores(tmp_path / "scores.parquet", pairs, RELATIONS, values)
    assert check_file(tmp_path / "scores.parquet", SCORES) == values.size
    rows = read_table(tmp_path / "scores.parquet", SCORES).to_pylist()
    found = {((row["head"], row["tail"]), row["relation"]): row["score"] for row in rows}
    expected = {(pair, name): values[i, j] for i, pair in enumerate(pairs) for j, name in enumerate(RELATIONS)}
    assert found == expected


def test_report_holds_the_fixed_keys_and_the_threshold_chosen_on_validation():
    generator = np.random.default_rng(4)
    facts = [generator.random((80, 3)) < 0.1 for _ in range(2)]
    scores = [(generator.random((80, 3)) * 0.5 + fact * 0.3).astype(np.float32) for fact in facts]
    report = results.metrics_report((scores[0], facts[0]), (scores[1], facts[1]), RELATIONS, (100, 300), 0.5)
    keys = "auc ap max_micro_f1 max_macro_f1 threshold micro_f1 macro_f1 p@100 p@300 per_relation n_facts n_ties"
    assert set(keys.split()) <= set(report) and report["p@300"] is None
    test = evaluate(scores[0], facts[0], relations=RELATIONS)
    assert report["auc"] == test["auc"] and report["threshold"] == test["threshold"]
    valid = evaluate(scores[1], facts[1], relations=RELATIONS)
    assert report["valid"]["auc"] == valid["auc"] and "ties" not in report["valid"]
    chosen = scores[0] >= np.float32(valid["threshold"])
    micro = 2 * (chosen & facts[0]).sum() / (chosen.sum() + facts[0].sum())
    assert report["at_valid_threshold"]["threshold"] == valid["threshold"]
    assert report["at_valid_threshold"]["micro_f1"] == pytest.approx(micro)
    assert report["at_valid_threshold"]["micro_f1"] <= report["max_micro_f1"] + 1e-12


def test_report_of_splits_without_facts():
    values, none, some = np.ones((2, 3), np.float32), np.zeros((2, 3), bool), np.eye(2, 3, dtype=bool)
    report = results.metrics_report((values, some), (values, none), RELATIONS, (1,), 0.5)
    assert report["at_valid_threshold"] == {"threshold": None, "micro_f1": None, "macro_f1": None}
    report = results.metrics_report((values, none), (values, some), RELATIONS, (1,), 0.5)
    assert report["auc"] is None and report["at_valid_threshold"]["micro_f1"] is None


def test_curve_file(tmp_path):
    generator = np.random.default_rng(5)
    facts, scores = generator.random((900, 3)) < 0.6, generator.random((900, 3)).astype(np.float32)
    results.write_curve(tmp_path / "curve.parquet", scores, facts, RELATIONS)
    assert check_file(tmp_path / "curve.parquet", CURVE) == results.CURVE_POINTS
    last = read_table(tmp_path / "curve.parquet", CURVE).to_pylist()[-1]
    assert last["recall"] == 1.0 and last["precision"] == pytest.approx(facts.sum() / last["rank"])
