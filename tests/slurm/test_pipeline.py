"""The workflow itself through `--profile slurm`, with other batches, hash seed and locale: the bytes of a local run.

One training is stopped and goes on. The demo with four of its models, one of each family; `make soak` runs all of it.
"""

import re

import pytest

from tests.e2e.conftest import checkout, finished_demo, once  # noqa: F401
from tests.e2e.test_demo import CORPUS_FILES, OTHER_PLACE, TABLE_FILES, digests
from tests.slurm.conftest import Run, until

pytestmark = [pytest.mark.timeout(2400)]
# Six jobs at a time: half of a short job is Snakemake's own start and waits for SLURM, not for a core.
DEMO = ("--configfile", "profiles/demo/config.yaml", "other.yaml", "--jobs", "6")
STOPPED = "inductive.pcnn_sent.s1"
SOME_MODELS = """
leakage: {prior_works: false}
experiments:
  grid: {file: null}
  tables:
    table7: {models: [cnn_sent, pcnn_sent, gru_bag_att, bert_bag_avg]}
    table10: {models: []}
    table11: {models: []}
    figure5: {models: []}
"""
RUN_FILES = ["runs/*/model.safetensors", "evaluation/*/*/scores.parquet", "evaluation/*/*/metrics.json"]
# Tables and figures that show what was trained, or the audit of prior works' corpora.
OF_MODELS = re.compile(r"tables/table(1|2|3|7|8|9|10|11|_a1)\.|figures/figure(1|4|5)\.")


@pytest.fixture(scope="module", params=["some models", pytest.param("all", marks=pytest.mark.soak)])
def demo_run(request, cluster, checkout):  # noqa: F811
    """The demo, made by SLURM jobs in a fresh checkout; one training is told to end in the middle."""
    resources = ("--set-resources", "train_run:save_every=1", "train_run:gpu=1")
    folder = checkout("on_slurm")
    some = request.param == "some models"
    (folder / "other.yaml").write_text("medline: {files_per_job: 2}\n" + (SOME_MODELS if some else ""))
    run = Run(folder, *DEMO, *resources, "--", "all", environment=OTHER_PLACE, seconds=1800)
    run.some = some
    job = cluster.wait_for(f"rule_train_run_wildcards_{STOPPED}", seconds=1200)
    until((run.folder / "results/demo/runs" / STOPPED / ".state.pt").exists, seconds=200)
    cluster.signal(job, "TERM")
    assert run.wait() == 0, run.output[-6000:]
    return run


def test_corpora_and_tables_have_the_bytes_of_a_local_run(demo_run, finished_demo):  # noqa: F811
    for patterns in (CORPUS_FILES, TABLE_FILES):
        here, there = digests(finished_demo, *patterns), digests(demo_run.folder, *patterns)
        if demo_run.some:
            here = {name: digest for name, digest in here.items() if "/umls_v" not in name}
            assert set(there) == set(here)
            here, there = ({name: each[name] for name in each if not OF_MODELS.match(name)} for each in (here, there))
        assert len(here) >= 20
        assert there == here


def test_models_and_scores_have_the_bytes_of_a_local_run(demo_run, finished_demo):  # noqa: F811
    here, there = (digests(folder, *RUN_FILES) for folder in (finished_demo, demo_run.folder))
    assert len(there) >= 4 * len(RUN_FILES) and {name: here[name] for name in there} == there
    assert demo_run.some or set(there) == set(here)


def test_jobs_have_the_environment_of_the_run(demo_run):
    assert all("--export=ALL" in call for call in demo_run.submissions())
    handed_over = (demo_run.folder / "sbatch.environment").read_text().splitlines()
    assert {f"{name}={value}" for name, value in OTHER_PLACE.items()} <= set(handed_over)


def test_every_job_ran_on_the_cluster_once(demo_run):
    """But the training that was told to end: that ran twice."""
    jobs = [call.split("--comment ")[1].split()[0] for call in demo_run.submissions()]
    benchmarks = list((demo_run.folder / "results/demo/benchmarks").rglob("*.jsonl"))
    assert len(benchmarks) >= 65
    assert sorted(jobs) == sorted([*set(jobs), f"rule_train_run_wildcards_{STOPPED}"])
    assert len(set(jobs)) == len(benchmarks)


def test_a_training_that_is_told_to_end_goes_on_to_the_same_model(demo_run, finished_demo):  # noqa: F811
    assert len(demo_run.submissions(f"rule_train_run_wildcards_{STOPPED}")) == 2
    assert "resumed in epoch" in (demo_run.folder / f"results/demo/logs/training/{STOPPED}.log").read_text()
    target = f"results/demo/runs/{STOPPED}/model.safetensors"
    assert (demo_run.folder / target).read_bytes() == (finished_demo / target).read_bytes()


def test_the_second_run_does_nothing(demo_run):
    again = Run(demo_run.folder, *DEMO, "--", "all")
    assert again.wait() == 0 and "Nothing to be done" in again.output
