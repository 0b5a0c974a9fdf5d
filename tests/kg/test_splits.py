"""The splits: random graphs against a literal restatement, promises, limits, and errors that explain themselves."""

import collections
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kg import restatement
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.kg import inductive, parts, transductive

SHARES = {"train": 0.7, "valid": 0.1, "test": 0.2}
HALF = {"train": 0.5, "valid": 0.25, "test": 0.25}


def table(lines):
    heads, relations, tails = (pa.array(list(column), pa.string()) for column in zip(*lines, strict=True))
    return pa.table({"head": heads, "relation": relations, "tail": tails})


def random_graph(seed, n_entities, n_lines, relations="rst", loops=True, repeats=True):
    chooser = random.Random(seed)
    names = [f"C{number:03d}" for number in range(n_entities)]
    lines = []
    while len(lines) < n_lines:
        head, tail = chooser.choice(names), chooser.choice(names)
        line = (head, relations[min(int(chooser.expovariate(1)), len(relations) - 1)], tail)
        if (loops or head != tail) and (repeats or line not in lines):
            lines.append(line)
    return lines


def members(lines, part):
    return [[line for line, p in zip(lines, part.tolist(), strict=True) if p == k] for k in (0, 1, 2, parts.NONE)]


def entities(lines):
    return {entity for head, _, tail in lines for entity in (head, tail)}


def induct(lines, shares=SHARES, least=1, attempts=500, seed=0, preset="mended", lost_entity=None):
    return inductive.split(table(lines), shares, least, attempts, seed, preset, lost_entity or preset)


def transduct(lines, shares=HALF, seed=0, preset="mended", labels=None):
    if preset == "published":
        draws = transductive.published_draws(len(lines), seed)
    else:
        draws = transductive.keyed_draws(table(lines), seed)
    return transductive.split(table(lines), draws, shares, labels or preset)


graphs = st.tuples(
    st.integers(0, 10**6), st.integers(4, 25), st.integers(3, 90), st.sampled_from(["r", "rst"]), st.booleans()
)


@settings(max_examples=120, deadline=None)
@given(graphs, st.integers(0, 9), st.sampled_from([0, 1, 3, 8]), st.sampled_from(["mended", "published"]))
def test_inductive_equals_the_restatement(graph, seed, least, preset):
    lines = random_graph(*graph)
    n = len(entities(lines))
    drop, test, valid = inductive.numbers_to_drop(n, SHARES, preset)
    draws = (restatement.PublishedDraws if preset == "published" else restatement.KeyedDraws)(lines, seed)
    expected = restatement.inductive(lines, drop, test, valid, least, draws, attempts=60)
    if expected is None:
        with pytest.raises(DataError, match="60 draws in a row refused"):
            induct(lines, least=least, attempts=60, seed=seed, preset=preset)
        return
    result = induct(lines, least=least, attempts=60, seed=seed, preset=preset)
    found = members(lines, result.part)
    assert [collections.Counter(part) for part in found] == [collections.Counter(part) for part in expected[:4]]


@settings(max_examples=120, deadline=None)
@given(graphs, st.integers(0, 9), st.sampled_from(["mended", "published"]), st.sampled_from(["mended", "published"]))
def test_transductive_equals_the_restatement(graph, seed, preset, labels):
    lines = random_graph(*graph)
    draws = (
        np.random.RandomState(seed).uniform(size=len(lines))
        if preset == "published"
        else restatement.keyed(lines, seed)
    )
    expected, lost = restatement.transductive(lines, draws, HALF, labels)
    result = transduct(lines, seed=seed, preset=preset, labels=labels)
    found = members(lines, result.part)
    assert [collections.Counter(part) for part in found[:3]] == [collections.Counter(part) for part in expected]
    assert collections.Counter(lines[row] for row in result.lost) == collections.Counter(lost)


@pytest.mark.parametrize("preset", ["mended", "published"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_promises_of_the_inductive_split(preset, seed):
    lines = random_graph(seed, 120, 1500)
    result = induct(lines, least=20, preset=preset)
    train, valid, test, none = members(lines, result.part)
    known, heldout = entities(train), entities(test)
    assert len(train) + len(valid) + len(test) + len(none) == len(lines)
    assert all({head, tail} - known for head, _, tail in valid + test)
    gone = entities(lines) - known
    assert len(gone) == result.entities["valid"] + result.entities["test"] + result.entities["none"] == 36
    test_only = heldout - known - entities(valid)
    assert len(test_only) <= result.entities["test"] == 24
    left = collections.Counter(relation for _, relation, _ in train)
    assert all(left[relation] >= 19 for relation in "rst")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_promises_of_the_transductive_split(seed):
    lines = random_graph(seed, 60, 700)
    result = transduct(lines, shares=SHARES)
    train, valid, test, none = members(lines, result.part)
    pairs = [{frozenset((head, tail)) for head, _, tail in part} for part in (train, valid, test)]
    assert not pairs[0] & pairs[1] and not pairs[0] & pairs[2] and not pairs[1] & pairs[2]
    assert len(none) == result.overlapping and not len(result.lost)
    assert min(map(len, (train, valid, test))) > 0


@pytest.mark.parametrize("seed", [0, 7])
def test_the_mended_splits_do_not_depend_on_the_order_of_rows(seed):
    lines = random_graph(seed, 80, 900)
    shuffled = random.Random(seed).sample(lines, len(lines))
    for split in (lambda rows: induct(rows, least=10), transduct):
        first, second = members(lines, split(lines).part), members(shuffled, split(shuffled).part)
        assert [sorted(part) for part in first] == [sorted(part) for part in second]


def test_the_seed_decides_the_splits():
    lines = random_graph(3, 80, 900)
    for split in (lambda seed: induct(lines, seed=seed), lambda seed: transduct(lines, seed=seed)):
        assert split(1).part.tolist() == split(1).part.tolist() != split(2).part.tolist()


def wheel(n, relation_counts):
    """A graph that any entity may leave but for its relations: a ring of entities, each with its next few."""
    relations = [name for name, count in relation_counts.items() for _ in range(count)]
    steps = len(relations) // n
    assert steps * n == len(relations)
    random.Random(1).shuffle(relations)
    pairs = [(f"C{i:04d}", f"C{(i + k) % n:04d}") for i in range(n) for k in range(1, steps + 1)]
    return [(head, relation, tail) for (head, tail), relation in zip(pairs, relations, strict=True)]


@pytest.mark.parametrize(("count", "left"), [(99, 99), (100, 99), (101, 99), (102, 99)])
@pytest.mark.parametrize("preset", ["mended", "published"])
def test_a_relation_keeps_ninety_nine_triples(count, left, preset):
    lines = wheel(200, {"big": 2000 - count, "small": count})
    result = induct(lines, least=100, attempts=2000, preset=preset)
    train, valid, test, _ = members(lines, result.part)
    small = [sum(relation == "small" for _, relation, _ in part) for part in (train, valid, test)]
    # A removal needs 100 triples before it: of 100, one may go; of 99, none.
    assert small[0] == left and sum(small) == count
    assert sum(small[1:]) == count - left


def test_an_entity_stays_if_a_neighbour_would_starve():
    # A path: each inner neighbour has two neighbours, so nothing may leave.
    lines = [(f"C{i}", "r", f"C{i + 1}") for i in range(10)]
    with pytest.raises(DataError) as caught:
        induct(lines, least=0, attempts=50)
    message = str(caught.value)
    assert "50 draws in a row refused after 0 of 3 entities" in message
    assert "50 would leave a neighbour with fewer than 2 neighbours, 0 would" in message
    assert "kg.inductive.shares.train" in message and "max_attempts_per_drop" in message


def test_a_relation_at_its_limit_is_named():
    lines = wheel(50, {"rare": 50, "common": 200})
    with pytest.raises(DataError) as caught:
        induct(lines, least=300, attempts=50)
    message = str(caught.value)
    assert "0 would leave a neighbour" in message and "50 would take triples of a relation" in message
    assert "common (200 left)" in message and "kg.inductive.min_edges_left" in message


@pytest.mark.parametrize(
    ("n", "lost_entity", "expected"),
    [
        (3000, "published", (900, 600, 300)),
        (3009, "published", (902, 601, 300)),
        (3009, "mended", (902, 601, 301)),
        (10, "mended", (3, 2, 1)),
        (10, "published", (3, 2, 1)),
        (4, "mended", (1, 0, 1)),
        (4, "published", (1, 0, 0)),
        (19, "mended", (5, 3, 2)),
    ],
)
def test_numbers_of_entities(n, lost_entity, expected):
    assert inductive.numbers_to_drop(n, SHARES, lost_entity) == expected


def test_exact_shares_do_not_lose_an_entity_to_binary_rounding():
    # 1 - 0.8 is a little less than 0.2 in binary.
    shares = {"train": 0.8, "valid": 0.1, "test": 0.1}
    assert inductive.numbers_to_drop(10, shares, "mended") == (2, 1, 1)
    assert inductive.numbers_to_drop(10, shares, "published") == (1, 1, 1)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 64, 100])
def test_the_published_picker_is_random_choice_from_a_shrinking_list(n):
    chooser, left, picker = random.Random(4), list(range(n)), inductive.PublishedPicker(n, 4)
    keep = random.Random(9)
    while left:
        place, entity = picker.draw()
        assert entity == chooser.choice(left)
        if keep.random() < 0.6:
            picker.remove(place)
            left.remove(entity)


def test_the_keyed_picker_reaches_every_entity_equally():
    picker = inductive.KeyedPicker(10, 3)
    counts = collections.Counter(picker.draw()[1] for _ in range(20000))
    assert set(counts) == set(range(10)) and max(abs(count - 2000) for count in counts.values()) < 200
    taken = set()
    while picker.items:
        place, entity = picker.draw()
        picker.remove(place)
        assert entity not in taken
        taken.add(entity)
    assert taken == set(range(10))


def test_draws_of_the_transductive_split_are_uniform_and_keyed():
    lines = random_graph(1, 50, 4000, repeats=False)
    draws = transductive.keyed_draws(table(lines), 0)
    assert np.histogram(draws, bins=4, range=(0, 1))[0].min() > 900
    by_line = dict(zip(lines, draws, strict=True))
    assert transductive.keyed_draws(table(lines[::-1]), 0).tolist() == [by_line[line] for line in lines[::-1]]


def test_nothing_to_move_and_nothing_to_remove():
    lines = [("C1", "r", "C2")]
    assert transduct(lines, shares={"train": 0.9, "valid": 0.05, "test": 0.05}).part.tolist() == [0]


@pytest.mark.parametrize("bad", [{"train": 0.7, "valid": 0.1, "test": 0.3}, {"train": 0.7, "valid": 0.1, "test": 0.1}])
def test_shares_must_sum_to_one(bad):
    with pytest.raises(UsageError, match="kg.inductive.shares: train 0.7, valid 0.1, test 0.[13] sum to"):
        parts.check_shares(bad, "kg.inductive.shares")
    parts.check_shares(SHARES, "kg.inductive.shares")
