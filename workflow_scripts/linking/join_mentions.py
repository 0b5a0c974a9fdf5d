"""Put mentions and concepts together for the sentences of the corpus, partition by partition.

Only the unique sentences of text/sentences count: those of deleted or replaced citations were looked at with their
batch and are left out here. The switch stream_tails=published loses what the published linker never wrote: it kept
sentences with two or more linked mentions, read them in the order of their text, and wrote a block only when the next
one began.
"""

import collections
import dataclasses
import logging
from pathlib import Path

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.contracts.sentences import SENTENCES
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import write_json
from workflow_scripts.common.partitions import remove_other_partitions
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.readings import choose_readings
from workflow_scripts.common.tables import check_schema, open_writer
from workflow_scripts.linking.tables import LINKS

BLOCK = 500_000
BINS = 20


@dataclasses.dataclass(frozen=True)
class Params:
    """How many concepts a mention keeps, and whether the last block of sentences is lost."""

    kept_candidates: int
    stream_tails: str


def written_by_blocks(kept, block=BLOCK):
    """How many of `kept` sentences the published linker wrote.

    It wrote its buffer when the number of the sentence just added, from 0, was a positive multiple of the block, and
    never at the end: nothing of 500,000 sentences, 500,001 of 500,001 to 1,000,000.
    """
    return 0 if kept <= block else (kept - 1) // block * block + 1


def load(database, detected, links, kept_candidates):
    """Make the table `links` and the view `detected` in the database."""
    for path in detected:
        check_schema(path, DETECTED)
    for path in links:
        check_schema(path, LINKS)
    database.execute(f"CREATE TABLE links AS FROM {duck.parquet(links)} WHERE rank < ?", [kept_candidates])
    database.execute(f"CREATE VIEW detected AS SELECT *, filename AS reading FROM {duck.parquet(detected)}")
    database.execute("CREATE TABLE lost (sentence_id VARCHAR)")


def open_partition(database, sentences):
    """Make the tables `live` (sentences) and `spans` (their distinct mentions) of one partition."""
    check_schema(sentences, SENTENCES)
    database.execute(f"CREATE OR REPLACE TABLE live AS SELECT sentence_id, text FROM {duck.parquet(sentences)}")
    ((first, last),) = database.execute("SELECT min(sentence_id), max(sentence_id) FROM live").fetchall()
    # The range lets the reader skip row groups: a partition is a range of ids and the files are sorted by them.
    database.execute(
        """CREATE OR REPLACE TABLE found AS FROM detected
        WHERE sentence_id BETWEEN ? AND ? AND sentence_id IN (SELECT sentence_id FROM live)""",
        [first or "", last or ""],
    )
    choose_readings(database, "found", "spans")
    database.execute("DROP TABLE found")


def find_lost(database, partitions, block):
    """Fill the table `lost` with the sentences that the published linker did not write; returns their number."""
    database.execute("CREATE TABLE tail (text VARCHAR, sentence_id VARCHAR)")
    kept = 0
    for sentences in partitions:
        open_partition(database, sentences)
        database.execute(
            """CREATE OR REPLACE TABLE kept AS SELECT sentence_id FROM spans
            WHERE surface IN (SELECT surface FROM links) GROUP BY sentence_id HAVING count(*) >= 2"""
        )
        ((count,),) = database.execute("SELECT count(*) FROM kept").fetchall()
        kept += count
        # No more than one block can be lost, so no more than the last of it is held while the partitions pass.
        database.execute("INSERT INTO tail SELECT text, sentence_id FROM live WHERE sentence_id IN (FROM kept)")
        database.execute(f"CREATE OR REPLACE TABLE tail AS FROM tail ORDER BY text DESC LIMIT {block}")
    lost = kept - written_by_blocks(kept, block)
    database.execute(f"INSERT INTO lost SELECT sentence_id FROM tail ORDER BY text DESC LIMIT {lost}")
    return lost


def write_partition(database, sentences, out, counts):
    """Write the mentions of one partition and add its numbers to `counts`."""
    open_partition(database, sentences)
    database.execute("DELETE FROM spans WHERE sentence_id IN (FROM lost)")
    query = """SELECT sentence_id, start, "end", surface, cui, score, rank FROM spans JOIN links USING (surface)
        ORDER BY sentence_id, start, "end", rank"""
    with open_writer(out, MENTIONS) as write:
        for table in duck.stream(database, query):
            write(table)
    count_partition(database, out, counts)


def count_partition(database, out, counts):
    """Add the numbers of a written partition to `counts`."""
    (totals,) = database.execute("SELECT (SELECT count(*) FROM live), (SELECT count(*) FROM spans)").fetchall()
    counts.update(dict(zip(("sentences", "mentions"), totals, strict=True)))
    source = duck.parquet(out)
    (totals,) = database.execute(
        f"""SELECT count(*) FILTER (rank = 0), count(*), count(*) FILTER (rank = 0 AND score < 1)
        FROM {source}"""
    ).fetchall()
    counts.update(dict(zip(("linked", "candidates", "approximate"), totals, strict=True)))
    rows = database.execute(
        f"""SELECT least(n, 3), count(*) FROM
        (SELECT count(*) AS n FROM {source} WHERE rank = 0 GROUP BY sentence_id) GROUP BY ALL"""
    ).fetchall()
    for n, sentences in rows:
        counts["sentences_linked"] += sentences
        counts["sentences_kept"] += sentences if n >= 2 else 0
    rows = database.execute(
        f"""SELECT least(floor(score::DOUBLE * {BINS} + 1e-6), {BINS - 1})::INT AS bin, count(*)
        FROM {source} WHERE rank = 0 GROUP BY ALL"""
    ).fetchall()
    for bin_, mentions in rows:
        counts[("bin", bin_)] += mentions


def statistics(database, counts, lost):
    """The content of statistics.json."""
    ((surfaces, linked),) = database.execute(
        "SELECT (SELECT count(DISTINCT surface) FROM detected), (SELECT count(*) FROM links WHERE rank = 0)"
    ).fetchall()
    share = counts["linked"] / counts["mentions"] if counts["mentions"] else 0.0
    return {
        "sentences": counts["sentences"],
        "sentences_with_linked_mention": counts["sentences_linked"],
        "sentences_with_two_linked_mentions": counts["sentences_kept"],
        "sentences_lost_by_stream_tails": lost,
        "mentions": counts["mentions"],
        "linked_mentions": counts["linked"],
        "linked_share": round(share, 6),
        "candidates": counts["candidates"],
        "distinct_surfaces": surfaces,
        "distinct_surfaces_linked": linked,
        "score_below_one_share": round(counts["approximate"] / max(counts["linked"], 1), 6),
        "score_histogram": [
            {"from": i / BINS, "to": (i + 1) / BINS, "mentions": counts[("bin", i)]} for i in range(BINS)
        ],
    }


def join(database, sentences, mentions, stream_tails, block=BLOCK):
    """Write all partitions and return the statistics; `load` comes first."""
    lost = find_lost(database, sentences, block) if stream_tails == "published" else 0
    if lost:
        logging.warning("stream_tails=published: the last %s linked sentences are lost", f"{lost:,}")
    counts = collections.Counter()
    progress = Progress("partitions", len(sentences))
    for source, out in zip(sentences, mentions, strict=True):
        write_partition(database, source, out, counts)
        progress.add()
    progress.close()
    return statistics(database, counts, lost)


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    if [path.name for path in args.sentences] != [path.name for path in args.mentions]:
        raise UsageError("--sentences and --mentions must name the same partitions in the same order")
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        load(database, args.detected, args.links, settings.kept_candidates)
        result = join(database, args.sentences, args.mentions, settings.stream_tails)
    if [path.stem for path in args.mentions] == [f"{number:03d}" for number in range(len(args.mentions))]:
        remove_other_partitions(args.mentions[0].parent, len(args.mentions))
    write_json(args.statistics, result)
    logging.info("%s of %s mentions linked", f"{result['linked_mentions']:,}", f"{result['mentions']:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--detected", type=Path, nargs="+", required=True, help="mentions of all batches")
    parser.add_argument("--links", type=Path, nargs="+", required=True, help="concepts of the surfaces, all shards")
    parser.add_argument("--sentences", type=Path, nargs="+", required=True, help="unique sentences, by partition")
    parser.add_argument(
        "--mentions", type=Path, nargs="+", required=True, help="output: linked mentions, same partitions"
    )
    parser.add_argument("--statistics", type=Path, required=True, help="output: numbers of the stage (JSON)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
