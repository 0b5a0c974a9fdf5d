"""Triples of a benchmark, whatever file they come in, as Arrow batches of split, head, relation, tail.

The neutral form is a table with columns head, relation, tail, and split where one file holds all splits: tab-separated
UTF-8 under a header (no quoting, columns in any order, others ignored) or Parquet. Adapters read OpenNRE JSON lines and
the Parquet files of our corpora.
"""

import contextlib
import json
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common.errors import DataError

SPLITS = ("train", "valid", "test")
SPLIT_NAMES = {"train": "train", "valid": "valid", "val": "valid", "dev": "valid", "test": "test"}
SCHEMA = pa.schema([(name, pa.string()) for name in ("split", "head", "relation", "tail")])
ROWS = 1 << 16
REMEDY = "bring the file into the neutral form (split, head, relation, tail), see `audit_leakage.py --help`"


class Reader:
    """Reads files of triples; counts rows and bad records, and gives up when there are too many.

    Parameters
    ----------
    surfaces : bool
        Take the names of head and tail where a file has both names and identifiers.
    max_bad_records : int
        Bad records that may be left out, over all files.
    """

    def __init__(self, surfaces, max_bad_records=0):
        self.surfaces, self.max_bad_records = surfaces, max_bad_records
        self.rows = self.bad_records = 0

    @contextlib.contextmanager
    def reading(self, files):
        """Yield a RecordBatchReader over (path, split or None) files.

        An error that a database meets while it reads leaves this block as the DataError it is.
        """
        failures = []

        def watched():
            try:
                for path, split in files:
                    yield from self.batches(path, split)
            except DataError as error:
                failures.append(error)
                raise

        try:
            yield pa.RecordBatchReader.from_batches(SCHEMA, watched())
        except Exception:
            if failures:
                raise failures[0] from None
            raise

    def batches(self, path, split=None):
        """Batches of SCHEMA from one file, all of one split, or of the splits that its column names.

        Raises
        ------
        DataError
            File, line, what is there and what should be.
        """
        path = pathlib.Path(path)
        read = {".tsv": self._tsv, ".parquet": self._parquet, ".jsonl": self._jsonl, ".json": self._jsonl}
        kind = read.get(path.suffix) or read.get(".jsonl" if path.suffix == ".txt" else "")
        if kind is None:
            raise DataError(path, found=f"ending {path.suffix!r}", expected=".tsv, .parquet, .jsonl or .txt (OpenNRE)")
        if not path.is_file():
            raise DataError(path, found="no such file", expected="a file of triples")
        waiting = []
        for number, row in kind(path, split):
            if not all(row):
                self._bad(path, number, f"an empty value in {row}", "a value for split, head, relation and tail")
                continue
            if row[0] not in SPLITS:
                self._bad(path, number, f"split {row[0]!r}", f"one of {', '.join(SPLIT_NAMES)}")
                continue
            waiting.append(row)
            self.rows += 1
            if len(waiting) == ROWS:
                yield _batch(waiting)
                waiting = []
        if waiting:
            yield _batch(waiting)

    def _bad(self, path, line, found, expected):
        self.bad_records += 1
        if self.bad_records > self.max_bad_records:
            raise DataError(path, line=line, found=found, expected=expected, remedy=REMEDY)

    def _tsv(self, path, split):
        with open(path, encoding="utf-8", errors="strict", newline="\n") as stream:
            lines = _decoded(path, stream)
            _, first = next(lines, (1, ""))
            header = first.split("\t")
            places = _places(path, header, split, ("head", "relation", "tail"))
            for number, line in lines:
                values = line.split("\t")
                if len(values) != len(header):
                    self._bad(path, number, f"{len(values)} columns", f"{len(header)} columns, separated by tabs")
                    continue
                yield number, _row(split, [values[place] for place in places])

    def _parquet(self, path, split):
        try:
            names = pq.read_schema(path).names
        except (OSError, pa.ArrowInvalid) as error:
            raise DataError(path, found=str(error).split("\n")[0], expected="a Parquet file") from None
        named = self.surfaces and {"head_name", "tail_name"} <= set(names)
        wanted = ("head_name", "relation", "tail_name") if named else ("head", "relation", "tail")
        places = [names[place] for place in _places(path, names, split, wanted)]
        number = 0
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=list(dict.fromkeys(places)), batch_size=ROWS):
                columns = [batch.column(name).to_pylist() for name in places]
                for values in zip(*columns, strict=True):
                    number += 1
                    yield number, _row(split, values)

    def _jsonl(self, path, split):
        key = "name" if self.surfaces else "id"
        if split is None:
            raise DataError(path, found="OpenNRE lines", expected="a file for each split: --train, --valid, --test")
        with open(path, encoding="utf-8", newline="\n") as stream:
            for number, line in _decoded(path, stream):
                try:
                    record = json.loads(line)
                    yield number, _row(split, (record["h"][key], record["relation"], record["t"][key]))
                except (ValueError, KeyError, TypeError, AttributeError):
                    expected = f"an OpenNRE record with h.{key}, t.{key} and relation"
                    self._bad(path, number, line[:120], expected)


def _decoded(path, stream):
    """(number, line without its end) of a text; a byte that is no UTF-8 is an error."""
    number = 0
    try:
        for number, line in enumerate(stream, 1):
            yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DataError(path, line=number + 1, found=str(error), expected="UTF-8 text") from None


def _places(path, header, split, wanted):
    wanted = wanted if split else ("split", *wanted)
    missing = [name for name in wanted if name not in header]
    if missing:
        raise DataError(
            path, line=1, found=f"columns {', '.join(header)}", expected=f"columns {', '.join(wanted)}", remedy=REMEDY
        )
    return [header.index(name) for name in wanted]


def _row(split, values):
    if split:
        return (split, *map(_text, values))
    first, *rest = values
    return (SPLIT_NAMES.get(first, _text(first)), *map(_text, rest))


def _text(value):
    return "" if value is None else value if isinstance(value, str) else str(value)


def _batch(rows):
    return pa.RecordBatch.from_arrays(
        [pa.array(column, pa.string()) for column in zip(*rows, strict=True)], schema=SCHEMA
    )
