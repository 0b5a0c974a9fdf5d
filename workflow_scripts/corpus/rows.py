"""The instances of a corpus while they are filtered: integer arrays, one element per instance."""

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.corpus.splits import SPLITS

NA = -1
"""Number of the relation NA."""


@dataclasses.dataclass(frozen=True)
class Rows:
    """Instances as arrays of one length.

    Attributes
    ----------
    place : int64
        Row of the aligned table.
    split : int64
        Position in SPLITS.
    positive : bool
    head, tail : int64
        Numbers of the entities in the graph.
    head_name, tail_name : int64
        Numbers of the surfaces in `Names`.
    relation : int64
        Number of the relation in the graph; NA for none and before relations are given.
    """

    place: np.ndarray
    split: np.ndarray
    positive: np.ndarray
    head: np.ndarray
    tail: np.ndarray
    head_name: np.ndarray
    tail_name: np.ndarray
    relation: np.ndarray

    def __len__(self):
        return len(self.place)

    def keep(self, mask):
        """The instances where `mask` is true (or at the given places)."""
        return Rows(*(getattr(self, field.name)[mask] for field in dataclasses.fields(self)))

    def pairs(self, n):
        """int64 codes of the pairs of entities, for a graph of `n` entities."""
        return self.head * n + self.tail

    def facts(self, n):
        """Sorted distinct int64 codes of (pair, relation), for a graph of `n` entities."""
        return np.unique(self.pairs(n) * (self.relation.max(initial=NA) + 2) + self.relation + 1)


@dataclasses.dataclass(frozen=True)
class Names:
    """Distinct surfaces of the instances, as written and lower-cased.

    Attributes
    ----------
    surfaces : list of str
    lowered : list of str
        Distinct lower-cased surfaces, by `str.lower` (no case folding, as published).
    lower_of : int64 array
        For each surface the position of its lower-cased form in `lowered`.
    """

    surfaces: list
    lowered: list
    lower_of: np.ndarray


def numbered(aligned, graph):
    """Turn the aligned table into `Rows` and `Names`.

    Parameters
    ----------
    aligned : pyarrow.Table
        Contract ALIGNED.
    graph : Graph
        The graph that it was aligned with.
    """
    count = aligned.num_rows
    names = pa.chunked_array(aligned["head_name"].chunks + aligned["tail_name"].chunks, type=pa.string())
    encoded = names.dictionary_encode().unify_dictionaries()
    surfaces = encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else []
    lowered, lower_of = {}, np.empty(len(surfaces), dtype=np.int64)
    for number, surface in enumerate(surfaces):
        lower_of[number] = lowered.setdefault(surface.lower(), len(lowered))
    codes = [np.empty(0, dtype=np.int64), *(chunk.indices.to_numpy() for chunk in encoded.chunks)]
    codes = np.concatenate(codes).astype(np.int64)
    rows = Rows(
        np.arange(count),
        pc.index_in(aligned["split"], pa.array(SPLITS)).to_numpy().astype(np.int64),
        aligned["positive"].to_numpy(),
        pc.index_in(aligned["head"], graph.entities).to_numpy().astype(np.int64),
        pc.index_in(aligned["tail"], graph.entities).to_numpy().astype(np.int64),
        codes[:count],
        codes[count:],
        np.full(count, NA, dtype=np.int64),
    )
    return rows, Names(surfaces, list(lowered), lower_of)
