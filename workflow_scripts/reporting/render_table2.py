"""Table 2: facts and pairs of training that come back in validation and test, by benchmark."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE2
from workflow_scripts.reporting.leakage_rows import leakage_values
from workflow_scripts.reporting.outputs import table_parser, write_table


def main(args):
    """Run the command."""
    write_table(args, TABLE2, leakage_values(args.audits, TABLE2))


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--audits", type=pathlib.Path, nargs="*", default=[], help="leakage/<corpus>.json of corpora")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
