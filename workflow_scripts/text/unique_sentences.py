"""Unique sentences of all batches, with every place where each of them stands.

Deleted citations and superseded versions go, then sentences that are too short or too long; equal sentences become one
(paper, section 3.1). Sentences are spread over partitions by their hash. Batches, threads and partitions never change
what is written, apart from its spread. `stream_tails: published` loses the last block of abstracts.
"""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.contracts.sentences import SPLIT
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_json
from workflow_scripts.common.partitions import remove_other_partitions
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema
from workflow_scripts.text import unique
from workflow_scripts.text.contracts import CITATIONS


@dataclasses.dataclass(frozen=True)
class Params:
    """Config values; the last is a switch (mended, published)."""

    min_tokens: int
    max_tokens: int
    partitions: int
    stream_tails: str


def unique_sentences(database, citations, split, sentences, occurrences, settings, temporary=None):
    """Write the partitions and give the statistics.

    Parameters
    ----------
    database : duckdb connection
    citations, split : list of Path
        Files of CITATIONS and SPLIT, one per batch.
    sentences, occurrences : Path
        Folders of the partitions, <partition>.parquet with three digits.
    settings : Params
    temporary : str or Path, optional
        Folder for the sentences on their way.

    Returns
    -------
    dict of str to int
        `*_read` count all records of the files, `deleted` and `superseded` the citations that went; the other counts
        are of living citations: abstracts (citations with text), abstract_texts (sections with text), characters (code
        points) and how many of them the published reading loses, what OtherAbstract would add, sentences and those too
        short or long, occurrences (sentences of a fit length) and how many of them are distinct.

    Raises
    ------
    DataError
        If no sentence is left; the message says where they went.
    """
    statistics = unique.find_live(database, citations)
    statistics["abstract_texts_lost_by_stream_tail"] = 0
    if settings.stream_tails == "published":
        statistics["abstract_texts_lost_by_stream_tail"] = unique.lose_tail(database, split)
    else:
        unique.no_cut(database)
    statistics |= unique.count_lengths(database, split, settings.min_tokens, settings.max_tokens)
    statistics["occurrences"] = statistics["sentences"] - statistics["too_short"] - statistics["too_long"]
    if not statistics["occurrences"]:
        raise _nothing_left(sentences, statistics, settings)
    statistics["unique_sentences"] = 0
    progress = Progress("partitions", settings.partitions)
    with unique.spill_folder(temporary) as folder:
        unique.scatter(database, split, folder, settings.partitions, settings.min_tokens, settings.max_tokens)
        for partition in range(settings.partitions):
            name = f"{partition:03d}.parquet"
            files = unique.partition_files(folder, partition)
            count, _ = unique.gather(database, files, Path(sentences, name), Path(occurrences, name))
            statistics["unique_sentences"] += count
            progress.add()
    progress.close()
    for written in (sentences, occurrences):
        remove_other_partitions(written, settings.partitions)
    return statistics


def _nothing_left(where, statistics, settings):
    funnel = ", ".join(f"{name} {value:,}" for name, value in statistics.items())
    remedy = "look at the MEDLINE files, text.min_tokens and text.max_tokens"
    if settings.stream_tails == "published":
        remedy = (
            f"construction.switches.stream_tails is published: the last block of up to {unique.BLOCK:,} abstracts is "
            "lost, so fewer leave nothing; set it to mended"
        )
    return DataError(
        where,
        found=f"no sentence left ({funnel})",
        expected=f"sentences of {settings.min_tokens} to {settings.max_tokens} tokens",
        remedy=remedy,
    )


def main(args):
    """Find the unique sentences of all batches."""
    settings = params.parse(Params, args.params)
    citations = [args.citations / f"{batch}.parquet" for batch in args.batches]
    split = [args.split / f"{batch}.parquet" for batch in args.batches]
    for path, contract in [(path, CITATIONS) for path in citations] + [(path, SPLIT) for path in split]:
        check_schema(path, contract)
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        statistics = unique_sentences(
            database, citations, split, args.sentences, args.occurrences, settings, args.temporary
        )
    write_json(args.statistics, statistics)
    logging.info("%s", ", ".join(f"{name} {value:,}" for name, value in statistics.items()))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--batches", nargs="+", required=True, help="names of the batches")
    parser.add_argument("--citations", type=Path, required=True, help="folder of <batch>.parquet (extract_abstracts)")
    parser.add_argument("--split", type=Path, required=True, help="folder of <batch>.parquet (split_sentences)")
    parser.add_argument("--sentences", type=Path, required=True, help="folder of <partition>.parquet to write")
    parser.add_argument("--occurrences", type=Path, required=True, help="folder of <partition>.parquet to write")
    parser.add_argument("--statistics", type=Path, required=True, help="JSON file of counts to write")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
