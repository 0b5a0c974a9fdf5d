"""Table 4: properties of the construction, measured on the finished corpus."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE4
from workflow_scripts.reporting.outputs import table_parser, write_table
from workflow_scripts.reporting.property_rows import property_values


def main(args):
    """Run the command."""
    write_table(args, TABLE4, property_values(args.properties, args.properties.parent.name))


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--properties", type=pathlib.Path, required=True, help="properties.json in the corpus's folder")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
