"""Write the linked sentences of one partition as the published linker does: JSON lines, compressed.

A line is {"text", "mentions": [[CUI, "0.97", [start, end]], ...], "features": []}: the best concept of each mention,
its score with two digits as a string, offsets in code points. Sentences with two or more linked mentions, in the order
of their text. Ours have no syntactic features, so that list is empty; further concepts with all digits stand in
linking/mentions (linking.kept_candidates). The files of all partitions may be joined by `cat`.
"""

import gzip
import json
import logging
from pathlib import Path

from workflow_scripts.common import command, duck
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.contracts.sentences import SENTENCES
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import atomic_open
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema

LEAST_MENTIONS = 2


def linked_sentences(sentences, mentions, database):
    """Yield (text, [(cui, score, start, end), ...]) of the sentences that the published linker keeps."""
    check_schema(sentences, SENTENCES)
    check_schema(mentions, MENTIONS)
    query = f"""SELECT text, list({{c: cui, s: score, a: m.start, b: m."end"}} ORDER BY m.start, m."end") AS mentions
        FROM {duck.parquet(mentions)} m JOIN {duck.parquet(sentences)} s USING (sentence_id)
        WHERE rank = 0 GROUP BY sentence_id, text HAVING count(*) >= {LEAST_MENTIONS} ORDER BY text"""
    for table in duck.stream(database, query):
        for text, found in zip(table["text"].to_pylist(), table["mentions"].to_pylist(), strict=True):
            yield text, [tuple(mention.values()) for mention in found]


def published_line(text, mentions):
    """One line of the file, without its end."""
    shown = [[cui, f"{score:.2f}", [start, end]] for cui, score, start, end in mentions]
    return json.dumps({"text": text, "mentions": shown, "features": []}, ensure_ascii=False)


def export(sentences, mentions, out, database):
    """Write the linked sentences of a partition; returns their number."""
    progress = Progress("sentences")
    with atomic_open(out, "wb") as stream, gzip.GzipFile("", "wb", 6, stream, mtime=0) as lines:
        for text, found in linked_sentences(sentences, mentions, database):
            lines.write(f"{published_line(text, found)}\n".encode())
            progress.add()
    progress.close()
    return progress.done


def main(args):
    """Run the command."""
    if args.sentences.name != args.mentions.name:
        raise UsageError("--sentences and --mentions must be of one partition")
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        number = export(args.sentences, args.mentions, args.exported, database)
    logging.info("%s sentences", f"{number:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--sentences", type=Path, required=True, help="unique sentences of a partition")
    parser.add_argument("--mentions", type=Path, required=True, help="linked mentions of the same partition")
    parser.add_argument("--exported", type=Path, required=True, help="output: JSON lines (.jsonl.gz)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
