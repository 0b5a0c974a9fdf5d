"""Count what the knowledge graph and its two splits hold: the numbers behind Tables 5, A.3 and A.4 of the paper."""

import dataclasses
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.files import read_json, write_json
from workflow_scripts.common.tables import read_table
from workflow_scripts.kg.parts import NAMES
from workflow_scripts.kg.relations import read_relations
from workflow_scripts.kg.triple_files import read_triples

KINDS = ("inductive", "transductive")


@dataclasses.dataclass(frozen=True)
class Params:
    """None."""


def entities_of(triples):
    """The distinct heads and tails of a table of triples."""
    return pc.unique(pa.chunked_array([*triples["head"].chunks, *triples["tail"].chunks], pa.string()))


def summarise_split(parts):
    """Counts of the three parts of a split (Table 5).

    Parameters
    ----------
    parts : dict of str to pyarrow.Table
        Triples of train, valid and test.

    Returns
    -------
    dict of str to dict
        Per part: triples, entities, relations, unseen_entities (absent from train), triples_with_unseen (one entity
        or both), triples_of_unseen (both), triples_of_train_pairs (the pair, in either direction, is one of train).
    """
    known = entities_of(parts["train"])
    pairs = _pairs(parts["train"])
    counts = {}
    for name, triples in parts.items():
        entities = entities_of(triples)
        new = [pc.invert(pc.is_in(triples[end], value_set=known)) for end in ("head", "tail")]
        counts[name] = {
            "triples": triples.num_rows,
            "entities": len(entities),
            "relations": pc.count_distinct(triples["relation"]).as_py(),
            "unseen_entities": _true(pc.invert(pc.is_in(entities, value_set=known))),
            "triples_with_unseen": _true(pc.or_(*new)),
            "triples_of_unseen": _true(pc.and_(*new)),
            "triples_of_train_pairs": _true(pc.is_in(_pairs(triples), value_set=pairs)),
        }
    return counts


def _pairs(triples):
    """The pair of each triple, the smaller entity first, as one string."""
    head, tail = triples["head"], triples["tail"]
    ordered = pc.less_equal(head, tail)
    pairs = pc.binary_join_element_wise(pc.if_else(ordered, head, tail), pc.if_else(ordered, tail, head), "\t")
    return pairs.combine_chunks()


def _true(mask):
    return int(pc.sum(mask, min_count=0).as_py())


def summarise_relations(triples, splits, inverses):
    """One entry per relation of the graph (Table A.3), sorted by name: its inverse and its triples, also per part."""
    totals = _counts(triples["relation"])
    parts = {kind: {name: _counts(part["relation"]) for name, part in parts.items()} for kind, parts in splits.items()}
    return [
        {"relation": relation, "inverse": inverses[relation], "triples": totals[relation]}
        | {kind: {name: counts.get(relation, 0) for name, counts in parts[kind].items()} for kind in parts}
        for relation in sorted(totals)
    ]


def summarise_types(concepts, triples):
    """One entry per semantic type (Table A.4), sorted by group and TUI: concepts, and those that are in a triple."""
    connected = pc.is_in(concepts["cui"], value_set=entities_of(triples)).cast(pa.int64())
    types = concepts.append_column("connected", connected).group_by(["group", "tui", "sty"], use_threads=False)
    rows = types.aggregate([("connected", "count"), ("connected", "sum")]).sort_by(
        [(name, "ascending") for name in ("group", "tui", "sty")]
    )
    return [
        {name: row[name] for name in ("tui", "sty", "group")}
        | {"concepts": row["connected_count"], "entities": row["connected_sum"]}
        for row in rows.to_pylist()
    ]


def _counts(column):
    return {entry["values"]: entry["counts"] for entry in pc.value_counts(column).to_pylist()}


def main(args):
    """Run the command."""
    params.parse(Params, args.params)
    concepts, triples = read_table(args.concepts, CONCEPTS), read_table(args.triples, TRIPLES)
    paths = {kind: dict(zip(NAMES, getattr(args, kind), strict=True)) for kind in KINDS}
    splits = {kind: {name: read_triples(path) for name, path in parts.items()} for kind, parts in paths.items()}
    write_json(
        args.statistics,
        {
            "concepts": concepts.num_rows,
            "entities": len(entities_of(triples)),
            "triples": triples.num_rows,
            "splits": {kind: summarise_split(parts) for kind, parts in splits.items()},
            "triples_in_no_split": {
                kind: triples.num_rows - sum(part.num_rows for part in parts.values()) for kind, parts in splits.items()
            },
            "relations": summarise_relations(triples, splits, read_relations(args.relations)),
            "types": summarise_types(concepts, triples),
        }
        | read_json(args.audit),
    )


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--concepts", type=Path, required=True, help="concepts of build_kg (Parquet)")
    parser.add_argument("--triples", type=Path, required=True, help="triples of build_kg (Parquet)")
    parser.add_argument("--audit", type=Path, required=True, help="what build_kg left out (JSON)")
    parser.add_argument("--relations", type=Path, required=True, help="table of kept relations and their inverses")
    for kind in KINDS:
        parser.add_argument(f"--{kind}", nargs=3, metavar=("TRAIN", "VALID", "TEST"), required=True, help="its triples")
    parser.add_argument("--statistics", type=Path, required=True, help="output: the counts (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
