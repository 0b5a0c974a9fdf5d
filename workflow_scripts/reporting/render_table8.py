"""Table 8: mean F1 of the relations of each category, by the semantic groups of their heads and tails."""

import dataclasses
import pathlib

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.relation_categories import categories, category_means, group_counts
from workflow_scripts.common.tables import read_table
from workflow_scripts.reporting.catalogue import TABLE8
from workflow_scripts.reporting.model_rows import full_name, read_models, run_values
from workflow_scripts.reporting.outputs import table_parser, write_table
from workflow_scripts.reporting.sources import take


@dataclasses.dataclass(frozen=True)
class Params:
    """Which triples and which rule make the categories."""

    relation_categories: str


def main(args):
    """Run the command."""
    variant = params.parse(Params, args.params).relation_categories
    triples = graph_triples(args.triples) if variant == "published" else split_triples(args.splits)
    category_of = categories(group_counts(triples, groups_of(args.concepts)), variant)
    models = read_models(args.models)

    def value_of(path, metrics, column):
        relations = take(path, metrics, "per_relation")
        f1 = {relation: take(path, relations, relation, "f1") for relation in relations}
        return category_means(f1, category_of)[column.name]

    values = run_values(args.metrics, lambda path: (full_name(models, path),), TABLE8.columns, value_of)
    write_table(args, TABLE8, values)


def groups_of(path):
    """CUI -> semantic group."""
    table = read_table(path, CONCEPTS, columns=["cui", "group"])
    return dict(zip(table["cui"].to_pylist(), table["group"].to_pylist(), strict=True))


def split_triples(paths):
    """(head, relation, tail) of all splits of a graph."""
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                triple = line.rstrip("\n").split("\t")
                if len(triple) != 3:
                    raise DataError(path, line=number, found=repr(line[:80]), expected="head, relation and tail")
                yield triple


def graph_triples(path):
    """(head, relation, tail) of the whole graph."""
    table = read_table(path, TRIPLES, columns=["head", "relation", "tail"])
    return zip(*(table[name].to_pylist() for name in ("head", "relation", "tail")), strict=True)


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--metrics", type=path, nargs="*", default=[], help="metrics.json of the evaluations")
    parser.add_argument("--models", type=path, required=True, help="experiments/models.tsv")
    parser.add_argument("--concepts", type=path, required=True, help="concepts of the graph (Parquet)")
    parser.add_argument("--triples", type=path, required=True, help="triples of the whole graph (Parquet)")
    parser.add_argument("--splits", type=path, nargs=3, required=True, help="triples of its splits (tsv)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
