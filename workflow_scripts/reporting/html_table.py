"""Tables as HTML: ours, and below it in small print the paper's number with the difference."""

import html

from workflow_scripts.reporting.cells import MINUS, texts

MARKED = ("green", "amber", "red")
LEGEND = (
    "In the tables, large: ours, mean ± sample standard deviation over seeds; small: the paper's, and the difference; "
    "✓: as in the paper."
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
                _cell(column, cell, (verdicts or {}).get((name, column.name)), row.runs)
                for column, cell in zip(columns, cells, strict=True)
            ]
            body.append(f"<tr{group}>{''.join(shown)}</tr>")
        parts.append(grid(head, body))
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


def grid(head, body):
    """A table from its header cells and its rows, scrolling on its own where it is too wide."""
    rows = "\n".join(body)
    return f'<div class="scroll"><table><thead><tr>{"".join(head)}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


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


def _cell(column, cell, verdict, runs):
    classes = ["n" if column.numeric else "wide", *([verdict] if verdict in MARKED else [])]
    ours = html.escape(cell.ours) + (f' <span class="sd">±{cell.sd}</span>' if cell.sd else "") + _sup(cell.mark)
    below = ""
    if cell.paper and not cell.agrees:
        difference = f" {_difference(column, cell.difference)}" if cell.difference else ""
        below = f'<span class="paper">{html.escape(cell.paper)}{difference}</span>'
    elif cell.agrees:
        ours += ' <span class="sd">✓</span>'
    title = f' title="{html.escape(", ".join(runs))}"' if runs and column.numeric else ""
    return f'<td class="{" ".join(classes)}"{title}>{ours}{below}</td>'


def _difference(column, text):
    side = "down" if text.startswith(MINUS) else "up" if text.startswith("+") else ""
    shown = html.escape(text)
    if not column.numeric:
        return f"<br>{shown}"
    return f'<span class="{side}">{shown}</span>' if side else shown


def _sup(mark):
    return f"<sup>{mark}</sup>" if mark else ""
