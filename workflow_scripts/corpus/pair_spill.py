"""Pairs of the text on disk between the two readings of them, and the distinct NA pairs among them in memory."""

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from workflow_scripts.corpus.sieve import sorted_distinct


class PairSpill:
    """Tables of `pairs_of_block`, written one after the other and read again in this order.

    Parameters
    ----------
    folder : Path
        An empty folder for the files.
    """

    def __init__(self, folder):
        self.folder, self.writers, self.files = folder, [], []
        self.codes, self.waiting, self.n_waiting = np.empty(0, dtype=np.int64), [], 0

    def add(self, pairs, named):
        """Write the tables of one block."""
        if not self.writers:
            options = ipc.IpcWriteOptions(compression="lz4")
            for number, table in enumerate((pairs, named)):
                self.files.append(self.folder / f"{number}.arrow")
                self.writers.append(ipc.new_file(str(self.files[-1]), table.schema, options=options))
        for writer, table in zip(self.writers, (pairs, named), strict=True):
            writer.write_batch(_one_batch(table))
        new = pairs["code"].to_numpy()[pairs["fact"].to_numpy() == 0]
        self.waiting.append(new)
        self.n_waiting += len(new)
        if self.n_waiting > max(1 << 20, len(self.codes)):
            self._merge()

    def _merge(self):
        self.codes = sorted_distinct(np.concatenate([self.codes, *self.waiting]))
        self.waiting, self.n_waiting = [], 0

    def close(self):
        """End the writing; gives the sorted distinct codes of the pairs that are no facts (int64)."""
        for writer in self.writers:
            writer.close()
        self._merge()
        return self.codes

    def __iter__(self):
        """Yield (pairs, named) of each block."""
        readers = [ipc.open_file(pa.memory_map(str(path))) for path in self.files]
        for number in range(readers[0].num_record_batches if readers else 0):
            yield tuple(pa.Table.from_batches([reader.get_batch(number)]) for reader in readers)


def _one_batch(table):
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
