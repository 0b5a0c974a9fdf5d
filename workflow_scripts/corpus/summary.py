"""Statistics of a corpus (paper: Tables 6 and A.2, Figures 3 and A.1)."""

import collections

import numpy as np
import pyarrow.compute as pc

from workflow_scripts.corpus.splits import SPLITS

BINS = ((2, "1-2x"), (3, "2-3x"))


def statistics(rows, graph, concepts, pruned, limit):
    """Everything that the tables and figures say about a corpus.

    Parameters
    ----------
    rows : Rows
        The final instances.
    graph : Graph
    concepts : pyarrow.Table
        cui, tui, sty, group.
    pruned : list of (split, type name, name, count)
        Of the mention filter.
    limit : int
        The threshold of the mention filter.

    Returns
    -------
    dict
        Ready for JSON.
    """
    types = _types(concepts)
    present = np.union1d(rows.head, rows.tail)
    by_type = collections.Counter(graph.types[number] for number in graph.type_of[present].tolist())
    by_group = collections.Counter()
    for sty, number in by_type.items():
        by_group[types[sty][1]] += number
    type_pairs = graph.type_of[rows.head] * len(graph.types) + graph.type_of[rows.tail]
    relations = ["NA", *graph.relations]
    counts = np.zeros((len(SPLITS), len(relations)), dtype=np.int64)
    np.add.at(counts, (rows.split, rows.relation + 1), 1)
    return {
        "splits": {name: _split(rows, graph.n, split) for split, name in enumerate(SPLITS)},
        "entities": len(present),
        "types": len(by_type),
        "groups": len(by_group),
        "type_pairs": len(np.unique(type_pairs)),
        "relations": int((counts.sum(axis=0) > 0).sum()),
        "entities_by_type": [
            {"tui": types[sty][0], "sty": sty, "group": types[sty][1], "entities": number}
            for sty, number in sorted(by_type.items(), key=lambda item: (-item[1], item[0]))
        ],
        "entities_by_group": dict(by_group),
        "instances_by_relation": {
            name: {relation: int(n) for relation, n in zip(relations, counts[split], strict=True) if n}
            for split, name in enumerate(SPLITS)
        },
        "pruned_mentions": [
            {"split": split, "tui": types[sty][0], "sty": sty, "name": name, "count": count, "bin": _bin(count, limit)}
            for split, sty, name, count in pruned
        ],
    }


def _types(concepts):
    """Of each semantic type its identifier and group."""
    columns = [pc.cast(concepts[name], "string").to_pylist() for name in ("sty", "tui", "group")]
    return {sty: (tui, group) for sty, tui, group in zip(*columns, strict=True)}


def _split(rows, n_entities, split):
    own = rows.keep(rows.split == split)
    instances, positives = len(own), int(own.positive.sum())
    pairs = own.pairs(n_entities)
    bags = len(np.unique(pairs))
    return {
        "instances": instances,
        "positives": positives,
        "na": instances - positives,
        "na_share": (instances - positives) / instances if instances else None,
        "facts": len(own.keep(own.positive).facts(n_entities)),
        "bags": bags,
        "instances_per_bag": instances / bags if bags else None,
        "entities": len(np.union1d(own.head, own.tail)),
    }


def _bin(count, limit):
    """Table A.2: how many times the threshold."""
    return next((name for times, name in BINS if count < times * limit), ">=3x")
