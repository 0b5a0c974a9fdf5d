"""The files of a corpus: OpenNRE lines, the same rows as Parquet, relation numbers, datasheet."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.sentences import SENTENCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema
from workflow_scripts.corpus.row_groups import fixed_row_groups

BATCH = 1 << 16


def sentence_texts(ids, sentence_files):
    """Texts of some sentences.

    Parameters
    ----------
    ids : pyarrow.Array of string
        Distinct sentence ids, sorted.
    sentence_files : list of paths
        Contract SENTENCES, in any order.

    Returns
    -------
    pyarrow.Array of string, one text per id

    Raises
    ------
    DataError
        If a sentence is in none of the files.
    """
    found, progress = [], Progress("sentences read")
    wanted = np.array(ids.cast(pa.binary()).to_pylist(), dtype="S32")
    for path in sentence_files:
        check_schema(path, SENTENCES)
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["sentence_id", "text"]):
                progress.add(batch.num_rows)
                found.append(batch.filter(_among(batch.column("sentence_id"), ids, wanted)))
    table = pa.Table.from_batches(found, pa.schema([SENTENCES.schema.field(name) for name in ("sentence_id", "text")]))
    places = pc.index_in(ids, table["sentence_id"].combine_chunks())
    if places.null_count:
        missing = ids.filter(pc.is_null(places))
        raise DataError(
            "text/sentences",
            found=f"no text of {len(missing)} of {len(ids)} aligned sentences, the first {missing[0]}",
            expected="every linked sentence",
            remedy="text/sentences and linking/mentions come from different runs: make both again",
        )
    return table["text"].combine_chunks().take(places)


def _among(column, ids, wanted):
    """Which sentences of a sorted batch are wanted; looks only at the ids between its ends."""
    if not len(column):
        return pa.array([], pa.bool_())
    ends = (column[0].as_py().encode(), column[len(column) - 1].as_py().encode())
    first, last = np.searchsorted(wanted, ends[0], side="left"), np.searchsorted(wanted, ends[1], side="right")
    return pc.is_in(column, ids.slice(first, last - first))


def write_instances(stem, table):
    """Write one split as `<stem>.parquet` and `<stem>.jsonl`, line i being row i.

    Parameters
    ----------
    stem : path
        Without an ending.
    table : pyarrow.Table
        Columns of INSTANCES, sorted by its order.
    """
    with fixed_row_groups(stem.with_name(f"{stem.name}.parquet"), INSTANCES) as write:
        write(table)
    with atomic_open(stem.with_name(f"{stem.name}.jsonl")) as stream:
        for batch in table.to_batches(max_chunksize=BATCH):
            for row in batch.to_pylist():
                stream.write(json.dumps(open_nre(row), ensure_ascii=False) + "\n")


def open_nre(row):
    """An instance as OpenNRE reads it."""
    sides = {
        key: {"id": row[role], "pos": [row[f"{role}_start"], row[f"{role}_end"]], "name": row[f"{role}_name"]}
        for key, role in (("h", "head"), ("t", "tail"))
    }
    return {"text": row["text"], **sides, "relation": row["relation"]}


def write_relation_numbers(path, relations):
    """Write rel2id.json: NA is 0, then the relations by name."""
    numbers = {"NA": 0} | {name: number for number, name in enumerate(sorted(set(relations) - {"NA"}), 1)}
    with atomic_open(path) as stream:
        json.dump(numbers, stream, indent=2, ensure_ascii=False)
        stream.write("\n")
