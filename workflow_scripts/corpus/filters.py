"""The post filters, each as a mask over the instances; the order stands in build_corpus."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.tables import check_schema
from workflow_scripts.corpus.graph import contained
from workflow_scripts.corpus.splits import SPLITS


def named_by_aliases(rows, names, graph, aliases_path):
    """Mask of the instances whose two surfaces, lower-cased, are names of their concepts.

    Lower-casing is `str.lower`, as published: the micro sign in upper case is not found.

    Returns
    -------
    mask : bool array
    nameless : int
        Entities of the instances that the linker's knowledge base does not name at all.
    """
    width = len(names.lowered)
    valid, named = _alias_codes(names, graph, aliases_path)
    head = contained(rows.head * width + names.lower_of[rows.head_name], valid)
    tail = contained(rows.tail * width + names.lower_of[rows.tail_name], valid)
    present = np.union1d(rows.head, rows.tail)
    return head & tail, int((~contained(present, named)).sum())


def _alias_codes(names, graph, path):
    """Sorted codes (entity, lower-cased name) of the aliases that occur as surfaces; sorted named entities."""
    check_schema(path, ALIASES)
    numbers = {name: number for number, name in enumerate(names.lowered)}
    codes, named = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=["cui", "name"]):
            entity = pc.index_in(batch.column("cui"), graph.entities)
            own = pc.is_valid(entity)
            entity = entity.filter(own).to_numpy().astype(np.int64)
            found = (numbers.get(name.lower(), -1) for name in batch.column("name").filter(own).to_pylist())
            found = np.fromiter(found, dtype=np.int64, count=len(entity))
            codes.append((entity * len(numbers) + found)[found >= 0])
            named.append(np.unique(entity))
    return np.unique(np.concatenate(codes)), np.unique(np.concatenate(named))


def without_shared_surfaces(rows, n_names):
    """Mask without the instances whose pair of surfaces, in either order, a later split has too.

    Train gives way to valid and test, valid to test. Case counts, NA counts.
    """
    codes = rows.head_name * n_names + rows.tail_name
    turned = rows.tail_name * n_names + rows.head_name
    kept = np.ones(len(rows), dtype=bool)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        taken = np.unique(codes[kept & (rows.split == second)])
        kept &= ~((rows.split == first) & (contained(codes, taken) | contained(turned, taken)))
    return kept


def without_frequent_mentions(rows, names, graph, limit):
    """Mask without the instances that have a mention too frequent in one semantic type of their split.

    Heads and tails are counted together, lower-cased, per split and type. A name above `limit` in one
    type goes in all types of the split (paper, section 3.1 and Table A.2).

    Returns
    -------
    mask : bool array
    pruned : list of (split, type name, name, count)
        Every name above the limit in a type, sorted.
    """
    width = len(names.lowered)
    head_name, tail_name = names.lower_of[rows.head_name], names.lower_of[rows.tail_name]
    kept, pruned = np.ones(len(rows), dtype=bool), []
    for split, split_name in enumerate(SPLITS):
        own = rows.split == split
        used = np.concatenate(
            [
                graph.type_of[rows.head[own]] * width + head_name[own],
                graph.type_of[rows.tail[own]] * width + tail_name[own],
            ]
        )
        codes, counts = np.unique(used, return_counts=True)
        codes, counts = codes[counts > limit], counts[counts > limit]
        gone = np.unique(codes % max(width, 1))
        kept &= ~(own & (contained(head_name, gone) | contained(tail_name, gone)))
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            pruned.append((split_name, graph.types[code // width], names.lowered[code % width], count))
    return kept, sorted(pruned)


def with_common_relations(rows, n_relations, minimum):
    """Mask of the instances whose relation, NA among them, has `minimum` instances in each split."""
    counts = np.zeros((len(SPLITS), n_relations + 1), dtype=np.int64)
    np.add.at(counts, (rows.split, rows.relation), 1)
    return (counts >= minimum).all(axis=0)[rows.relation]


def ruis_of(facts, triples_path):
    """The smallest MRREL row id behind each fact.

    Parameters
    ----------
    facts : pyarrow.Table
        Distinct head, relation, tail.
    triples_path : path
        Contract TRIPLES.

    Returns
    -------
    dict of (head, relation, tail) to rui; facts without a row are absent.
    """
    check_schema(triples_path, TRIPLES)
    wanted = set(zip(*(facts[name].to_pylist() for name in ("head", "relation", "tail")), strict=True))
    heads = pc.unique(facts["head"].combine_chunks()) if facts.num_rows else pa.array([], pa.string())
    found = {}
    with pq.ParquetFile(triples_path) as file:
        for batch in file.iter_batches():
            batch = batch.filter(pc.is_in(batch.column("head"), heads))
            for *fact, rui in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                fact = tuple(fact)
                if fact in wanted:
                    found[fact] = min(rui, found.get(fact, rui))
    return found
