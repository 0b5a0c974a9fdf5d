"""The table of kept relations and their inverses, and what MRDOC says about them."""

import csv
import re

from workflow_scripts.common import rrf
from workflow_scripts.common.errors import DataError

COLUMNS = ["relation", "inverse"]
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def read_relations(path):
    """The kept relations with their inverses (paper, Table A.3).

    Parameters
    ----------
    path : str or Path
        Tab-separated table with the columns relation and inverse (schemas/relations.schema.yaml).

    Returns
    -------
    dict of str to str
        Inverse by relation, in file order.

    Raises
    ------
    DataError
        If a row is not of the schema, a relation stands there twice, or a name stands in both columns, which would
        let the same fact in twice, once in each direction.
    """
    remedy = "correct the table (schemas/relations.schema.yaml describes it)"
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            path, found=str(error), expected="a UTF-8 table of relations", remedy="set kg.relations"
        ) from None
    if not rows or rows[0] != COLUMNS:
        found = " ".join(rows[0]) if rows else "an empty file"
        raise DataError(path, line=1, found=found, expected="the header relation, inverse", remedy=remedy)
    inverses = {}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != 2 or not all(NAME.fullmatch(name) for name in row):
            expected = "a relation and its inverse, separated by a tab"
            raise DataError(path, line=line, found=repr("\t".join(row)), expected=expected, remedy=remedy)
        if row[0] in inverses:
            raise DataError(path, line=line, found=f"{row[0]} again", expected="each relation once", remedy=remedy)
        inverses[row[0]] = row[1]
    for line, (relation, inverse) in enumerate(inverses.items(), start=2):
        if inverse in inverses:
            expected = f"one direction only: {relation} or {inverse}"
            found = f"{inverse} as the inverse of {relation} and as a relation itself"
            raise DataError(path, line=line, found=found, expected=expected, remedy=remedy)
    return inverses


def documented_inverses(path):
    """Inverse by relation, from the rela_inverse rows of MRDOC.RRF; of several, the first by name."""
    rows = rrf.read(path, "MRDOC").to_pylist()
    pairs = sorted(
        (row["VALUE"], row["EXPL"]) for row in rows if (row["DOCKEY"], row["TYPE"]) == ("RELA", "rela_inverse")
    )
    return dict(reversed(pairs))


def inverse_conflicts(inverses, documented):
    """Relations of the table whose inverse in MRDOC has another name.

    Returns
    -------
    list of dict
        Keys relation, inverse (of the table) and documented, sorted by relation.
    """
    return [
        {"relation": relation, "inverse": inverse, "documented": documented[relation]}
        for relation, inverse in sorted(inverses.items())
        if documented.get(relation, inverse) != inverse
    ]
