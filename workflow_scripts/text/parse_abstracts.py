"""Sentences of one batch of abstracts and the mentions in them, by one pass of a spaCy model over the abstracts.

Sentences are those of split_sentences with the same model. Mentions are what the model finds in the abstract's own
text, with what stands around a sentence before its eyes; detect_mentions lets the model read each sentence alone, its
tokens joined by one space. So the two differ where the words beside a sentence or the blanks between its tokens (as in
"Ca(2+)") sway the model. Of a sentence that stands at several places the reading with the most mentions counts
(`common/readings.py`). The published code makes two passes (paper, section 3.1).
"""

import dataclasses
import itertools
import logging
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.sentences import SPLIT
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.readings import choose_readings
from workflow_scripts.common.tables import check_schema, open_writer
from workflow_scripts.text.contracts import ABSTRACTS
from workflow_scripts.text.spacy_engine import SpacyEngine
from workflow_scripts.text.split_sentences import blocks, split_table

_FOUND = DETECTED.schema.append(pa.field("reading", pa.int64()))


@dataclasses.dataclass(frozen=True)
class Params:
    """Config values."""

    model: str
    detection: str


def found_table(sentences, mentions, first):
    """The mentions of all sentences of a table, equal ones too.

    Parameters
    ----------
    sentences : pyarrow.Table
        Rows of SPLIT.
    mentions : iterable of (int, int, int)
        Row of the sentence, start and end in its text.
    first : int
        Number of the first sentence among those of the batch, which is its reading.

    Returns
    -------
    pyarrow.Table
        Columns of DETECTED and `reading`.
    """
    rows, starts, ends = map(list, zip(*mentions, strict=True)) if mentions else ([], [], [])
    texts, chosen = sentences["text"].to_pylist(), pa.array(rows, pa.int64())
    columns = {
        "sentence_id": sentences["sentence_id"].take(chosen),
        "start": starts,
        "end": ends,
        "surface": [texts[row][start:end] for row, start, end in zip(rows, starts, ends, strict=True)],
        "reading": [first + row for row in rows],
    }
    return pa.table(columns, schema=_FOUND)


def parse(abstracts, engine, sentences, found):
    """Write the sentences of a batch, and their mentions as they come; returns the number of sentences.

    Parameters
    ----------
    abstracts : Path
        Rows of ABSTRACTS.
    engine : SpacyEngine
    sentences, found : Path
        Parquet files to write, of contract SPLIT and with the columns of `found_table`.
    """
    with pq.ParquetFile(abstracts) as file:
        progress = Progress("sections", file.metadata.num_rows)
    done = 0
    with open_writer(sentences, SPLIT) as write, pq.ParquetWriter(found, _FOUND, compression="zstd") as writer:
        for sections in blocks(abstracts):
            tokens, mentions = zip(*engine.read(sections["text"].to_pylist()), strict=True)
            table = split_table(sections, tokens).combine_chunks()
            write(table)
            rows = itertools.accumulate((len(each.ends) for each in tokens), initial=0)
            each = zip(rows, mentions, strict=False)
            placed = [(row + number, start, end) for row, spans in each for number, start, end in spans]
            writer.write_table(found_table(table, placed, done))
            done += table.num_rows
            progress.add(sections.num_rows)
    progress.close()
    return done


def write_chosen(database, found, out):
    """Write one reading of each sentence as a file of contract DETECTED; returns the number of mentions."""
    database.execute(f"CREATE VIEW found AS FROM {duck.parquet(found)}")
    choose_readings(database, "found", "chosen")
    mentions = 0
    with open_writer(out, DETECTED) as write:
        for table in duck.stream(database, 'FROM chosen ORDER BY sentence_id, start, "end"'):
            write(table)
            mentions += table.num_rows
    return mentions


def main(args):
    """Parse the batch."""
    settings = params.parse(Params, args.params)
    check_schema(args.abstracts, ABSTRACTS)
    engine = SpacyEngine(settings.model, settings.detection)
    with tempfile.TemporaryDirectory(dir=args.temporary, prefix="found.") as folder:
        found = Path(folder, "found.parquet")
        sentences = parse(args.abstracts, engine, args.sentences, found)
        with duck.database(args.threads, args.memory_mb, args.temporary) as database:
            mentions = write_chosen(database, found, args.detected)
    logging.info("%s sentences, %s mentions in the distinct ones", f"{sentences:,}", f"{mentions:,}")


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--abstracts", type=Path, required=True, help="Parquet file of sections (extract_abstracts)")
    parser.add_argument("--sentences", type=Path, required=True, help="Parquet file of sentences to write")
    parser.add_argument("--detected", type=Path, required=True, help="Parquet file of mentions to write")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
