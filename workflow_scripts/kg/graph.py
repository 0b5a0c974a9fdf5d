"""A graph of triples from which entities are taken out one by one, with every test of a removal in constant time."""

import numpy as np


class ShrinkingGraph:
    """Triples between integer entities; entities leave, and their triples with them.

    An entity may leave if each of its neighbours (in either direction; itself, if it has a loop) has more than
    `MIN_NEIGHBOURS` distinct neighbours, and if each relation still has `min_edges_left` triples before each single
    removal of the entity's triples. The neighbours at the limit are counted as the graph shrinks, so that the first
    test is one comparison; the second looks at the entity's relations alone.

    Parameters
    ----------
    heads, relations, tails : ndarray of int64, shape (n,)
        Triples, coded from 0; rows may repeat and then count as often.
    n_entities : int
    min_edges_left : int
    """

    MIN_NEIGHBOURS = 2

    def __init__(self, heads, relations, tails, n_entities, min_edges_left):
        self.min_edges_left = min_edges_left
        self.heads, self.relations, self.tails = heads.tolist(), relations.tolist(), tails.tolist()
        self.edges_left = np.bincount(relations).tolist()
        self.alive = [True] * len(self.heads)
        self.edges = _edges_of_entities(heads, tails, n_entities)
        self.neighbours = [set() for _ in range(n_entities)]
        for head, tail in zip(self.heads, self.tails, strict=True):
            self.neighbours[head].add(tail)
            self.neighbours[tail].add(head)
        weak = [len(neighbours) <= self.MIN_NEIGHBOURS for neighbours in self.neighbours]
        self.n_weak = [sum(weak[other] for other in neighbours) for neighbours in self.neighbours]

    def has_weak_neighbour(self, entity):
        """Whether a neighbour would be left with too few neighbours."""
        return self.n_weak[entity] > 0

    def exhausted_relation(self, entity):
        """A relation that cannot spare the entity's triples, or None."""
        counts = {}
        for edge in self.edges[entity]:
            if self.alive[edge]:
                relation = self.relations[edge]
                counts[relation] = counts.get(relation, 0) + 1
        for relation, count in counts.items():
            if self.edges_left[relation] - count + 1 < self.min_edges_left:
                return relation
        return None

    def remove(self, entity):
        """Take an entity out; gives the positions of the triples that leave with it."""
        gone = [edge for edge in self.edges[entity] if self.alive[edge]]
        for edge in gone:
            self.alive[edge] = False
            self.edges_left[self.relations[edge]] -= 1
        weak = len(self.neighbours[entity]) <= self.MIN_NEIGHBOURS
        for other in self.neighbours[entity] - {entity}:
            self.n_weak[other] -= weak
            self.neighbours[other].discard(entity)
            if len(self.neighbours[other]) == self.MIN_NEIGHBOURS:
                for third in self.neighbours[other]:
                    self.n_weak[third] += 1
        self.neighbours[entity] = set()
        return gone


def _edges_of_entities(heads, tails, n_entities):
    """Positions of the triples of each entity, a loop once."""
    loops = heads == tails
    ends = np.concatenate([heads, tails[~loops]])
    edges = np.concatenate([np.arange(len(heads)), np.flatnonzero(~loops)])
    order = np.argsort(ends, kind="stable")
    bounds = np.searchsorted(ends[order], np.arange(n_entities + 1))
    edges = edges[order].tolist()
    return [edges[start:stop] for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]
