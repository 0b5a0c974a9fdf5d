"""Table 5: triples of the inductive and the transductive split of the knowledge graph."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE5
from workflow_scripts.reporting.graph_rows import split_values
from workflow_scripts.reporting.outputs import table_parser, write_table


def main(args):
    """Run the command."""
    write_table(args, TABLE5, split_values(args.graph))


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--graph", type=pathlib.Path, required=True, help="statistics.json of the knowledge graph")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
