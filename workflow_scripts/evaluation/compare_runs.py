"""Whether the models of a table differ: a paired bootstrap over the pairs of the test split.

Every two evaluations, a model with a pooling, are compared by the mean AUC over seeds on the same resamples of pairs.
"""

import dataclasses
import itertools
import logging
import re
from pathlib import Path

import numpy as np

from workflow_scripts.common import command, params
from workflow_scripts.common.bootstrap import difference, draw_pairs, resampled_aucs
from workflow_scripts.common.contracts.scores import SCORES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_delimited
from workflow_scripts.common.metrics import evaluate
from workflow_scripts.common.tables import read_table
from workflow_scripts.evaluation.gold import fact_matrix

FOLDER = re.compile(r"(?P<corpus>[^.]+)\.(?P<model>.+)\.s(?P<seed>\d+)")
HEADER = ("first", "second", "auc_first", "auc_second", "difference", "lower", "upper", "p", "differs")
HEADER += ("resamples", "seeds_first", "seeds_second")


@dataclasses.dataclass(frozen=True)
class Params:
    """Number of resamples and the seed of their draws."""

    bootstrap_resamples: int
    bootstrap_seed: int


def read_scores(path):
    """Scores of an evaluation.

    Returns
    -------
    pairs : list of P (head, tail), sorted
    relations : list of R - 1 str, sorted
    scores : float32 array of shape (P, R - 1)

    Raises
    ------
    DataError
        If a pair lacks a relation.
    """
    table = read_table(path, SCORES)
    relations = sorted(table["relation"].unique().to_pylist())
    width = max(len(relations), 1)
    if len(table) % width or table["relation"].to_pylist() != relations * (len(table) // width):
        raise DataError(path, found="pairs without some relation", expected="a score of every pair and relation")
    every = np.arange(0, len(table), width)
    pairs = list(zip(*(table[side].take(every).to_pylist() for side in ("head", "tail")), strict=True))
    return pairs, relations, table["score"].to_numpy().reshape(-1, width)


def sample(paths, instances, settings):
    """AUC and resampled AUCs of each evaluation.

    Parameters
    ----------
    paths : list of Path
        evaluation/<run>/<pooling>/scores.parquet.
    instances : Path
        The test split.
    settings : Params

    Returns
    -------
    dict
        "<model>.<pooling>" -> {seed: (auc, float array of shape (resamples,))}.
    """
    found, pairs, facts = {}, None, None
    for path in sorted(paths):
        match = FOLDER.fullmatch(path.parent.parent.name)
        if not match:
            raise DataError(path, found=path.parent.parent.name, expected="a folder <corpus>.<model>.s<seed>")
        own, relations, scores = read_scores(path)
        if pairs is None:
            pairs, facts = own, fact_matrix(instances, own, relations)
            draws = [draw_pairs(len(own), settings.bootstrap_seed, i) for i in range(settings.bootstrap_resamples)]
        if own != pairs or scores.shape != facts.shape:
            raise DataError(path, found="other pairs or relations", expected="those of the other evaluations")
        auc = evaluate(scores, facts, relations=relations, precision_at=())["auc"]
        seeds = found.setdefault(f"{match['model']}.{path.parent.name}", {})
        seeds[int(match["seed"])] = (auc, resampled_aucs(scores, facts, draws))
        logging.info("%s: auc %s", path.parent, auc)
    return found


def rows(found):
    """A row (HEADER) for every two evaluations; numbers in [0, 1]."""
    means = {}
    for name, seeds in found.items():
        aucs, resampled = zip(*seeds.values(), strict=True)
        means[name] = (None if None in aucs else float(np.mean(aucs)), np.mean(resampled, axis=0), len(aucs))
    for first, second in itertools.combinations(sorted(means), 2):
        (a, draws_a, seeds_a), (b, draws_b, seeds_b) = means[first], means[second]
        gap = difference(draws_a, draws_b)
        differs = {True: "yes", False: "no", None: ""}[gap["differs"]]
        values = [a, b, None if None in (a, b) else a - b, gap["lower"], gap["upper"], gap["p"]]
        texts = ["" if value is None else f"{value:.6f}" for value in values]
        yield [first, second, *texts, differs, gap["resamples"], seeds_a, seeds_b]


def main(args):
    settings = params.parse(Params, args.params)
    write_delimited(args.output, HEADER, rows(sample(args.scores, args.instances, settings)))


def arguments():
    parser = command.parser(__doc__)
    parser.add_argument("--scores", type=Path, nargs="*", default=[], help="scores.parquet of the evaluations")
    parser.add_argument("--instances", type=Path, required=True, help="instances of the test split (Parquet)")
    parser.add_argument("--output", type=Path, required=True, help="the comparisons (csv)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
