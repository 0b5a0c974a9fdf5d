"""Made-up jobs."""

from workflow_scripts.planning.dry_run import DryRun, Job

LOCAL = {"executor": "local", "cores": 2, "jobs": None, "gpus": None}


def job(number, rule, stage="text", needs=(), reason=None, **changes):
    """A job that makes `<number>` from the files of `needs`."""
    values = {
        "id": number,
        "rule": rule,
        "checkpoint": False,
        "wildcards": {},
        "reason": f"Missing output files: {number}" if reason is None else reason,
        "own_reason": "",
        "added": (),
        "removed": (),
        "environment": "",
        "input": tuple(map(str, needs)),
        "output": (str(number),),
        "log": (f"results/tiny/logs/{stage}/{number}.log",),
        "benchmark": f"results/tiny/benchmarks/{stage}/{rule}.jsonl",
        "threads": 1,
        "memory_mb": 1000,
        "gpus": 0,
        "minutes": 60,
    }
    return Job(**values | changes)


def plan_of(*jobs, **settings):
    """A dry-run of these jobs."""
    return DryRun(tuple(jobs), LOCAL | settings)
