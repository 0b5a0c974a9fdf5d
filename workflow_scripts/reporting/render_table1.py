"""Table 1: the landscape of benchmarks; what is computed of it stands beside the paper's facts."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE1
from workflow_scripts.reporting.outputs import table_parser, write_table
from workflow_scripts.reporting.property_rows import landscape_values


def main(args):
    """Run the command."""
    corpus = args.properties.parent.name
    write_table(args, TABLE1, landscape_values(args.properties, args.statistics, corpus, args.audits))


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--properties", type=path, required=True, help="properties.json in the corpus's folder")
    parser.add_argument("--statistics", type=path, required=True, help="statistics.json in the corpus's folder")
    parser.add_argument("--audits", type=path, nargs="*", default=[], help="audits of leakage of other benchmarks")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
