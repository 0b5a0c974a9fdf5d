"""Cells and footnotes as text, the same for every format; a format only adds its markup."""

import dataclasses
from decimal import ROUND_HALF_EVEN, Decimal

from workflow_scripts.reporting.table import ABSENT

MISSING = "—"
MINUS = "−"


@dataclasses.dataclass(frozen=True)
class Text:
    """What a cell shows: ours, its sd, the paper's, the difference, the mark of a footnote; empty where there is none.

    `agrees`: whether texts or names are equal to the paper's; None for numbers.
    """

    ours: str
    sd: str = ""
    paper: str = ""
    difference: str = ""
    mark: str = ""
    agrees: bool | None = None


def texts(table, panel):
    """Rows of a panel as (row, key texts, cell texts), and the footnotes as (mark, text).

    Footnotes are lettered in reading order; the first mark of a row without any number in the paper stands at its key.
    """
    notes = {}

    def mark(text):
        return notes.setdefault(text, chr(ord("a") + len(notes)))

    columns = [table.spec.column(name) for name in panel.columns]
    lines = []
    for row in table.panel_rows(panel):
        keys = list(row.keys.values())
        cells = []
        for column in columns:
            state = row.state(column)
            reason = None
            if state is not None:
                reason = table.spec.absent if state == ABSENT else column.undefined
            cells.append(cell_text(column, row.cells[column.name], mark(reason) if reason else ""))
        if not row.in_paper and table.spec.unprinted:
            keys[-1] = (keys[-1], mark(table.spec.unprinted))
        lines.append((row, [key if isinstance(key, tuple) else (key, "") for key in keys], cells))
    return lines, [(letter, text) for text, letter in notes.items()]


def cell_text(column, cell, mark=""):
    """The texts of one cell. Difference: ours as shown minus the paper's, or the names that only one side has."""
    if column.kind == "names":
        return _names_text(cell, mark)
    if not column.numeric:
        agrees = None if cell.value is None or cell.paper is None else cell.value == cell.paper
        return Text(cell.value if cell.value is not None else MISSING, paper=cell.paper or "", mark=mark, agrees=agrees)
    paper = grouped(column, cell.paper) if cell.paper is not None else ""
    if cell.value is None:
        return Text(MISSING, paper=paper, mark=mark)
    ours = rounded(column, cell.value)
    sd = grouped(column, str(rounded(column, cell.sd))) if cell.sd is not None else ""
    difference = signed(column, ours - Decimal(cell.paper)) if cell.paper is not None else ""
    return Text(grouped(column, str(ours)), sd, paper, difference, mark)


def _names_text(cell, mark):
    ours, paper = cell.value, cell.paper
    if ours is None:
        return Text(MISSING, paper=joined(paper), mark=mark)
    if paper is None:
        return Text(joined(ours))
    only_ours, only_paper = only_in(ours, paper), only_in(paper, ours)
    parts = ([f"+ {', '.join(only_ours)}"] if only_ours else []) + (
        [f"{MINUS} {', '.join(only_paper)}"] if only_paper else []
    )
    return Text(joined(ours), paper=joined(paper), difference="; ".join(parts), agrees=not parts)


def only_in(names, others):
    """Names that `others` lacks, sorted. Case does not count: the paper prints "CT", names are pruned lower-cased."""
    known = {name.lower() for name in others}
    return sorted(name for name in names if name.lower() not in known)


def joined(names):
    """Names separated by a comma; a dash for none; nothing for None."""
    return "" if names is None else ", ".join(names) or "–"


def rounded(column, value):
    """A number as a Decimal with the column's digits; ties to even, as binary floats have few exact ties."""
    digits = 0 if column.kind == "count" else column.decimals
    return Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN)


def grouped(column, text):
    """A number's text, with thousands grouped in counts."""
    return f"{int(text):,}" if column.kind == "count" else text


def signed(column, value):
    """A difference with its sign; a true minus."""
    text = f"{value:,}" if column.kind == "count" else str(value)
    if value == 0:
        return text.lstrip("-")
    return f"+{text}" if value > 0 else MINUS + text.lstrip("-")
