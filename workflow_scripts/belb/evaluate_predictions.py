"""Measure a linker: recall@k of a predictions file on a split of a corpus (BELB, sections 2.3.1 and 2.3.2).

    python -P workflow_scripts/belb/evaluate_predictions.py --corpus resources/belb/corpora/ncbi_disease \
        --predictions mine.jsonl --metrics metrics.json

prints recall@k and writes all figures. What a predictions file is: workflow_scripts/belb/predictions.py.
"""

from pathlib import Path

from workflow_scripts.belb import measuring
from workflow_scripts.belb.predictions import read_predictions
from workflow_scripts.belb.resolved import resolved
from workflow_scripts.common import command
from workflow_scripts.common.files import write_json


def shown(result):
    """The lines that are printed."""
    parts = {"full": result["full"], "filtered": result["filtered"], **result["subsets"]}
    if len(result["by_type"]) > 1:
        parts |= result["by_type"]
    lines = [f"{result['system']} on {result['corpus']} ({result['split']}), in per cent"]
    lines.append(f"{'mentions':<12} {'n':>7} {'metric':<10} {'std':>7} {'strict':>7} {'lenient':>7}")
    for name, part in parts.items():
        for metric in part or ():
            if metric.startswith("recall@") and part["n"]:
                values = " ".join(f"{100 * value:7.2f}" for value in part[metric].values())
                lines.append(f"{name:<12} {part['n']:>7,} {metric:<10} {values}")
    return lines


def main(args):
    """Run the command."""
    corpus = measuring.load_corpus(args.corpus)
    reference = args.reference[0] if args.reference else None
    predictions = read_predictions(args.predictions, corpus.name)
    if args.kb:
        predictions, counts = resolved(predictions, args.kb)
        print("distinct identifiers:", ", ".join(f"{what} {n:,}" for what, n in sorted(counts.items())))
    result = measuring.evaluate(corpus, predictions, args.split, args.ranks, reference)
    if args.metrics:
        write_json(args.metrics, result)
    print("\n".join(shown(result)))


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder with documents.parquet and mentions.parquet")
    parser.add_argument("--predictions", type=Path, required=True, help="predictions file")
    parser.add_argument(
        "--kb", type=Path, help="folder of a knowledge base: bring identifiers up to date, count unknown ones"
    )
    parser.add_argument("--split", default="test", help="train, dev or test (default: test)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 5], help="the k of recall@k (default: 1 5)")
    parser.add_argument(
        "--reference",
        type=Path,
        nargs="*",
        default=[],
        help="predictions by whose spans the filtered figures are restricted",
    )
    parser.add_argument("--metrics", type=Path, help="output: all figures (JSON), shares in [0, 1]")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
