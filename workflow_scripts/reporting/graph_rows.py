"""Values of the tables of the knowledge graph (Tables 5, A.3)."""

from workflow_scripts.reporting.sources import json_file, take
from workflow_scripts.reporting.table import Cell

SPLITS = ("train", "valid", "test")


def split_values(path):
    """Triples of each split: (inductive,) and (transductive,) -> train, valid, test (Table 5)."""
    splits = take(path, json_file(path), "splits")
    return {
        (kind,): ({split: Cell(int(take(path, parts, split, "triples"))) for split in SPLITS}, (kind,))
        for kind, parts in splits.items()
    }


def relation_values(graph_path, corpus_path, corpus):
    """Relations of a corpus with their inverses, triples in the graph and instances in the corpus (Table A.3).

    A relation of the graph without an instance in the corpus has no inverse here: it is not part of the benchmark.
    """
    instances = {}
    for split in SPLITS:
        for relation, n in take(corpus_path, json_file(corpus_path), "instances_by_relation", split).items():
            instances[relation] = instances.get(relation, 0) + int(n)
    values = {}
    for entry in take(graph_path, json_file(graph_path), "relations"):
        relation = take(graph_path, entry, "relation")
        if instances.get(relation):
            cells = {
                "inverse": Cell(take(graph_path, entry, "inverse")),
                "triples": Cell(int(take(graph_path, entry, "triples"))),
                "instances": Cell(instances[relation]),
            }
            values[(relation,)] = (cells, (corpus,))
    return values
