"""Sentences of one batch of abstracts, as tokens joined by one space, with the map back to the abstract's own text.

The engine (rule, biosenter, spacy) decides tokens and sentence ends; tokens of white space never appear. The id of a
sentence is the 128-bit BLAKE2b of its text, so that equal sentences meet wherever they stand (paper, section 3.1).
"""

import dataclasses
import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.sentences import SPLIT
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema, open_writer
from workflow_scripts.text import engines
from workflow_scripts.text.contracts import ABSTRACTS

SECTIONS = 8192  # of one row group


@dataclasses.dataclass(frozen=True)
class Params:
    """Config values."""

    engine: str
    model: str | None


def sentence_id(text):
    """32 hexadecimal digits of the 128-bit BLAKE2b of a sentence's UTF-8 text."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def split_table(sections, tokens):
    """The sentences of a table of sections.

    Parameters
    ----------
    sections : pyarrow.Table
        Rows of ABSTRACTS.
    tokens : iterable of Tokens
        Those of each section; see `engines`.

    Returns
    -------
    pyarrow.Table
        Rows of SPLIT in the order of the sections, then of the text.
    """
    texts, ids, lengths, first, last = [], [], [], [], []
    token_starts, per_section = [], []
    for words, starts, ends in tokens:
        begin = 0
        for end in ends:
            text = " ".join(words[begin:end])
            texts.append(text)
            ids.append(sentence_id(text))
            lengths.append(end - begin)
            first.append(starts[begin])
            last.append(starts[end - 1] + len(words[end - 1]))
            begin = end
        token_starts.extend(starts)
        per_section.append(len(ends))
    rows = pa.array(np.repeat(np.arange(len(per_section)), per_section))
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int32)
    columns = {name: sections[name].take(rows) for name in ("pmid", "version", "file_rank", "field")}
    columns |= {"start": first, "end": last, "sentence_id": ids, "text": texts, "n_tokens": lengths}
    columns["token_starts"] = pa.ListArray.from_arrays(pa.array(offsets), pa.array(token_starts, pa.int32()))
    return pa.table({field.name: _column(columns[field.name], field.type) for field in SPLIT.schema}, SPLIT.schema)


def _column(values, kind):
    return pa.array(values, kind) if isinstance(values, list) else values


def blocks(path, rows=SECTIONS):
    """Yield the rows of a Parquet file as tables of exactly `rows` rows, the last one shorter."""
    waiting = None
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=rows, columns=["pmid", "version", "file_rank", "field", "text"]):
            table = pa.Table.from_batches([batch])
            waiting = table if waiting is None else pa.concat_tables([waiting, table])
            while waiting.num_rows >= rows:
                yield waiting.slice(0, rows)
                waiting = waiting.slice(rows)
    if waiting is not None and waiting.num_rows:
        yield waiting


def main(args):
    """Split the batch."""
    settings = params.parse(Params, args.params)
    check_schema(args.abstracts, ABSTRACTS)
    engine = engines.load(settings.engine, settings.model)
    with pq.ParquetFile(args.abstracts) as file:
        progress = Progress("sections", file.metadata.num_rows)
    with open_writer(args.sentences, SPLIT) as write:
        for sections in blocks(args.abstracts):
            write(split_table(sections, engine(sections["text"].to_pylist())).combine_chunks())
            progress.add(sections.num_rows)
    progress.close()


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--abstracts", type=Path, required=True, help="Parquet file of sections (extract_abstracts)")
    parser.add_argument("--sentences", type=Path, required=True, help="Parquet file of sentences to write")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
