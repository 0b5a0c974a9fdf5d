"""Figure 4: precision-recall curves of the BERT baselines on the test split, one line per seed."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting import figures
from workflow_scripts.reporting.catalogue import TABLE7
from workflow_scripts.reporting.csv_format import read_csv
from workflow_scripts.reporting.curve_plot import draw_curves
from workflow_scripts.reporting.curve_rows import curves
from workflow_scripts.reporting.model_rows import read_models


def main(args):
    """Run the command."""
    lines = curves(args.curves, read_models(args.models))
    with figures.styled():
        figures.save(draw(lines, read_csv(args.table7, TABLE7)), figures.outputs(args))


def draw(lines, table7):
    """The figure, with the mean AUC of Table 7 in the legend."""
    rows = {tuple(row.keys.values()): row for row in table7.rows}
    labels = {key: label(key, rows.get(key)) for key in lines}
    return draw_curves(lines, labels, "no BERT model in this configuration")


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
    parser = figures.figure_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--curves", type=path, nargs="*", default=[], help="curve.parquet of the evaluations")
    parser.add_argument("--models", type=path, required=True, help="experiments/models.tsv")
    parser.add_argument("--table7", type=path, required=True, help="Table 7 as csv")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
