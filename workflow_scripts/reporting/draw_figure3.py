"""Figure 3: entities of the corpus per semantic type (left) and its instances per relation (right), on log scales."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting import figures
from workflow_scripts.reporting.sources import json_file, take

NA = "NA"
# groups as shapes, so that they are told apart without colour
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
# inches: a row, the page, and the space above and below the lists
ROW, WIDTH, TOP, BOTTOM = 0.135, 8.2, 0.08, 0.5


def main(args):
    """Run the command."""
    statistics = json_file(args.corpus)
    types, relations = type_counts(args.corpus, statistics), relation_counts(args.corpus, statistics)
    with figures.styled():
        figures.save(draw(types, relations), figures.outputs(args))


def type_counts(path, statistics):
    """[(semantic type, group, entities)], the largest first, then by name; types without an entity are left out."""
    found = []
    for entry in take(path, statistics, "entities_by_type"):
        name, group, entities = (take(path, entry, key) for key in ("sty", "group", "entities"))
        if entities:
            found.append((name, group, int(entities)))
    return sorted(found, key=lambda entry: (-entry[2], entry[0]))


def relation_counts(path, statistics):
    """[(relation, instances in all splits)], the largest first, then by name, NA with them."""
    totals = {}
    for counts in take(path, statistics, "instances_by_relation").values():
        for relation, n in counts.items():
            totals[relation] = totals.get(relation, 0) + int(n)
    return sorted(((name, n) for name, n in totals.items() if n), key=lambda entry: (-entry[1], entry[0]))


def draw(types, relations):
    """The figure: two lists from the same line down, each as long as it is."""
    rows = max(len(types), len(relations), 4)
    height = TOP + ROW * rows + BOTTOM
    figure = figures.blank(WIDTH, height)
    left, right = (
        figure.add_axes((x / WIDTH, 1 - (TOP + ROW * max(n, 4)) / height, 2.15 / WIDTH, ROW * max(n, 4) / height))
        for x, n in ((2.2, len(types)), (5.9, len(relations)))
    )
    groups = sorted({group for _, group, _ in types})
    looks = {
        group: {"marker": SHAPES[i % len(SHAPES)], "color": figures.COLOURS[i % len(figures.COLOURS)]}
        for i, group in enumerate(groups)
    }
    _dots(left, [(name, n, looks[group]) for name, group, n in types], "Entities")
    hollow = {"marker": "o", "color": "#000000", "markerfacecolor": "#ffffff"}
    filled = {"marker": "o", "color": "#000000"}
    _dots(right, [(name, n, hollow if name == NA else filled) for name, n in relations], "Instances")
    handles = [
        left.plot([], [], linestyle="none", markersize=4.5, label=group, **look)[0] for group, look in looks.items()
    ]
    if handles:
        left.legend(handles=handles, loc="lower right", fontsize=7, ncols=2, handletextpad=0.2, columnspacing=0.8)
    return figure


def _dots(axes, entries, label):
    """A dot and its stem for each (name, number, look), downwards; the axis starts just below one."""
    top = max((n for _, n, _ in entries), default=1)
    for row, (_, n, look) in enumerate(entries):
        axes.plot([0.8, n], [row, row], color="#c8c8c8", linewidth=0.8, zorder=1)
        axes.plot([n], [row], linestyle="none", markersize=4.5, zorder=2, **look)
    axes.set_xscale("log")
    axes.set(xlim=(0.8, max(10, 2 * top)), ylim=(max(len(entries), 4) - 0.4, -0.6), xlabel=f"{label} (log scale)")
    axes.set_yticks(range(len(entries)), [name for name, _, _ in entries], fontsize=7)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(True, axis="x")


def arguments():
    """The command line."""
    parser = figures.figure_parser(__doc__)
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="statistics.json in the corpus's folder")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
