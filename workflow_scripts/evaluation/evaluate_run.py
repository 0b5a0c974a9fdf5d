"""Score all pairs of the validation and test splits with a trained run and write its metrics.

A pair is scored with all its sentences. Several poolings of one run (avg and one of a model trained on sentences) share
one pass of the encoder. Into <output>/<pooling>/ go metrics.json, curve.parquet, scores.parquet (test) and
scores_valid.parquet.
"""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.common import command, params
from workflow_scripts.common.distinct_splits import require_distinct_splits
from workflow_scripts.common.files import write_json
from workflow_scripts.evaluation import scoring
from workflow_scripts.evaluation.gold import fact_matrix
from workflow_scripts.evaluation.results import metrics_report, write_curve, write_scores

SCORE_FILES = {"valid": "scores_valid.parquet", "test": "scores.parquet"}


@dataclasses.dataclass(frozen=True)
class Params:
    precision_at: list
    fixed_threshold: float
    common_triple_sentences: int
    device: str
    threads: int


def evaluate_run(run, splits, poolings, output, settings):
    """Evaluate one run with one or more poolings; paper, section 4.

    Parameters
    ----------
    run : Path
        Folder of the run.
    splits : {"valid": Path, "test": Path}
        Instances (INSTANCES) of the splits.
    poolings : list of str
    output : Path
        Folder that gets one folder per pooling.
    settings : Params
    """
    require_distinct_splits(splits)
    bundle = scoring.load(run, settings.device, settings.threads)
    scored = {split: scoring.score_sentences(bundle, path) for split, path in splits.items()}
    facts = {split: fact_matrix(splits[split], scored[split].pairs, scored[split].relations) for split in splits}
    relations = scored["test"].relations
    for pooling in poolings:
        scores = {split: scored[split].pooled(pooling) for split in splits}
        for split in splits:
            write_scores(output / pooling / SCORE_FILES[split], scored[split].pairs, relations, scores[split])
        test, valid = ((scores[split], facts[split]) for split in ("test", "valid"))
        report = metrics_report(test, valid, relations, settings.precision_at, settings.fixed_threshold)
        report["sentence"] = scored["test"].sentence_metrics()
        report["sentence_subsets"] = scored["test"].subset_metrics(settings.common_triple_sentences)
        report |= {"run": run.name, "pooling": pooling}
        write_curve(output / pooling / "curve.parquet", *test, relations)
        write_json(output / pooling / "metrics.json", report)
        logging.info("%s, %s: auc %s, max micro-F1 %s", run.name, pooling, report["auc"], report["max_micro_f1"])


def main(args):
    settings = params.parse(Params, args.params)
    evaluate_run(args.run, {"valid": args.valid, "test": args.test}, args.poolings, args.output, settings)


def arguments():
    parser = command.parser(__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the trained run")
    parser.add_argument("--valid", type=Path, required=True, help="instances of the validation split (Parquet)")
    parser.add_argument("--test", type=Path, required=True, help="instances of the test split (Parquet)")
    parser.add_argument("--poolings", nargs="+", required=True, choices=("avg", "one", "att"), help="how to pool")
    parser.add_argument("--output", type=Path, required=True, help="folder that gets one folder per pooling")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
