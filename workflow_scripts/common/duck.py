"""DuckDB within a job's share of the machine: threads, memory and a folder to spill to come from the arguments."""

import contextlib
import os
import tempfile

import duckdb
import pyarrow as pa

# DuckDB counts only its own buffers; the rest of the job's memory is for Arrow and the interpreter.
MEMORY_SHARE = 0.6
ROWS = 1 << 17


def add_arguments(parser):
    """Add --threads, --memory-mb and --temporary to an argument parser."""
    parser.add_argument("--threads", type=int, default=1, help="threads of the database")
    parser.add_argument("--memory-mb", type=int, default=4000, help="memory of the whole job, MB")
    parser.add_argument("--temporary", default=tempfile.gettempdir(), help="folder for what does not fit in memory")


@contextlib.contextmanager
def database(threads, memory_mb, temporary):
    """Yield an in-memory connection that spills to a folder of its own below `temporary`.

    Parameters
    ----------
    threads : int
    memory_mb : int
        Memory of the whole job; the database gets MEMORY_SHARE of it.
    temporary : str or Path
        An existing folder.
    """
    with tempfile.TemporaryDirectory(dir=temporary, prefix="duckdb.", ignore_cleanup_errors=True) as folder:
        settings = {
            "threads": threads,
            "memory_limit": f"{max(int(memory_mb * MEMORY_SHARE), 64)}MB",
            "temp_directory": os.path.join(folder, "spill"),
        }
        connection = duckdb.connect(":memory:", config=settings)
        try:
            yield connection
        finally:
            connection.close()


def stream(connection, query, parameters=None, rows=ROWS):
    """Yield the result of a query as Arrow tables of exactly `rows` rows, the last one shorter.

    The sizes do not depend on threads, so a file written from them has the same row groups every time. The query
    must order its rows by a key.
    """
    reader = connection.sql(query, params=parameters or []).to_arrow_reader(rows)
    waiting, held = [], 0
    for batch in reader:
        waiting.append(pa.Table.from_batches([batch]))
        held += batch.num_rows
        if held >= rows:
            table = pa.concat_tables(waiting)
            while table.num_rows >= rows:
                yield table.slice(0, rows)
                table = table.slice(rows)
            waiting, held = [table], table.num_rows
    if held:
        yield pa.concat_tables(waiting)


def parquet(paths):
    """A `read_parquet(...)` clause over one or several files, for use in a query."""
    paths = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    names = ", ".join("'" + os.fspath(path).replace("'", "''") + "'" for path in paths)
    return f"read_parquet([{names}], hive_partitioning = false)"
