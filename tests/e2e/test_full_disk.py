"""A full disk in every stage: the error says so, earlier outputs are whole, nothing half-written stays.

A job of the finished demo runs again over a view of it whose writes go to a disk of some kilobytes; with more room it
then gives the bytes that it gave.
"""

import json
import re
import subprocess
import sys

import pytest

from tests.e2e.conftest import variables

RESULTS = "results/demo"
# Record of a job, kilobytes of the disk.
JOBS = {
    "demo/generate_demo_release": 200,
    "text/extract_abstracts/0001": 100,
    "text/unique_sentences": 300,
    "linking/build_kb": 16,
    "linking/index_names": 600,
    "linking/join_mentions": 100,
    "kg/build_kg": 40,
    "corpus/inductive/build_corpus": 300,
    "training/index/inductive/words.biowordvec": 500,
    "evaluation/inductive.cnn_sent.s1/evaluate_sent_run": 20,
    "reporting/draw_figure2": 40,
}

pytestmark = pytest.mark.timeout(300)


def root(*command):
    """Run a command of the system; skips the test where it may not be run."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    if done.returncode:
        pytest.skip(f"{' '.join(command[:3])} cannot be run here: {done.stderr.strip()}")


@pytest.fixture
def view(finished_demo, tmp_path):
    """`view(kilobytes)`: a folder that shows the finished demo and keeps what is written on a disk of that size."""
    disk, merged = tmp_path / "disk", tmp_path / "merged"

    def make(kilobytes):
        disk.mkdir()
        merged.mkdir()
        root("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(disk))
        for name in ("upper", "work"):
            (disk / name).mkdir()
        options = f"lowerdir={finished_demo},upperdir={disk}/upper,workdir={disk}/work"
        root("mount", "-t", "overlay", "-o", options, "overlay", str(merged))
        return merged

    yield make
    for place in (merged, disk):
        subprocess.run(["umount", "-l", place], capture_output=True, timeout=30, check=False)


def words(name, value):
    """An option of a record as it stands on the command line."""
    values = value if isinstance(value, list) else [value]
    return [] if value in (None, False, []) else [f"--{name.replace('_', '-')}", *map(str, values)]


def run(repository, folder, record, **changed):
    """Run the job of a record in a folder, by the sources of the repository."""
    told = json.loads((folder / RESULTS / f"provenance/{record}.json").read_text())
    options = [word for name, value in (told["options"] | changed).items() for word in words(name, value)]
    script = repository / "workflow_scripts" / record.partition("/")[0] / told["command"]
    return subprocess.run(
        [sys.executable, "-P", script, *options, "--record", f"{RESULTS}/provenance/{record}.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        env=variables({"PYTHONPATH": str(repository), "MEDDISTANT_INVOCATION": "one"}),
    )


def written(folder):
    """What was written through a view of the demo, whole or not: bytes by name; records tell times and hosts."""
    upper = folder.parent / "disk" / "upper"
    files = {str(path.relative_to(upper)): path for path in upper.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if "provenance" not in name}


def is_told(done):
    assert done.returncode == 1, done.stderr[-3000:]
    assert "error: no room left on a disk" in done.stderr and "remedy" in done.stderr, done.stderr[-3000:]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("record", JOBS)
def test_a_full_disk_is_told_and_what_was_there_stays_whole(repository, finished_demo, view, record):
    folder = view(JOBS[record])
    is_told(run(repository, folder, record))
    left = written(folder)
    assert all((finished_demo / name).read_bytes() == content for name, content in left.items()), list(left)
    assert not (folder / RESULTS / f"provenance/{record}.json.failed").exists(), "another attempt may have room"
    subprocess.run(["mount", "-o", "remount,size=64m", folder.parent / "disk"], check=True, timeout=30)
    done = run(repository, folder, record)
    assert done.returncode == 0, done.stderr[-3000:]
    made = written(folder)
    assert made
    assert all((finished_demo / name).read_bytes() == content for name, content in made.items()), list(made)


def test_a_full_disk_under_a_training_that_saves_its_state(repository, finished_demo, view):
    folder = view(40)
    record = "training/inductive.cnn_bag_one.s1"
    is_told(run(repository, folder, record, save_every=0))
    assert [name for name in written(folder) if not re.search(r"\.jsonl$", name)] == []
    weights = f"{RESULTS}/runs/inductive.cnn_bag_one.s1/model.safetensors"
    assert (folder / weights).read_bytes() == (finished_demo / weights).read_bytes()
