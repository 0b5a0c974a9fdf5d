"""Which of the aligned sentences become instances, and with which relation (before the post filters)."""

import numpy as np

from workflow_scripts.common.keyed_random import choose
from workflow_scripts.corpus.rows import NA
from workflow_scripts.corpus.splits import SPLITS


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
    pairs = rows.pairs(n_entities)[places]
    order = np.lexsort((keys[places], pairs))
    pairs = pairs[order]
    rank = np.arange(len(pairs)) - np.searchsorted(pairs, pairs, side="left")
    kept[places[order[rank >= limit]]] = False
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
