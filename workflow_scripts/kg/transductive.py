"""The transductive split of triples (Chang et al. 2020): every entity of valid and test occurs in the drawn train."""

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common.keyed_random import uniform
from workflow_scripts.kg.parts import NONE, TEST, TRAIN, VALID


@dataclasses.dataclass(frozen=True)
class TransductiveSplit:
    """Where each row went.

    Parameters
    ----------
    part : ndarray of int8, shape (n,)
        Of `parts`: TRAIN, VALID, TEST, or NONE for a row in no split.
    moved : int
        Rows of valid and test moved to train because train lacked an entity of theirs.
    overlapping : int
        Rows removed because their pair of entities, in either direction, is in a later split.
    lost : ndarray of int64
        Rows removed from train although nothing is wrong with them (switch lost_train_labels).
    """

    part: np.ndarray
    moved: int
    overlapping: int
    lost: np.ndarray


def keyed_draws(triples, seed):
    """float64 in [0, 1) per triple, keyed by the triple: no order of rows changes it."""
    columns = [triples[name].to_pylist() for name in ("head", "relation", "tail")]
    return np.array([uniform("transductive", seed, *triple) for triple in zip(*columns, strict=True)])


def published_draws(n, seed):
    """float64 in [0, 1) per row: the published stream of NumPy's legacy generator, one draw per row in order."""
    return np.random.RandomState(seed).uniform(size=n)


def split(triples, draws, shares, lost_train_labels):
    """Split triples at random, then keep all entities in train and every pair in one split.

    Rows whose draw is at most the cumulated share of train (train + valid) are train (valid), the others test. Rows
    of valid and test with an entity that the drawn train lacks move to train. Then pairs, in either direction, are
    removed from train if in test, from train if in valid, and from valid if in test.

    Parameters
    ----------
    triples : pyarrow.Table
        Strings head, relation, tail; rows may repeat.
    draws : ndarray of float64, shape (n,)
    shares : dict
        train, valid and test.
    lost_train_labels : {"mended", "published"}
        published: a moved row keeps the number that it had in its own split, and the removal from train goes by that
        number, so that the innocent train row of the same number goes too.

    Returns
    -------
    TransductiveSplit
    """
    heads, tails = _integers(triples)
    bounds = np.cumsum(np.array([shares[name] for name in ("train", "valid", "test")], dtype=np.float32))
    part = np.minimum(np.searchsorted(bounds, draws), TEST).astype(np.int8)
    labels = _position_in_part(part)
    known = np.zeros(int(max(heads.max(), tails.max())) + 1, dtype=bool)
    known[heads[part == TRAIN]] = known[tails[part == TRAIN]] = True
    moved = (part != TRAIN) & ~(known[heads] & known[tails])
    part[moved] = TRAIN
    pairs = np.minimum(heads, tails) * np.int64(len(known)) + np.maximum(heads, tails)
    overlapping, lost = 0, [np.empty(0, dtype=np.int64)]
    for first, second in ((TRAIN, TEST), (TRAIN, VALID), (VALID, TEST)):
        shared = (part == first) & np.isin(pairs, pairs[part == second])
        gone = shared
        if lost_train_labels == "published" and first == TRAIN:
            gone = (part == TRAIN) & np.isin(labels, labels[shared])
            lost.append(np.flatnonzero(gone & ~shared))
        overlapping += int(shared.sum())
        part[gone] = NONE
    return TransductiveSplit(part, int(moved.sum()), overlapping, np.concatenate(lost))


def _integers(triples):
    """int64 codes of the heads and the tails, of one coding."""
    heads, tails = (triples[name].combine_chunks() for name in ("head", "tail"))
    entities = pc.unique(pa.concat_arrays([heads, tails]))
    return tuple(pc.index_in(column, entities).to_numpy().astype(np.int64) for column in (heads, tails))


def _position_in_part(part):
    """For each row, how many rows of its part stand before it."""
    positions = np.empty(len(part), dtype=np.int64)
    for value in np.unique(part):
        mine = np.flatnonzero(part == value)
        positions[mine] = np.arange(len(mine))
    return positions
