"""Kill -9 in the middle, at points drawn from a seed: the next runs end with the bytes of an undisturbed one."""

import os
import random
import re
import shutil
import signal
import time

import pytest

from tests.e2e.conftest import OWN, WHOLE_DEMO_SECONDS, snakemake
from tests.e2e.watched import WatchedRun, none_left, processes_below, started

# Benchmarks, logs and records tell times and hosts; the report shows the records.
NOT_REPEATED = {"benchmarks", "logs", "provenance", "report.html"}
SECONDS = re.compile(rb'"seconds": [\d.e-]+')  # of an epoch, in history.jsonl
KINDS = ["all processes", "Snakemake alone", "a job"]


def bytes_of(results):
    """The contents of every file of a results folder that must repeat, by name."""
    found = {}
    for path in sorted(results.rglob("*")):
        name = path.relative_to(results)
        if path.is_file() and name.parts[0] not in NOT_REPEATED:
            found[str(name)] = path.read_bytes()
            if path.name == "history.jsonl":
                found[str(name)] = SECONDS.sub(b"", found[str(name)])
    return found


def differing(results, undisturbed):
    """Names of the files that stand in one of two results folders only, or with other contents."""
    one, other = bytes_of(results), bytes_of(undisturbed)
    assert len(other) > 50
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def jobs_of_a_run(lines):
    """Number of jobs that a run plans; 0 as long as it has not said so."""
    total = re.findall(r"^total +(\d+)$", "".join(line for line in lines if line), re.M)
    return int(total[0]) if total else 0


def disturb(folder, kind, dice, kills_left, arguments):
    """Start a run and kill something after a random number of its jobs has begun; whether that came to pass."""
    run = WatchedRun(folder, *arguments)
    assert run.wait_for(jobs_of_a_run), run.output()[-4000:]
    begun = dice.randint(1, max(1, (jobs_of_a_run(run.lines) - 1) // (kills_left + 1)))
    reached = run.wait_for(lambda lines: started(lines) >= begun, seconds=WHOLE_DEMO_SECONDS)
    time.sleep(dice.uniform(0, 1.5))
    if kind == "a job":
        scripts = [number for number, text in processes_below(folder).items() if "workflow_scripts/" in text]
        for number in scripts[:1]:
            os.kill(number, signal.SIGKILL)
        assert run.wait() in {0, 1}
        reached = bool(scripts)
    else:
        run.kill(whole_group=kind == "all processes")
    assert none_left(folder), processes_below(folder)
    assert run.unlock() == 0
    return reached


def leave_and_finish(folder, kinds, seed, arguments, timeout=600):
    """Kill one run after the other, then let one come to its end; nothing is left behind or to do."""
    dice = random.Random(seed)
    disturbed = sum(disturb(folder, kind, dice, len(kinds) - i, arguments) for i, kind in enumerate(kinds))
    result = snakemake(folder, *arguments, timeout=timeout)
    assert result.returncode == 0, result.stdout[-6000:]
    assert none_left(folder, 5), processes_below(folder)
    assert not [path for path in folder.rglob("*.tmp") if ".git" not in path.parts]
    assert "Nothing to be done" in snakemake(folder, *arguments).stdout
    return disturbed


def test_corpora_after_three_kills(finished_own, checkout):
    folder = checkout("killed")
    shutil.copy2(finished_own / "own.yaml", folder)
    shutil.copytree(finished_own / "inputs", folder / "inputs")
    assert leave_and_finish(folder, KINDS, 19, [*OWN, "--cores", "2", "corpus"]) == len(KINDS)
    assert differing(folder / "results" / "own", finished_own / "results" / "own") == []


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_tables_after_twenty_kills(finished_demo, checkout):
    folder = checkout("killed_often")
    kinds = [KINDS[i % 3] for i in range(20)]
    assert leave_and_finish(folder, kinds, 2022, ["--cores", "2"], WHOLE_DEMO_SECONDS) >= 15
    assert differing(folder / "results" / "demo", finished_demo / "results" / "demo") == []
