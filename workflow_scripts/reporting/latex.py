"""Tables as LaTeX (booktabs): two lines a row, ours above and the paper's number with the difference below."""

import re

from workflow_scripts.reporting.cells import texts

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "✓": r"\checkmark{}",
    "✗": r"$\times$",
    "≥": r"$\geq$",
    "±": r"$\pm$",
    "−": r"$-$",
    "×": r"$\times$",
    "—": "---",
    "–": "--",
}
_SPECIAL = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")
PREAMBLE = "% Needs the packages booktabs, amssymb, graphicx and longtable; UTF-8."
LONG_PANEL, LONG_HEADING = 28, 90  # rows that fit on a page, letters that fit on a line
_BREAK = r"\\"
SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"


def escape(text):
    """Text that LaTeX prints as it is."""
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], str(text))


def render(table):
    """A table with caption, label and footnotes: a float, or where a panel is longer than a page one that breaks.

    What is wider than the line is shrunk to it.
    """
    panels = [(panel, *texts(table, panel)) for panel in table.spec.parts()]
    caption = escape(f"{table.caption} Below each number of ours: the paper's, and the difference.")
    caption = rf"\caption{{{caption}}}", rf"\label{{tab:{table.spec.name.replace('_', '-')}}}"
    is_long = any(len(lines) > LONG_PANEL for _, lines, _ in panels)
    parts = _long_table if is_long else _float
    return "\n".join([PREAMBLE, *parts(table, panels, caption), ""])


def _float(table, panels, caption):
    body = []
    for panel, lines, notes in panels:
        alignment, heading, rows = _panel(table, panel, lines)
        top = rf"\begin{{tabular}}{{{alignment}}}"
        body += [SHRUNK + top, r"\toprule", heading, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}}"]
        body += [rf"\\ {note}" for note in _notes(notes)]
        body.append(r"\par\medskip")
    style = [r"\centering", r"\footnotesize", r"\setlength{\tabcolsep}{3pt}"]
    return [r"\begin{table}[t]", *style, *body[:-1], *caption, r"\end{table}"]


def _long_table(table, panels, caption):
    body = []
    for number, (panel, lines, notes) in enumerate(panels):
        alignment, heading, rows = _panel(table, panel, lines)
        head = [r"\toprule", heading, r"\midrule"]
        body += [r"\addtocounter{table}{-1}"] if number else []  # one table, however many panels
        body += [rf"\begin{{longtable}}{{{alignment}}}", *([] if number else ["".join(caption) + r" \\"])]
        body += [*head, r"\endfirsthead", *head, r"\endhead"]
        body += [r"\bottomrule", r"\endfoot", *rows, r"\end{longtable}"]
        body += [rf"\noindent {note}\par" for note in _notes(notes)]
    return [r"\begingroup", r"\footnotesize", r"\setlength{\tabcolsep}{3pt}", *body, r"\endgroup"]


def _panel(table, panel, lines):
    """Alignment, heading and rows of a panel."""
    columns = [table.spec.column(name) for name in panel.columns]
    keys = [] if panel.hide_keys else list(table.spec.keys)
    labels = [escape(key.label) for key in keys] + [escape(column.label) for column in columns]
    if sum(map(len, labels)) > LONG_HEADING:
        stacked = (_stacked(column) if column.numeric else escape(column.label) for column in columns)
        labels = [*labels[: len(keys)], *stacked]
    rows = [line for _, row_keys, cells in lines for line in _row(row_keys if keys else [], cells, columns)]
    return _alignment(keys, columns), _line(labels), rows


def _stacked(column):
    """A heading with a line for each word."""
    words = [escape(word) for word in column.label.split()]
    return rf"\shortstack[r]{{{_BREAK.join(words)}}}" if len(words) > 1 else words[0]


def _notes(notes):
    return [rf"{{\footnotesize $^{{{mark}}}$ {escape(text)}}}" for mark, text in notes]


def _alignment(keys, columns):
    """Columns of names and long texts, and keys beside them, share the line; others are as wide as their cells."""
    broken = [column.kind == "names" or column.wrap for column in columns]
    width = rf"p{{{0.92 / (sum(broken) + len(keys)):.2f}\linewidth}}" if any(broken) else ""
    plain = ["l" if column.kind == "text" else "r" for column in columns]
    kinds = [width if breaks else kind for kind, breaks in zip(plain, broken, strict=True)]
    return (width or "l") * len(keys) + "".join(kinds)


def _row(keys, cells, columns):
    """One or two lines: ours, and the paper's where any is printed and differs in kind from ours."""
    first = [escape(key) + _sup(mark) for key, mark in keys]
    first += [_above(cell, column) for cell, column in zip(cells, columns, strict=True)]
    lines = [_line(first)]
    below = [_below(cell) for cell in cells]
    if any(below):
        lines[0] += "*"  # no page ends here
        lines.append(_line([""] * len(keys) + below))
    lines[-1] += "[2pt]"
    return lines


def _above(cell, column):
    if column.wrap or column.kind == "names":
        # an address has no blank to break at
        return escape(cell.ours).replace("/", r"/\allowbreak{}") + _sup(cell.mark)
    sd = rf" {{\scriptsize $\pm$ {escape(cell.sd)}}}" if cell.sd else ""
    return escape(cell.ours) + sd + _sup(cell.mark)


def _below(cell):
    if cell.agrees or not cell.paper:
        return ""
    difference = f" ({escape(cell.difference)})" if cell.difference else ""
    return rf"{{\scriptsize {escape(cell.paper)}{difference}}}"


def _line(values):
    return " & ".join(values) + r" \\"


def _sup(mark):
    return f"$^{{{mark}}}$" if mark else ""
