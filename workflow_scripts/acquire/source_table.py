"""The table of remote files, experiments/sources.tsv (schemas/sources.schema.yaml)."""

import csv

from workflow_scripts.common.errors import DataError


def read_source(path, name):
    """The row of a source, as a dict of text.

    Raises
    ------
    DataError
        If the table has no such row, or not exactly one.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    found = [row for row in rows if row.get("name") == name]
    if len(found) != 1:
        there = ", ".join(str(row.get("name")) for row in rows)
        raise DataError(
            path,
            found=f"{len(found)} rows {name}; there is {there}",
            expected="one row",
            remedy="add it (schemas/sources.schema.yaml describes the columns)",
        )
    return found[0]


def published_digest(row):
    """The published SHA-256 of a row; None where it names none."""
    return row["digest"].removeprefix("sha256:") or None
