"""Figure 2: the type hierarchy of the release: semantic groups, their semantic types by tree number, and concepts."""

import collections
import dataclasses
import pathlib

import pyarrow as pa

from workflow_scripts.common import command, rrf
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.tables import read_table
from workflow_scripts.reporting import figures

# inches: a line, the page, its margin, and between the two columns
LINE, WIDTH, MARGIN, GAP = 0.165, 7.6, 0.12, 0.4
COLUMN = (WIDTH - 2 * MARGIN - GAP) / 2


@dataclasses.dataclass(frozen=True)
class Branch:
    """A semantic type in its group: name, number of concepts, and steps below the group's topmost types."""

    name: str
    concepts: int
    depth: int


def main(args):
    """Run the command."""
    types = type_counts(args.concepts)
    groups = {entry["GROUP"]: entry["GROUP_NAME"] for entry in rrf.read(args.semgroups, "SemGroups").to_pylist()}
    with figures.styled():
        figures.save(draw(hierarchy(types, tree_numbers(args.mrsty, set(types))), groups), figures.outputs(args))


def type_counts(path):
    """TUI -> (name, group, number of concepts) of kg/concepts.parquet."""
    counted = read_table(path, CONCEPTS, columns=["tui", "sty", "group"]).group_by(["tui", "sty", "group"])
    rows = counted.aggregate([([], "count_all")]).to_pylist()
    return {row["tui"]: (row["sty"], row["group"], row["count_all"]) for row in rows}


def tree_numbers(path, types):
    """TUI -> tree number ("B2.2.1.2.1") of MRSTY, for the types wanted; the file is streamed once."""
    found = {}
    with rrf.reading(path, "MRSTY", ["TUI", "STN"]) as rows:
        for batch in rows:
            for pair in pa.table([*batch.columns], ["TUI", "STN"]).group_by(["TUI", "STN"]).aggregate([]).to_pylist():
                if pair["TUI"] in types:
                    found[pair["TUI"]] = min(pair["STN"], found.get(pair["TUI"], pair["STN"]))
    return found


def hierarchy(types, numbers):
    """Group -> its types as Branches in the order of their tree numbers, a type under the nearest one above it.

    Parameters
    ----------
    types : dict
        TUI -> (name, group, concepts).
    numbers : dict
        TUI -> tree number; a type without one comes last, by name.
    """
    members = collections.defaultdict(list)
    for tui, (name, group, concepts) in types.items():
        members[group].append((numbers.get(tui), name, concepts))
    groups = {}
    for group in sorted(members):
        rows = sorted(members[group], key=lambda row: (row[0] is None, tree_key(row[0] or ""), row[1]))
        known = {number for number, _, _ in rows if number}
        groups[group] = [
            Branch(name, concepts, sum(is_above(other, number) for other in known) if number else 0)
            for number, name, concepts in rows
        ]
    return groups


def tree_key(number):
    """A sort key of a tree number: its letter, then its numbers as numbers ("A1.4.1.1.3.10" after "...3.2")."""
    return number[:1], tuple(int(part) for part in number[1:].split(".") if part.isdigit())


def is_above(number, other):
    """Whether a tree number is a true ancestor of another ("B2.2" of "B2.2.1", "A1" of "A1.4", "A" of "A1")."""
    (letter, path), (other_letter, other_path) = tree_key(number), tree_key(other)
    return letter == other_letter and len(path) < len(other_path) and other_path[: len(path)] == path


def draw(groups, names):
    """The root, two columns of groups, each with its types and their concepts.

    Parameters
    ----------
    groups : dict
        Of `hierarchy`.
    names : dict
        Group -> its full name.
    """
    columns = _columns(groups)
    height = max([sum(len(groups[group]) + 2 for group in column) for column in columns] + [3])
    figure = figures.blank(WIDTH, LINE * (height + 2.6))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(height + 1.6, -1))
    axes.set_axis_off()
    total = sum(branch.concepts for branches in groups.values() for branch in branches)
    axes.text(MARGIN, 0, "Concepts", fontweight="bold", va="center")
    axes.text(WIDTH - MARGIN, 0, f"{total:,}", ha="right", va="center", fontweight="bold")
    axes.plot([MARGIN, WIDTH - MARGIN], [0.65, 0.65], color="#000000", linewidth=0.8)
    for number, column in enumerate(columns):
        start, y = MARGIN + number * (COLUMN + GAP), 1.6
        for group in column:
            y = _draw_group(axes, start, y, f"{names.get(group, group)} ({group})", groups[group])
    return figure


def _columns(groups):
    """Two lists of groups in order, split where the longer of the two is shortest."""
    names = list(groups)
    lines = [len(groups[name]) + 2 for name in names]
    cut = min(range(len(names) + 1), key=lambda i: (max(sum(lines[:i]), sum(lines[i:])), i))
    return names[:cut], names[cut:]


def _draw_group(axes, start, y, title, branches):
    """A group and its types from line y on; the line below them."""
    end = start + COLUMN
    axes.text(start, y, title, fontweight="bold", fontsize=8.5, va="center")
    axes.text(
        end, y, f"{sum(b.concepts for b in branches):,}", ha="right", va="center", fontsize=8.5, fontweight="bold"
    )
    parents = {-1: y}
    for line, branch in enumerate(branches, 1):
        x, here = start + 0.1 + 0.17 * branch.depth, y + line
        above = parents[max(depth for depth in parents if depth < branch.depth)]
        axes.plot([x, x, x + 0.11], [above + 0.42, here, here], color="#8c8c8c", linewidth=0.7)
        axes.text(x + 0.15, here, branch.name, fontsize=7.5, va="center")
        axes.text(end, here, f"{branch.concepts:,}", ha="right", va="center", fontsize=7.5)
        parents = {depth: place for depth, place in parents.items() if depth < branch.depth} | {branch.depth: here}
    return y + len(branches) + 2


def arguments():
    """The command line."""
    parser = figures.figure_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--concepts", type=path, required=True, help="concepts of the knowledge graph")
    parser.add_argument("--mrsty", type=path, required=True, help="MRSTY.RRF of the release, for tree numbers")
    parser.add_argument("--semgroups", type=path, required=True, help="the release's table of semantic groups")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
