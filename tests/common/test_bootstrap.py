"""The bootstrap against `evaluate` on copied pairs, and whether it tells models apart."""

import numpy as np
import pytest

from workflow_scripts.common.bootstrap import difference, draw_pairs, resampled_aucs
from workflow_scripts.common.metrics import evaluate


def drawn(seed, n_pairs=30, n_relations=3):
    draws = np.random.default_rng(seed)
    scores = draws.permutation(n_pairs * n_relations).reshape(n_pairs, n_relations) / (n_pairs * n_relations)
    return scores.astype(np.float32), draws.random((n_pairs, n_relations)) < 0.2


@pytest.mark.parametrize("seed", range(10))
def test_a_resample_has_the_auc_of_copied_pairs(seed):
    """Copies of a pair are pairs of their own in `evaluate`; no two different pairs tie here."""
    scores, facts = drawn(seed)
    times = draw_pairs(len(scores), seed, 0)
    assert times.sum() == len(scores) and len(times) == len(scores)
    rows = np.repeat(np.arange(len(scores)), times)
    expected = evaluate(scores[rows], facts[rows], relations=list("abc"), precision_at=())["auc"]
    assert resampled_aucs(scores, facts, [times]) == pytest.approx([expected], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_every_pair_once_is_the_auc_itself_also_with_ties(seed):
    scores, facts = drawn(seed)
    scores = np.round(scores, 1)
    expected = evaluate(scores, facts, relations=list("abc"), precision_at=())["auc"]
    assert resampled_aucs(scores, facts, [np.ones(len(scores), int)]) == pytest.approx([expected], abs=1e-9)


def test_draws_depend_on_seed_and_number_alone():
    assert np.array_equal(draw_pairs(50, 1, 2), draw_pairs(50, 1, 2))
    assert not np.array_equal(draw_pairs(50, 1, 2), draw_pairs(50, 1, 3))
    assert not np.array_equal(draw_pairs(50, 1, 2), draw_pairs(50, 2, 2))


def test_models_are_told_apart_only_where_they_differ():
    draws = np.random.default_rng(0)
    facts = draws.random((400, 3)) < 0.1
    noise = draws.random((3, 400, 3))
    resamples = [draw_pairs(400, 0, number) for number in range(200)]
    good, twin, bad = (
        resampled_aucs((weight * facts + part).astype(np.float32), facts, resamples)
        for weight, part in zip((0.5, 0.5, 0.0), noise, strict=True)
    )
    found = difference(good, bad)
    assert found["differs"] and found["lower"] > 0 and found["p"] == 2 / 201 and found["resamples"] == 200
    assert not difference(good, twin)["differs"]
    same = difference(good, good)
    assert (same["lower"], same["upper"], same["p"], same["differs"]) == (0.0, 0.0, 1.0, False)
    swapped = difference(bad, good)
    assert swapped["upper"] == pytest.approx(-found["lower"]) and swapped["differs"]


def test_resamples_without_facts_are_left_out():
    facts = np.array([[True], [False]])
    found = resampled_aucs(np.array([[0.5], [0.9]]), facts, [np.array([0, 2]), np.array([1, 1])])
    assert np.isnan(found[0]) and found[1] == pytest.approx(0.25)
    assert difference(found, found)["resamples"] == 1
    assert difference(found[:1], found[:1]) == {
        "lower": None, "upper": None, "p": None, "differs": None, "resamples": 0,
    }  # fmt: skip
