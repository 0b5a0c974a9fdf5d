"""The paper's numbers: experiments/expected/<table>.tsv, checked row by row against schemas/expected.schema.yaml."""

import csv
import dataclasses

import jsonschema
import yaml

from workflow_scripts.common.errors import DataError

REMEDY = "correct the row; what each column may hold stands in schemas/expected.schema.yaml"
FIXED = ("metric", "value", "comparison", "tolerance", "note")


@dataclasses.dataclass(frozen=True)
class Expected:
    """One printed cell.

    Parameters
    ----------
    keys : tuple of str
        The row of the table.
    metric : str
    printed : str or tuple of str
        As printed; a tuple of names for the comparison "names".
    comparison : {"absolute", "relative", "exact", "names", "reference"}
    tolerance : float or None
    note : str
    line : int
        Line in the file, from 1.
    """

    keys: tuple
    metric: str
    printed: object
    comparison: str
    tolerance: float | None
    note: str
    line: int


def read_expected(path, table, schema, relations=None):
    """The rows of one table in the order of the file.

    Parameters
    ----------
    path : str or Path
        Tab-separated, with a header: the keys of the table, then metric, value, comparison, tolerance, note.
    table : str
        The table's name, a definition of the schema.
    schema : str or Path
        schemas/expected.schema.yaml.
    relations : collection of str or None
        Relations that may be named; None where the table names none.

    Raises
    ------
    DataError
        File, line, value and what is allowed.
    """
    with open(schema, encoding="utf-8") as stream:
        definitions = yaml.safe_load(stream)["$defs"]
    validator = jsonschema.Draft202012Validator(definitions[table])
    columns = list(definitions[table]["required"])
    entries, seen = [], {}
    for line, row in _rows(path, columns):
        _check_row(path, line, row, validator, relations)
        keys = tuple(row[name] for name in columns if name not in FIXED)
        entry = _entry(path, line, keys, row)
        if (keys, entry.metric) in seen:
            raise DataError(
                path,
                line=line,
                found=f"{' '.join(keys)} {entry.metric} again (first in line {seen[keys, entry.metric]})",
                expected="each cell once",
                remedy=REMEDY,
            )
        seen[keys, entry.metric] = line
        entries.append(entry)
    return entries


def read_relations(path):
    """Names in column `relation` of the table of relations, in the order of the file."""
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        if "relation" not in (reader.fieldnames or ()):
            raise DataError(path, line=1, found=str(reader.fieldnames), expected="a column named relation")
        return list(dict.fromkeys(row["relation"] for row in reader))


def _rows(path, columns):
    """(line number, row as a dict of str) for each row under a header with exactly these columns."""
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        header = next(reader, [])
        if header != columns:
            raise DataError(path, line=1, found=f"header {header}", expected=f"header {columns}", remedy=REMEDY)
        for line, values in enumerate(reader, 2):
            if len(values) != len(columns):
                raise DataError(
                    path, line=line, found=f"{len(values)} columns", expected=f"{len(columns)} columns", remedy=REMEDY
                )
            yield line, dict(zip(columns, values, strict=True))


def _check_row(path, line, row, validator, relations):
    error = next(iter(sorted(validator.iter_errors(row), key=lambda e: [str(p) for p in e.absolute_path])), None)
    if error is not None:
        column = ".".join(map(str, error.absolute_path)) or "row"
        allowed = {
            "enum": lambda: "one of " + ", ".join(map(str, error.validator_value)),
            "pattern": lambda: f"text that matches {error.validator_value}",
            "minLength": lambda: "a text that is not empty",
        }.get(error.validator, lambda: error.message)()
        raise DataError(path, line=line, found=f"{column} {error.instance!r}", expected=allowed, remedy=REMEDY)
    if relations is not None and "relation" in row and row["relation"] not in relations:
        raise DataError(
            path,
            line=line,
            found=f"unknown relation {row['relation']!r}",
            expected="one of " + ", ".join(relations),
            remedy="correct the row, or add the relation to the table of relations",
        )


def _entry(path, line, keys, row):
    judged = row["comparison"] in ("absolute", "relative")
    if judged != bool(row["tolerance"]):
        raise DataError(
            path,
            line=line,
            found=f"comparison {row['comparison']} with tolerance {row['tolerance']!r}",
            expected="a tolerance for absolute and relative, none for the others",
            remedy=REMEDY,
        )
    printed = row["value"]
    if judged:
        try:
            float(printed)
        except ValueError:
            raise DataError(
                path, line=line, found=f"value {printed!r}", expected=f"a number, to compare {row['comparison']}"
            ) from None
    if row["comparison"] == "names":
        printed = () if printed == "-" else tuple(printed.split(", "))
    tolerance = float(row["tolerance"]) if row["tolerance"] else None
    return Expected(keys, row["metric"], printed, row["comparison"], tolerance, row["note"], line)
