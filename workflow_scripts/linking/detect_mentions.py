"""Find the mentions of one batch of sentences: where they are, not yet what they mean.

Each distinct sentence of the batch is looked at once, in the order of its id (paper, section 3.1; the published linker
takes the spans of en_core_sci_lg's NER on the same space-joined text, which it cuts into tokens a second time).
"""

import dataclasses
import logging
from pathlib import Path

import pyarrow as pa

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.sentences import SPLIT
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema, open_writer, read_table
from workflow_scripts.linking.detectors import make_detector


@dataclasses.dataclass(frozen=True)
class Params:
    """How mentions are found."""

    detection: str
    model: str | None
    min_name_chars: int
    retokenize: bool


def detected(detector, sentence_ids, texts):
    """A table of contract DETECTED for sentences that are sorted by id.

    Parameters
    ----------
    detector : Detector
    sentence_ids, texts : list of str
    """
    columns = {name: [] for name in DETECTED.schema.names}
    for sentence_id, text, spans in zip(sentence_ids, texts, detector.detect(texts), strict=True):
        for start, end in spans:
            columns["sentence_id"].append(sentence_id)
            columns["start"].append(start)
            columns["end"].append(end)
            columns["surface"].append(text[start:end])
    return pa.table(columns, schema=DETECTED.schema)


def detect_batch(split, out, detector, database):
    """Write the mentions of the distinct sentences of a batch; returns (sentences, mentions)."""
    check_schema(split, SPLIT)
    source = duck.parquet(split)
    ((total,),) = database.execute(f"SELECT count(DISTINCT sentence_id) FROM {source}").fetchall()
    progress, mentions = Progress("sentences", total), 0
    query = f"SELECT DISTINCT sentence_id, text FROM {source} ORDER BY sentence_id"
    with open_writer(out, DETECTED) as write:
        for table in duck.stream(database, query, rows=1 << 14):
            found = detected(detector, table["sentence_id"].to_pylist(), table["text"].to_pylist())
            write(found)
            mentions += found.num_rows
            progress.add(table.num_rows)
    progress.close()
    return total, mentions


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)

    def names():
        if args.aliases is None:
            raise UsageError("linking.detection: a dictionary needs --aliases")
        return read_table(args.aliases, ALIASES, columns=["name"])["name"].to_pylist()

    detector = make_detector(settings.detection, names, settings.min_name_chars, settings.model, settings.retokenize)
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        sentences, mentions = detect_batch(args.split, args.detected, detector, database)
    logging.info("%s mentions in %s distinct sentences", f"{mentions:,}", f"{sentences:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--split", type=Path, required=True, help="sentences of one batch (text/split)")
    parser.add_argument(
        "--aliases", type=Path, nargs="?", help="names of the knowledge base; only a dictionary needs them"
    )
    parser.add_argument("--detected", type=Path, required=True, help="output: mentions (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
