"""Which cells of each table a run filled, why the others are empty, and what the paper's own numbers would need."""

import collections
import itertools

from workflow_scripts.reporting.belb_catalogue import BELB_TABLES
from workflow_scripts.reporting.table import ABSENT

LICENSED = "licensed data (UMLS 2019AB, MEDLINE 2019)"
PRIOR = "the data of the prior benchmarks"
VECTORS = "published word vectors"
HUB = "BioBERT from a hub"
ENCODERS = "ten encoders from a hub or local folders"
GPU = "a GPU for BERT at the corpus's size"
BELB = "the released corpora and knowledge bases of BELB, and predictions of its linkers"

_MODELS = (LICENSED, HUB, GPU)
NEEDS = {
    "table1": (LICENSED, PRIOR),
    "table2": (LICENSED, PRIOR),
    "table3": (LICENSED, PRIOR, HUB, GPU),
    **dict.fromkeys(("table4", "table5", "table6"), (LICENSED,)),
    "table7": (LICENSED, VECTORS, HUB, GPU),
    **dict.fromkeys(("table8", "table9", "table10"), _MODELS),
    "table11": (LICENSED, ENCODERS, GPU),
    "table_a1": (LICENSED, VECTORS),
    **dict.fromkeys(("table_a2", "table_a3", "table_a4"), (LICENSED,)),
    **dict.fromkeys(("figure1", "figure4", "figure5"), _MODELS),
    **dict.fromkeys(("figure2", "figure3", "figure_a1"), (LICENSED,)),
    **dict.fromkeys(BELB_TABLES, (BELB,)),
}
"""Table or figure -> what its numbers need to be the paper's; the embedded release and small runs need none of it."""


def coverage(table):
    """What a run filled of a table, of the cells that its panels show.

    Parameters
    ----------
    table : Table

    Returns
    -------
    dict
        `filled`: cells with a value of ours; `empty`: list of {reason, cells}, the most frequent reason first;
        `needs`: what the paper's own numbers need.
    """
    filled, reasons = 0, collections.Counter()
    for panel in table.spec.parts():
        for row, name in itertools.product(table.panel_rows(panel), panel.columns):
            why = _reason(table.spec, row, table.spec.column(name))
            if why is None:
                filled += 1
            else:
                reasons[why] += 1
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    empty = [{"reason": why, "cells": count} for why, count in ordered]
    return {"filled": filled, "empty": empty, "needs": list(NEEDS[table.spec.name])}


def _reason(spec, row, column):
    """Why a cell is empty, None where it is not; a table that says of each row how it stands is believed."""
    state = row.state(column)
    if state is None:
        return None
    own = row.cells["state"].value if "state" in row.cells else None
    return own or (spec.absent if state == ABSENT else column.undefined)


HEADER = ("Table", "Cells filled", "Cells empty", "Why they are empty", "The paper's own numbers need")


def rows(found, titles):
    """A row of texts under HEADER for each table and figure.

    Parameters
    ----------
    found : dict
        Table name -> `coverage`.
    titles : dict
        Table or figure name -> title, in the order of the rows; figures have no cells.
    """
    lines = []
    for name, title in titles.items():
        needs = "; ".join(NEEDS[name])
        if name not in found:
            lines.append([title, "drawn", "", "", needs])
            continue
        empty = found[name]["empty"]
        why = "; ".join(f"{entry['cells']}: {entry['reason']}" for entry in empty)
        lines.append([title, str(found[name]["filled"]), str(sum(e["cells"] for e in empty)), why, needs])
    return lines
