"""Candidate NA pairs: positive pairs with one entity exchanged (paper, section 3.1).

A release of full size has some 200 million draws. Only those that the text meets matter, so the pairs of the text come
first, and the draws run past them: none is kept.
"""

import numpy as np

from workflow_scripts.common.keyed_random import key64, key64_of_each, mix64, mix64_in_place
from workflow_scripts.corpus.graph import contained
from workflow_scripts.corpus.sieve import Sieve
from workflow_scripts.corpus.splits import BITS, SPLITS

CHUNK = 1 << 15
"""Draws made at once: small enough for the processor's cache."""


def candidate_masks(graph, draws, seed, codes):
    """For each pair the splits that have it as an NA candidate.

    For each positive pair of a split a coin decides which side is exchanged; `draws` replacements come, with
    repetition, from the heads (tails) of all splits. Pairs that are facts of any split, in either direction, are no
    candidates. Draws are keyed by (seed, split, pair, number of the draw), so that neither the order of the pairs nor
    the other pairs matter.

    Parameters
    ----------
    graph : Graph
    draws : int
        Replacements per positive pair.
    seed : int
    codes : int64 array
        Codes of pairs, sorted, distinct.

    Returns
    -------
    uint8 array
        Bits of corpus.splits.
    """
    masks = np.zeros(len(codes), dtype=np.uint8)
    if not len(codes):
        return masks
    sieve = Sieve(codes)
    entity_keys = key64_of_each("entity", graph.entities.to_pylist())
    for split, bit, pairs in zip(SPLITS, BITS, graph.split_pairs, strict=True):
        for drawn in _corruptions(graph, pairs, draws, entity_keys, key64(seed, "negatives", split)):
            drawn = np.sort(drawn[sieve.lets_through(drawn)])  # in order, the search stays in the cache
            places = np.searchsorted(codes, drawn)
            places[places == len(codes)] = 0
            masks[places[codes[places] == drawn]] |= bit
    masks[contained(codes, graph.positives[0]) | contained(codes, graph.inverses)] = 0
    return masks


def inductive_masks(graph, codes, masks, strict):
    """The masks without valid and test where an inductive corpus would not have the pair as a fact.

    Parameters
    ----------
    graph : Graph
    codes, masks : arrays
        As of `candidate_masks`.
    strict : bool
        Both concepts of a pair must be new to the splits before its own; else one of them.

    Returns
    -------
    uint8 array
    """
    kept = masks.copy()
    for split in range(1, len(SPLITS)):
        kept[~graph.is_new(codes, split, strict)] &= ~np.uint8(BITS[split])
    return kept


def _corruptions(graph, pairs, draws, entity_keys, key):
    """Yield arrays of codes: `draws` corruptions of each positive pair, those of the tails first."""
    head, tail = pairs // graph.n, pairs % graph.n
    with np.errstate(over="ignore"):
        pair_keys = mix64(mix64(entity_keys[head] ^ np.uint64(key)) + entity_keys[tail])
    coin = (pair_keys & np.uint64(1)).astype(bool)
    rows, steps = max(1, CHUNK // draws), np.arange(1, draws + 1, dtype=np.uint64)
    for own, pool, kept in ((coin, graph.tails, head * graph.n), (~coin, graph.heads * graph.n, tail)):
        keys, kept = pair_keys[own], kept[own]
        for start in range(0, len(keys), rows):
            with np.errstate(over="ignore"):
                numbers = mix64_in_place(keys[start : start + rows, None] + steps)
            numbers >>= np.uint64(32)
            numbers *= np.uint64(len(pool))
            numbers >>= np.uint64(32)
            codes = pool.take(numbers.view(np.int64))
            codes += kept[start : start + rows, None]
            yield codes.ravel()
