"""A dry-run of the workflow as data: every planned job with its reason, files and resources.

Snakemake runs in a process of its own. Its jobs are taken from its log events (the ones that logger plugins receive),
not from its text, so that no option of a profile (quiet, printshellcmds) changes what is seen.
"""

import dataclasses
import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from workflow_scripts.common.errors import UsageError

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 600


@dataclasses.dataclass(frozen=True)
class Job:
    """One planned job.

    `reason` is Snakemake's own sentence; `gpus` and `minutes` (the time limit) are what the rule asks for.
    """

    id: int
    rule: str
    checkpoint: bool
    wildcards: dict
    reason: str
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
        command = [sys.executable, "-P", __file__, str(answer), *arguments]
        try:
            process = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise UsageError(f"Snakemake did not plan the run within {TIMEOUT_S} s") from None
        if process.returncode or not answer.is_file():
            said = (process.stderr.strip() or process.stdout.strip()).splitlines()
            raise UsageError("Snakemake cannot plan this run; it says:\n  " + "\n  ".join(said[-25:]))
        return json.loads(answer.read_text(encoding="utf-8"))


def default_profile():
    """The cluster's profile where there is a cluster, else the one of a single machine."""
    return "slurm" if shutil.which("sbatch") else "profiles/local"


def _job(event):
    tuples = {name: tuple(event[name]) for name in ("input", "output", "log")}
    return Job(**{**event, **tuples})


class _Collector(logging.Filter):
    """Keeps the events of planned jobs. A filter that lets all pass: Snakemake removes foreign handlers."""

    def __init__(self):
        super().__init__()
        self.jobs = {}

    def filter(self, record):
        event = getattr(record, "event", None)
        if event is not None and event.name == "JOB_INFO":
            self.jobs[record.jobid] = _plain(record)
        return True


def _plain(record):
    resources = dict(record.resources.items())
    return {
        "id": int(record.jobid),
        "rule": str(record.rule_name),
        "checkpoint": bool(record.is_checkpoint),
        "wildcards": {str(key): str(value) for key, value in dict(record.wildcards).items()},
        "reason": str(record.reason),
        "input": [str(path) for path in record.input],
        "output": [str(path) for path in record.output],
        "log": [str(path) for path in record.log],
        "benchmark": str(record.benchmark) if record.benchmark else None,
        "threads": _whole(record.threads, 1),
        "memory_mb": _whole(resources.get("mem_mb"), 0),
        "gpus": _whole(resources.get("gpu"), 0),
        "minutes": _whole(resources.get("runtime"), None),
    }


def _whole(value, otherwise):
    # resources that depend on files that are not there yet are text
    return int(value) if isinstance(value, int | float) else otherwise


def _settings(args):
    from snakemake import cli

    limit = (args.resources or {}).get("gpu")
    return {
        "executor": args.executor or "local",
        "cores": args.cores if isinstance(args.cores, int) else None,
        "jobs": args.jobs if isinstance(args.jobs, int) else None,
        "gpus": _whole(getattr(limit, "value", limit), None),
        "configfiles": [os.path.abspath(path) for path in args.configfile or []],
        "config": cli.parse_config(args.config) or {},
        "deployment": sorted(
            str(method).rpartition(".")[2].lower() for method in args.software_deployment_method or []
        ),
        "status_command": command if isinstance(command := getattr(args, "slurm_status_command", None), str) else None,
        "conda_prefix": str(args.conda_prefix) if args.conda_prefix else None,
    }


def main(answer, arguments):
    """Run inside the process of Snakemake; writes the plan to `answer` as JSON and gives the exit status."""
    from snakemake import cli

    collector = _Collector()
    logging.getLogger("snakemake.logging").addFilter(collector)
    parser, args = cli.parse_args(arguments)
    settings = _settings(args)
    if args.dryrun and not cli.args_to_api(args, parser):
        return 1
    jobs = [collector.jobs[key] for key in sorted(collector.jobs)]
    pathlib.Path(answer).write_text(json.dumps({"jobs": jobs, "settings": settings}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
