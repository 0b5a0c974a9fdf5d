"""Write each distinct name of a knowledge base once, with the entities that have it."""

from pathlib import Path

from workflow_scripts.belb.contracts import NAMES
from workflow_scripts.common import command, duck
from workflow_scripts.common.contracts.grouped_names import GROUPED_NAMES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import check_schema, open_writer


def group_names(names, out, database):
    """Write the names; DataError where there is none."""
    check_schema(names, NAMES)
    query = f"""SELECT name, list(DISTINCT identifier ORDER BY identifier) AS identifiers
        FROM {duck.parquet([names])} GROUP BY name ORDER BY name"""
    rows = 0
    with open_writer(out, GROUPED_NAMES) as write:
        for table in duck.stream(database, query):
            write(table)
            rows += table.num_rows
        if not rows:
            raise DataError(names, found="no names", expected="a knowledge base with entities")


def main(args):
    """Run the command."""
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        group_names(args.names, args.grouped, database)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--names", type=Path, required=True, help="names.parquet of the knowledge base")
    parser.add_argument("--grouped", type=Path, required=True, help="output: the names (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
