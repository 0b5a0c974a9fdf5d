"""Files that appear whole or not at all."""

import contextlib
import csv
import glob
import json
import os
import pathlib


@contextlib.contextmanager
def atomic_path(path):
    """Yield a temporary path beside `path`; rename it to `path` on success, remove it on failure.

    What an earlier attempt left there when it was killed is removed first: a path has one writer at a time.
    """
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for stale in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        stale.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_open(path, mode="w"):
    """Open a file for writing that becomes visible only when the block ends without an error.

    Text is UTF-8 with line feeds, whatever the locale and platform.
    """
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    with atomic_path(path) as temporary:
        with open(temporary, mode, **text) as stream:
            yield stream


def write_json(path, value):
    """Write `value` as indented JSON with sorted keys."""
    with atomic_open(path) as stream:
        json.dump(value, stream, indent=2, sort_keys=True, ensure_ascii=False)
        stream.write("\n")


def read_json(path):
    """Read a UTF-8 JSON file."""
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def write_delimited(path, header, rows, delimiter=","):
    """Write rows under a header (None: without one); quoted only where the delimiter demands it."""
    with atomic_open(path) as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        if header is not None:
            writer.writerow(header)
        writer.writerows(rows)
