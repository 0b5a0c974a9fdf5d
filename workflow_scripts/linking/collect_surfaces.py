"""Collect the distinct surfaces of all batches, so that each string is linked once however often it occurs.

They are dealt out to shards by a digest of their key, so all surfaces of one key stand in one shard, and each shard is
one job of linking. How many there are does not change any link.
"""

import hashlib
import logging
from pathlib import Path

import pyarrow as pa

from workflow_scripts.common import command, duck
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.partitions import remove_other_partitions
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema, open_writer
from workflow_scripts.linking.forms import search_key
from workflow_scripts.linking.tables import SURFACES


def shard_of(key, shards):
    """The shard of a key, from 0."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) * shards >> 64


def collect(detected, outs, database):
    """Write the distinct surfaces with their keys, each shard sorted by key; returns their number.

    Parameters
    ----------
    detected, outs : list of Path
        Mentions of all batches; one file for each shard.
    database : duckdb.DuckDBPyConnection
    """
    for path in detected:
        check_schema(path, DETECTED)
    progress = Progress("distinct surfaces")
    database.execute("CREATE TABLE keyed (shard INTEGER, key VARCHAR, surface VARCHAR)")
    # A cursor of its own: the stream stays open while rows are inserted.
    reading = database.cursor()
    for table in duck.stream(reading, f"SELECT DISTINCT surface FROM {duck.parquet(detected)} ORDER BY surface"):
        keys = list(map(search_key, table["surface"].to_pylist()))
        shards = pa.array([shard_of(key, len(outs)) for key in keys], pa.int32())
        keyed = pa.table({"shard": shards, "key": pa.array(keys, pa.string()), "surface": table["surface"]})
        database.register("keyed_batch", keyed)
        database.execute("INSERT INTO keyed FROM keyed_batch")
        progress.add(keyed.num_rows)
    progress.close()
    for shard, out in enumerate(outs):
        with open_writer(out, SURFACES) as write:
            query = f"SELECT key, surface FROM keyed WHERE shard = {shard} ORDER BY key, surface"
            for table in duck.stream(database, query):
                write(table)
    return progress.done


def main(args):
    """Run the command."""
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        surfaces = collect(args.detected, args.surfaces, database)
    if [path.stem for path in args.surfaces] == [f"{number:03d}" for number in range(len(args.surfaces))]:
        remove_other_partitions(args.surfaces[0].parent, len(args.surfaces))
    logging.info("%s distinct surfaces", f"{surfaces:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--detected", type=Path, nargs="+", required=True, help="mentions of all batches")
    parser.add_argument(
        "--surfaces", type=Path, nargs="+", required=True, help="output: distinct surfaces (Parquet), one file a shard"
    )
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
