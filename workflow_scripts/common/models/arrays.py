"""Flat token arrays of a split, and the padded batches that encoders read."""

import dataclasses
import pathlib

import numpy as np

from workflow_scripts.common.files import atomic_open

ROW = np.dtype(
    [
        ("start", "<i8"),  # first token in the flat array
        ("length", "<i4"),
        ("head_start", "<i4"),  # token indices within the sentence, ends exclusive
        ("head_end", "<i4"),
        ("tail_start", "<i4"),
        ("tail_end", "<i4"),
        ("pair", "<i4"),  # rank of (head, tail) among the split's pairs, sorted
        ("relation", "<i4"),
        ("line", "<i8"),  # row of the split's table = line of its JSON lines, from 0
    ]
)

SIMILAR, SMALLEST = 0.6, 48


@dataclasses.dataclass(frozen=True)
class Sentences:
    """The encoded instances of a split, sorted by (head, tail, relation, sentence).

    Parameters
    ----------
    tokens : int32 array of shape (T,)
        Token ids of all instances, one after the other (in file order: `rows["start"]` says where).
    rows : array of ROW of shape (n,)
    """

    tokens: np.ndarray
    rows: np.ndarray

    def __len__(self):
        return len(self.rows)

    def save(self, folder, split):
        """Write `<split>.tokens.npy` and `<split>.rows.npy`."""
        for name, array in (("tokens", self.tokens), ("rows", self.rows)):
            with atomic_open(pathlib.Path(folder) / f"{split}.{name}.npy", "wb") as stream:
                np.save(stream, array, allow_pickle=False)

    @classmethod
    def load(cls, folder, split):
        """Map the files of `save` into memory; pages are read when they are touched."""
        parts = (np.load(pathlib.Path(folder) / f"{split}.{name}.npy", mmap_mode="r") for name in ("tokens", "rows"))
        return cls(*parts)


@dataclasses.dataclass(frozen=True)
class Batch:
    """Padded sentences; NumPy arrays, or torch tensors after `to_device`.

    `ids` int64 (B, W); `lengths`, `head_start`, `head_end`, `tail_start`, `tail_end` int64 (B,).
    """

    ids: np.ndarray
    lengths: np.ndarray
    head_start: np.ndarray
    head_end: np.ndarray
    tail_start: np.ndarray
    tail_end: np.ndarray


def gather(sentences, indices, pad_id, extra=0, limit=None):
    """Pad some sentences to the longest of them.

    Parameters
    ----------
    sentences : Sentences
    indices : int array of shape (B,)
    pad_id : int
    extra : int
        Pad columns kept after the longest sentence, as far as `limit` allows.
    limit : int or None
        Largest width.
    """
    rows = sentences.rows[indices]
    lengths = rows["length"].astype(np.int64)
    longest = int(lengths.max())
    width = max(longest, longest + extra if limit is None else min(longest + extra, limit))
    columns = np.arange(width)
    inside = columns < lengths[:, None]
    positions = np.where(inside, rows["start"][:, None] + columns, 0)
    ids = np.where(inside, sentences.tokens[positions], pad_id).astype(np.int64)
    marks = (rows[name].astype(np.int64) for name in ("head_start", "head_end", "tail_start", "tail_end"))
    return Batch(ids, lengths, *marks)


def micro_batches(lengths, budget, extra=0, similar=SIMILAR):
    """Groups of sentences of similar length whose padded size stays within a budget.

    Parameters
    ----------
    lengths : int array of shape (n,)
    budget : int
        Padded tokens per group; a longer sentence is a group of its own.
    extra : int
        Pad columns added to the longest of a group.
    similar : float
        A group ends where sentences have less than this share of its longest one's length, once it has `SMALLEST`.

    Returns
    -------
    list of int64 arrays
        Indices into `lengths`, longest first; ties keep their order.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    falling = -np.asarray(lengths)[order]
    groups, first = [], 0
    while first < len(order):
        longest = -int(falling[first])
        unlike = int(np.searchsorted(falling, -similar * longest, side="right"))
        last = min(max(unlike, first + SMALLEST), first + max(1, budget // (longest + extra)))
        groups.append(order[first:last])
        first = last
    return groups
