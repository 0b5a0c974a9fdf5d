"""The inductive split of triples (Daza et al. 2021, appendix A): entities are taken out of the graph at random, their
triples become test and valid triples, and what is left is train."""

import collections
import dataclasses
import fractions
import math
import random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.keyed_random import key64, key64_array
from workflow_scripts.common.progress import Progress
from workflow_scripts.kg.graph import ShrinkingGraph
from workflow_scripts.kg.parts import NONE, TEST, VALID

STARVED = "starved"


@dataclasses.dataclass(frozen=True)
class InductiveSplit:
    """Where each row and entity went.

    Parameters
    ----------
    part : ndarray of int8, shape (n,)
        Of `parts`: TRAIN, VALID, TEST, or NONE for a row in no split.
    entities : dict
        Number of entities of train, valid and test, and of those in no split.
    attempts : int
        Draws made.
    """

    part: np.ndarray
    entities: dict
    attempts: int


class KeyedPicker:
    """Uniform draws from a shrinking list, keyed by (seed, number of the draw), in constant time.

    The list starts in the order of the entities' codes. A removed element's place is taken by the last one.
    """

    BLOCK = 1 << 12

    def __init__(self, n, seed):
        self.items = list(range(n))
        self.key = key64("inductive", seed)
        self.drawn, self.block = 0, []

    def draw(self):
        """A place in the list, and the entity there."""
        offset = self.drawn % self.BLOCK
        if not offset:
            self.block = key64_array(self.key, np.arange(self.drawn, self.drawn + self.BLOCK)).tolist()
        self.drawn += 1
        place = self.block[offset] % len(self.items)
        return place, self.items[place]

    def remove(self, place):
        """Take the entity at a place out of the list."""
        last = self.items.pop()
        if place < len(self.items):
            self.items[place] = last


class PublishedPicker:
    """The published draws: Python's `random.choice` from the list of remaining entities, which keeps its order.

    A Fenwick tree over the original list counts what remains, so that the k-th remaining entity is found, and one is
    removed, in logarithmic time.
    """

    def __init__(self, n, seed):
        self.random = random.Random(seed)
        self.left = n
        self.tree = [index & -index for index in range(n + 1)]
        self.top = 1 << n.bit_length() >> 1

    def draw(self):
        """A place in the original list, and the entity there (the same number)."""
        rest, place, step = self.random.randrange(self.left), 0, self.top
        while step:
            if place + step < len(self.tree) and self.tree[place + step] <= rest:
                place += step
                rest -= self.tree[place]
            step >>= 1
        return place, place

    def remove(self, place):
        """Take the entity at a place out of the list."""
        self.left -= 1
        index = place + 1
        while index < len(self.tree):
            self.tree[index] -= 1
            index += index & -index


def numbers_to_drop(n, shares, lost_entity):
    """Entities to take out, and how many of them are test and valid, each rounded down.

    mended: exact shares, and what rounding leaves over is valid. published: in binary floating point, and an entity
    may be taken out that is in no split.

    Returns
    -------
    (int, int, int)
        All, test, valid.
    """
    if lost_entity == "published":
        return int(n * (1 - shares["train"])), int(n * shares["test"]), int(n * shares["valid"])
    exact = {name: fractions.Fraction(str(share)) for name, share in shares.items()}
    total, test = math.floor(n * (1 - exact["train"])), math.floor(n * exact["test"])
    return total, test, total - test


def split(triples, shares, min_edges_left, max_attempts_per_drop, seed, preset, lost_entity, where="triples"):
    """Split triples by entities: each valid and test triple has at least one entity that train lacks.

    Entities are drawn uniformly until enough are taken out; one whose removal would starve a neighbour or a relation
    (`ShrinkingGraph`) is drawn in vain. The first share taken out is test, the next valid. Test triples touch no
    train entity alone, valid triples touch no test entity, train triples only train entities.

    Parameters
    ----------
    triples : pyarrow.Table
        Strings head, relation, tail; rows may repeat.
    shares : dict
        Shares of entities: train, valid, test.
    min_edges_left, max_attempts_per_drop, seed : int
    preset : {"mended", "published"}
        mended: draws keyed over the sorted entities, whatever the order of rows. published: the published stream
        over the entities in order of first appearance (head before tail).
    lost_entity : {"mended", "published"}
        See `numbers_to_drop`.
    where : str or Path
        What an error names as its place.

    Raises
    ------
    DataError
        If `max_attempts_per_drop` draws in a row are refused; the message says which test refused them.
    """
    entities, heads, tails = _coded_entities(triples, by_appearance=preset == "published")
    names = pc.unique(triples["relation"]).sort()
    relations = pc.index_in(triples["relation"], names).to_numpy().astype(np.int64)
    n = len(entities)
    total, n_test, n_valid = numbers_to_drop(n, shares, lost_entity)
    graph = ShrinkingGraph(heads, relations, tails, n, min_edges_left)
    picker = (PublishedPicker if preset == "published" else KeyedPicker)(n, seed)
    part = np.zeros(len(heads), dtype=np.int8)
    progress, attempts = Progress("entities taken out", total), 0
    for dropped in range(total):
        entity, refusals = _draw(graph, picker, max_attempts_per_drop)
        if entity is None:
            raise _stuck(graph, names, refusals, (dropped, total, n), where)
        attempts += 1 + refusals.total()
        part[graph.remove(entity)] = TEST if dropped < n_test else VALID if dropped < n_test + n_valid else NONE
        progress.add()
    counts = {"train": n - total, "valid": n_valid, "test": n_test, "none": total - n_test - n_valid}
    return InductiveSplit(part, counts, attempts)


def _coded_entities(triples, by_appearance):
    """Entities in the order of the draws, and int64 codes of heads and tails."""
    heads, tails = (triples[name].combine_chunks() for name in ("head", "tail"))
    both = pa.concat_arrays([heads, tails])
    n = len(heads)
    if by_appearance:
        alternating = np.arange(2 * n).reshape(2, n).T.ravel()
        entities = pc.unique(both.take(pa.array(alternating)))
    else:
        entities = pc.unique(both).sort()
    return entities, *(pc.index_in(column, entities).to_numpy().astype(np.int64) for column in (heads, tails))


def _draw(graph, picker, max_attempts):
    """Draw until an entity may leave and take it off the list.

    Gives the entity, or None, and the refused draws by reason: STARVED or the relation at its limit.
    """
    refusals = collections.Counter()
    for _ in range(max_attempts):
        place, entity = picker.draw()
        if graph.has_weak_neighbour(entity):
            refusals[STARVED] += 1
            continue
        relation = graph.exhausted_relation(entity)
        if relation is None:
            picker.remove(place)
            return entity, refusals
        refusals[relation] += 1
    return None, refusals


def _stuck(graph, names, refusals, progress, where):
    """The error of a split that draws in vain: which test refused most draws, and what to change."""
    dropped, total, n = progress
    starved = refusals.pop(STARVED, 0)
    exhausted = refusals.total()
    found = (
        f"{starved + exhausted:,} draws in a row refused after {dropped:,} of {total:,} entities (of {n:,}) were taken "
        f"out: {starved:,} would leave a neighbour with fewer than {graph.MIN_NEIGHBOURS} neighbours, "
        f"{exhausted:,} would take triples of a relation that has fewer than {graph.min_edges_left:,} left"
    )
    if exhausted:
        worst = sorted(refusals.items(), key=lambda item: (-item[1], item[0]))[:3]
        named = (f"{names[code].as_py()} ({graph.edges_left[code]:,} left) {number:,}" for code, number in worst)
        found += f", by relation: {', '.join(named)}"
    if exhausted > starved:
        remedy = "lower kg.inductive.min_edges_left, or raise kg.min_relation_triples to leave small relations out"
    else:
        remedy = "the graph is too sparse for these shares: raise kg.inductive.shares.train, lower valid and test"
    remedy += "; or raise kg.inductive.max_attempts_per_drop"
    return DataError(where, found=found, expected="an entity that may be taken out", remedy=remedy)
