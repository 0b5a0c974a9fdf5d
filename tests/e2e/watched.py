"""Runs of Snakemake that are watched line by line and killed in the middle, and what a run says it did."""

import collections
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from tests.e2e.conftest import variables

STARTED = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):$")
BLOCK = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):\n((?:    .*\n?)+)", re.M)
FINISHED = re.compile(r"^Finished jobid: (\d+) \(Rule: \w+\)$", re.M)
TARGETS = {"all", "corpus", "models", "tables", "figures", "report", "verify", "leakage"}


def blocks(output):
    """(job id, rule, wildcards as Snakemake writes them) of the jobs in the output of a run or a dry-run."""
    for rule, body in BLOCK.findall(output):
        if rule not in TARGETS:
            wildcards = re.search(r"^    wildcards: (.*)$", body, re.M)
            yield re.search(r"^    jobid: (\d+)$", body, re.M)[1], rule, wildcards[1] if wildcards else ""


def jobs(output):
    """Jobs that a dry-run plans or a run started, counted: by (rule, wildcards)."""
    return collections.Counter((rule, wildcards) for _, rule, wildcards in blocks(output))


def finished_jobs(output):
    """Jobs that a run brought to their end, counted: by (rule, wildcards)."""
    named = {number: (rule, wildcards) for number, rule, wildcards in blocks(output)}
    return collections.Counter(named[number] for number in FINISHED.findall(output) if number in named)


def processes_below(folder):
    """Commands of the processes that work in a folder, by their ids."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            place, command = os.readlink(entry / "cwd"), (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if command and (place == str(folder) or place.startswith(f"{folder}/")):
            found[int(entry.name)] = command.replace(b"\0", b" ").decode(errors="replace")
    return found


def none_left(folder, seconds=600):
    """Whether the processes that work in a folder end within so many seconds; what a killed run left ends by itself."""
    end = time.monotonic() + seconds
    while (left := processes_below(folder)) and time.monotonic() < end:
        time.sleep(0.2)
    return left == {}


class WatchedRun:
    """Snakemake with the demo profile in a process group of its own."""

    def __init__(self, folder, *arguments):
        self.folder, self.arguments = folder, [str(argument) for argument in arguments]
        self.lines, self.news = [], threading.Condition()
        self.process = subprocess.Popen(
            ["snakemake", "--profile", "profiles/demo", *self.arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env=variables(),
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line)
                self.news.notify_all()
        with self.news:
            self.lines.append(None)
            self.news.notify_all()

    def wait_for(self, reached, seconds=300):
        """Wait until `reached(lines)` is true; false where the run ends before. Raises TimeoutError."""
        with self.news:
            if not self.news.wait_for(lambda: self._ended() or reached(self.lines), seconds):
                raise TimeoutError(f"after {seconds} s:\n{self.output()[-3000:]}")
            return not self._ended()

    def _ended(self):
        return bool(self.lines) and self.lines[-1] is None

    def kill(self, whole_group=True):
        """SIGKILL to Snakemake and its jobs, or to Snakemake alone."""
        (os.killpg if whole_group else os.kill)(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=30)

    def unlock(self):
        """Remove the lock that a killed Snakemake left behind; gives the exit status."""
        command = ["snakemake", "--profile", "profiles/demo", "--unlock", *self.arguments]
        return subprocess.run(command, cwd=self.folder, env=variables(), capture_output=True, timeout=120).returncode

    def wait(self, seconds=600):
        """The exit status."""
        return self.process.wait(timeout=seconds)

    def output(self):
        """What was written so far."""
        return "".join(line for line in self.lines if line)


def started(lines):
    """Number of jobs that the lines say were started, targets not counted."""
    return sum(bool((match := STARTED.match(line.rstrip())) and match[1] not in TARGETS) for line in lines if line)
