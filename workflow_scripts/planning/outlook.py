"""What a dry-run amounts to: causes by rule, jobs that a checkpoint may spare, hours and wall time."""

import collections
import dataclasses
import math

from workflow_scripts.planning.reasons import file_name, job_causes
from workflow_scripts.planning.schedule import Task, makespan

STAGES = ["demo", "acquire", "text", "linking", "kg", "corpus", "training", "evaluation", "reporting"]


@dataclasses.dataclass(frozen=True)
class Row:
    """The planned jobs of one rule.

    `why` counts jobs by cause; `skippable` of the jobs may turn out to be unnecessary; `sources` says where the hours
    come from, `measured` how many benchmark files that is (0: a default).
    """

    stage: str
    rule: str
    jobs: int
    skippable: int
    why: dict
    cpu_hours: float
    gpu_hours: float
    minutes_per_job: float
    measured: int
    sources: tuple


@dataclasses.dataclass(frozen=True)
class Outlook:
    """The whole plan; `sure_*` are without the jobs that may be skipped. Hours, jobs, MB; wall time in hours."""

    rows: tuple
    jobs: int
    skippable: int
    checkpoints: int
    cpu_hours: float
    gpu_hours: float
    wall_hours: float
    sure_cpu_hours: float
    sure_gpu_hours: float
    sure_wall_hours: float
    measured_cpu_hours: float
    limits: str


def outlook(planned, costs):
    """Sum up a dry-run.

    Parameters
    ----------
    planned : DryRun
    costs : Costs

    Returns
    -------
    Outlook
    """
    jobs = [job for job in planned.jobs if job.stage]
    makers = {file_name(path): job for job in planned.jobs for path in job.output}
    spared = skippable(planned.jobs, makers)
    priced = {job.id: costs.of(job) for job in jobs}
    by_rule = collections.defaultdict(list)
    for job in jobs:
        by_rule[job.stage, job.rule].append(job)
    needs = _needs(planned.jobs, makers)
    levels = _levels(needs)
    place = {key: (_stage_number(key[0]), min(levels[job.id] for job in group), key) for key, group in by_rule.items()}
    rows = [_row(*key, by_rule[key], spared, priced, makers) for key in sorted(by_rule, key=place.get)]
    sure = [job for job in jobs if job.id not in spared]
    cpu, gpu = _hours(jobs, priced)
    sure_cpu, sure_gpu = _hours(sure, priced)
    limits, text = _limits(planned.settings)
    return Outlook(
        rows=tuple(rows),
        jobs=len(jobs),
        skippable=len([job for job in jobs if job.id in spared]),
        checkpoints=len([job for job in jobs if job.checkpoint]),
        cpu_hours=cpu,
        gpu_hours=gpu,
        wall_hours=_wall(jobs, priced, needs, limits),
        sure_cpu_hours=sure_cpu,
        sure_gpu_hours=sure_gpu,
        sure_wall_hours=_wall(sure, priced, needs, limits),
        measured_cpu_hours=_hours([job for job in jobs if priced[job.id].measured], priced)[0],
        limits=text,
    )


def skippable(jobs, makers):
    """Ids of the jobs that run only if a checkpoint before them writes something new.

    Those are the jobs without a cause of their own whose changed inputs all come from checkpoints or from other such
    jobs: the graph is looked at again after each checkpoint.
    """
    found, pending = set(), {}
    for job in jobs:
        own = job_causes(job)
        before = [makers.get(cause.about) for cause in own if cause.kind == "after"]
        if before and all(cause.kind == "after" for cause in own) and None not in before:
            pending[job.id] = before
    changed = True
    while changed:
        changed = False
        for number, before in list(pending.items()):
            if all(maker.checkpoint or maker.id in found for maker in before):
                found.add(number)
                del pending[number]
                changed = True
    return found


def _stage_number(stage):
    return STAGES.index(stage) if stage in STAGES else len(STAGES)


def _row(stage, rule, jobs, spared, priced, makers):
    why = collections.Counter()
    for job in jobs:
        why.update({text: 1 for text in _texts(job, makers)})
    cpu, gpu = _hours(jobs, priced)
    costs = [priced[job.id] for job in jobs]
    return Row(
        stage=stage,
        rule=rule,
        jobs=len(jobs),
        skippable=len([job for job in jobs if job.id in spared]),
        why=dict(sorted(why.items(), key=lambda item: (-item[1], item[0]))),
        cpu_hours=cpu,
        gpu_hours=gpu,
        minutes_per_job=sum(cost.minutes for cost in costs) / len(costs),
        measured=max(cost.measured for cost in costs),
        sources=tuple(sorted({cost.source for cost in costs})),
    )


def _texts(job, makers):
    """The causes of a job in words: its own ones, and only where there is none the rules upstream."""
    found = job_causes(job)
    own = [cause for cause in found if cause.kind != "after"]
    if any(cause.kind == "new output" for cause in own):
        return {"new output"}
    if own:
        return {str(cause) for cause in own}
    return {f"after {makers[cause.about].rule}" if cause.about in makers else "after another job" for cause in found}


def _hours(jobs, priced):
    cpu = sum(priced[job.id].minutes * priced[job.id].cores for job in jobs) / 60
    gpu = sum(priced[job.id].minutes * job.gpus for job in jobs) / 60
    return cpu, gpu


def _limits(settings):
    if settings["executor"] == "local":
        cores = settings["cores"] or 1
        gpus = math.inf if settings["gpus"] is None else settings["gpus"]
        text = f"{cores} core{'s' * (cores != 1)}" + ("" if gpus == math.inf else f" and {gpus} GPU{'s' * (gpus != 1)}")
        return {"cores": cores, "gpus": gpus}, text
    jobs = settings["jobs"] or 1
    return {"jobs": jobs}, f"up to {jobs} jobs at once, without time in the queue"


def _needs(jobs, makers):
    """Ids of the jobs that each job waits for: makers of its inputs, and checkpoints that only its reason names."""
    needs = {}
    for job in jobs:
        names = [file_name(name) for name in job.input]
        names += [cause.about for cause in job_causes(job) if cause.kind == "after"]
        needs[job.id] = frozenset({makers[name].id for name in names if name in makers} - {job.id})
    return needs


def _levels(needs):
    """Length of the longest chain of jobs before each job."""
    levels = {}

    def level(key):
        if key not in levels:
            levels[key] = 1 + max((level(other) for other in sorted(needs[key])), default=0)
        return levels[key]

    for key in sorted(needs):
        level(key)
    return levels


def _wall(jobs, priced, needs, limits):
    tasks = [Task(job.id, priced[job.id].minutes, job.threads, job.gpus, needs[job.id]) for job in jobs]
    return makespan(tasks, **limits) / 60
