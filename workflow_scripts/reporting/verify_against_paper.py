"""Every printed cell of the paper beside ours, with difference, tolerance and a verdict where inputs are the paper's.

Where they are not (the demo, another release, other parameters) each cell says "not comparable", and the page says why.
"""

import collections
import dataclasses
import json
import pathlib

import yaml

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import atomic_open, write_json
from workflow_scripts.reporting import comparison, coverage, reference_rows
from workflow_scripts.reporting.catalogue import TABLE6, TABLES
from workflow_scripts.reporting.csv_format import read_csv
from workflow_scripts.reporting.drawings import paper_order
from workflow_scripts.reporting.expected import read_expected, read_relations
from workflow_scripts.reporting.markdown import escape, pipe
from workflow_scripts.reporting.model_rows import read_models


@dataclasses.dataclass(frozen=True)
class Params:
    """The parts of the configuration that decide whether numbers may be compared."""

    name: str
    umls: dict
    medline: dict
    text: dict
    linking: dict
    kg: dict
    corpus: dict
    corpora: dict
    training: dict
    evaluation: dict = dataclasses.field(default_factory=dict)
    experiments: dict = dataclasses.field(default_factory=dict)


def main(args):
    """Run the command."""
    settings = dataclasses.asdict(params.parse(Params, args.params))
    with open(args.paper, encoding="utf-8") as stream:
        paper = yaml.safe_load(stream)
    tables = {path.stem: read_csv(path, _spec(path)) for path in args.tables}
    expected_files = {path.stem: path for path in args.expected}
    missing = sorted(set(tables) - set(expected_files))
    if missing:
        raise UsageError(f"--expected must name the paper's numbers of every table; {missing[0]} is missing")
    reasons_of = comparison.obstacles(
        settings,
        paper,
        args.corpus,
        released(tables.get(TABLE6.name)),
        own_corpora=json.loads(args.own_corpora),
        edited=edited(args),
    )
    relations = read_relations(args.relations)
    reasons, cells = {}, []
    for name in sorted(tables, key=paper_order):
        expected = read_expected(expected_files[name], name, args.schema, relations)
        reasons[name] = reasons_of(name)
        cells += comparison.compare(tables[name], expected, not reasons[name])
    order = figure5(args, reasons_of("figure5"))
    filled = {name: coverage.coverage(tables[name]) for name in sorted(tables, key=paper_order)}
    counts = collections.Counter(cell.status for cell in cells)
    write_json(
        args.json,
        {
            "name": settings["name"],
            "comparable": {name: not why for name, why in reasons.items()},
            "reasons": reasons,
            "counts": {status: counts[status] for status in comparison.STATUSES},
            "orderings": order,
            "coverage": filled,
            "cells": [dataclasses.asdict(cell) for cell in cells],
        },
    )
    with atomic_open(args.md) as stream:
        stream.write(render(settings["name"], reasons, counts, cells) + render_orderings(order))
        stream.write(render_coverage(filled))


def edited(args):
    """Table -> reasons, from the rows of the tables that a person edits; "" for all tables."""
    if args.paper_rows is None:
        return {}
    changes = reference_rows.model_changes(args.models, args.paper_rows / "models.tsv")
    return changes | {"": reference_rows.relation_changes(args.relations, args.paper_rows / "relations.tsv")}


def figure5(args, reasons):
    """The orderings of Figure 5 with their verdicts; empty where none of its models ran."""
    if not args.figure5:
        return []
    found = reference_rows.orderings(args.figure5, read_models(args.models))
    verdict = {True: comparison.GREEN, False: comparison.RED, None: comparison.MISSING}
    for entry in found:
        entry["status"] = comparison.INCOMPARABLE if reasons else verdict[entry["holds"]]
    return found


def render_orderings(order):
    """The orderings as a section of the page; nothing where there are none."""
    if not order:
        return ""
    lines = [pipe(reference_rows.ORDERINGS_HEADER), "|:--|:--|:--|:--|"]
    lines += [pipe(reference_rows.ordering_row(entry)) for entry in order]
    return "\n## Figure 5\n\n" + "\n".join(lines) + "\n"


def render_coverage(found):
    """What was filled as a section of the page."""
    lines = [pipe(coverage.HEADER), "|:--|--:|--:|:--|:--|"]
    titles = {name: TABLES[name].title for name in found}
    lines += [pipe(row) for row in coverage.rows(found, titles)]
    return "\n## What is filled\n\n" + "\n".join(lines) + "\n"


def released(table6):
    """Whether the splits have exactly the paper's instances, facts and bags."""
    if table6 is None:
        return False
    cells = [row.cells[name] for row in table6.rows for name in ("instances", "facts", "bags")]
    printed = [cell for cell in cells if cell.paper is not None]
    return bool(printed) and all(str(cell.value) == cell.paper for cell in printed)


def render(name, reasons, counts, cells):
    """The page as Markdown."""
    parts = [
        f"# {escape(name)} against the paper",
        "\n".join(
            [
                pipe(["Verdict", "Cells", "Meaning"]),
                "|:--|--:|:--|",
                *(f"| {status} | {counts[status]} | {MEANING[status]} |" for status in comparison.STATUSES),
            ]
        ),
    ]
    for table, why in reasons.items():
        parts.append(f"## {TABLES[table].title}")
        if why:
            parts.append("**Not comparable with the paper**, so nothing is judged:")
            parts.append("\n".join(f"- {escape(reason)}" for reason in why))
        head = pipe(["Row", "Metric", "Ours", "Paper", "Difference", "Tolerance", "Verdict"])
        lines = [_line(cell) for cell in cells if cell.table == table]
        parts.append("\n".join([head, "|:--|:--|--:|--:|--:|--:|:--|", *lines]))
    return "\n\n".join(parts) + "\n"


MEANING = {
    comparison.GREEN: "within the tolerance, or equal",
    comparison.AMBER: "within twice the tolerance",
    comparison.RED: "further away, or not equal",
    comparison.MISSING: "the paper prints it, we have no value",
    comparison.REFERENCE: "shown for reference, never judged: the paper's parameters are not all published",
    comparison.INCOMPARABLE: "inputs or parameters are not the paper's",
}


def _line(cell):
    ours = (cell.ours or "—") + (f" ± {cell.sd}" if cell.sd else "")
    tolerance = "" if cell.tolerance is None else f"{cell.tolerance:g}"
    if cell.comparison == "relative":
        tolerance = f"{100 * cell.tolerance:g} %"
    return pipe([cell.row, cell.metric, ours, cell.paper, cell.difference, tolerance, cell.status])


def _spec(path):
    if path.stem not in TABLES:
        raise DataError(path, found=f"table {path.stem}", expected="one of " + ", ".join(TABLES))
    return TABLES[path.stem]


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--tables", type=path, nargs="+", required=True, help="our tables as csv")
    parser.add_argument("--expected", type=path, nargs="+", required=True, help="the paper's numbers, by table")
    parser.add_argument("--schema", type=path, required=True, help="schemas/expected.schema.yaml")
    parser.add_argument("--relations", type=path, required=True, help="table of the relations that exist")
    parser.add_argument("--paper", type=path, required=True, help="the paper's configuration (config.yaml)")
    parser.add_argument("--corpus", required=True, help="id of the corpus of the tables")
    parser.add_argument("--own-corpora", default="{}", metavar="JSON", help="corpora of tables that have their own")
    parser.add_argument("--models", type=path, help="experiments/models.tsv")
    parser.add_argument("--paper-rows", type=path, help="folder of the paper's models.tsv and relations.tsv")
    parser.add_argument("--figure5", type=path, nargs="*", default=[], help="metrics.json of the models of Figure 5")
    parser.add_argument("--json", type=path, required=True, help="all cells as JSON")
    parser.add_argument("--md", type=path, required=True, help="all cells as a page (Markdown)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
