"""Whether the hand-edited tables still hold the paper's rows, and whether Figure 5 keeps the paper's order."""

import csv
import statistics

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.model_rows import evaluation_of, read_models
from workflow_scripts.reporting.sources import json_file, take

SHOWN = 3
# (claim of section 4.2, encodings that must not lie below, encodings that must not lie above them, whether strictly)
ORDERINGS = (
    ("CM has the highest AUC", ("CM",), ("OM", "OC", "CT", "OT"), True),
    ("OM is at least CT", ("OM",), ("CT",), False),
    ("CT is above OC", ("CT",), ("OC",), True),
    ("OT has the lowest AUC", ("CM", "OM", "OC", "CT"), ("OT",), True),
)


ORDERINGS_HEADER = ("Ordering", "Ours", "Holds here", "Verdict")


def model_changes(path, reference):
    """What differs from the paper's rows of models.tsv, by table.

    Parameters
    ----------
    path, reference : str or Path
        The table in use and the paper's copy.

    Returns
    -------
    dict
        Table or figure -> list of reasons. Rows that the paper does not have are no change: they fill rows of their
        own.
    """
    ours, theirs = read_models(path), read_models(reference)
    found = {}
    for model, row in theirs.items():
        tables = [name for name in row["tables"].split(",") if name]
        own = ours.get(model)
        reason = f"{path} has no row {model}"
        if own is not None:
            columns = [name for name in row if name != "tables" and (own.get(name) or "") != (row[name] or "")]
            listed = ", ".join(f"{name} {own.get(name) or 'empty'} for {row[name] or 'empty'}" for name in columns)
            reason = f"row {model} of {path} is not the paper's: {listed}" if columns else None
        for table in tables:
            untagged = own is not None and table not in own["tables"].split(",")
            text = f"row {model} of {path} is not in {table}" if untagged else reason
            if text:
                found.setdefault(table, []).append(text)
    return found


def relation_changes(path, reference):
    """Reasons why the relations in use are not the paper's; none where both tables hold the same rows in any order."""
    ours, theirs = _pairs(path), _pairs(reference)
    parts = [(f"{path} lacks", theirs - ours), (f"{path} has beyond the paper's", ours - theirs)]
    return [f"{text} {_listed(pairs)}" for text, pairs in parts if pairs]


def _listed(pairs):
    names = sorted(name for name, _ in pairs)
    return f"{len(names)} relations: {', '.join(names[:SHOWN])}" + (" ..." if names[SHOWN:] else "")


def _pairs(path):
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        if not {"relation", "inverse"} <= set(reader.fieldnames or ()):
            raise DataError(path, line=1, found=str(reader.fieldnames), expected="columns relation and inverse")
        return {(row["relation"], row["inverse"]) for row in reader}


def orderings(paths, models):
    """The stated orderings of Figure 5; the paper prints no value of it.

    Parameters
    ----------
    paths : sequence of path
        metrics.json of the rows of the figure.
    models : dict
        Of `read_models`.

    Returns
    -------
    list of dict
        `claim`, `values` (encoding -> mean AUC over seeds, in percent) and `holds`: None where an encoding has none.
    """
    aucs = {}
    for path in paths:
        model = evaluation_of(path)[2]
        if model not in models:
            raise DataError(path, found=f"model {model}", expected="one of " + ", ".join(models))
        aucs.setdefault(models[model].get("encoding") or "CM", []).append(take(path, json_file(path), "auc"))
    means = {name: None if None in values else 100.0 * statistics.fmean(values) for name, values in aucs.items()}
    found = []
    for claim, above, below, strictly in ORDERINGS:
        values = {name: means.get(name) for name in (*above, *below)}
        holds = None
        if None not in values.values():
            low, high = min(values[name] for name in above), max(values[name] for name in below)
            holds = low > high if strictly else low >= high
        found.append({"claim": claim, "values": values, "holds": holds})
    return found


def ordering_row(entry):
    """Texts under ORDERINGS_HEADER of an ordering with its verdict (key `status`), as verify.json has it."""
    values = ", ".join(f"{name} {'—' if value is None else f'{value:.1f}'}" for name, value in entry["values"].items())
    return [entry["claim"], values, {True: "yes", False: "no", None: "—"}[entry["holds"]], entry["status"]]
