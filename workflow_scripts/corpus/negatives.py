"""Candidate NA pairs: positive pairs with one entity exchanged (paper, section 3.1).

A release of full size has some 200 million draws. Only those that the text meets matter, so the pairs of the text come
first, and the draws run past them: none is kept. Draws that share their kept entity come together, so that the few
pairs that they may meet fit into the processor's cache.
"""

import numpy as np

from workflow_scripts.common.keyed_random import key64, key64_of_each, mix64, mix64_in_place
from workflow_scripts.corpus.graph import contained
from workflow_scripts.corpus.splits import BITS, SPLITS

CHUNK = 1 << 15
"""Draws made at once: small enough for the processor's cache."""
SPARSE = 32
"""Cells of a table for each pair of the text in it, at least; so of the draws that it lets through few are in vain."""


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
    entity_keys = key64_of_each("entity", graph.entities.to_pylist())
    head, tail = np.divmod(codes, graph.n)
    for tails_drawn, pool in ((True, graph.tails), (False, graph.heads)):
        text = _text_of_side(*((head, tail) if tails_drawn else (tail, head)), pool, graph.n)
        for split, bit, pairs in zip(SPLITS, BITS, graph.split_pairs, strict=True):
            keys = _pair_keys(graph, pairs, entity_keys, key64(seed, "negatives", split))
            own = (keys & np.uint64(1)).astype(bool) == tails_drawn
            kept = pairs[own] // graph.n if tails_drawn else pairs[own] % graph.n
            for met in _met(keys[own], kept, len(pool), text, draws):
                kept_entities, drawn = met // len(pool), pool[met % len(pool)]
                found = kept_entities * graph.n + drawn if tails_drawn else drawn * graph.n + kept_entities
                masks[np.searchsorted(codes, found)] |= bit
    for facts in (graph.positives[0], graph.inverses):
        masks[np.searchsorted(codes, facts[contained(facts, codes)])] = 0
    return masks


def _text_of_side(kept, drawn, pool, n):
    """The pairs of the text that draws of one side can meet, sorted: kept entity * size of the pool + place in it."""
    place = np.full(n, -1)
    place[pool] = np.arange(len(pool))
    place = place[drawn]
    return np.sort((kept * len(pool) + place)[place >= 0])


def _pair_keys(graph, pairs, entity_keys, key):
    """The key of the draws of each pair; its lowest bit is the coin, 1 where the tail is exchanged."""
    with np.errstate(over="ignore"):
        return mix64(mix64(entity_keys[pairs // graph.n] ^ np.uint64(key)) + entity_keys[pairs % graph.n])


def _met(keys, kept, size, text, draws):
    """Yield sorted arrays of what is drawn from a pool of `size` and stands in the text, as `_text_of_side` has it.

    The pairs are gone through by their kept entity, some at a time. A table tells most draws from those that the text
    may have, which are looked up. Each kept entity has its own part of it, a power of two long, of `SPARSE` cells for
    each of its pairs or as many as the pool is large.
    """
    order = np.argsort(kept, kind="stable")
    keys, kept = keys[order], kept[order]
    first, last = (np.searchsorted(text, entity * size) for entity in (kept, kept + 1))
    some = last > first
    keys, kept, first, last = keys[some], kept[some], first[some], last[some]
    widths = 1 << np.ceil(np.log2(np.minimum((last - first) * SPARSE, size))).astype(np.int64)
    rows, steps = max(1, CHUNK // draws), np.arange(1, draws + 1, dtype=np.uint64)
    changes, table = np.append(True, kept[1:] != kept[:-1]), np.zeros(0, dtype=bool)
    for start in range(0, len(keys), rows):
        own = slice(start, start + rows)
        new = np.flatnonzero(changes[own])
        new = new if changes[start] else np.append(0, new)
        ends = np.cumsum(widths[own][new])
        if ends[-1] > len(table):
            table = np.zeros(ends[-1], dtype=bool)
        begin = ends - widths[own][new]
        marked = _cells(text, first[own][new], last[own][new], kept[own][new] * size, widths[own][new], begin)
        table[marked] = True
        places = _draws(keys[own], steps, size)
        cells = places & (widths[own] - 1)[:, None]
        cells += np.repeat(begin, np.append(new[1:], len(places)) - new)[:, None]
        maybe = np.flatnonzero(table.take(cells))
        table[marked] = False
        met = np.sort(kept[own][maybe // draws] * size + places.ravel()[maybe])
        yield met[contained(met, text[first[own][0] : last[own][-1]])]


def _cells(text, first, last, base, widths, begin):
    """Cells of the table for the pairs of the text from `first` to `last` of each kept entity."""
    sizes = last - first
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1]) + np.repeat(first - ends + sizes, sizes)
    return ((text[places] - np.repeat(base, sizes)) & np.repeat(widths - 1, sizes)) + np.repeat(begin, sizes)


def _draws(keys, steps, size):
    """int64 array (pairs, draws): numbers below `size`."""
    with np.errstate(over="ignore"):
        numbers = mix64_in_place(keys[:, None] + steps)
    numbers >>= np.uint64(32)
    numbers *= np.uint64(size)
    numbers >>= np.uint64(32)
    return numbers.view(np.int64)


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
