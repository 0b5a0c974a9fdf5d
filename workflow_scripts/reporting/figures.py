"""Figures with the same bytes on every machine: no dates, no random ids, fonts embedded, no display."""

import logging
import pathlib

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from workflow_scripts.common import command
from workflow_scripts.common.files import atomic_path

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "meddistant19",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "path.simplify": False,
    "savefig.dpi": 200,
}
METADATA = {
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
FORMATS = ("pdf", "svg", "png")
# Okabe and Ito's colours, chosen to differ in lightness too, each with its own dashes: legible in greyscale.
COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00")
DASHES = ("solid", (0, (6, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)), (0, (8, 2, 1, 2, 1, 2)))


def new_figure(width, height):
    """A figure in inches with one set of axes; use inside `styled`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def blank(width, height):
    """A figure in inches without axes; use inside `styled`."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def styled():
    """A context in which figures take the style of the report."""
    return matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE, "backend": "agg"})


def save(figure, paths):
    """Write a figure to each path; the format is the path's suffix (pdf, svg, png)."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    for path in paths:
        kind = path.suffix[1:]
        with atomic_path(path) as temporary:
            figure.savefig(temporary, format=kind, metadata=METADATA[kind])


def figure_parser(description):
    """An argument parser with the three files that every command of a figure writes."""
    parser = command.parser(description)
    for name in FORMATS:
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, help=f"the figure as {name}")
    return parser


def outputs(args):
    """The paths of `figure_parser`."""
    return [getattr(args, name) for name in FORMATS]
