"""Preflight of a SLURM cluster: controller, accounting, partitions with GPUs, memory, cores and time for the jobs."""

import dataclasses
import re

from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, Finding, ask

SHORTEST_MEMORY_S = 120
UNLIMITED = 10**9


@dataclasses.dataclass(frozen=True)
class Partition:
    """A kind of node of a partition: GPUs, memory in MB and CPUs of one node, time limit in minutes."""

    name: str
    up: bool
    gpus: int
    memory_mb: int
    cpus: int
    minutes: int


def check_cluster(settings, jobs):
    """Findings on the cluster of a run.

    Parameters
    ----------
    settings : dict
        `executor` and `status_command` of the profile.
    jobs : sequence of Job or None
        The planned jobs, None where the run cannot be planned.
    """
    if settings["executor"] != "slurm":
        return [Finding("slurm", SKIPPED, f"the profile runs jobs by {settings['executor']}")]
    answer = ask(["sinfo", "--noheader", "--format=%P|%a|%G|%m|%c|%l"])
    if answer.status != 0:
        remedy = (
            "start from a login node of the cluster (or load its slurm module); if sinfo fails there too, ask its "
            "administrators, or run with --profile profiles/local"
        )
        return [Finding("slurm", FAILURE, answer.trouble, "an answer of the controller to sinfo", remedy)]
    partitions = read_partitions(answer.output)
    if not any(partition.up for partition in partitions):
        remedy = "ask the administrators of the cluster; `sinfo` shows the states"
        found = "no partition is up" if partitions else "no partition"
        return [Finding("slurm", FAILURE, found, "a partition that takes jobs", remedy)]
    names = sorted({partition.name for partition in partitions if partition.up})
    findings = [Finding("slurm", OK, f"partitions {', '.join(names)}"), *_status(settings)]
    usable = [partition for partition in partitions if partition.up]
    return findings + (_resources(usable, jobs) if jobs is not None else [_unknown()])


def _unknown():
    return Finding("cluster resources", SKIPPED, "the run could not be planned, so its needs are not known")


def read_partitions(text):
    """Partitions in the lines of `sinfo --format=%P|%a|%G|%m|%c|%l`; lines of another form are left out."""
    found = []
    for line in text.splitlines():
        parts = line.strip().split("|")
        if len(parts) == 6:
            name, state, gres, memory, cpus, limit = parts
            numbers = [int(re.match(r"\d+", part)[0]) if part[:1].isdigit() else 0 for part in (memory, cpus)]
            found.append(Partition(name.rstrip("*"), state == "up", _gpus(gres), *numbers, _minutes(limit)))
    return found


def _gpus(gres):
    # gpu:2, gpu:a100:4(S:0-1), gpu:v100:2,gpu:a100:1, (null)
    counts = re.findall(r"(?:^|,)gpu(?::[A-Za-z][^:,()]*)?(?::(\d+))?", gres)
    return sum(int(count or 1) for count in counts)


def _minutes(limit):
    if limit in ("infinite", "n/a", ""):
        return UNLIMITED
    days, _, clock = limit.rpartition("-")
    parts = [int(part) for part in clock.split(":") if part.isdigit()]
    if days:
        hours, minutes = (parts + [0, 0])[:2]
    else:
        hours, minutes = (parts[0], parts[1]) if len(parts) == 3 else (0, parts[0] if parts else 0)
    return int(days or 0) * 1440 + hours * 60 + minutes


def _status(settings):
    """How Snakemake learns that a job ended: accounting, or squeue where the profile says so."""
    if "squeue" in (settings["status_command"] or ""):
        return [Finding("accounting", OK, "not needed: the profile asks squeue"), *_memory_of_squeue()]
    answer = ask(["sacct", "--allocations", "--noheader", "--parsable2", "--format=JobIDRaw,State"])
    if answer.status == 0:
        return [Finding("accounting", OK, "sacct answers")]
    return [
        Finding(
            "accounting",
            FAILURE,
            answer.trouble,
            "job states from sacct (without them Snakemake waits for ever)",
            "add --slurm-status-command squeue, or `slurm-status-command: squeue` to your site's profile",
        )
    ]


def _memory_of_squeue():
    answer = ask(["scontrol", "show", "config"])
    match = re.search(r"MinJobAge\s*=\s*(\d+)", answer.output)
    if answer.status == 0 and match and int(match[1]) < SHORTEST_MEMORY_S:
        return [
            Finding(
                "squeue memory",
                WARNING,
                f"MinJobAge is {match[1]} s",
                f"at least {SHORTEST_MEMORY_S} s: squeue forgets ended jobs after that",
                "ask the administrators for MinJobAge=300 in slurm.conf",
            )
        ]
    return []


def _resources(partitions, jobs):
    findings = [_gpu_partitions(partitions, jobs)] if any(job.gpus for job in jobs) else []
    needs = {
        "memory of nodes": (
            "memory_mb",
            "memory_mb",
            "MB",
            "a partition of larger nodes, or less by --set-resources",
        ),
        "cores of nodes": ("threads", "cpus", "cores", "fewer by --set-threads or config training.threads"),
        "time limit": ("minutes", "minutes", "minutes", "a partition with more time, or less by --set-resources"),
    }
    for check, (wanted, offered, unit, advice) in needs.items():
        largest = max(jobs, key=lambda job: (getattr(job, wanted) or 0, job.rule), default=None)
        if largest is None:
            continue
        need = getattr(largest, wanted) or 0
        there = max(getattr(partition, offered) for partition in partitions)
        shown = "no limit" if there == UNLIMITED else f"{there} {unit}"
        if need > there:
            expected = f"{need} {unit} for rule {largest.rule}"
            findings.append(Finding(check, FAILURE, f"at most {shown}", expected, f"use {advice} {largest.rule}:..."))
        else:
            findings.append(Finding(check, OK, f"{shown}; the largest job ({largest.rule}) asks for {need} {unit}"))
    return findings


def _gpu_partitions(partitions, jobs):
    names = sorted({f"{partition.name} ({partition.gpus} a node)" for partition in partitions if partition.gpus})
    need = max(job.gpus for job in jobs)
    if any(partition.gpus >= need for partition in partitions):
        return Finding("GPU partitions", OK, ", ".join(names))
    rules = ", ".join(sorted({job.rule for job in jobs if job.gpus}))
    return Finding(
        "GPU partitions",
        FAILURE,
        ", ".join(names) or "no partition has GPUs (GRES gpu)",
        f"{need} GPU for rules {rules}",
        "train on CPUs: `training: {device: cpu}` in your configfile; or ask which partition has GPUs",
    )
