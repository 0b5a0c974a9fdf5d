"""A dry-run of the workflow as data: every planned job with its reason, files and resources.

Snakemake runs in a process of its own (ask_snakemake.py). Jobs are taken as it holds them, not from its text: no option
of a profile (quiet, printshellcmds) changes what is seen.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from workflow_scripts.common.errors import UsageError

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = pathlib.Path(__file__).with_name("ask_snakemake.py")
TIMEOUT_S = 600


@dataclasses.dataclass(frozen=True)
class Job:
    """One planned job.

    `reason` is Snakemake's sentence. For a job that follows another one `own_reason` says, in the same form, what would
    make it run by itself ("": nothing). `added` and `removed` are inputs since the last time, `environment` the name of
    the conda file; `gpus`, `memory_mb` and `minutes` (the time limit) are what the rule asks for.
    """

    id: int
    rule: str
    checkpoint: bool
    wildcards: dict
    reason: str
    own_reason: str
    added: tuple
    removed: tuple
    environment: str
    input: tuple
    output: tuple
    log: tuple
    benchmark: str | None
    threads: int
    memory_mb: int
    gpus: int
    minutes: int | None

    @property
    def stage(self):
        """The room of the rule: the folder of its log below `logs/`, "" for a target rule."""
        parts = self.log[0].split("/") if self.log else []
        return parts[parts.index("logs") + 1] if "logs" in parts else ""


@dataclasses.dataclass(frozen=True)
class DryRun:
    """The planned jobs and the settings that came from the profile and the command line."""

    jobs: tuple
    settings: dict


def dry_run(arguments):
    """Let Snakemake plan a run in the current folder.

    Parameters
    ----------
    arguments : sequence of str
        Command line of Snakemake without `-n`: profile, configfiles, targets.

    Returns
    -------
    DryRun

    Raises
    ------
    UsageError
        If Snakemake cannot plan the run, with what it said.
    """
    found = _ask([*arguments, "--dry-run"])
    return DryRun(tuple(_job(event) for event in found["jobs"]), found["settings"])


def run_settings(arguments):
    """The settings that a profile and a command line give, without planning anything.

    Raises
    ------
    UsageError
        If Snakemake does not accept the command line, e.g. because it does not find the profile.
    """
    return _ask(arguments)["settings"]


def _ask(arguments):
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONNOUSERSITE": "1"}
    with tempfile.TemporaryDirectory() as folder:
        answer = pathlib.Path(folder) / "plan.json"
        command = [sys.executable, "-P", str(SCRIPT), str(answer), *arguments]
        try:
            process = subprocess.run(
                command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            raise UsageError(f"Snakemake did not plan the run within {TIMEOUT_S} s") from None
        if process.returncode or not answer.is_file():
            raise UsageError("Snakemake cannot plan this run; it says:\n  " + "\n  ".join(_trouble(process.stdout)))
        return json.loads(answer.read_text(encoding="utf-8"))


def _trouble(text):
    """What matters in the output of a Snakemake that failed: from its first error on; of a traceback the last line."""
    said = [line for line in text.strip().splitlines() if line.strip()]
    if any(line.startswith("Traceback") for line in said):
        return said[-1:]
    first = next((number for number, line in enumerate(said) if re.search(r"(Error|Exception)\b", line)), -25)
    return said[first:][:25]


def default_profile():
    """The cluster's profile where there is a cluster, else the one of a single machine."""
    return "slurm" if shutil.which("sbatch") else "profiles/local"


def _job(event):
    tuples = {name: tuple(event[name]) for name in ("input", "output", "log", "added", "removed")}
    return Job(**{**event, **tuples})
