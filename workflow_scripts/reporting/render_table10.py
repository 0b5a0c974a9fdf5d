"""Table 10: one model on the corpora of several splits of the graph."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE10
from workflow_scripts.reporting.model_rows import evaluation_of, run_values
from workflow_scripts.reporting.outputs import table_parser, write_table


def main(args):
    """Run the command."""
    values = run_values(args.metrics, lambda path: (evaluation_of(path)[1],), TABLE10.columns)
    write_table(args, TABLE10, values)


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--metrics", type=pathlib.Path, nargs="*", default=[], help="metrics.json of the evaluations")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
