"""Bags, keyed draws and batches."""

import itertools

import numpy as np
import pytest

from workflow_scripts.common.models import arrays
from workflow_scripts.common.models.arrays import ROW
from workflow_scripts.training.sampling import batch_slots, draw_slots, epoch_batches, make_bags

KEYS = [(0, 0)] * 3 + [(0, 2)] * 1 + [(1, 1)] * 7 + [(2, 0)] * 2 + [(4, 0)] * 4


@pytest.fixture
def bags():
    rows = np.zeros(len(KEYS), ROW)
    rows["pair"], rows["relation"] = np.array(KEYS).T
    return make_bags(rows, "bag")


def test_a_pair_with_two_relations_is_two_bags(bags):
    assert bags.starts.tolist() == [0, 3, 4, 11, 13, 17]
    assert bags.labels.tolist() == [0, 2, 1, 0, 0]


def test_level_sent_has_one_bag_per_sentence():
    rows = np.zeros(len(KEYS), ROW)
    rows["pair"], rows["relation"] = np.array(KEYS).T
    bags = make_bags(rows, "sent")
    assert len(bags) == len(KEYS) and bags.labels.tolist() == [relation for _, relation in KEYS]


@pytest.mark.parametrize("k", [1, 2, 4, 9])
def test_draws(bags, k):
    """Without replacement from large bags; small ones give all their sentences and fill up from them."""
    for epoch in range(20):
        slots, starts = draw_slots(bags, k, 5, epoch)
        assert (np.diff(starts) == k).all()
        for b in range(len(bags)):
            members = range(bags.starts[b], bags.starts[b + 1])
            drawn = slots[starts[b] : starts[b + 1]].tolist()
            assert set(drawn) <= set(members)
            assert len(set(drawn)) == min(k, len(members))


def test_bag_size_0_takes_all(bags):
    slots, starts = draw_slots(bags, 0, 1, 3)
    assert slots.tolist() == list(range(len(KEYS))) and starts.tolist() == bags.starts.tolist()


def test_draws_are_uniform(bags):
    """Each of the 21 pairs of the bag of seven comes up about equally often, and fillings reach each sentence."""
    pairs = {}
    fillings = np.zeros(3)
    for epoch in range(2000):
        slots, starts = draw_slots(bags, 2, 1, epoch)
        pair = tuple(sorted(slots[starts[2] : starts[3]].tolist()))
        pairs[pair] = pairs.get(pair, 0) + 1
        slots, starts = draw_slots(bags, 5, 1, epoch)
        fillings += np.bincount(slots[starts[0] + 3 : starts[1]], minlength=3)[:3]
    assert set(pairs) == set(itertools.combinations(range(4, 11), 2))
    assert min(pairs.values()) > 60 and max(pairs.values()) < 140  # 95.2 expected, sd 9.5
    assert (abs(fillings / fillings.sum() - 1 / 3) < 0.03).all()


def test_draws_are_keyed_by_seed_and_epoch(bags):
    draws = {(seed, epoch): draw_slots(bags, 4, seed, epoch)[0].tolist() for seed in (1, 2) for epoch in (0, 1, 2)}
    again = {key: draw_slots(bags, 4, *key)[0].tolist() for key in reversed(list(draws))}
    assert draws == again
    assert len({tuple(draw) for draw in draws.values()}) == len(draws)


def test_batches_cover_an_epoch_in_keyed_order(bags):
    first, second = (epoch_batches(bags, 2, 1, epoch) for epoch in (0, 1))
    assert [len(batch) for batch in first] == [2, 2, 1]
    assert sorted(np.concatenate(first)) == sorted(np.concatenate(second)) == list(range(5))
    assert any(
        np.concatenate(epoch_batches(bags, 2, 1, epoch)).tolist() != np.concatenate(first).tolist()
        for epoch in range(1, 5)
    )


@pytest.mark.parametrize("k", [0, 3])
def test_slots_of_a_batch(bags, k):
    slots, starts = draw_slots(bags, k, 2, 0)
    chosen = np.array([4, 0, 2])
    rows, of = batch_slots(chosen, slots, starts)
    expected = [(int(row), place) for place, b in enumerate(chosen) for row in slots[starts[b] : starts[b + 1]]]
    assert list(zip(rows.tolist(), of.tolist(), strict=True)) == expected


@pytest.mark.parametrize("budget", [1, 100, 3000, 10**6])
@pytest.mark.parametrize("seed", range(3))
def test_micro_batches(seed, budget):
    """Every sentence once, longest first, within the budget, and of similar length once a group is large enough."""
    lengths = np.random.default_rng(seed).integers(3, 129, 400)
    groups = arrays.micro_batches(lengths, budget, extra=3)
    assert sorted(np.concatenate(groups).tolist()) == list(range(400))
    assert (np.diff(lengths[np.concatenate(groups)]) <= 0).all()
    for group in groups:
        longest = lengths[group[0]]
        assert len(group) == 1 or len(group) * (longest + 3) <= budget
        assert len(group) <= arrays.SMALLEST or lengths[group[-1]] >= arrays.SIMILAR * longest
