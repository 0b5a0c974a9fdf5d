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
PREAMBLE = "% Needs the packages booktabs and amssymb; UTF-8."


def escape(text):
    """Text that LaTeX prints as it is."""
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], str(text))


def render(table):
    """A table environment with caption, label and footnotes."""
    body = []
    for panel in table.spec.parts():
        lines, notes = texts(table, panel)
        columns = [table.spec.column(name) for name in panel.columns]
        keys = [] if panel.hide_keys else list(table.spec.keys)
        body += [
            rf"\begin{{tabular}}{{{_alignment(keys, columns)}}}",
            r"\toprule",
            _line([escape(key.label) for key in keys] + [escape(column.label) for column in columns]),
            r"\midrule",
            *(line for _, row_keys, cells in lines for line in _row(row_keys if keys else [], cells)),
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"\\ {{\footnotesize $^{{{mark}}}$ {escape(text)}}}" for mark, text in notes),
            r"\par\medskip",
        ]
    caption = f"{table.caption} Below each number of ours: the paper's, and the difference."
    return "\n".join(
        [
            PREAMBLE,
            r"\begin{table}[t]",
            r"\centering",
            r"\footnotesize",
            r"\setlength{\tabcolsep}{3pt}",
            *body[:-1],
            rf"\caption{{{escape(caption)}}}",
            rf"\label{{tab:{table.spec.name.replace('_', '-')}}}",
            r"\end{table}",
            "",
        ]
    )


def _alignment(keys, columns):
    """Columns of names, and the keys beside them, share the line; others are as wide as their cells."""
    names = sum(column.kind == "names" for column in columns)
    width = rf"p{{{0.92 / (names + len(keys)):.2f}\linewidth}}" if names else ""
    kinds = {"names": width, "text": "l"}
    return (width or "l") * len(keys) + "".join(kinds.get(column.kind, "r") for column in columns)


def _row(keys, cells):
    """One or two lines: ours, and the paper's where any is printed and differs in kind from ours."""
    first = [escape(key) + _sup(mark) for key, mark in keys]
    first += [_above(cell) for cell in cells]
    lines = [_line(first)]
    below = [_below(cell) for cell in cells]
    if any(below):
        lines.append(_line([""] * len(keys) + below))
    lines[-1] += "[2pt]"
    return lines


def _above(cell):
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
