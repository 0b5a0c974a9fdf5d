"""Collect the distinct surfaces of all batches, so that each string is linked once however often it occurs."""

import logging
from pathlib import Path

import pyarrow as pa

from workflow_scripts.common import command, duck
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema, open_writer
from workflow_scripts.linking.forms import search_key
from workflow_scripts.linking.tables import DETECTED, SURFACES


def collect(detected, out, database):
    """Write the distinct surfaces with their keys, sorted by key; returns their number."""
    for path in detected:
        check_schema(path, DETECTED)
    progress = Progress("distinct surfaces")
    database.execute("CREATE TABLE keyed (key VARCHAR, surface VARCHAR)")
    # A cursor of its own: the stream stays open while rows are inserted.
    reading = database.cursor()
    for table in duck.stream(reading, f"SELECT DISTINCT surface FROM {duck.parquet(detected)} ORDER BY surface"):
        keys = pa.array(map(search_key, table["surface"].to_pylist()), pa.string())
        keyed = pa.table({"key": keys, "surface": table["surface"]})
        database.register("keyed_batch", keyed)
        database.execute("INSERT INTO keyed FROM keyed_batch")
        progress.add(keyed.num_rows)
    progress.close()
    with open_writer(out, SURFACES) as write:
        for table in duck.stream(database, "FROM keyed ORDER BY key, surface"):
            write(table)
    return progress.done


def main(args):
    """Run the command."""
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        surfaces = collect(args.detected, args.surfaces, database)
    logging.info("%s distinct surfaces", f"{surfaces:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--detected", type=Path, nargs="+", required=True, help="mentions of all batches")
    parser.add_argument("--surfaces", type=Path, required=True, help="output: distinct surfaces (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
