"""What happens to jobs on a cluster, and what becomes of them: time, memory, bugs, cancellation, a lost node."""

import subprocess

import pytest

pytestmark = [pytest.mark.timeout(600)]
ATTEMPTS = 4  # retries: 3


def test_the_cluster_keeps_no_accounting_and_the_run_ends_all_the_same(faults):
    answer = subprocess.run(["sacct", "-n"], capture_output=True, text=True, timeout=30, check=False)
    assert answer.returncode != 0 and "accounting storage is disabled" in answer.stdout + answer.stderr
    assert faults.status == 1, faults.output[-3000:]
    assert not faults.submissions("--account") and not faults.submissions(" -A ")


def test_out_of_time_saves_and_the_next_attempt_goes_on(faults):
    # two attempts on quiet cores; more where other work shares them
    assert 2 <= len(faults.times("train")) <= 4
    first = faults.slurm_logs("train")[0]
    assert "DUE TO TIME LIMIT" in first
    # The state is written at SIGTERM alone: a later start of the second attempt shows that it was.
    log = (faults.folder / "logs" / "train.log").read_text()
    assert int(log.split("begins after")[1].split()[0]) > 30
    assert (faults.folder / "trained.json").is_file()


def test_out_of_memory_comes_back_with_more(faults):
    asked = [call.split("--mem ")[1].split()[0] for call in faults.submissions("misbehave_wildcards_hungry")]
    assert asked[:2] == ["500", "1000"] and len(asked) in (2, 3)
    assert "exceeded memory limit" in faults.slurm_logs("misbehave/hungry")[0]
    assert not (faults.folder / "hungry.json.failed").exists()
    assert (faults.folder / "hungry.json").is_file()


@pytest.mark.parametrize("what, message", [("bug", "KeyError: 'a key that"), ("bad_input", "some.RRF, line 7")])
def test_an_error_that_stays_is_met_once_and_told_each_time(faults, what, message):
    assert len(faults.submissions(f"misbehave_wildcards_{what}")) == ATTEMPTS
    assert len(faults.times(what)) == 1
    log = (faults.folder / "logs" / f"{what}.log").read_text()
    assert log.startswith("not tried again: ") and message in log
    assert faults.output.count(message) >= ATTEMPTS
    assert not (faults.folder / f"{what}.json").exists()


def test_the_next_run_tries_again_what_failed(faults, start):
    trained = faults.times("train")
    run = start(faults.folder, "--retries", 0, "bug.json", "faults")
    assert run.wait() == 1
    assert len(faults.times("bug")) == 2
    assert faults.times("train") == trained, "finished work was done again"


def test_a_cancelled_job_is_submitted_again(faults):
    assert len(faults.submissions("misbehave_wildcards_cancelled")) == 2
    assert "SLURM status is: 'CANCELLED'" in faults.output
    assert (faults.folder / "cancelled.json").is_file()


def test_other_jobs_are_not_touched(faults):
    assert len(faults.times("fine")) == 1
    assert (faults.folder / "fine.json").is_file()
