"""evaluation/differences.csv: every two evaluations, over seeds, on the same resamples."""

import csv
import json

import numpy as np
import pytest

from tests.evaluation.conftest import REL2ID
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.metrics import evaluate
from workflow_scripts.common.tables import read_table
from workflow_scripts.evaluation.gold import fact_matrix
from workflow_scripts.evaluation.results import write_scores

RELATIONS = sorted(set(REL2ID) - {"NA"})
SETTINGS = json.dumps({"bootstrap_resamples": 60, "bootstrap_seed": 0})


@pytest.fixture
def written(corpus, tmp_path):
    """Scores of a model that knows the facts and of one that guesses, two seeds each; their AUCs by (model, seed)."""
    rows = read_table(corpus / "test.parquet", INSTANCES).to_pylist()
    pairs = sorted({(row["head"], row["tail"]) for row in rows})
    facts = fact_matrix(corpus / "test.parquet", pairs, RELATIONS)
    aucs = {}
    for number, (model, weight) in enumerate((("guess.v2", 0.0), ("knows", 0.6))):
        for seed in (1, 2):
            scores = (np.random.default_rng([number, seed]).random(facts.shape) + weight * facts).astype(np.float32)
            folder = tmp_path / f"toy.{model}.s{seed}" / "avg"
            folder.mkdir(parents=True)
            write_scores(folder / "scores.parquet", pairs, RELATIONS, scores)
            aucs[model, seed] = evaluate(scores, facts, relations=RELATIONS)["auc"]
    return aucs


def compared(run_command, corpus, folder, files):
    output = folder / "differences.csv"
    options = ["--scores", *files, "--instances", corpus / "test.parquet", "--params", SETTINGS, "--output", output]
    done = run_command("evaluation/compare_runs.py", *options)
    return done, output


def test_rows(run_command, corpus, tmp_path, written):
    files = sorted(tmp_path.glob("*/*/scores.parquet"))
    done, output = compared(run_command, corpus, tmp_path, files)
    assert done.returncode == 0, done.stderr
    with open(output, newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["first"], row["second"], row["differs"]) == ("guess.v2.avg", "knows.avg", "yes")
    means = [(written[model, 1] + written[model, 2]) / 2 for model in ("guess.v2", "knows")]
    assert [float(row["auc_first"]), float(row["auc_second"])] == pytest.approx(means, abs=1e-6)
    assert float(row["difference"]) == pytest.approx(means[0] - means[1], abs=2e-6)
    assert float(row["lower"]) <= float(row["difference"]) <= float(row["upper"]) < 0
    assert (row["resamples"], row["seeds_first"], row["seeds_second"]) == ("60", "2", "2")
    before = output.read_bytes()
    compared(run_command, corpus, tmp_path, files[::-1])
    assert output.read_bytes() == before


def test_scores_of_other_pairs_are_an_error(run_command, corpus, tmp_path, written):
    path = tmp_path / "toy.other.s1/avg/scores.parquet"
    path.parent.mkdir(parents=True)
    write_scores(path, [("A", "B")], RELATIONS, np.zeros((1, len(RELATIONS)), np.float32))
    done, output = compared(run_command, corpus, tmp_path, [*tmp_path.glob("*/*/scores.parquet")])
    assert done.returncode == 3 and "other pairs or relations" in done.stderr and not output.exists()
