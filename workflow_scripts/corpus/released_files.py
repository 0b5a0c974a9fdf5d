"""Reading a released corpus: OpenNRE lines, or the hub's Parquet."""

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json
from workflow_scripts.corpus.release import PUBLISHED_RELATIONS

BATCH = 1 << 14


def relation_numbers(files):
    """Relations by number, and the form of the files ("opennre" or "hub").

    From rel2id.json, else from the class labels that the Parquet files carry, else those of the published benchmark.

    Raises
    ------
    DataError
        If the numbers are not 0, 1, 2, ... with NA first.
    """
    numbers = next((path for path in files if path.suffix == ".json"), None)
    form = "hub" if any(path.suffix == ".parquet" for path in files) else "opennre"
    if numbers is not None:
        found = read_json(numbers)
        if sorted(found.values()) != list(range(len(found))) or found.get("NA") != 0:
            raise DataError(numbers, found=str(found), expected="NA: 0, and the relations numbered from 1")
        return sorted(found, key=found.get), form
    path = next(path for path in files if path.suffix == ".parquet")
    metadata = json.loads((pq.read_schema(path).metadata or {}).get(b"huggingface", b"{}"))
    labels = metadata.get("info", {}).get("features", {}).get("relation", {}).get("names")
    return labels or PUBLISHED_RELATIONS, form


def read_lines(path, names):
    """A file of OpenNRE lines as a table of the contract INSTANCES, in the order of the lines.

    Raises
    ------
    DataError
        At the first line that is no instance.
    """
    known, batches, rows = set(names), [], []
    with open(path, encoding="utf-8", newline="\n") as stream:
        for number, line in enumerate(stream, 1):
            try:
                record = json.loads(line)
            except ValueError as error:
                raise DataError(path, line=number, found=str(error), expected="a JSON object per line") from None
            rows.append(_instance(record, record.get("relation"), known, path, number))
            if len(rows) == BATCH:
                batches.append(_table(rows))
                rows = []
    return pa.concat_tables([*batches, _table(rows)])


def read_hub_table(path, names):
    """One split of the hub's Parquet as a table of the contract INSTANCES, in its order.

    `relation` is a class label or a text; sentence_id and rui are taken where the file has them.
    """
    tables, number = [], 0
    with pq.ParquetFile(path) as file:
        missing = {"text", "h", "t", "relation"} - set(file.schema_arrow.names)
        if missing:
            raise DataError(path, found=", ".join(file.schema_arrow.names), expected=f"column {min(missing)}")
        for batch in file.iter_batches(batch_size=BATCH):
            rows = []
            for record in batch.to_pylist():
                number += 1
                label = record["relation"]
                if isinstance(label, int):
                    if not 0 <= label < len(names):
                        raise DataError(
                            path, record=number, found=f"relation {label}", expected=f"0 to {len(names) - 1}"
                        )
                    label = names[label]
                rows.append(_instance(record, label, set(names), path, number))
            tables.append(_table(rows))
    return pa.concat_tables([*tables, _table([])])


def _instance(record, relation, known, path, number):
    """One row of the contract INSTANCES; raises DataError where a field or an offset is wrong."""
    try:
        text = record["text"]
        row = {"text": text, "relation": relation}
        for side, role in (("h", "head"), ("t", "tail")):
            start, end = record[side]["pos"]
            row |= {role: record[side]["id"], f"{role}_name": record[side]["name"]}
            row |= {f"{role}_start": start, f"{role}_end": end}
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            path,
            record=number,
            found=f"{type(error).__name__}: {error}",
            expected="text, relation, and h and t with id, pos (start, end) and name",
        ) from None
    if relation not in known:
        raise DataError(path, record=number, found=f"relation {relation!r}", expected="a relation of rel2id.json")
    for role in ("head", "tail"):
        start, end, name = row[f"{role}_start"], row[f"{role}_end"], row[f"{role}_name"]
        if not 0 <= start < end or text[start:end] != name:
            raise DataError(
                path,
                record=number,
                found=f"{text[max(start, 0) : end]!r} at {start}:{end}",
                expected=f"the name {name!r}",
            )
    row["sentence_id"] = record.get("sentence_id") or hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    row["rui"] = record.get("rui")
    return row


def _table(rows):
    return pa.Table.from_pylist(rows, INSTANCES.schema)
