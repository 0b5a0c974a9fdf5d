"""Write the names of a knowledge base as the stage linking reads them.

Nothing is known about definitions there: every entity counts as one that has a definition, so that one threshold is
all that a linking engine has.
"""

from pathlib import Path

from workflow_scripts.belb.contracts import NAMES
from workflow_scripts.common import command, duck
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.tables import check_schema, open_writer


def write_aliases(names, out, database):
    """Write each distinct name of each entity once."""
    check_schema(names, NAMES)
    query = f"""SELECT identifier AS cui, name, min(kind) = 0 AS preferred, true AS defined
        FROM {duck.parquet([names])} GROUP BY ALL ORDER BY cui, name"""
    with open_writer(out, ALIASES) as write:
        for table in duck.stream(database, query):
            write(table)


def main(args):
    """Run the command."""
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        write_aliases(args.names, args.aliases, database)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--names", type=Path, required=True, help="names.parquet of the knowledge base")
    parser.add_argument("--aliases", type=Path, required=True, help="output: the names (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
