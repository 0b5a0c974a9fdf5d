"""Linked mentions, read in blocks of whole sentences."""

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import check_schema

ROWS = 1 << 18
COLUMNS = ["sentence_id", "start", "end", "surface", "cui", "rank"]


def ordered_files(paths):
    """The mention files that are not empty, in the order of their first sentences.

    Partitions are cut by the leading digits of the sentence id, so this is the order of all sentences,
    whatever the number of partitions.
    """
    first = {}
    for path in paths:
        check_schema(path, MENTIONS)
        with pq.ParquetFile(path) as file:
            batch = next(file.iter_batches(batch_size=1, columns=["sentence_id"]), None)
            if batch is not None and batch.num_rows:
                first[str(path)] = batch.column(0)[0].as_py()
    return sorted(first, key=lambda path: (first[path], path))


def count_rows(paths):
    """Number of rows of some Parquet files, from their footers."""
    return sum(pq.read_metadata(path).num_rows for path in paths)


def mention_blocks(paths, rows=ROWS):
    """Yield tables of mentions (COLUMNS, cui as a dictionary), all ranks, cut between sentences.

    Raises
    ------
    DataError
        If the sentences of the files, in their order, are not sorted by id.
    """
    last = ""
    for path in paths:
        rest = None
        with pq.ParquetFile(path, read_dictionary=["cui"]) as file:
            for batch in file.iter_batches(batch_size=rows, columns=COLUMNS):
                table = pa.Table.from_batches([batch])
                table = table if rest is None else pa.concat_tables([rest, table])
                cut = _start_of_last_sentence(table)
                rest = table.slice(cut)
                if cut:
                    last = _check_order(table.slice(0, cut), last, path)
                    yield table.slice(0, cut)
        if rest is not None and rest.num_rows:
            last = _check_order(rest, last, path)
            yield rest


def _start_of_last_sentence(table):
    ids = table["sentence_id"].combine_chunks()
    return pc.index(ids, ids[-1]).as_py() if len(ids) else 0


def _check_order(table, last, path):
    ids = table["sentence_id"].combine_chunks()
    ordered = pc.all(pc.less_equal(ids.slice(0, len(ids) - 1), ids.slice(1)), min_count=0).as_py()
    if not ordered or ids[0].as_py() <= last:
        raise DataError(
            path,
            found="sentences out of order, or one sentence in two files",
            expected="mentions sorted by sentence_id, partitions cut by its leading digits",
            remedy="make the files of linking/mentions again",
        )
    return ids[-1].as_py()
