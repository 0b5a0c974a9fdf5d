"""Draws of NA candidates against a plain loop over all of them."""

import numpy as np
import pytest

from tests.corpus.helpers import SPLITS, write_world
from tests.corpus.worlds import random_world
from workflow_scripts.common.keyed_random import key64, key64_of_each, mix64
from workflow_scripts.corpus import negatives
from workflow_scripts.corpus.graph import load_graph
from workflow_scripts.corpus.splits import BITS

WORD = 1 << 64


def mixed(number):
    return int(mix64(np.array([number % WORD], dtype=np.uint64))[0])


def drawn_masks(graph, draws, seed, codes):
    """One draw after the other."""
    keys = key64_of_each("entity", graph.entities.to_pylist()).tolist()
    masks, facts = dict.fromkeys(codes.tolist(), 0), set(graph.positives[0].tolist())
    for split, bit, pairs in zip(SPLITS, BITS, graph.split_pairs, strict=True):
        for head, tail in (divmod(code, graph.n) for code in pairs.tolist()):
            key = mixed(mixed(keys[head] ^ key64(seed, "negatives", split)) + keys[tail])
            pool = (graph.tails if key & 1 else graph.heads).tolist()
            for step in range(1, draws + 1):
                other = pool[(mixed(key + step) >> 32) * len(pool) >> 32]
                code = head * graph.n + other if key & 1 else other * graph.n + tail
                if code in masks:
                    masks[code] |= bit
    for code in codes.tolist():
        head, tail = divmod(code, graph.n)
        if code in facts or tail * graph.n + head in facts:
            masks[code] = 0
    return [masks[code] for code in codes.tolist()]


@pytest.mark.parametrize(("chunk", "sparse"), [(1 << 15, 32), (1, 1), (50, 2), (200, 64)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_candidates_are_what_a_plain_loop_draws(tmp_path, monkeypatch, chunk, sparse, seed):
    monkeypatch.setattr(negatives, "CHUNK", chunk)
    monkeypatch.setattr(negatives, "SPARSE", sparse)
    paths = write_world(random_world(seed, entities=40, facts=60), tmp_path)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    every = np.arange(graph.n**2)
    expected = drawn_masks(graph, 25, seed, every)
    assert np.count_nonzero(expected) > graph.n
    for part in (slice(None), slice(seed, None, 7), slice(1), slice(0)):
        assert negatives.candidate_masks(graph, 25, seed, every[part]).tolist() == expected[part]
