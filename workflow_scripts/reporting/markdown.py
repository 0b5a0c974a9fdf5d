"""Tables as Markdown (pipe tables)."""

import re

from workflow_scripts.reporting.cells import texts

LEGEND = "Cells: ours (paper, difference); mean ± sample standard deviation where several seeds ran."
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def escape(text):
    """Text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", str(text))


def render(table):
    """The table with title, caption, legend and footnotes."""
    parts = [f"# {table.spec.title}", escape(table.caption)]
    for panel in table.spec.parts():
        lines, notes = texts(table, panel)
        columns = [table.spec.column(name) for name in panel.columns]
        keys = [] if panel.hide_keys else [key.label for key in table.spec.keys]
        align = [":--"] * len(keys) + ["--:" if column.numeric else ":--" for column in columns]
        parts.append(
            "\n".join(
                [
                    pipe([*keys, *(column.label for column in columns)]),
                    "|" + "|".join(align) + "|",
                    *(_line(row_keys if keys else [], cells) for _, row_keys, cells in lines),
                ]
            )
        )
        if notes:
            parts.append("  \n".join(f"<sup>{mark}</sup> {escape(text)}" for mark, text in notes))
    parts.append(LEGEND)
    return "\n\n".join(part for part in parts if part) + "\n"


def pipe(values):
    """One line of a table; headings are escaped too."""
    return "| " + " | ".join(escape(value) for value in values) + " |"


def _line(keys, cells):
    shown = [escape(key) + _sup(mark) for key, mark in keys] + [_cell(cell) for cell in cells]
    return "| " + " | ".join(shown) + " |"


def _cell(cell):
    text = escape(cell.ours) + (f" ± {cell.sd}" if cell.sd else "") + _sup(cell.mark)
    aside = [part for part in (cell.paper, cell.difference) if part]
    if cell.agrees:
        return f"{text} ✓"
    if cell.difference and not cell.difference[-1].isdigit():
        return f"{text} (paper: {escape(cell.paper)}; {escape(cell.difference)})"
    return text + (f" ({escape(', '.join(aside))})" if aside else "")


def _sup(mark):
    return f"<sup>{mark}</sup>" if mark else ""
