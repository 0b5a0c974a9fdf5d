"""Training bags, the sentences drawn for them in an epoch, and the batches of a step.

All draws are keyed by (seed, epoch, item), so they depend on no number of workers and no history of draws, and training
goes on from any step.
"""

import dataclasses

import numpy as np

from workflow_scripts.common.keyed_random import key64, key64_array, permutation, uniform_array


@dataclasses.dataclass(frozen=True)
class Bags:
    """Training examples: consecutive rows of the training split.

    Parameters
    ----------
    starts : int64 array of shape (B + 1,)
        Rows starts[b] .. starts[b + 1] - 1 are the sentences of bag b.
    labels : int64 array of shape (B,)
        Relation ids.
    """

    starts: np.ndarray
    labels: np.ndarray

    def __len__(self):
        return len(self.labels)

    def rows(self, bag):
        """Rows of a bag."""
        return np.arange(*self.starts[bag : bag + 2])

    def draw(self, bag_size, seed, epoch):
        """`draw_slots` of these bags."""
        return draw_slots(self, bag_size, seed, epoch)


def make_bags(rows, level):
    """Bags of sorted rows: one per (head, tail, relation) for level "bag", one per row for level "sent"."""
    pair, relation = rows["pair"], rows["relation"]
    new = np.ones(len(rows), dtype=bool)
    if level == "bag":
        new[1:] = (pair[1:] != pair[:-1]) | (relation[1:] != relation[:-1])
    starts = np.flatnonzero(new)
    return Bags(np.append(starts, len(rows)), relation[starts].astype(np.int64))


def draw_slots(bags, bag_size, seed, epoch):
    """The sentences that represent each bag in one epoch.

    A bag of at least `bag_size` sentences gives that many, drawn without replacement; a smaller one gives all, and
    fills up with draws with replacement (as the published code).

    Parameters
    ----------
    bags : Bags
    bag_size : int
        0: all sentences.
    seed, epoch : int

    Returns
    -------
    slots : int64 array of shape (S,)
        Rows, bag after bag.
    starts : int64 array of shape (B + 1,)
        slots[starts[b]:starts[b + 1]] belong to bag b.
    """
    n_rows, sizes = int(bags.starts[-1]), np.diff(bags.starts)
    if bag_size == 0:
        return np.arange(n_rows), bags.starts
    hashes = key64_array(key64(seed, "draw", epoch), np.arange(n_rows))
    shuffled = np.lexsort((hashes, np.repeat(np.arange(len(bags)), sizes)))
    slot = np.arange(bag_size)
    repeats = uniform_array(key64(seed, "repeat", epoch), np.arange(len(bags) * bag_size))
    repeats = (repeats.reshape(-1, bag_size) * sizes[:, None]).astype(np.int64)
    chosen = np.where(slot < sizes[:, None], slot, repeats)
    slots = shuffled[bags.starts[:-1, None] + chosen]
    return slots.ravel(), np.arange(0, slots.size + 1, bag_size)


def epoch_batches(bags, batch_size, seed, epoch):
    """The bags of each step of an epoch, in keyed order: list of int64 arrays of `batch_size` (the last: the rest)."""
    order = permutation(key64(seed, "order", epoch), len(bags))
    return [order[first : first + batch_size] for first in range(0, len(order), batch_size)]


def batch_slots(chosen, slots, starts):
    """The slots of some bags.

    Returns
    -------
    rows : int64 array of shape (S,)
    bags : int64 array of shape (S,)
        Position of each slot's bag in `chosen`.
    """
    sizes = starts[chosen + 1] - starts[chosen]
    bags = np.repeat(np.arange(len(chosen)), sizes)
    offsets = np.arange(len(bags)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return slots[starts[chosen][bags] + offsets], bags
