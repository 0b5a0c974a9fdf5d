"""Table A.2: mentions pruned for their frequency, by semantic type and bin."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE_A2
from workflow_scripts.reporting.corpus_rows import pruned_values
from workflow_scripts.reporting.outputs import table_parser, write_table


def main(args):
    """Run the command."""
    write_table(args, TABLE_A2, pruned_values(args.corpus, args.corpus.parent.name))


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="statistics.json in the corpus's folder")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
