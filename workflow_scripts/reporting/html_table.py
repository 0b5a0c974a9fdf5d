"""Tables as HTML: ours, and below it in small print the paper's number with the difference."""

import html

from workflow_scripts.reporting.cells import MINUS, texts
from workflow_scripts.reporting.csv_format import number_text

MARKED = ("green", "amber", "red")
POOLINGS = ("avg", "one", "att")
LEGEND = (
    "In the tables, large: ours, mean ± sample standard deviation over seeds; small: the paper's, and the difference; "
    "✓: as in the paper. A click on a cell (or Enter) opens its runs, files and the command that makes it again; "
    "a click on a heading sorts."
)


def render(table, verdicts=None):
    """All panels of a table with their footnotes.

    Parameters
    ----------
    table : Table
    verdicts : dict or None
        (row keys joined by a blank, column name) -> "green", "amber" or "red"; others are not marked.
    """
    parts = []
    for panel in table.spec.parts():
        lines, notes = texts(table, panel)
        columns = [table.spec.column(name) for name in panel.columns]
        keys = () if panel.hide_keys else table.spec.keys
        head = [_th(key.label) for key in keys] + [_th(column.label, column.numeric) for column in columns]
        body, last = [], None
        for row, row_keys, cells in lines:
            group = ' class="group"' if last is not None and row_keys[0] != last and len(keys) > 1 else ""
            last = row_keys[0]
            name = " ".join(row.keys.values())
            shown = [_key(*key) for key in row_keys] if keys else []
            shown += [
                _cell(column, cell, (verdicts or {}).get((name, column.name)), row)
                for column, cell in zip(columns, cells, strict=True)
            ]
            body.append(f"<tr{group}{_row_data(row)}>{''.join(shown)}</tr>")
        parts.append(grid(head, body, f' data-table="{table.spec.name}"'))
        if notes:
            parts.append(notes_html(notes))
    return "\n".join(parts)


def plain(header, rows, numeric=()):
    """A table of texts; columns in `numeric` stand to the right."""
    head = [_th(name, name in numeric) for name in header]
    body = [
        "<tr>" + "".join(td(value, name in numeric) for name, value in zip(header, row, strict=True)) + "</tr>"
        for row in rows
    ]
    return grid(head, body)


def grid(head, body, attributes=""):
    """A table from its header cells and its rows, scrolling on its own where it is too wide."""
    rows = "\n".join(body)
    header = f"<thead><tr>{''.join(head)}</tr></thead>"
    return f'<div class="scroll"><table{attributes}>{header}<tbody>\n{rows}\n</tbody></table></div>'


def notes_html(notes):
    """Footnotes."""
    return '<p class="notes">' + "<br>".join(f"<sup>{mark}</sup> {html.escape(text)}" for mark, text in notes) + "</p>"


def td(value, numeric=False, markup=False):
    """A cell; `markup`: the value is HTML already."""
    text = value if markup else html.escape(str(value))
    return f'<td class="n">{text}</td>' if numeric else f"<td>{text}</td>"


def _th(label, numeric=False):
    return f'<th scope="col"{" class=n" if numeric else ""}>{html.escape(label)}</th>'


def _key(text, mark):
    return f"<td>{html.escape(text)}{_sup(mark)}</td>"


def _row_data(row):
    """What the details of a cell say about its row."""
    pooling = row.keys.get("strategy", "").lower()
    values = {
        "row": " ".join(row.keys.values()),
        "runs": "|".join(row.runs),
        "pooling": pooling if pooling in POOLINGS else "",
    }
    return _attributes(values)


def _cell(column, cell, verdict, row):
    classes = ["n" if column.numeric else "wide", *([verdict] if verdict in MARKED else [])]
    ours = html.escape(cell.ours) + (f' <span class="sd">±{cell.sd}</span>' if cell.sd else "") + _sup(cell.mark)
    below = ""
    if cell.paper and not cell.agrees:
        difference = f" {_difference(column, cell.difference)}" if cell.difference else ""
        below = f'<span class="paper">{html.escape(cell.paper)}{difference}</span>'
    elif cell.agrees:
        ours += ' <span class="sd">✓</span>'
    title = f' title="{html.escape(", ".join(row.runs))}"' if row.runs and column.numeric else ""
    exact = row.cells[column.name]
    values = {"paper": cell.paper, "difference": cell.difference, "verdict": verdict or ""}
    if column.numeric:
        values |= {"v": number_text(exact.value), "sd": number_text(exact.sd)}
    # empty: sorted last
    data = _attributes(values) + (' data-v=""' if column.numeric and exact.value is None else "")
    button = f'<button type="button" class="cell" aria-haspopup="dialog"{data}>{ours}{below}</button>'
    return f'<td class="{" ".join(classes)}"{title}>{button}</td>'


def _attributes(values):
    """data-* attributes of the values that are not empty."""
    return "".join(f' data-{name}="{html.escape(text)}"' for name, text in values.items() if text)


def _difference(column, text):
    side = "down" if text.startswith(MINUS) else "up" if text.startswith("+") else ""
    shown = html.escape(text)
    if not column.numeric:
        return f"<br>{shown}"
    return f'<span class="{side}">{shown}</span>' if side else shown


def _sup(mark):
    return f"<sup>{mark}</sup>" if mark else ""
