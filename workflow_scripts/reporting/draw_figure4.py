"""Figure 4: precision-recall curves of the BERT baselines on the test split, one line per seed."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.tables import read_table
from workflow_scripts.reporting import figures
from workflow_scripts.reporting.catalogue import TABLE7, TABLE7_ROWS
from workflow_scripts.reporting.csv_format import read_csv
from workflow_scripts.reporting.model_rows import evaluation_of, read_models, row_key


def main(args):
    """Run the command."""
    lines = curves(args.curves, read_models(args.models))
    with figures.styled():
        figures.save(draw(lines, read_csv(args.table7, TABLE7)), [args.pdf, args.svg, args.png])


def curves(paths, models):
    """(model, bag, strategy) -> [(recall, precision)] by seed, in the order of Table 7.

    Parameters
    ----------
    paths : sequence of path
        evaluation/<run>/<pooling>/curve.parquet, in any order.
    models : dict
        Of `read_models`.

    Returns
    -------
    dict
        Values are lists of pairs of float64 arrays of one length.
    """
    found = {}
    for path in paths:
        _, _, model, seed, pooling = evaluation_of(path)
        table = read_table(path, CURVE)
        points = (table["recall"].to_numpy(), table["precision"].to_numpy())
        found.setdefault(row_key(models, model, pooling, path), []).append((seed, points))
    order = [key for key in TABLE7_ROWS if key in found] + sorted(set(found) - set(TABLE7_ROWS))
    return {key: [points for _, points in sorted(found[key], key=lambda entry: entry[0])] for key in order}


def draw(lines, table7):
    """The figure, with the mean AUC of Table 7 in the legend."""
    figure, axes = figures.new_figure(5.4, 3.9)
    rows = {tuple(row.keys.values()): row for row in table7.rows}
    for number, (key, seeds) in enumerate(lines.items()):
        for rank, (recall, precision) in enumerate(seeds):
            axes.plot(
                recall,
                precision,
                color=figures.COLOURS[number % len(figures.COLOURS)],
                linestyle=figures.DASHES[(number + number // len(figures.COLOURS)) % len(figures.DASHES)],
                linewidth=1.5 if rank == 0 else 0.7,
                alpha=1.0 if rank == 0 else 0.45,
                label=label(key, rows.get(key)) if rank == 0 else None,
            )
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="Recall", ylabel="Precision")
    axes.grid(True)
    if lines:
        axes.legend(loc="best", fontsize=8, handlelength=3.2)
    else:
        axes.text(0.5, 0.5, "no BERT model in this configuration", ha="center", transform=axes.transAxes)
    return figure


def label(key, row):
    """ "BERT+bag+ONE (AUC 67.0 ± 0.4)"; without AUC where Table 7 has none."""
    model, bag, strategy = key
    text = f"{model}+{'sent' if bag == '-' else 'bag'}+{strategy}"
    cell = row.cells["auc"] if row else None
    if cell is None or cell.value is None:
        return text
    return f"{text} (AUC {cell.value:.1f}" + (f" ± {cell.sd:.1f})" if cell.sd is not None else ")")


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--curves", type=path, nargs="*", default=[], help="curve.parquet of the evaluations")
    parser.add_argument("--models", type=path, required=True, help="experiments/models.tsv")
    parser.add_argument("--table7", type=path, required=True, help="Table 7 as csv")
    for name in ("pdf", "svg", "png"):
        parser.add_argument(f"--{name}", type=path, required=True, help=f"the figure as {name}")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
