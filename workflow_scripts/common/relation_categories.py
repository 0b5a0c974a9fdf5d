"""Categories of relations by the semantic groups of their heads and tails (paper, section 4.1 and Table 8)."""

CATEGORIES = ("1-1", "1-M", "M-1", "M-M")
VARIANTS = ("paper", "published")
HOMOGENEOUS = 0.9


def group_counts(triples, groups):
    """Semantic groups on both sides of each relation.

    Parameters
    ----------
    triples : iterable of (head, relation, tail)
    groups : dict
        CUI -> semantic group.

    Returns
    -------
    dict
        relation -> (set of head groups, set of tail groups, triples, triples within one group). Concepts without a
        group are left out.
    """
    found = {}
    for head, relation, tail in triples:
        sides = groups.get(head), groups.get(tail)
        heads, tails, n, within = found.get(relation, (set(), set(), 0, 0))
        for side, group in zip((heads, tails), sides, strict=True):
            if group is not None:
                side.add(group)
        found[relation] = heads, tails, n + 1, within + (sides[0] is not None and sides[0] == sides[1])
    return found


def categories(counts, variant="paper"):
    """The category of each relation.

    Parameters
    ----------
    counts : dict
        Of `group_counts`.
    variant : {"paper", "published"}
        paper: a side is "1" when its concepts are all of one semantic group, else "M". published: a relation more than
        0.9 of whose triples stay within one group counts as 1-1 too, whatever its groups (homogeneous in the published
        code).

    Returns
    -------
    dict
        relation -> one of CATEGORIES. A relation without a group on one side has none.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r} is none of {', '.join(VARIANTS)}")
    result = {}
    for relation, (heads, tails, n, within) in counts.items():
        if heads and tails:
            homogeneous = variant == "published" and within > HOMOGENEOUS * n
            sides = ("1", "1") if homogeneous else ("1" if len(side) == 1 else "M" for side in (heads, tails))
            result[relation] = "-".join(sides)
    return result


def category_means(per_relation, category_of):
    """Mean over the relations of each category of their F1 at the best micro threshold.

    Parameters
    ----------
    per_relation : dict
        relation -> F1 in [0, 1], or None in a split without facts.
    category_of : dict
        relation -> category.

    Returns
    -------
    dict
        Category -> mean, None for one without a relation or with an undefined F1. A relation without facts in the split
        counts, with the F1 0 that the definition gives it.
    """
    means = {}
    for category in CATEGORIES:
        values = [f1 for relation, f1 in sorted(per_relation.items()) if category_of.get(relation) == category]
        means[category] = None if not values or None in values else sum(values) / len(values)
    return means
