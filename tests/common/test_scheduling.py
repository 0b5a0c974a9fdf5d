"""Jobs that wait cost Snakemake nothing while others run."""

import os
import re
import subprocess
import sys

import pytest

JOBS = 12
SNAKEFILE = f"""
import sys, threading
sys.path.insert(0, ROOT)
from workflow_scripts.common.scheduling import look_only_when_jobs_end

onstart:
    look_only_when_jobs_end(workflow)

onsuccess:
    print("timers:", sum(isinstance(thread, threading.Timer) for thread in threading.enumerate()), file=sys.stderr)

rule all:
    input: expand("{{n}}", n=range({JOBS}))

rule each:
    output: "{{n}}"
    shell: "sleep 0.1; touch {{output}}"
"""


@pytest.mark.parametrize("options, taken_away", [((), True), (("--max-jobs-per-timespan", "90/9s"), False)])
def test_no_timer_waits_unless_a_limit_was_asked_for(repository, tmp_path, options, taken_away):
    (tmp_path / "Snakefile").write_text(f"ROOT = {str(repository)!r}\n{SNAKEFILE}")
    result = subprocess.run(
        ["snakemake", "--cores", "1", "--scheduler", "greedy", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[-3000:]
    assert len(list(tmp_path.glob("[0-9]*"))) == JOBS
    timers = int(re.search(r"^timers: (\d+)$", result.stderr, re.M)[1])
    assert timers == 0 if taken_away else timers >= JOBS - 2
