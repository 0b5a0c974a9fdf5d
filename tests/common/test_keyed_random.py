"""Draws depend on their key alone."""

import collections

import numpy as np
import pytest

from workflow_scripts.common import keyed_random


def test_keys_of_many_texts_are_the_single_keys():
    texts = ["C0000001", "", "µ", "C0000001"]
    assert keyed_random.key64_of_each("entity", texts).tolist() == [
        keyed_random.key64("entity", text) for text in texts
    ]


def test_mixing_in_place_keeps_nothing_else():
    values = np.arange(5, dtype=np.uint64)
    expected = keyed_random.mix64(values)
    assert values.tolist() == [0, 1, 2, 3, 4]
    assert keyed_random.mix64_in_place(values) is values and values.tolist() == expected.tolist()


def test_key_tells_types_and_borders_apart():
    keys = [(1, "2"), ("1", 2), ("12",), (1, 2), ("1", "2"), ("", "12"), ("12", "")]
    assert len({keyed_random.key64(*key) for key in keys}) == len(keys)


def test_keys_do_not_change_between_releases():
    # Published corpora depend on these values: a change of them is a change of every draw.
    assert keyed_random.key64(0, "a") == 0x8D1E8895AC5CEE3A
    assert keyed_random.key64("seed", 12) == 0x7D4F1E06C521FCB6
    # The first two outputs of SplitMix64 seeded with 0 and with 1.
    assert keyed_random.mix64([0, 1]).tolist() == [0xE220A8397B1DCDAF, 0x910A2DEC89025CC1]


@pytest.mark.parametrize("seed", [0, 1, 99])
def test_uniform_is_uniform(seed):
    values = keyed_random.uniform_array(keyed_random.key64(seed), np.arange(20_000))
    assert 0 <= values.min() and values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01
    counts = np.histogram(values, bins=10, range=(0, 1))[0]
    assert counts.min() > 1_800 and counts.max() < 2_200


def test_array_draws_do_not_depend_on_order_or_company():
    key = keyed_random.key64(3, "x")
    items = np.array([5, 900, 17, 0])
    together = keyed_random.key64_array(key, items)
    assert together.tolist() == [int(keyed_random.key64_array(key, [item])[0]) for item in items]
    assert keyed_random.key64_array(key, items[::-1]).tolist() == together[::-1].tolist()


def test_choose_reaches_every_option_about_equally():
    counts = collections.Counter(keyed_random.choose("abc", 7, item) for item in range(3_000))
    assert set(counts) == set("abc") and min(counts.values()) > 900


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_permutation(n):
    order = keyed_random.permutation(11, n)
    assert sorted(order.tolist()) == list(range(n))
    if n == 1000:
        assert order.tolist() != keyed_random.permutation(12, n).tolist()
        assert order.tolist() != list(range(n))
