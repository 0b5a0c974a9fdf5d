"""Sentence-level metrics of subsets against a literal restatement and scikit-learn."""

import collections

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from workflow_scripts.common.sentence_subsets import SUBSETS, subset_metrics


def literal(gold, predicted, bags, na_id, common_from, subset, with_na):
    sizes = collections.Counter(zip(bags, gold, strict=True))
    right = found = wanted = 0
    for g, p, b in zip(gold, predicted, bags, strict=True):
        is_common = sizes[b, g] >= common_from
        if (subset == "common" and not is_common) or (subset == "rare" and is_common) or (not with_na and g == na_id):
            continue
        right += g == p and g != na_id
        found += p != na_id
        wanted += g != na_id
    precision, recall = right / found if found else 0.0, right / wanted if wanted else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def drawn(seed):
    draws = np.random.default_rng(seed)
    n, na_id = int(draws.integers(1, 80)), int(draws.integers(0, 4))
    bags = draws.integers(0, 6, n)
    gold = np.where(draws.random(n) < 0.4, na_id, draws.integers(0, 4, n))
    return gold, np.where(draws.random(n) < 0.5, gold, draws.integers(0, 4, n)), bags, na_id


@pytest.mark.parametrize("seed", range(25))
def test_subsets_are_those_of_a_restatement_and_of_scikit_learn(seed):
    gold, predicted, bags, na_id = drawn(seed)
    common_from = seed % 9 + 1
    metrics = subset_metrics(gold, predicted, bags, na_id, common_from)
    assert set(metrics) == set(SUBSETS)
    for subset in SUBSETS:
        for kind in ("with_na", "without_na"):
            own = metrics[subset][kind]
            expected = literal(gold, predicted, bags, na_id, common_from, subset, kind == "with_na")
            assert [own["precision"], own["recall"], own["f1"]] == pytest.approx(expected, abs=1e-9)
    labels = [label for label in range(4) if label != na_id]
    p, r, f, _ = precision_recall_fscore_support(gold, predicted, labels=labels, average="micro", zero_division=0)
    own = metrics["all"]["with_na"]
    assert [own["precision"], own["recall"], own["f1"]] == pytest.approx([p, r, f], abs=1e-9)
    order = np.random.default_rng(seed).permutation(len(gold))
    assert subset_metrics(gold[order], predicted[order], bags[order], na_id, common_from) == metrics


def test_counts_of_the_subsets_add_up_and_eight_is_common():
    gold, bags = np.array([1] * 8 + [1] * 7 + [0] * 9), np.array([0] * 8 + [1] * 7 + [0] * 9)
    metrics = subset_metrics(gold, np.zeros_like(gold), bags, 0, 8)
    n = {name: (metrics[name]["with_na"]["n"], metrics[name]["without_na"]["n"]) for name in SUBSETS}
    assert n == {"all": (24, 15), "common": (17, 8), "rare": (7, 7)}
    assert metrics["common"]["with_na"]["precision"] == 0.0


def test_no_sentence_and_unequal_vectors():
    assert subset_metrics([], [], [], 0, 8)["common"]["with_na"]["n"] == 0
    with pytest.raises(ValueError, match="equal vectors"):
        subset_metrics([1], [1, 2], [0], 0, 8)
