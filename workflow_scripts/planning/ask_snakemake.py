"""Runs inside a process of Snakemake and writes what it plans as JSON: `ask_snakemake.py ANSWER <its arguments>`.

With --dry-run the answer has every planned job and the settings, else the settings alone; nothing is ever executed.

Snakemake gives a job that follows another planned job no reason but that one, and does not look for more. Here its own
reasons are looked up too, with Snakemake's own comparisons, because they decide whether the job can be spared.
"""

import asyncio
import json
import os
import pathlib
import sys

UNKNOWN_YET = "<TBD>"


def main(answer, arguments):
    """Plan with Snakemake's command line; gives the exit status."""
    from snakemake import cli
    from snakemake.jobs import Job

    shown, show = {}, Job.log_info

    def log_info(job, *args, **kwargs):
        reason = job.dag.reason(job)
        follows = bool(reason.updated_input_run) and not reason.missing_output and not reason.forced
        shown[job.dag.jobid(job)] = (job, str(reason), follows, bool(reason.input_changed))
        return show(job, *args, **kwargs)

    # a dry-run shows each job once: the one place where all of them pass
    Job.log_info = log_info
    parser, args = cli.parse_args(arguments)
    settings = _settings(args, cli.parse_config(args.config))
    if args.dryrun and not cli.args_to_api(args, parser):
        return 1
    jobs = [asyncio.run(_described(number, *shown[number])) for number in sorted(shown)]
    pathlib.Path(answer).write_text(json.dumps({"jobs": jobs, "settings": settings}), encoding="utf-8")
    return 0


async def _described(number, job, reason, follows, input_changed):
    resources = dict(job.resources.items())
    known = UNKNOWN_YET not in map(str, job.input)
    own = await _own_reason(job, known) if follows else None
    input_changed = input_changed or bool(own and own.input_changed)
    added, removed = _changed_inputs(job) if known and input_changed else ([], [])
    return {
        "id": int(number),
        "rule": job.rule.name,
        "checkpoint": bool(job.rule.is_checkpoint),
        "wildcards": {key: str(value) for key, value in job.wildcards_dict.items()},
        "reason": reason,
        "own_reason": str(own) if own else "",
        "added": added,
        "removed": removed,
        "environment": os.path.basename(str(job.rule.conda_env or "")),
        "input": [str(path) for path in job.input],
        "output": [str(path) for path in job.output],
        "log": [str(path) for path in job.log],
        "benchmark": str(job.benchmark) if job.benchmark else None,
        "threads": _whole(job.threads, 1),
        "memory_mb": _whole(resources.get("mem_mb"), 0),
        "gpus": _whole(resources.get("gpu"), 0),
        "minutes": _whole(resources.get("runtime"), None),
    }


async def _own_reason(job, known):
    """The reasons that Snakemake would give the job if none of the jobs before it ran.

    Without `known` inputs those that depend on inputs are left out.
    """
    from snakemake.jobs import Reason
    from snakemake.settings.enums import RerunTrigger

    own, memory, triggers = Reason(), job.dag.workflow.persistence, job.dag.workflow.rerun_triggers
    oldest = await job.output_mintime
    if oldest is None:
        return None
    if RerunTrigger.MTIME in triggers:
        own.updated_input.update([path for path in job.input if await _is_updated(job, path, oldest)])
    if memory.has_metadata(job) and not memory.has_outdated_metadata(job):
        if RerunTrigger.PARAMS in triggers and (known or UNKNOWN_YET not in str(list(job.params))):
            own.params_changed = memory.params_changed(job)
        if RerunTrigger.INPUT in triggers and known:
            own.input_changed = any(memory.input_changed(job))
        if RerunTrigger.CODE in triggers:
            own.code_changed = any(memory.code_changed(job))
        if RerunTrigger.SOFTWARE_ENV in triggers:
            own.software_stack_changed = any(memory.software_stack_changed(job))
    return own


async def _is_updated(job, path, oldest):
    if str(path) == UNKNOWN_YET or not await path.exists() or not await path.is_newer(oldest):
        return False
    limit = job.dag.max_checksum_file_size
    recorded = job.dag.workflow.persistence.input_checksums(job, path)
    if len(recorded) != 1 or not await path.is_checksum_eligible(limit):
        return True
    return not await path.is_same_checksum(recorded.pop(), limit)


def _changed_inputs(job):
    recorded = job.dag.workflow.persistence.input(job.output[0]) or []
    now = {str(path) for path in job.input}
    return sorted(now - set(recorded)), sorted(set(recorded) - now)


def _whole(value, otherwise):
    # resources that depend on files that are not there yet are text
    return int(value) if isinstance(value, int | float) else otherwise


def _settings(args, config):
    gpus = (args.resources or {}).get("gpu")
    status = getattr(args, "slurm_status_command", None)
    return {
        "executor": args.executor or "local",
        "cores": _whole(args.cores, None),
        "jobs": _whole(args.jobs, None),
        "gpus": _whole(getattr(gpus, "value", gpus), None),
        "configfiles": [os.path.abspath(path) for path in args.configfile or []],
        "config": config or {},
        "deployment": sorted(method.name.lower() for method in args.software_deployment_method or []),
        "status_command": status if isinstance(status, str) else None,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
