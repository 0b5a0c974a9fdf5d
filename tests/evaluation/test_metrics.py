"""The metrics against a literal restatement of their definition, scikit-learn, and values worked out by hand."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, f1_score, precision_recall_fscore_support

from benchmarks.metrics_speed import as_predictions, literal_metrics
from workflow_scripts.common.metrics import Ranking, curve, evaluate, sentence_metrics, without_na

SHARED_KEYS = ("auc", "ap", "max_micro_f1", "max_macro_f1", "threshold", "micro_f1", "macro_f1", "n_facts")
KS = (1, 2, 3, 7, 50)


def names(n_pairs, n_relations):
    pairs = [(f"C{row // 3:04d}", f"C{row:04d}") for row in range(n_pairs)]
    return pairs, [f"r{column:02d}" for column in range(n_relations)]


@st.composite
def splits(draw):
    """A split with few distinct scores (many ties) or many, multi-label pairs and relations without facts."""
    n_pairs, n_relations = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = draw(st.sampled_from([1, 2, 4, 1000, 2**23]))
    scores = (generator.integers(0, levels + 1, (n_pairs, n_relations)) / levels).astype(np.float32)
    facts = generator.random((n_pairs, n_relations)) < draw(st.sampled_from([0.05, 0.3, 0.9]))
    facts[0, 0] |= not facts.any()
    return scores, facts


@settings(max_examples=400, deadline=None)
@given(splits())
def test_equals_the_literal_restatement(split):
    scores, facts = split
    pairs, relations = names(*scores.shape)
    predictions, fact_set = as_predictions(scores, facts, relations, pairs)
    expected = literal_metrics(predictions, fact_set, relations, precision_at=KS)
    found = evaluate(scores, facts, relations=relations, precision_at=KS)
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-12), key
    assert found["threshold"] == expected["threshold"]  # to the bit: reporting selects by it


@settings(max_examples=200, deadline=None)
@given(splits(), st.integers(0, 2**32 - 1))
def test_order_of_rows_and_columns_changes_nothing(split, seed):
    scores, facts = split
    pairs, relations = names(*scores.shape)
    generator = np.random.default_rng(seed)
    rows, columns = generator.permutation(scores.shape[0]), generator.permutation(scores.shape[1])
    shuffled = evaluate(
        scores[rows][:, columns],
        facts[rows][:, columns],
        relations=[relations[column] for column in columns],
        pairs=[pairs[row] for row in rows],
        precision_at=KS,
    )
    assert shuffled == evaluate(scores, facts, relations=relations, precision_at=KS)


@settings(max_examples=200, deadline=None)
@given(splits())
def test_agrees_with_scikit_learn(split):
    scores, facts = split
    found = evaluate(scores, facts, relations=names(*scores.shape)[1])
    assert found["ap"] == pytest.approx(average_precision_score(facts.ravel(), scores.ravel()), abs=1e-12)
    averages = ("micro", "macro") if facts.shape[1] > 1 else ("binary", "binary")  # one column is no multi-label input
    for prefix, threshold in (("max_", np.float32(found["threshold"])), ("", 0.5)):
        chosen = scores >= threshold
        macro = f1_score(facts, chosen, average=averages[1], zero_division=0)
        assert found[f"{prefix}macro_f1"] == pytest.approx(macro, abs=1e-12)
    micro = f1_score(facts, scores >= 0.5, average=averages[0], zero_division=0)
    assert found["micro_f1"] == pytest.approx(micro, abs=1e-12)
    right = np.cumsum(facts.ravel()[np.argsort(-scores.ravel(), kind="stable")])
    if right.size > 1:
        precision, recall = right / np.arange(1, right.size + 1), right / right[-1]
        assert found["auc"] == pytest.approx(auc(recall, precision), abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(splits(), st.integers(0, 2**32 - 1))
def test_tie_report_brackets_every_order_of_the_ties(split, seed):
    """P@k under any order of equal scores lies between the reported bounds, and both bounds are reached."""
    scores, facts = split
    found = evaluate(scores, facts, relations=names(*scores.shape)[1], precision_at=KS)
    flat, hit = scores.ravel(), facts.ravel()
    _, counts = np.unique(flat, return_counts=True)
    assert found["n_ties"] == counts[counts > 1].sum()
    orders = {
        "lowest": np.lexsort((hit, -flat)),
        "highest": np.lexsort((~hit, -flat)),
        "any": np.lexsort((np.random.default_rng(seed).random(flat.size), -flat)),
    }
    for k in (k for k in KS if k <= flat.size):
        tie = found["ties"][f"p@{k}"]
        precision = {name: hit[order][:k].mean() for name, order in orders.items()}
        assert (tie["lowest"], tie["highest"]) == pytest.approx((precision["lowest"], precision["highest"]))
        assert tie["lowest"] - 1e-12 <= precision["any"] <= tie["highest"] + 1e-12
        inside = np.sort(flat)[::-1]
        crosses = k < flat.size and inside[k - 1] == inside[k]
        assert tie["n"] == ((flat == inside[k - 1]).sum() if crosses else 0)
    ranking = Ranking(scores, facts)
    for key, order in (("auc_facts_first", orders["highest"]), ("auc_facts_last", orders["lowest"])):
        assert found["ties"][key] == pytest.approx(ranking.auc(np.flatnonzero(hit[order]) + 1), abs=1e-12)


def test_values_by_hand():
    """Ranks of the facts 1, 3, 4 of 6: a pair with two relations counts twice, a relation without facts counts 0."""
    scores = np.array([[0.9, 0.6, 0.1], [0.8, 0.7, 0.2]], np.float32)
    facts = np.array([[True, True, False], [False, True, False]])
    found = evaluate(scores, facts, relations=["a", "b", "c"], precision_at=(1, 4, 6, 7))
    assert found["auc"] == pytest.approx((1 / 2 + 2 / 3) / 2 / 3 + (2 / 3 + 3 / 4) / 2 / 3)
    assert found["ap"] == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    assert found["max_micro_f1"] == pytest.approx(6 / 7) and found["threshold"] == np.float32(0.6)
    assert found["max_macro_f1"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert found["max_macro_f1_present"] == pytest.approx((2 / 3 + 1) / 2)
    assert [found[f"p@{k}"] for k in (1, 4, 6, 7)] == [1.0, 0.75, 0.5, None]
    prefixes = [1, 1 / 2, 2 / 3, 3 / 4, 3 / 5, 3 / 6]
    means = [sum(prefixes[:k]) / k for k in (1, 4, 6)]
    assert [found[f"mean_p@{k}"] for k in (1, 4, 6, 7)] == [*map(pytest.approx, means), None]
    assert found["per_relation"]["a"] == {
        "n_facts": 1, "n_predicted": 2, "precision": 0.5, "recall": 1.0,
        "f1": pytest.approx(2 / 3), "fixed_f1": pytest.approx(2 / 3),
    }  # fmt: skip
    assert found["per_relation"]["c"]["precision"] is None and found["per_relation"]["c"]["recall"] is None
    assert (found["n_facts"], found["n_ties"], found["n_relations_present"]) == (3, 0, 2)


def test_ties_go_by_head_then_tail_then_relation():
    scores, relations = np.ones((2, 2), np.float32), ["b", "a"]
    for place, (pair, relation) in enumerate([("x", 1), ("x", 0), ("y", 1), ("y", 0)], start=1):
        facts = np.zeros((2, 2), bool)
        facts[["y", "x"].index(pair), relation] = True
        pairs = [("C2", "y"), ("C2", "x")]
        found = evaluate(scores, facts, relations=relations, pairs=pairs, precision_at=(1, 2, 3, 4))
        assert [found[f"p@{k}"] for k in (1, 2, 3, 4)] == [float(place <= k) / k for k in (1, 2, 3, 4)]
        assert found["ap"] == 0.25  # whatever the order


@pytest.mark.parametrize("na_id", [0, 2, 4])
def test_na_may_have_any_id(na_id):
    generator = np.random.default_rng(3)
    scores, facts = generator.random((20, 4)).astype(np.float32), generator.random((20, 4)) < 0.2
    with_na = np.insert(scores, na_id, 0.99, axis=1)
    facts_na = np.insert(facts, na_id, True, axis=1)
    relations = ["a", "b", "c", "d"]
    found = evaluate(without_na(with_na, na_id), without_na(facts_na, na_id), relations=relations)
    assert found == evaluate(scores, facts, relations=relations)
    with pytest.raises(ValueError, match="no column"):
        without_na(scores, 4)


def test_without_facts_what_needs_a_fact_is_none():
    found = evaluate(np.eye(3, dtype=np.float32), np.zeros((3, 3), bool), relations="abc", precision_at=(2, 10))
    undefined = ("auc", "ap", "max_micro_f1", "max_macro_f1", "threshold", "micro_f1", "macro_f1")
    assert all(found[key] is None for key in undefined)
    assert found["n_facts"] == 0 and found["p@2"] == 0.0 and found["p@10"] is None
    assert found["per_relation"]["a"]["f1"] is None


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (1, 1)])
def test_tiny_splits(shape):
    found = evaluate(np.full(shape, 0.7), np.ones(shape, bool), relations=names(*shape)[1], precision_at=(1, 2))
    assert found["p@2"] is None and found["n_facts"] == shape[0] * shape[1]
    if shape == (1, 1):
        assert (found["ap"], found["max_micro_f1"], found["p@1"], found["auc"]) == (1.0, 1.0, 1.0, 0.0)


def test_both_zeros_tie_and_negative_scores_rank_below():
    scores = np.array([[-0.0, 0.0, -1.0, -2.0, 1.0]], np.float32)
    ranking = Ranking(scores, np.array([[True, False, False, True, True]]))
    assert ranking.hits.tolist() == [1, 2, 5] and ranking.n_ties == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"facts": np.zeros((2, 3), bool)}, "do not fit"),
        ({"facts": np.zeros((2, 2), int)}, "must be bool"),
        ({"scores": np.array([[0.1, np.nan], [0.2, np.inf]])}, "2 scores are not finite"),
        ({"relations": ["a", "a"]}, "twice"),
        ({"pairs": [("x", "y"), ("x", "y")]}, "distinct pairs"),
        ({"precision_at": (0,)}, "positive"),
    ],
)
def test_wrong_input_is_refused(change, message):
    values = {"scores": np.zeros((2, 2)), "facts": np.zeros((2, 2), bool), "relations": ["a", "b"]} | change
    with pytest.raises(ValueError, match=message):
        evaluate(values.pop("scores"), values.pop("facts"), **values)


@settings(max_examples=100, deadline=None)
@given(splits(), st.integers(1, 8))
def test_curve_is_a_subset_of_the_full_curve(split, points):
    scores, facts = split
    relations = names(*scores.shape)[1]
    found = curve(scores, facts, relations=relations, points=points)
    order = np.argsort(-scores.ravel(), kind="stable")
    right = np.cumsum(facts.ravel()[order])
    assert len(found["rank"]) == min(points, right[-1]) and (np.diff(found["rank"]) > 0).all()
    assert found["recall"] == pytest.approx(right[found["rank"] - 1] / right[-1])
    assert found["precision"] == pytest.approx(right[found["rank"] - 1] / found["rank"])
    assert (found["score"] == scores.ravel()[order][found["rank"] - 1]).all()
    assert found["recall"][-1] == 1.0 and (len(found["rank"]) == 1 or found["recall"][0] == 1 / right[-1])


def test_no_facts_no_curve():
    assert curve(np.ones((2, 2)), np.zeros((2, 2), bool), relations="ab")["rank"].size == 0


@pytest.mark.parametrize("na_id", [0, 3])
def test_sentence_metrics_agree_with_scikit_learn(na_id):
    generator = np.random.default_rng(11)
    gold, predicted = generator.integers(0, 5, 300), generator.integers(0, 5, 300)
    found = sentence_metrics(gold, predicted, na_id)
    labels = [label for label in range(5) if label != na_id]
    expected = precision_recall_fscore_support(gold, predicted, labels=labels, average="micro")[:3]
    assert (found["precision"], found["recall"], found["f1"]) == pytest.approx(expected)
    assert found["accuracy"] == pytest.approx((gold == predicted).mean())


def test_sentence_metrics_of_nothing():
    assert sentence_metrics([0, 0], [0, 0], 0)["f1"] == 0.0
    assert sentence_metrics([], [], 0)["accuracy"] is None
    with pytest.raises(ValueError, match="one length"):
        sentence_metrics([0], [0, 1], 0)


def test_metrics_import_numpy_alone(repository):
    """Figures and tables import this module: it must not drag in torch or scikit-learn."""
    code = "import sys, workflow_scripts.common.metrics; print({'torch', 'sklearn', 'pandas'} & set(sys.modules))"
    output = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "set()"
