"""One SLURM for all tests of this folder, and runs of Snakemake on it with hard time limits."""

import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

from tests.slurm.cluster import Cluster, why_not

SMALL = pathlib.Path(__file__).parent / "small"
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# What a site's own profile would say of this cluster; the short times are for tests.
SITE = """
software-deployment-method: [env-modules]
slurm-init-seconds-before-status-checks: 2
seconds-between-status-checks: 2
latency-wait: 10
"""


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A running cluster; afterwards, told to end or not, no job, no daemon and no process of a job is left."""
    reason = why_not()
    if reason:
        pytest.skip(f"NO SLURM TESTS: {reason}")
    # SIGTERM, as `timeout` sends it, ends pytest without the end of its fixtures; an interrupt does not
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = tmp_path_factory.mktemp("slurm")
    running = Cluster(folder / "cluster")
    try:
        running.start()
        yield running
    finally:
        running.stop()
    left = processes_below(tmp_path_factory.getbasetemp())
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert not left, f"processes left behind: {left}"


def processes_below(folder):
    """Processes of SLURM jobs that work below a folder: their commands by their ids."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            place, variables = os.readlink(entry / "cwd"), (entry / "environ").read_bytes()
        except OSError:
            continue
        if place.startswith(f"{folder}/") and b"SLURM_JOB_ID=" in variables:
            found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ")[:200]
    return found


class Run:
    """Snakemake with the slurm profile, in the background, as a user would type it.

    Every sbatch call is noted in <folder>/sbatch.calls.
    """

    def __init__(self, folder, *arguments, site=SITE, environment=None, seconds=420):
        self.folder, self.seconds = pathlib.Path(folder), seconds
        (self.folder / "site.yaml").write_text(site)
        self.log = self.folder / f"snakemake{len(list(self.folder.glob('snakemake*.out')))}.out"
        self.environment = {**os.environ, **note_sbatch(self.folder), "PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1"}
        self.environment.update({"REPOSITORY": str(REPOSITORY), **(environment or {})})
        self.environment.pop("MEDDISTANT_INVOCATION", None)
        self.command = ["snakemake", "--profile", "slurm", "--profile", "site.yaml", *map(str, arguments)]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["timeout", "-k", "10", str(seconds), *self.command],
                cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def wait(self):
        """The exit status, once the run has ended (124, 137: it ran out of time)."""
        return self.process.wait(timeout=self.seconds + 60)

    @property
    def output(self):
        """What Snakemake has printed so far."""
        return self.log.read_text(errors="replace")

    def submissions(self, *words):
        """The sbatch calls that hold all these words."""
        calls = self.folder / "sbatch.calls"
        lines = calls.read_text().splitlines() if calls.exists() else []
        return [line for line in lines if all(word in line for word in words)]

    def times(self, what):
        """When each call of a command's main function began."""
        return [float(line) for line in (self.folder / "state" / f"{what}.calls").read_text().split()]

    def slurm_logs(self, rule):
        """The texts of the SLURM logs of a rule, by their path."""
        paths = sorted((self.folder / "logs" / "slurm" / f"rule_{rule}").rglob("*.log"), key=os.path.getmtime)
        return [path.read_text(errors="replace") for path in paths]


def note_sbatch(folder):
    """PATH with an sbatch before the real one that notes its arguments up to --wrap, and its environment."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    script = tools / "sbatch"
    script.write_text(
        f'#!/bin/sh\necho "${{*%%--wrap*}}" >> {folder}/sbatch.calls\nenv > {folder}/sbatch.environment\n'
        f'exec {shutil.which("sbatch")} "$@"\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{tools}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}


@pytest.fixture(scope="session")
def folder_of(repository, tmp_path_factory):
    """`folder_of(name)`: a folder with the link `slurm` of the checkout's root and the small workflow."""

    def make(name):
        folder = tmp_path_factory.mktemp(name)
        (folder / "slurm").symlink_to(repository / "profiles" / "slurm")
        (folder / "Snakefile").symlink_to(SMALL / "Snakefile")
        return folder

    return make


@pytest.fixture(scope="session")
def start(cluster):
    """`start(folder, *arguments)`: a `Run` of the small workflow; all are ended with the session."""
    runs = []

    def begin(folder, *arguments, **options):
        runs.append(Run(folder, *arguments, **options))
        return runs[-1]

    yield begin
    for run in runs:
        if run.process.poll() is None:
            os.killpg(run.process.pid, signal.SIGKILL)
            run.process.wait(timeout=30)


@pytest.fixture(scope="session")
def long_runs(cluster, repository, start, folder_of):
    """The runs that wait for time limits, side by side."""
    faults = start(folder_of("faults"), "faults")
    folder = folder_of("arrays")
    (folder / "break_member4").touch()
    (folder / "profiles").symlink_to(repository / "profiles")
    profile = (repository / "profiles" / "slurm" / "arrays" / "profile.yaml").read_text()
    assert "slurm-array-jobs: train_run\n" in profile
    arrays = start(folder, "members", site=profile.replace("train_run", "member,timed_member") + SITE)
    until(lambda: (faults.folder / "state" / "cancelled.calls").exists())
    cluster.cancel(cluster.wait_for("misbehave_wildcards_cancelled"))
    return faults, arrays


@pytest.fixture(scope="session")
def faults(long_runs):
    """One run in which everything goes wrong at once, on a cluster without accounting and without site values."""
    run, _ = long_runs
    run.status = run.wait()
    return run


@pytest.fixture(scope="session")
def arrays(long_runs):
    """Alike jobs as arrays, some of them ready late, one with a bug, two that need more time than they have."""
    _, run = long_runs
    run.status = run.wait()
    return run


def until(condition, seconds=120):
    """Wait until a condition holds.

    Raises
    ------
    TimeoutError
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the condition did not come true")
        time.sleep(0.5)
