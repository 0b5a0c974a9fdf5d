"""Preflight of the machine: free disk and quota against an estimate, memory and cores against the largest rule."""

import os
import pathlib
import shutil

from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, Finding, ask
from workflow_scripts.planning.run_config import is_demo

GB = 10**9
# A file of the 2019 baseline; of the embedded release.
MEDLINE_FILE_BYTES = {False: 30_000_000, True: 200_000}
# Abstracts, sentences, mentions and what is spilled while they are joined, for each byte of MEDLINE.
RESULTS_PER_MEDLINE_BYTE = 4
# A run with its full-state checkpoint: weights, two moments of Adam, weights again.
RUN_BYTES = {"bert": 1_800_000_000, "other": 300_000_000}
DEMO_RUN_BYTES = 10_000_000
DEMO_MEMORY_MB = 4000


def check_machine(config, plan, settings, jobs):
    """Findings on disk, quota, memory and cores.

    Parameters
    ----------
    config : dict
        A validated configuration.
    plan : Plan
        Batches and runs.
    settings : dict
        `executor` and `cores` of the profile.
    jobs : sequence of Job or None
        The planned jobs, None where the run cannot be planned.
    """
    need = bytes_needed(config, plan)
    findings = [_disk(need), *_quota(need)]
    if settings["executor"] == "local":
        findings += [_memory(config, jobs), _cores(config, settings)]
    return findings


def bytes_needed(config, plan):
    """Bytes that the run still has to write: missing MEDLINE files, results and runs, less what is there already."""
    demo = is_demo(config)
    folder, input_bytes, download = pathlib.Path(config["medline"]["baseline_dir"]), 0, 0
    for name in (name for batch in plan.batches.values() for name in batch):
        try:
            input_bytes += (folder / name).stat().st_size
        except OSError:
            input_bytes += MEDLINE_FILE_BYTES[demo]
            download += MEDLINE_FILE_BYTES[demo]
    runs = sum(
        DEMO_RUN_BYTES if demo else RUN_BYTES["bert" if run["row"]["encoder"] == "bert" else "other"]
        for run in plan.runs.values()
    )
    there = sum(
        os.lstat(os.path.join(path, name)).st_size
        for path, _, names in os.walk(pathlib.Path("results", config["name"]))
        for name in names
    )
    return download + max(0, RESULTS_PER_MEDLINE_BYTE * input_bytes + runs - there)


def _disk(need):
    free = shutil.disk_usage(".").free
    found = f"{free / GB:.1f} GB free below {os.getcwd()}"
    expected = f"about {need / GB:.1f} GB for this run"
    remedy = "free space, or put the checkout (or results/ and resources/, as links) on a larger disk"
    if free < need:
        return Finding("disk", FAILURE, found, expected, remedy)
    if free < 1.5 * need:
        return Finding("disk", WARNING, found, f"{expected}, an estimate that may be short by half", remedy)
    return Finding("disk", OK, f"{found}, {expected}")


def _quota(need):
    answer = ask(["quota", "-w"])
    if answer.status is None:
        return [Finding("quota", SKIPPED, answer.trouble)]
    left = quota_left(answer.output, _device("."))
    if left is None:
        return [Finding("quota", OK, "none on this disk")]
    found, expected = f"{max(0, left) / GB:.1f} GB left", f"about {need / GB:.1f} GB for this run"
    if left < need:
        remedy = "ask for more quota, or put the checkout on another disk (`quota -w` shows yours)"
        return [Finding("quota", FAILURE, found, expected, remedy)]
    return [Finding("quota", OK, f"{found}, {expected}")]


def quota_left(text, device):
    """Bytes left on a device in the output of `quota -w`, None where there is no limit.

    Columns are device, blocks of 1 KiB (with a star when over the quota), quota, limit.
    """
    for line in text.splitlines():
        parts = line.split()
        if len(parts) >= 4 and parts[0] == device and all(part.rstrip("*").isdigit() for part in parts[1:4]):
            used, quota, limit = (int(part.rstrip("*")) for part in parts[1:4])
            ceiling = min((value for value in (quota, limit) if value), default=None)
            return None if ceiling is None else (ceiling - used) * 1024
    return None


def _device(path):
    """The device that holds a path: of the mount points above it the longest."""
    best = ("", "")
    for line in pathlib.Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        device, mount = line.split()[:2]
        if os.path.realpath(path).startswith(mount.rstrip("/") + "/") and len(mount) >= len(best[0]):
            best = (mount, device)
    return best[1]


def memory_mb():
    """(total, available) memory of the machine in MB; a limit of the control group counts as total."""
    fields = {}
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        name, _, rest = line.partition(":")
        fields[name] = int(rest.split()[0]) // 1024
    total, available = fields["MemTotal"], fields["MemAvailable"]
    try:
        limit = int(pathlib.Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")) >> 20
    except (OSError, ValueError):
        limit = total
    return min(total, limit), min(available, limit)


def _memory(config, jobs):
    total, available = memory_mb()
    found = f"{available} MB of {total} MB are free"
    if is_demo(config):
        # the limits of the rules are made for the full size
        need, expected = DEMO_MEMORY_MB, f"{DEMO_MEMORY_MB} MB for the embedded release"
    elif jobs is None:
        return Finding("memory", SKIPPED, "the run could not be planned, so its needs are not known")
    else:
        largest = max(jobs, key=lambda job: (job.memory_mb, job.rule), default=None)
        need = largest.memory_mb if largest else 0
        expected = f"{need} MB, the limit of rule {largest.rule}" if largest else "no job is planned"
    if available >= need:
        return Finding("memory", OK, f"{found}; {expected}")
    remedy = "end other programs, or run on a machine or cluster with more; such a job may be killed here"
    return Finding("memory", WARNING, found, expected, remedy)


def _cores(config, settings):
    cores, wanted = len(os.sched_getaffinity(0)), config["training"]["threads"]
    given = min(cores, settings["cores"] or cores)
    if given >= wanted:
        return Finding("cores", OK, f"{given} of {cores}; a training run uses {wanted}")
    remedy = "run with more --cores, or set training.threads (part of a run's identity: all runs train again)"
    return Finding("cores", WARNING, f"{given} of {cores}", f"{wanted} for a training run", remedy)
