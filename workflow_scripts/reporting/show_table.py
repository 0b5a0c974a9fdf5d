"""Print Table 7 in the terminal, our AUC and F1 beside the paper's, and the paths of all tables.

usage: show_table.py results/<name>/tables [--table table5]
"""

import argparse
import pathlib
import shutil
import sys
import textwrap

from workflow_scripts.common.errors import PipelineError
from workflow_scripts.common.files import read_json
from workflow_scripts.reporting.catalogue import TABLES
from workflow_scripts.reporting.cells import texts
from workflow_scripts.reporting.csv_format import read_csv
from workflow_scripts.reporting.drawings import paper_order

SIDE_BY_SIDE = {"table7": ("auc", "max_micro_f1", "max_macro_f1")}


def main(args):
    """Run the command."""
    table = read_csv(args.folder / f"{args.table}.csv", TABLES[args.table])
    width = args.width or max(80, min(120, shutil.get_terminal_size((110, 24)).columns))
    print("\n".join(terminal_lines(table, width)))
    print("\n".join(verdict(args.folder.parent / "verify.json", args.table)))
    print("\n".join(paths(args.folder)))


def terminal_lines(table, width):
    """The table as lines of at most `width` characters; columns that do not fit are left out, from the right."""
    lines = [table.spec.title]
    for panel in table.spec.parts():
        rows, notes = texts(table, panel)
        header, grid = _grid(table.spec, panel, rows)
        keys = 0 if panel.hide_keys else len(table.spec.keys)
        widths = [max(map(len, column)) for column in zip(header, *grid, strict=True)]
        while sum(widths) + 2 * (len(widths) - 1) > width and len(widths) > keys + 1:
            widths.pop()
        shown = [_justified(line, widths, keys) for line in [header, *grid]]
        lines += [shown[0], "-" * max(map(len, shown)), *shown[1:]]
        lines += [f"  ({mark}) {text}" for mark, text in notes if any(f"({mark})" in line for line in shown)]
        left_out = [name for name in header[len(widths) :] if name != "paper"]
        if left_out:
            lines.append(f"  too narrow for {', '.join(left_out)}: see the csv")
        lines.append("")
    return lines[:-1]


def verdict(path, table):
    """Whether the table may be compared with the paper, with the first reason; nothing before `verify` ran."""
    reasons = read_json(path)["reasons"].get(table, []) if path.is_file() else []
    if not reasons:
        return [""]
    more = f" (and {len(reasons) - 1} more, see {path.with_suffix('.md')})" if len(reasons) > 1 else ""
    return ["", *textwrap.wrap(f"Not comparable with the paper: {reasons[0]}{more}.", 100), ""]


def paths(folder):
    """Lines with the files of each table, and the other results of the run that are there."""
    found = ["Tables:"]
    for name, spec in sorted(TABLES.items(), key=lambda item: paper_order(item[0])):
        kinds = [suffix for suffix in ("csv", "md", "tex") if (folder / f"{name}.{suffix}").is_file()]
        if kinds:
            found.append(f"  {spec.title:<13} {folder / name}.{{{','.join(kinds)}}}")
    root = folder.parent
    drawn = sorted((path.stem for path in (root / "figures").glob("figure*.pdf")), key=paper_order)
    for name in (*(f"figures/{name}.pdf" for name in drawn), "report.html", "verify.md", "deviations.md"):
        if (root / name).is_file():
            found.append(f"  {name.rpartition('/')[2]:<13} {root / name}")
    return found


def _grid(spec, panel, rows):
    """Header and lines of cells; ours and the paper's side by side for the first metrics, ours alone for the others."""
    keys = [] if panel.hide_keys else [key.label for key in spec.keys]
    paired = [name in SIDE_BY_SIDE.get(spec.name, panel.columns) and spec.column(name).paper for name in panel.columns]
    header = list(keys)
    for name, both in zip(panel.columns, paired, strict=True):
        header += [spec.column(name).label, "paper"] if both else [spec.column(name).label]
    grid = []
    for _, row_keys, cells in rows:
        line = [text + (f" ({mark})" if mark else "") for text, mark in row_keys] if keys else []
        for cell, both in zip(cells, paired, strict=True):
            ours = cell.ours + (f" ±{cell.sd}" if cell.sd else "") + (f" ({cell.mark})" if cell.mark else "")
            line += [ours, cell.paper or "—"] if both else [ours]
        grid.append(line)
    return header, grid


def _justified(line, widths, keys):
    """Keys to the left, the others to the right; cells beyond `widths` are dropped."""
    cells = zip(line, widths, strict=False)
    text = "  ".join(c.ljust(w) if i < keys else c.rjust(w) for i, (c, w) in enumerate(cells))
    return text.rstrip()


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="results/<name>/tables")
    parser.add_argument("--table", choices=sorted(TABLES), default="table7", help="which table (default: table7)")
    parser.add_argument("--width", type=int, help="characters per line (default: those of the terminal, 80 to 120)")
    return parser


if __name__ == "__main__":
    try:
        main(arguments().parse_args())
    except (PipelineError, OSError) as error:
        sys.exit(f"error: {error}")
