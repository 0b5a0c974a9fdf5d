"""Table 3: models of prior works on rebuilt benchmarks, before and after taking out what training knows of the rest."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE3
from workflow_scripts.reporting.outputs import table_parser, write_table
from workflow_scripts.reporting.prior_rows import prior_values


def main(args):
    """Run the command."""
    write_table(args, TABLE3, prior_values(args.metrics, args.models, set(args.filtered), TABLE3))


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--metrics", type=pathlib.Path, nargs="*", default=[], help="metrics.json of the evaluations")
    parser.add_argument("--models", type=pathlib.Path, required=True, help="experiments/models.tsv")
    parser.add_argument("--filtered", nargs="*", default=[], help="ids of the corpora without overlap")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
