"""Write the names of a knowledge base so that no two entities share one.

How: workflow_scripts/belb/kb_disambiguation.py.
"""

import logging
from pathlib import Path

from workflow_scripts.belb.contracts import FOREIGN, NAMES
from workflow_scripts.belb.kb_disambiguation import disambiguate
from workflow_scripts.belb.species_words import first_names
from workflow_scripts.common import command, duck
from workflow_scripts.common.tables import check_schema, open_writer


def main(args):
    """Run the command."""
    for name, contract in (("names", NAMES), ("foreign", FOREIGN)):
        check_schema(args.names.parent / f"{name}.parquet", contract)
    species = first_names(args.words) if args.words else {}
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        counts = disambiguate(database, args.names.parent, species)
        columns, order = ", ".join(NAMES.schema.names), ", ".join(NAMES.sort_by)
        with open_writer(args.disambiguated, NAMES) as write:
            for table in duck.stream(database, f"SELECT {columns} FROM disambiguated ORDER BY {order}"):
                write(table)
    logging.info(", ".join(f"{what} {number:,}" for what, number in counts.items()))


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--names", type=Path, required=True, help="names.parquet, with foreign.parquet beside it")
    parser.add_argument("--words", type=Path, nargs="?", help="table of words: the first name of a taxon is written")
    parser.add_argument("--disambiguated", type=Path, required=True, help="output: names (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
