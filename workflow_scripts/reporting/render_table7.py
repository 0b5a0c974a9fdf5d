"""Table 7: every baseline on the test split, mean and sd over seeds, beside the published numbers."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE7, TABLE7_ROWS
from workflow_scripts.reporting.model_rows import model_values, read_models
from workflow_scripts.reporting.outputs import table_parser, write_table


def main(args):
    """Run the command."""
    values = model_values(args.metrics, read_models(args.models), TABLE7.columns)
    write_table(args, TABLE7, values, TABLE7_ROWS)


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--metrics", type=pathlib.Path, nargs="*", default=[], help="metrics.json of all evaluations")
    parser.add_argument("--models", type=pathlib.Path, required=True, help="experiments/models.tsv")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
