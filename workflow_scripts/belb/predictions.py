"""Predictions files: what a linker says about the mentions of a corpus.

UTF-8 JSON Lines, plain or gzip (`.gz`). The first line is the header, each other line one mention; the order of the
mentions is free.

    {"format": "belb-predictions/1", "corpus": "ncbi_disease", "kb": "ctd_diseases", "system": "mine", "mentions": 1}
    {"document": "9949209", "start": 23, "end": 39, "hexdigest": "-", "candidates": [["OMIM:215600"], ["MESH:D006527"]]}

`start` and `end` (exclusive) are code points in the document's text. `candidates` holds the ranks, best first, each
with the identifiers that tie there: one name may belong to several entities. Identifiers are those of the knowledge
base as released. `hexdigest` names the gold mention (column of mentions.parquet); "-" where the span was found by the
linker, or where the span says enough: it is then the gold mention with exactly this span. A mention may be left out: it
counts as wrong, as one without candidates does. `mentions` (optional) is the number of lines to follow: with it a file
that was cut off between two lines is seen to be cut off.
"""

import dataclasses
import gzip
import json
import zlib
from pathlib import Path

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_path

FORMAT = "belb-predictions/1"
NO_GOLD = "-"
HEADER = ("format", "corpus", "kb", "system")
COLUMNS = ("document", "start", "end", "hexdigest", "candidates")
EXAMPLE = '{"document": "9949209", "start": 23, "end": 39, "hexdigest": "-", "candidates": [["OMIM:215600"]]}'


@dataclasses.dataclass(frozen=True)
class Prediction:
    """What a linker says about one span.

    Parameters
    ----------
    document : str
    start, end : int
        Code points in the document's text, end exclusive.
    hexdigest : str
        Of the gold mention; "-" for none.
    candidates : sequence of sequences of str
        Ranks, best first, each with the identifiers that tie there.
    """

    document: str
    start: int
    end: int
    hexdigest: str
    candidates: tuple


@dataclasses.dataclass(frozen=True)
class Predictions:
    """A predictions file: its header and its lines.

    Parameters
    ----------
    corpus, kb, system : str
    rows : list of Prediction
    path : str
        Where they come from, for messages; the line of rows[i] is i + 2.
    """

    corpus: str
    kb: str
    system: str
    rows: list
    path: str = "predictions"


def write_predictions(path, predictions):
    """Write a predictions file, sorted by document and span, so that equal predictions give equal bytes."""
    header = {"format": FORMAT, "corpus": predictions.corpus, "kb": predictions.kb, "system": predictions.system}
    header["mentions"] = len(predictions.rows)
    rows = sorted(predictions.rows, key=lambda row: (row.document, row.start, row.end, row.hexdigest))
    with atomic_path(path) as temporary, open(temporary, "wb") as raw, _compressed(raw, path) as stream:
        for line in (header, *({name: getattr(row, name) for name in COLUMNS} for row in rows)):
            stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def read_predictions(path, corpus=None):
    """Read a predictions file.

    Parameters
    ----------
    path : str or Path
    corpus : str, optional
        The corpus that it must be about.

    Returns
    -------
    Predictions

    Raises
    ------
    DataError
        With file and line: no such file, damaged or cut off, another format, another corpus, wrong keys or types, a
        mention twice.
    """
    lines = _lines(Path(path))
    header = _header(path, next(lines, None), corpus)
    rows, seen = [], {}
    for number, text in enumerate(lines, 2):
        row = _row(path, number, text)
        key = (row.document, row.start, row.end, row.hexdigest)
        if key in seen:
            raise DataError(
                path,
                line=number,
                found=f"mention {row.document} {row.start}-{row.end} again (first in line {seen[key]})",
                expected="each mention once, with all its candidates",
                remedy="put the candidates of a mention in one line",
            )
        seen[key] = number
        rows.append(row)
    if header.get("mentions", len(rows)) != len(rows):
        raise DataError(
            path,
            found=f"{len(rows)} mentions",
            expected=f"{header['mentions']}, as the header says",
            remedy="the file is cut off or was edited: write it again",
        )
    return Predictions(header["corpus"], header["kb"], header["system"], rows, str(path))


def _compressed(raw, path):
    # No name and no time in the gzip header: equal predictions give equal bytes.
    return gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if str(path).endswith(".gz") else raw


def _lines(path):
    """The lines of a file without their ends; the last one must have an end."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.endswith(b"\n"):
                    raise DataError(
                        path,
                        line=number,
                        found=f"a line without end: {_shown(line.decode(errors='replace'))}",
                        expected="a line feed after the last line too",
                        remedy="the file is cut off: write it again",
                    )
                yield line[:-1].decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DataError(
            path,
            line=number + 1,
            found=str(error),
            expected="a predictions file: UTF-8 JSON Lines, plain or gzip (.gz)",
            remedy="the file is missing, damaged or cut off: write it again",
        ) from None


def _shown(text):
    return text if len(text) <= 120 else f"{text[:120]}…"


def _object(path, number, text, example):
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise DataError(path, line=number, found=_shown(text), expected=f"a JSON object such as {example}")
    return value


def _header(path, text, corpus):
    example = json.dumps({"format": FORMAT, "corpus": "ncbi_disease", "kb": "ctd_diseases", "system": "mine"})
    if text is None:
        raise DataError(path, found="an empty file", expected=f"a header: {example}")
    header = _object(path, 1, text, example)
    unknown = sorted(set(header) - {*HEADER, "mentions"})
    missing = [name for name in HEADER if not isinstance(header.get(name), str)]
    if missing or unknown:
        what = [f"no text {name}" for name in missing] + [f"unknown key {name}" for name in unknown]
        raise DataError(path, line=1, found="; ".join(what), expected=f"a header: {example}")
    if header["format"] != FORMAT:
        raise DataError(path, line=1, found=f"format {header['format']}", expected=f"format {FORMAT}")
    if not _is_count(header.get("mentions", 0)):
        raise DataError(
            path, line=1, found=f"mentions {header['mentions']!r}", expected="the number of lines to follow"
        )
    if corpus is not None and header["corpus"] != corpus:
        raise DataError(
            path,
            line=1,
            found=f"predictions for corpus {header['corpus']}",
            expected=f"predictions for corpus {corpus}",
            remedy="give the predictions of this corpus",
        )
    return header


def _row(path, number, text):
    value = _object(path, number, text, EXAMPLE)
    if set(value) != set(COLUMNS):
        raise DataError(
            path, line=number, found=f"keys {', '.join(value)}", expected=f"keys {', '.join(COLUMNS)}: {EXAMPLE}"
        )
    for name in ("document", "hexdigest"):
        if not isinstance(value[name], str) or not value[name]:
            raise DataError(path, line=number, found=f"{name} {value[name]!r}", expected=f"a text: {EXAMPLE}")
    start, end, candidates = value["start"], value["end"], value["candidates"]
    if not (_is_count(start) and _is_count(end) and start < end):
        raise DataError(
            path, line=number, found=f"start {start!r}, end {end!r}", expected="code points, 0 <= start < end"
        )
    if not isinstance(candidates, list) or not all(map(_is_rank, candidates)):
        raise DataError(
            path,
            line=number,
            found=f"candidates {_shown(json.dumps(candidates))}",
            expected='ranks, best first, each a list of identifiers (texts) that tie there: [["MESH:D006527"]]',
        )
    return Prediction(value["document"], start, end, value["hexdigest"], tuple(map(tuple, candidates)))


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_rank(value):
    return isinstance(value, list) and bool(value) and all(isinstance(entry, str) and entry for entry in value)
