"""Candidate NA pairs: positive pairs with one entity exchanged (paper, section 3.1)."""

import numpy as np

from workflow_scripts.common.keyed_random import key64, mix64
from workflow_scripts.corpus.graph import contained
from workflow_scripts.corpus.splits import BITS, SPLITS

CHUNK = 1 << 17
"""Draws made at once: small enough for the processor's cache."""

_SPLIT_BITS = 2


def candidate_pairs(graph, draws, seed):
    """Draw the NA candidates of all splits.

    For each positive pair of a split a coin decides which side is exchanged; `draws` replacements come, with
    repetition, from the heads (tails) of all splits. Pairs that are facts of any split, in either
    direction, are taken out. Draws are keyed by (seed, split, pair, number of the draw), so that
    neither the order of the pairs nor the other pairs matter.

    Parameters
    ----------
    graph : Graph
    draws : int
        Replacements per positive pair.
    seed : int

    Returns
    -------
    codes : int64 array
        Sorted codes of the candidates.
    masks : uint8 array
        The splits that have the candidate (bits of corpus.splits).
    """
    keys = np.empty(sum(map(len, graph.split_pairs)) * draws, dtype=np.int64)
    entity_keys = np.array([key64("entity", cui) for cui in graph.entities.to_pylist()], dtype=np.uint64)
    filled = 0
    for number, (split, pairs) in enumerate(zip(SPLITS, graph.split_pairs, strict=True)):
        step = max(1, CHUNK // draws)
        for start in range(0, len(pairs), step):
            drawn = _corrupt(graph, pairs[start : start + step], draws, entity_keys, key64(seed, "negatives", split))
            keys[filled : filled + len(drawn)] = drawn << _SPLIT_BITS | number
            filled += len(drawn)
    keys.sort()
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if filled else keys
    return _without_facts(graph, *_merge(keys))


def inductive_candidates(graph, codes, masks, strict):
    """The candidates without those of valid and test that an inductive corpus would not have as facts.

    Parameters
    ----------
    graph : Graph
    codes, masks : arrays
        As `candidate_pairs` gives them.
    strict : bool
        Both concepts of a pair must be new to the splits before its own; else one of them.

    Returns
    -------
    codes : int64 array
    masks : uint8 array
    """
    kept = masks.copy()
    for split in range(1, len(SPLITS)):
        kept[~graph.is_new(codes, split, strict)] &= ~np.uint8(BITS[split])
    return codes[kept > 0], kept[kept > 0]


def _corrupt(graph, pairs, draws, entity_keys, key):
    """Codes of the corruptions of some positive pairs, `draws` for each."""
    head, tail = pairs // graph.n, pairs % graph.n
    with np.errstate(over="ignore"):
        pair_keys = mix64(mix64(entity_keys[head] ^ np.uint64(key)) + entity_keys[tail])
        numbers = mix64(pair_keys[:, None] + np.arange(1, draws + 1, dtype=np.uint64)[None, :])
    corrupt_tail = (pair_keys & np.uint64(1)).astype(bool)
    codes = np.empty((len(pairs), draws), dtype=np.int64)
    for chosen, pool in ((corrupt_tail, graph.tails), (~corrupt_tail, graph.heads)):
        places = (numbers[chosen] >> np.uint64(32)) * np.uint64(len(pool)) >> np.uint64(32)
        codes[chosen] = pool[places.astype(np.int64)]
    codes = np.where(corrupt_tail[:, None], head[:, None] * graph.n + codes, codes * graph.n + tail[:, None])
    return codes.ravel()


def _merge(keys):
    """Distinct codes and their masks from sorted distinct (code, split) keys."""
    codes = keys >> _SPLIT_BITS
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])) if len(codes) else np.empty(0, int)
    bits = np.array(BITS, dtype=np.uint8)[keys & ((1 << _SPLIT_BITS) - 1)]
    masks = np.bitwise_or.reduceat(bits, starts) if len(starts) else bits
    return codes[starts], masks


def _without_facts(graph, codes, masks):
    facts = np.union1d(graph.positives[0], graph.inverses)
    present = facts[contained(facts, codes)]
    gone = np.searchsorted(codes, present)
    return np.delete(codes, gone), np.delete(masks, gone)
