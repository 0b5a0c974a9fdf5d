"""Semantic types of surface forms, for bags and inputs that are made by type where entities are surface forms (AMIL).

A surface form has the type of the smallest concept of the graph that it denotes; one that denotes none has no row.
"""

import dataclasses
import logging
import pathlib

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.tables import check_schema, open_writer
from workflow_scripts.leakage.build_prior_kb import NAMES
from workflow_scripts.leakage.match_names import FOLDED


@dataclasses.dataclass(frozen=True)
class Params:
    """How the benchmark compares names."""

    style: str


def typed(database, names, concepts, fold):
    """Tables of CONCEPTS in which the surface form stands for the concept identifier.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    names, concepts : path
    fold : bool
        Names are compared lower-cased.
    """
    check_schema(names, NAMES)
    check_schema(concepts, CONCEPTS)
    name = "lower(n.name)" if fold else "n.name"
    return duck.stream(
        database,
        f"""SELECT c.surface AS cui, c.surface AS name, c.tui, c.sty, c."group", c.n_types FROM (
            SELECT {name} AS surface, k.*, row_number() OVER (PARTITION BY {name} ORDER BY k.cui) AS place
            FROM {duck.parquet(names)} n JOIN {duck.parquet(concepts)} k USING (cui)) c
        WHERE place = 1 ORDER BY 1""",
    )


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    rows = 0
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        with open_writer(args.types, CONCEPTS) as write:
            for table in typed(database, args.names, args.concepts, FOLDED[settings.style]):
                write(table)
                rows += table.num_rows
    logging.info("%d surface forms with a type", rows)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--names", type=pathlib.Path, required=True, help="leakage/kb/names")
    parser.add_argument("--concepts", type=pathlib.Path, required=True, help="kg/concepts")
    parser.add_argument("--types", type=pathlib.Path, required=True, help="surface forms and their types (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
