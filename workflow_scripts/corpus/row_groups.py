"""Parquet files whose bytes do not show in which portions they were written."""

import contextlib

import pyarrow as pa

from workflow_scripts.common.tables import open_writer

ROW_GROUP = 1 << 17


@contextlib.contextmanager
def fixed_row_groups(path, contract, size=ROW_GROUP):
    """Yield `write(table)`: tables of any length become row groups of `size` rows, the last one shorter."""
    waiting = []

    with open_writer(path, contract) as write:

        def add(table):
            waiting.append(table.select(contract.schema.names))
            if sum(part.num_rows for part in waiting) >= size:
                together = pa.concat_tables(waiting).combine_chunks()
                whole = together.num_rows // size * size
                for start in range(0, whole, size):
                    write(together.slice(start, size))
                waiting[:] = [together.slice(whole)]

        yield add
        if waiting:
            write(pa.concat_tables(waiting).combine_chunks())
