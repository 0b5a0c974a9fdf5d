"""The workflow itself through `--profile slurm`: the same bytes as on one machine, and a training that goes on."""

import pytest

from tests.e2e.conftest import checkout, finished_demo, once  # noqa: F401
from tests.e2e.test_demo import CORPUS_FILES, TABLE_FILES, digests
from tests.slurm.conftest import SITE, Run, until

pytestmark = [pytest.mark.timeout(1800)]
# Three jobs at a time, that two real cores are not asked for more than they have.
DEMO = ("--configfile", "profiles/demo/config.yaml", "--jobs", "3")


@pytest.fixture(scope="module")
def corpus_run(cluster, checkout):  # noqa: F811
    """The corpora, made by SLURM jobs in a fresh checkout."""
    run = Run(checkout("on_slurm"), *DEMO, "--", "corpus", site=SITE, seconds=1200)
    assert run.wait() == 0, run.output[-6000:]
    return run


def test_corpora_have_the_bytes_of_a_local_run(corpus_run, finished_demo):  # noqa: F811
    there = digests(corpus_run.folder, *CORPUS_FILES)
    here = digests(finished_demo, *CORPUS_FILES)
    assert there == {name: digest for name, digest in here.items() if name in there}
    assert sum(name.startswith("corpus/") for name in there) >= 20


def test_every_job_of_the_corpora_ran_on_the_cluster(corpus_run):
    rules = (
        "generate_demo_release",
        "fingerprint_graph",
        "extract_abstracts",
        "link_surfaces",
        "build_kg",
        "check_corpus",
    )
    for rule in rules:
        assert corpus_run.submissions(f"rule_{rule}"), rule


def test_a_training_that_is_told_to_end_goes_on_to_the_same_model(corpus_run, cluster, finished_demo):  # noqa: F811
    name = next(path.name for path in sorted((finished_demo / "results/demo/runs").iterdir()) if ".pcnn" in path.name)
    target = f"results/demo/runs/{name}/model.safetensors"
    run = Run(corpus_run.folder, *DEMO, "--set-resources", "train_run:save_every=1", "train_run:gpu=1", "--", target)
    job = cluster.wait_for(f"rule_train_run_wildcards_{name}", seconds=300)
    until(lambda: (run.folder / "results/demo/runs" / name / ".state.pt").exists(), seconds=200)
    cluster.signal(job, "TERM")
    assert run.wait() == 0, run.output[-6000:]
    assert len(run.submissions(f"rule_train_run_wildcards_{name}")) == 2
    assert "resumed in epoch" in (run.folder / f"results/demo/logs/training/{name}.log").read_text()
    assert (run.folder / target).read_bytes() == (finished_demo / target).read_bytes()


@pytest.mark.soak
def test_tables_have_the_bytes_of_a_local_run(corpus_run, finished_demo):  # noqa: F811
    """All 75 jobs of the demo: every table byte for byte, and a second run does nothing."""
    run = Run(corpus_run.folder, *DEMO, "--", "all", seconds=1500)
    assert run.wait() == 0, run.output[-6000:]
    assert digests(run.folder, *TABLE_FILES) == digests(finished_demo, *TABLE_FILES)
    again = Run(corpus_run.folder, *DEMO, "--", "all")
    assert again.wait() == 0 and "Nothing to be done" in again.output
