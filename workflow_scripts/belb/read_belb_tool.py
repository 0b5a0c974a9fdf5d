"""Read what a tool of others wrote about a corpus as predictions, by exact spans."""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.belb import measuring, tool_files
from workflow_scripts.belb.gold import aligned
from workflow_scripts.belb.predictions import read_predictions, write_predictions
from workflow_scripts.belb.resolved import resolved
from workflow_scripts.common import command, params
from workflow_scripts.common.belb_corpora import choose, read_registry
from workflow_scripts.common.files import write_json


@dataclasses.dataclass(frozen=True)
class Params:
    """The header, how the file is written, the registry's row, and the types that count (None: the corpus' own)."""

    system: str
    kb: str
    format: str
    corpus: list
    types: list | None = None
    split: str = "test"


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    corpus = measuring.load_corpus(args.corpus)
    gold = corpus.gold(settings.split)
    if settings.format == tool_files.PREDICTIONS:
        found, report = read_predictions(args.written, corpus.name), {"annotations": None}
    else:
        row = choose(read_registry(args.registry), *settings.corpus)
        wanted = row.keeps if settings.types is None else settings.types.__contains__
        texts = tool_files.texts_of(corpus.documents, settings.split)
        annotations = tool_files.read_annotations(args.written, settings.format, texts)
        kept = tool_files.Kept(wanted, row.identifiers)
        found, report = tool_files.predictions_of(annotations, texts, kept, gold, settings.system)
    if args.kb:
        found, counts = resolved(found, args.kb)
        report["distinct_identifiers"] = dict(sorted(counts.items()))
    found = dataclasses.replace(found, kb=settings.kb, system=settings.system)
    report["gold_with_predictions"] = sum(row >= 0 for row in aligned(gold, found))
    for what, number in report.items():
        logging.info("%s: %s", what, number)
    write_json(args.report, {"tool": settings.system, "format": settings.format} | report)
    write_predictions(args.predictions, found)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--written", type=Path, required=True, help="what the tool wrote")
    parser.add_argument("--registry", type=Path, required=True, help="experiments/belb_corpora.tsv")
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--kb", type=Path, nargs="?", help="folder of its knowledge base")
    parser.add_argument("--predictions", type=Path, required=True, help="output: predictions file")
    parser.add_argument("--report", type=Path, required=True, help="output: what matched and what did not (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
