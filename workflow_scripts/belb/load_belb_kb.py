"""Load a built knowledge base of BELB into a database: an SQLite file, or any address of SQLAlchemy.

Its tables are <kb>_names, <kb>_history and so on (belb/kb_store.py); those of another knowledge base stay.
"""

import logging
from pathlib import Path

from workflow_scripts.belb import kb_store
from workflow_scripts.common import command
from workflow_scripts.common.files import read_json, write_json


def main(args):
    """Run the command."""
    folder = args.names.parent
    kinds = {int(code): name for code, name in read_json(folder / "kinds.json").items()}
    if args.database is None:
        rows = kb_store.load_sqlite(folder, kinds, args.kb, args.sqlite)
    else:
        rows = kb_store.load_server(folder, kinds, args.kb, args.database)
        write_json(args.loaded, {"kb": args.kb, "rows": rows})
    for name, number in rows.items():
        logging.info("%s: %s rows", name, f"{number:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--names", type=Path, required=True, help="names.parquet, with the other tables beside it")
    parser.add_argument("--kb", required=True, help="id of the knowledge base, the prefix of its tables")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--sqlite", type=Path, help="output: SQLite file")
    where.add_argument("--database", metavar="URL", help="address without a password; needs --loaded")
    parser.add_argument("--loaded", type=Path, help="output: what was loaded at an address (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
