"""The split knowledge graph as integer arrays: entities, pairs, roles, types."""

import dataclasses
import functools
import logging
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table
from workflow_scripts.corpus.sieve import Sieve, sorted_distinct
from workflow_scripts.corpus.splits import BITS, SPLITS

FAR_APART = 1 << 20


@dataclasses.dataclass(frozen=True)
class Graph:
    """Facts of the three splits whose entities all have a semantic type.

    A pair of entities (h, t) is one integer, its code h * n + t; codes sort as (CUI of h, CUI of t) do.

    Attributes
    ----------
    entities : pyarrow.Array of string, length n
        CUIs, sorted; the position is the entity's number.
    relations : list of str
        Names of relations, sorted; the position is the relation's number.
    facts : tuple of three int64 arrays of shape (facts, 2)
        Per split the distinct (pair code, relation), sorted.
    types : list of str
        Names of the semantic types of the entities, sorted.
    type_of : int64 array of length n
        Position of each entity's type in `types`.
    facts_without_concept : tuple of three int
        Per split the triples left out because an entity is not among the concepts.
    """

    entities: pa.Array
    relations: list
    facts: tuple
    types: list
    type_of: np.ndarray
    facts_without_concept: tuple = (0, 0, 0)

    @property
    def n(self):
        """Number of entities."""
        return len(self.entities)

    @functools.cached_property
    def _words(self):
        return eight_bytes(self.entities)

    def numbers_of(self, cuis):
        """int64 array: the number of each of some CUIs (an Arrow array), -1 for one that is no entity."""
        words = eight_bytes(cuis)
        if words is None or self._words is None:
            return pc.index_in(cuis, self.entities).fill_null(-1).to_numpy().astype(np.int64)
        places = np.searchsorted(self._words, words)
        places[places == self.n] = 0
        return np.where(self._words[places] == words, places, -1)

    @functools.cached_property
    def split_pairs(self):
        """Per split the sorted distinct pair codes of its facts."""
        return tuple(sorted_distinct(facts[:, 0]) for facts in self.facts)

    @functools.cached_property
    def positives(self):
        """Sorted codes of all positive pairs, and for each the mask of the splits that hold it."""
        return merge_masks(self.split_pairs)

    @functools.cached_property
    def inverses(self):
        """Sorted codes (t, h) of all positive pairs (h, t)."""
        return np.sort(self.turn(self.positives[0]))

    @functools.cached_property
    def fact_sieve(self):
        """A `Sieve` of the positive pairs and their inverses."""
        return Sieve(np.concatenate([self.positives[0], self.inverses]))

    @functools.cached_property
    def heads(self):
        """Sorted numbers of the entities that are the head of a fact of any split."""
        return sorted_distinct(self.positives[0] // self.n)

    @functools.cached_property
    def tails(self):
        """Sorted numbers of the entities that are the tail of a fact of any split."""
        return sorted_distinct(self.positives[0] % self.n)

    @functools.cached_property
    def is_head(self):
        """bool array of length n: `heads` as a mask."""
        return np.isin(np.arange(self.n), self.heads)

    @functools.cached_property
    def is_tail(self):
        """bool array of length n: `tails` as a mask."""
        return np.isin(np.arange(self.n), self.tails)

    @functools.cached_property
    def type_pairs(self):
        """bool array (types, types): some fact of any split leads from the one type to the other."""
        allowed = np.zeros((len(self.types), len(self.types)), dtype=bool)
        codes = self.positives[0]
        allowed[self.type_of[codes // self.n], self.type_of[codes % self.n]] = True
        return allowed

    def is_new(self, codes, split, strict):
        """bool array: the pair has a concept (strict: two concepts) in no fact of the splits before `split`."""
        seen = np.zeros(self.n, dtype=bool)
        for pairs in self.split_pairs[:split]:
            seen[pairs // self.n] = seen[pairs % self.n] = True
        head, tail = ~seen[codes // self.n], ~seen[codes % self.n]
        return head & tail if strict else head | tail

    def turn(self, codes):
        """Codes of the pairs with head and tail exchanged."""
        return codes % self.n * self.n + codes // self.n

    def cuis(self, codes):
        """(head CUI, tail CUI) of each pair, as two Arrow arrays."""
        return self.entities.take(pa.array(codes // self.n)), self.entities.take(pa.array(codes % self.n))


def merge_masks(sorted_codes):
    """Sorted distinct codes of three sorted sets, and for each the mask (uint8) of the sets that hold it."""
    codes = sorted_distinct(np.concatenate(sorted_codes))
    masks = np.zeros(len(codes), dtype=np.uint8)
    for bit, members in zip(BITS, sorted_codes, strict=True):
        masks[np.searchsorted(codes, members)] |= bit
    return codes, masks


def eight_bytes(texts):
    """uint64 array that sorts as the strings of an Arrow array do, if each has eight bytes, as CUIs have; else None."""
    if not len(texts) or not pc.all(pc.equal(pc.binary_length(texts), 8)).as_py():
        return None
    _, offsets, characters = texts.buffers()
    start = int(np.frombuffer(offsets, dtype=np.int32)[texts.offset])
    return np.frombuffer(characters, dtype=">u8", offset=start, count=len(texts)).astype(np.uint64)


def contained(codes, members):
    """bool array: which of `codes` occur in the sorted array `members`."""
    if not len(members):
        return np.zeros(len(codes), dtype=bool)
    return members[_places(codes, members)] == codes


def looked_up(codes, members, values):
    """For each code the value of its place in the sorted array `members`, 0 where it is absent."""
    if not len(members):
        return np.zeros(len(codes), dtype=values.dtype)
    places = _places(codes, members)
    return np.where(members[places] == codes, values[places], values.dtype.type(0))


def _places(codes, members):
    """Where each code stands in the sorted array `members`, if it does."""
    if len(members) < FAR_APART:
        places = np.searchsorted(members, codes)
    else:  # neighbours in the sorted order share the cache lines of the search
        order = np.argsort(codes)
        places = np.empty(len(codes), dtype=np.int64)
        places[order] = np.searchsorted(members, codes[order])
    places[places == len(members)] = 0
    return places


def load_graph(split_paths, concepts_path):
    """Read the three split files and the types of their entities.

    Parameters
    ----------
    split_paths : sequence of three paths
        train, valid, test: tab-separated head, relation, tail without a header.
    concepts_path : path
        The table of concepts (contract CONCEPTS).

    Raises
    ------
    DataError
        On a malformed line, or where no fact is left.
    """
    triples = [read_triples(path) for path in split_paths]
    concepts = read_table(concepts_path, CONCEPTS, columns=["cui", "sty"])
    return build_graph(triples, concepts, split_paths[0])


def build_graph(triples, concepts, where="the split files"):
    """A Graph from three tables (head, relation, tail) and a table (cui, sty).

    Raises
    ------
    DataError
        If no fact has both its entities among the concepts.
    """
    known = concepts["cui"].combine_chunks()
    kept, missing = [], []
    for name, table in zip(SPLITS, triples, strict=True):
        both = pc.and_(pc.is_in(table["head"], known), pc.is_in(table["tail"], known))
        kept.append(table.filter(both))
        missing.append(table.num_rows - kept[-1].num_rows)
        if missing[-1]:
            logging.warning("%s: %d facts left out: an entity is not among the concepts", name, missing[-1])
    columns = [column for table in kept for column in (table["head"], table["tail"])]
    entities = distinct_strings(columns)
    if not len(entities):
        raise DataError(
            where,
            found=f"no fact with both entities among the {len(known):,} concepts",
            expected="facts (head, relation, tail) of concepts",
            remedy="check that the split files and the concepts come from the same release",
        )
    relations = distinct_strings([table["relation"] for table in kept])
    facts = tuple(_numbered(table, entities, relations) for table in kept)
    types_of_entities = concepts["sty"].combine_chunks().take(pc.index_in(entities, known))
    types = distinct_strings([pa.chunked_array([types_of_entities])])
    type_of = pc.index_in(types_of_entities, types)
    return Graph(
        entities, relations.to_pylist(), facts, types.to_pylist(), type_of.to_numpy().astype(np.int64), tuple(missing)
    )


def distinct_strings(columns):
    """The distinct strings of some Arrow columns, sorted by code point."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    values = pc.unique(pa.chunked_array(chunks, type=pa.string()))
    return values.take(pc.sort_indices(values))


def _numbered(table, entities, relations):
    head, tail = (pc.index_in(table[name], entities).to_numpy().astype(np.int64) for name in ("head", "tail"))
    relation = pc.index_in(table["relation"], relations).to_numpy().astype(np.int64)
    keys = sorted_distinct((head * len(entities) + tail) * max(len(relations), 1) + relation)
    return np.stack(np.divmod(keys, max(len(relations), 1)), axis=1)


def read_triples(path):
    """Read head, relation, tail from a tab-separated file without header; quotes are characters.

    Raises
    ------
    DataError
        Names the file and what the reader found.
    """
    names = ["head", "relation", "tail"]
    schema = pa.schema([(name, pa.string()) for name in names])
    with open(path, "rb") as stream:
        if not stream.read(1):
            return schema.empty_table()
    try:
        return pyarrow.csv.read_csv(
            path,
            read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False),
            parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict(zip(names, schema.types, strict=True)), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        row = re.search(r"Row #(\d+)", str(error))
        raise DataError(
            path,
            line=row and int(row[1]),
            found=str(error).split("\n")[0],
            expected="three columns separated by tabs: head, relation, tail",
            remedy="make the split files again (stage kg)",
        ) from None
