"""Funnels as tables for the report: what each filter leaves."""

import csv

from workflow_scripts.common.errors import DataError

SPLITS = ("train", "valid", "test")


def graph_funnel(path):
    """The funnel of the knowledge graph as written: header and rows, numbers grouped."""
    header, rows = _read(path)
    return header, [[_grouped(value) for value in row] for row in rows]


def corpus_funnel(path):
    """The funnel of a corpus as two tables: the fate of the sentences, and instances (facts) of each split by step.

    Returns
    -------
    ((header, rows), (header, rows))

    Raises
    ------
    DataError
        If a column is missing.
    """
    header, rows = _read(path)
    needed = ("step", "split", "instances_before", "instances_after", "facts_after", "sentences")
    missing = [name for name in needed if name not in header]
    if missing:
        raise DataError(path, line=1, found=f"columns {', '.join(header)}", expected=f"column {missing[0]}")
    records = [dict(zip(header, row, strict=True)) for row in rows]
    sentences = [[r["step"], _grouped(r["sentences"])] for r in records if r["sentences"]]
    steps = {}
    for record in records:
        if record["instances_after"]:
            steps.setdefault(record["step"], {})[record["split"]] = record
    table = []
    for step, parts in steps.items():
        line = [step]
        for split in SPLITS:
            part = parts.get(split)
            line += (
                [_grouped(part["instances_after"]), _lost(part), _grouped(part["facts_after"])] if part else [""] * 3
            )
        table.append(line)
    names = [f"{split}{part}" for split in SPLITS for part in ("", " lost", " facts")]
    return (["Step", "Sentences"], sentences), (["Step", *names], table)


def _read(path):
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    if not rows:
        raise DataError(path, found="an empty file", expected="a funnel with a header")
    return rows[0], rows[1:]


def _lost(record):
    before, after = int(record["instances_before"]), int(record["instances_after"])
    return f"{100 * (before - after) / before:.1f} %" if before > after else ""


def _grouped(text):
    return f"{int(text):,}" if text.isdigit() else text
