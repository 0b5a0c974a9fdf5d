"""Categories of relations against a literal restatement, and their mean F1."""

import random

import pytest

from workflow_scripts.common.relation_categories import CATEGORIES, categories, category_means, group_counts

GROUPS = {"d1": "DISO", "d2": "DISO", "a1": "ANAT", "c1": "CHEM", "p1": "PROC"}


def literal(triples, relation):
    heads = {GROUPS[h] for h, r, _ in triples if r == relation}
    tails = {GROUPS[t] for _, r, t in triples if r == relation}
    return f"{'1' if len(heads) == 1 else 'M'}-{'1' if len(tails) == 1 else 'M'}"


@pytest.mark.parametrize("seed", range(20))
def test_categories_are_those_of_a_restatement_in_any_order(seed):
    draws = random.Random(seed)
    names = sorted(GROUPS)
    triples = [(draws.choice(names), draws.choice("rst"), draws.choice(names)) for _ in range(draws.randint(1, 12))]
    found = categories(group_counts(triples, GROUPS))
    assert found == {relation: literal(triples, relation) for relation in {r for _, r, _ in triples}}
    draws.shuffle(triples)
    assert categories(group_counts(triples, GROUPS)) == found


def test_each_category_occurs():
    triples = [("d1", "site", "a1"), ("d2", "site", "a1"), ("d1", "cause", "d2"), ("c1", "cause", "d2")]
    triples += [("p1", "method", "a1"), ("p1", "method", "c1"), ("d1", "any", "a1"), ("c1", "any", "p1")]
    found = categories(group_counts(triples, GROUPS))
    assert found == {"site": "1-1", "cause": "M-1", "method": "1-M", "any": "M-M"}
    assert set(found.values()) == set(CATEGORIES)


def test_published_variant_is_strict_about_nine_tenths():
    within, across = [("d1", "r", "d2")], [("c1", "r", "a1")]
    assert categories(group_counts(within * 9 + across, GROUPS), "published") == {"r": "M-M"}
    assert categories(group_counts(within * 91 + across * 9, GROUPS), "published") == {"r": "1-1"}
    assert categories(group_counts(within * 91 + across * 9, GROUPS)) == {"r": "M-M"}
    with pytest.raises(ValueError, match="none of paper, published"):
        categories({}, "ours")


def test_a_concept_without_group_opens_no_group():
    assert categories(group_counts([("d1", "r", "x"), ("d1", "r", "a1"), ("x", "s", "a1")], GROUPS)) == {"r": "1-1"}


def test_means_over_relations():
    of = {"a": "1-1", "b": "1-1", "c": "M-M", "d": "1-M", "e": "1-M"}
    means = category_means({"c": 0.1, "a": 0.2, "b": 0.6, "d": None, "e": 0.5, "unknown": 1.0}, of)
    assert means == {"1-1": pytest.approx(0.4, abs=1e-12), "1-M": None, "M-1": None, "M-M": 0.1}
