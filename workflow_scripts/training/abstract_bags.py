"""Bags of AMIL (Hogan et al. 2021): sentences of one relation between two semantic types, whatever their entities."""

import dataclasses
import logging

import numpy as np

from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.keyed_random import key64, key64_array, uniform_array
from workflow_scripts.common.tables import read_table


@dataclasses.dataclass(frozen=True)
class AbstractBags:
    """Groups of sentences with the same (type of the head, relation, type of the tail), cut into bags anew each epoch.

    Parameters
    ----------
    order : int64 array of shape (n,)
        Rows of the training split, group after group.
    starts : int64 array of shape (G + 1,)
        Rows order[starts[g]:starts[g + 1]] are group g.
    group : int64 array of shape (B,)
        Group of each bag.
    labels : int64 array of shape (B,)
        Relation ids.
    """

    order: np.ndarray
    starts: np.ndarray
    group: np.ndarray
    labels: np.ndarray

    def __len__(self):
        return len(self.labels)

    def rows(self, bag):
        """Rows that may stand in a bag: those of its group."""
        group = self.group[bag]
        return self.order[self.starts[group] : self.starts[group + 1]]

    def draw(self, bag_size, seed, epoch):
        """Sentences of each bag in one epoch, as `Bags.draw`: a group in keyed order, cut every `bag_size`; what its
        last bag lacks is drawn from the group with replacement. Every sentence is read once at least."""
        sizes = np.diff(self.starts)
        n_bags = -(-sizes // bag_size)
        hashes = key64_array(key64(seed, "draw", epoch), self.order)
        shuffled = self.order[np.lexsort((hashes, np.repeat(np.arange(len(sizes)), sizes)))]
        first = np.arange(len(self.group)) - np.repeat(np.cumsum(n_bags) - n_bags, n_bags)  # bag's place in its group
        place = first[:, None] * bag_size + np.arange(bag_size)
        size = sizes[self.group][:, None]
        repeats = uniform_array(key64(seed, "repeat", epoch), np.arange(place.size)).reshape(place.shape)
        place = np.where(place < size, place, (repeats * size).astype(np.int64))
        slots = shuffled[self.starts[self.group][:, None] + place]
        return slots.ravel(), np.arange(0, slots.size + 1, bag_size)


def abstract_bags(rows, types, bag_size):
    """Bags of a training split.

    Parameters
    ----------
    rows : array of arrays.ROW of shape (n,)
    types : int array of shape (n, 2)
        Semantic types of head and tail of each row.
    bag_size : int
        At least 1.
    """
    keys = np.stack([types[:, 0], rows["relation"], types[:, 1]], axis=1)
    distinct, group = np.unique(keys, axis=0, return_inverse=True)
    group = group.ravel()
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=len(distinct))
    bags = np.repeat(np.arange(len(distinct)), -(-sizes // bag_size))
    return AbstractBags(order, np.append(0, np.cumsum(sizes)), bags, distinct[bags, 1].astype(np.int64))


def read_types(instances, concepts, lines):
    """Semantic types of heads and tails.

    Parameters
    ----------
    instances : str or Path
        The training split (INSTANCES).
    concepts : str or Path
        Concepts of the graph (CONCEPTS).
    lines : int array of shape (n,)
        Rows of the split's table.

    Returns
    -------
    int array of shape (n, 2)
        Numbers of types by name; concepts that the graph lacks are of one type more, -1, and counted in the log.
    """
    table = read_table(concepts, CONCEPTS, columns=["cui", "sty"]).to_pydict()
    numbers = {name: number for number, name in enumerate(sorted(set(table["sty"])))}
    type_of = {cui: numbers[sty] for cui, sty in zip(table["cui"], table["sty"], strict=True)}
    pairs = read_table(instances, INSTANCES, columns=["head", "tail"])
    types = np.array([[type_of.get(cui, -1) for cui in pairs[role].to_pylist()] for role in ("head", "tail")]).T
    unknown = int((types < 0).any(axis=1).sum())
    if unknown:
        logging.warning("%d of %d instances have a concept without a semantic type", unknown, len(types))
    return types[lines]
