"""List what systems are asked to link in a split of a corpus: its gold mentions, or those that a detector found.

Each distinct text is also written as a sentence that is one mention: this is what the stage linking links.
"""

import logging
from pathlib import Path

from workflow_scripts.belb import measuring, spans
from workflow_scripts.belb.contracts import SPANS
from workflow_scripts.common import command
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.sentences import SENTENCES, SPLIT
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.tables import read_table, write_table


def main(args):
    """Run the command."""
    if bool(args.passages) != bool(args.detected):
        raise UsageError("--passages and --detected: give both (found mentions) or none (gold mentions)")
    corpus = measuring.load_corpus(args.corpus)
    gold = corpus.gold(args.split)
    if args.detected:
        passages, detected = read_table(args.passages, SPLIT), read_table(args.detected, DETECTED)
        listed = spans.found_spans(corpus.documents, passages, detected, gold)
    else:
        listed = spans.gold_spans(gold)
    texts, sentences = spans.distinct_texts(listed)
    write_table(args.spans, listed, SPANS)
    write_table(args.texts, texts, DETECTED)
    write_table(args.sentences, sentences, SENTENCES)
    logging.info("%s spans, %s distinct texts", f"{listed.num_rows:,}", f"{texts.num_rows:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--split", default="test", help="train, dev or test (default: test)")
    parser.add_argument("--passages", type=Path, nargs="?", help="passages of the corpus, where mentions were found")
    parser.add_argument("--detected", type=Path, nargs="?", help="mentions found in the passages")
    parser.add_argument("--spans", type=Path, required=True, help="output: the spans (Parquet)")
    parser.add_argument("--texts", type=Path, required=True, help="output: distinct texts as mentions (Parquet)")
    parser.add_argument("--sentences", type=Path, required=True, help="output: distinct texts as sentences (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
