"""Find the names of concepts in sentences as the benchmarks UMLS.v2 (as written) and UMLS.v3 (lower-cased) do.

Sentences of a length within bounds are read; one in which a name repeats, or that has fewer than two, is left out. The
published matchers lose the first span of each sentence: `lose_first_span`.
"""

import dataclasses
import logging
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.sentences import SENTENCES
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import Contract, check_schema, column, open_writer, read_table
from workflow_scripts.leakage.build_prior_kb import NAMES
from workflow_scripts.leakage.names import Matcher

FOLDED = {"umls_v2": False, "umls_v3": True}
MATCHES = Contract(
    "leakage/<corpus>/matches: names in sentences",
    pa.schema(
        [
            column("sentence_id", pa.string(), "of text/sentences"),
            column("start", pa.int32(), "first character in the sentence text, code points"),
            column("end", pa.int32(), "end (exclusive), code points"),
            column("name", pa.string(), "form of the name, lower-cased in the style of UMLS.v3"),
        ]
    ),
    sort_by=("sentence_id", "start"),
    unique=("sentence_id", "start"),
)
BATCH = 1 << 15


@dataclasses.dataclass(frozen=True)
class Params:
    """Which sentences are read, and how."""

    style: str
    min_chars: int
    max_chars: int
    lose_first_span: bool


def kept_spans(matcher, text, settings):
    """The spans of a sentence that count; none where it is left out."""
    if not settings.min_chars <= len(text) <= settings.max_chars:
        return []
    spans = matcher.spans(text)[settings.lose_first_span :]
    names = {name for _, _, name in spans}
    return spans if len(spans) >= 2 and len(names) == len(spans) else []


def matches(path, matcher, settings):
    """Tables of MATCHES, one per batch of sentences."""
    check_schema(path, SENTENCES)
    progress = Progress("sentences matched")
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=["sentence_id", "text"], batch_size=BATCH):
            rows = [
                (sentence, *span)
                for sentence, text in zip(*(column.to_pylist() for column in batch.columns), strict=True)
                for span in kept_spans(matcher, text, settings)
            ]
            progress.add(batch.num_rows)
            columns = zip(*rows, strict=True) if rows else [[]] * len(MATCHES.schema)
            arrays = [pa.array(values, field.type) for values, field in zip(columns, MATCHES.schema, strict=True)]
            yield pa.Table.from_arrays(arrays, names=MATCHES.schema.names)


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    fold = FOLDED[settings.style]
    names = read_table(args.names, NAMES, ["name"])["name"]
    matcher = Matcher((name.lower() if fold else name for name in names.unique().to_pylist()), fold)
    found = 0
    with open_writer(args.matches, MATCHES) as write:
        for table in matches(args.sentences, matcher, settings):
            write(table)
            found += table.num_rows
    logging.info("%d names found", found)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--sentences", type=pathlib.Path, required=True, help="text/sentences, one file")
    parser.add_argument("--names", type=pathlib.Path, required=True, help="leakage/kb/names")
    parser.add_argument("--matches", type=pathlib.Path, required=True, help="the names in the sentences (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
