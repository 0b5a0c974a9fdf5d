"""Which of the aligned sentences become instances, and with which relation (before the post filters)."""

import dataclasses

import numpy as np

from workflow_scripts.common.keyed_random import choose
from workflow_scripts.corpus.rows import NA
from workflow_scripts.corpus.splits import SPLITS


def strictly_inductive(rows, graph):
    """Mask without the positives of valid and test that have a concept in a fact of an earlier split."""
    kept = np.ones(len(rows), dtype=bool)
    for split in range(1, len(SPLITS)):
        own = (rows.split == split) & rows.positive
        kept[own] = graph.is_new(rows.pairs(graph.n)[own], split, strict=True)
    return kept


def with_every_relation(rows, graph):
    """The rows, positives once for each relation of their pair in their split, with the numbers of the relations.

    Parameters
    ----------
    rows : Rows
    graph : Graph

    Returns
    -------
    Rows
        In the order of `rows`, the relations of a row by number; NA for the negatives.
    """
    first, number = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows), dtype=np.int64)
    pairs = rows.pairs(graph.n)
    for split, facts in enumerate(graph.facts):
        own = (rows.split == split) & rows.positive
        first[own] = np.searchsorted(facts[:, 0], pairs[own], side="left")
        number[own] = np.searchsorted(facts[:, 0], pairs[own], side="right") - first[own]
    repeated = rows.keep(np.repeat(np.arange(len(rows)), number))
    which = np.arange(len(repeated)) - np.repeat(np.cumsum(number) - number, number) + np.repeat(first, number)
    relation = np.full(len(repeated), NA, dtype=np.int64)
    for split, facts in enumerate(graph.facts):
        own = (repeated.split == split) & repeated.positive
        relation[own] = facts[which[own], 1]
    return dataclasses.replace(repeated, relation=relation)


def sampled_positives(rows, share, keys):
    """Mask that keeps int(share * n) of the n positive sentences of each split, and all NA sentences.

    Parameters
    ----------
    rows : Rows
    share : float
    keys : uint64 array, one per row
        The sentences with the smallest keys stay.
    """
    kept = np.ones(len(rows), dtype=bool)
    for split in range(len(SPLITS)):
        places = np.flatnonzero((rows.split == split) & rows.positive)
        _cut(kept, places, int(share * len(places)), keys)
    return kept


def balanced_negatives(rows, share, keys):
    """Mask that brings the share of NA in each split near `share`.

    Where positives outnumber NA, positives are cut to int(na / share) - na; else NA is cut to
    int(positives / (1 - share)) - positives. A split that has too few to cut keeps all.

    Parameters
    ----------
    rows : Rows
    share : float or None
        None keeps all.
    keys : uint64 array, one per row
    """
    kept = np.ones(len(rows), dtype=bool)
    if share is None:
        return kept
    for split in range(len(SPLITS)):
        of_split = rows.split == split
        positives, negatives = np.flatnonzero(of_split & rows.positive), np.flatnonzero(of_split & ~rows.positive)
        if len(positives) > len(negatives):
            _cut(kept, positives, int(len(negatives) / share) - len(negatives), keys)
        else:
            _cut(kept, negatives, int(len(positives) / (1 - share)) - len(positives), keys)
    return kept


def small_bags(rows, limit, keys, n_entities):
    """Mask that keeps at most `limit` training sentences of each pair, those with the smallest keys."""
    kept = np.ones(len(rows), dtype=bool)
    places = np.flatnonzero(rows.split == SPLITS.index("train"))
    if limit is None or not len(places):
        return kept
    sentences, first, of_sentence = np.unique(rows.place[places], return_index=True, return_inverse=True)
    pairs, keys = rows.pairs(n_entities)[places[first]], keys[places[first]]
    order = np.lexsort((keys, pairs))
    pairs = pairs[order]
    rank = np.arange(len(pairs)) - np.searchsorted(pairs, pairs, side="left")
    small = np.ones(len(sentences), dtype=bool)
    small[order[rank >= limit]] = False
    kept[places] = small[of_sentence]
    return kept


def _cut(kept, places, limit, keys):
    """Clear `kept` at all but the `limit` places with the smallest keys."""
    if limit < len(places):
        order = np.argsort(keys[places], kind="stable")
        kept[places[order[max(limit, 0) :]]] = False


def relations_of(rows, graph, seed, sentence_ids=None):
    """One relation for each pair: the number of the relation of each row, NA for the negatives.

    Parameters
    ----------
    rows : Rows
    graph : Graph
    seed : int
    sentence_ids : sequence of str, optional
        Id of the sentence of each row. With it a pair with several relations draws again for each of its
        sentences and the last draw counts, as published; without it the draw is keyed by the pair.

    Returns
    -------
    int64 array
    """
    relation = np.full(len(rows), NA, dtype=np.int64)
    pairs = rows.pairs(graph.n)
    for split, facts in enumerate(graph.facts):
        places = np.flatnonzero((rows.split == split) & rows.positive)
        first = np.searchsorted(facts[:, 0], pairs[places], side="left")
        number = np.searchsorted(facts[:, 0], pairs[places], side="right") - first
        relation[places] = facts[first, 1]
        for pair in np.unique(pairs[places[number > 1]]).tolist():
            options = facts[facts[:, 0] == pair, 1].tolist()
            of_pair = places[pairs[places] == pair]
            key = [seed, "relation", graph.entities[pair // graph.n].as_py(), graph.entities[pair % graph.n].as_py()]
            if sentence_ids is not None:
                key.append(max(sentence_ids[place] for place in of_pair.tolist()))
            relation[of_pair] = choose(options, *key)
    return relation
