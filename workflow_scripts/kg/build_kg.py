"""From the RRF tables of a UMLS release to the knowledge graph: its concepts, its triples, and a funnel of exact counts
after each filter (paper, sections 3 and A.1).

Every RRF file is streamed once. Filters: MRCONSO (preferred form and term of the vocabulary, not suppressed), MRSTY
(groups and types), MRREL (vocabulary, not suppressed, both concepts kept, frequent relations, the table of relations,
relation class). The direction is that of MRREL: CUI2 RELA CUI1.
"""

import dataclasses
import logging
from pathlib import Path

import numpy as np

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import write_delimited, write_json
from workflow_scripts.common.tables import open_writer
from workflow_scripts.kg import concepts, facts, relations
from workflow_scripts.kg.triple_files import write_triples


@dataclasses.dataclass(frozen=True)
class Params:
    """Parameters: sections umls and kg of the configuration, and the switches of this rule."""

    vocabulary: str
    groups: list
    excluded_types: list
    relation_class: str
    min_relation_triples: int
    preset: str
    one_type_per_cui: str
    ro_per_row: str
    csv_quotes: str
    repeated_rel: str
    seed: int | None = None  # of the shuffle before the splits, which only the published procedure has


def load_graph(database, args, settings):
    """Fill the database with tables `concepts` and `written` from the RRF files of `args`.

    Returns
    -------
    (list, dict)
        The funnel (rows of `facts.FUNNEL_COLUMNS`) and the audit of what was left out.

    Raises
    ------
    DataError
        If a file is not RRF, or no triple survives; the message then holds the funnel.
    """
    inverses = relations.read_relations(args.relations)
    types = concepts.kept_types(args.semgroups, settings.groups, settings.excluded_types)
    documented = relations.documented_inverses(args.mrdoc)
    named = concepts.load_active_concepts(database, args.mrconso, settings.vocabulary, settings.csv_quotes)
    known = concepts.known_types(args.semgroups)
    unknown_types = concepts.load_concepts(database, args.mrsty, types, settings.one_type_per_cui, known)
    n_concepts = database.execute("SELECT count(*) FROM concepts").fetchall()[0][0]
    rows = facts.load_rows(database, args.mrrel, settings.vocabulary)
    facts.load_facts(
        database,
        inverses,
        settings.relation_class,
        settings.min_relation_triples,
        settings.ro_per_row,
        settings.repeated_rel,
    )
    steps = facts.funnel(database, named, n_concepts, rows)
    facts.require_triples(steps, args.mrrel, settings.vocabulary, args.mrconso)
    audit = facts.audit(database, inverses, documented)
    audit["unknown_types"] = unknown_types
    audit["inverse_conflicts"] = relations.inverse_conflicts(inverses, documented)
    for conflict in audit["inverse_conflicts"]:
        logging.warning("inverse of %(relation)s: %(inverse)s in the table, %(documented)s in MRDOC", conflict)
    return steps, audit


def draw_order(database, preset, seed):
    """The triples in the order in which the splits draw them, as a table of head, relation, tail.

    published: the order of MRREL, shuffled as pandas' `sample(frac=1, random_state=seed)` does. mended: sorted.
    """
    order = "line" if preset == "published" else "head, relation, tail"
    query = f"SELECT head, relation, tail FROM written ORDER BY {order}"
    table = database.sql(query).to_arrow_table()
    if preset == "published" and seed is None:
        raise UsageError("--params: seed is missing: the published order is shuffled")
    if preset == "published":
        table = table.take(np.random.RandomState(seed).permutation(table.num_rows))
    return table


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        steps, audit = load_graph(database, args, settings)
        for step, rows, triples, *_ in steps:
            logging.info("%-16s %14s rows %12s triples", step, rows, triples)
        with open_writer(args.concepts, CONCEPTS) as write:
            for table in duck.stream(database, "FROM concepts ORDER BY cui"):
                write(table)
        with open_writer(args.triples, TRIPLES) as write:
            query = "SELECT head, relation, tail, rui FROM written ORDER BY head, relation, tail, rui"
            for table in duck.stream(database, query):
                write(table)
        write_triples(args.order, draw_order(database, settings.preset, settings.seed))
    write_delimited(args.funnel, facts.FUNNEL_COLUMNS, steps)
    write_json(args.audit, audit)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    for table in ("MRCONSO", "MRREL", "MRSTY", "MRDOC"):
        parser.add_argument(f"--{table.lower()}", type=Path, required=True, help=f"{table}.RRF of the release")
    parser.add_argument("--semgroups", type=Path, required=True, help="NLM's SemGroups file")
    parser.add_argument("--relations", type=Path, required=True, help="table of kept relations and their inverses")
    parser.add_argument("--concepts", type=Path, required=True, help="output: active, typed concepts (Parquet)")
    parser.add_argument("--triples", type=Path, required=True, help="output: the facts, sorted (Parquet)")
    parser.add_argument("--order", type=Path, required=True, help="output: the facts in the order of the splits' draws")
    parser.add_argument("--funnel", type=Path, required=True, help="output: counts after each filter (CSV)")
    parser.add_argument("--audit", type=Path, required=True, help="output: what was left out (JSON)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
