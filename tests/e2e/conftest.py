"""Finished runs in copies of the checkout, each made once for all tests that use it."""

import fcntl
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

WHOLE_DEMO_SECONDS = 1800
# In the environment of every run of these tests; tests/e2e/test_secrets.py looks for them in what the runs leave.
SECRETS = {"UMLS_API_KEY": "d0d0cafe77plantedumlskey4242", "HF_TOKEN": "hf_PlantedTokenOfNobody271828"}
# A user's own configuration over the demo's: a release and a baseline that no rule makes.
OWN_CONFIG = """
name: own
umls: {meta_dir: inputs/META}
medline: {baseline_dir: inputs/baseline, files: null, files_per_job: 4}
"""
OWN = ("--configfile", "profiles/demo/config.yaml", "own.yaml")


def copy_checkout(repository, target):
    """Copy what git tracks or would track, links as links."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=repository,
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout.decode()
    for name in filter(None, names.split("\0")):
        source, copy = repository / name, target / name
        if source.is_symlink() or source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy, follow_symlinks=False)
    return target


def variables(own=None):
    """The environment of a run: this one, the planted secrets, the programs beside this Python, and `own`."""
    known = {**os.environ, **SECRETS, "PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1", **(own or {})}
    known["PATH"] = f"{os.path.dirname(sys.executable)}:{known['PATH']}"
    return known


def snakemake(folder, *arguments, environment=None, timeout=600):
    """Run Snakemake with the demo profile in a checkout; output is text, both streams together."""
    return subprocess.run(
        ["timeout", "-k", "10", str(timeout), "snakemake", "--profile", "profiles/demo", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=variables(environment),
        timeout=timeout + 60,
    )


def write_medline(path, xml):
    """Write a MEDLINE file and its .md5; not compressed, for above a megabyte Snakemake looks at time stamps alone."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", compresslevel=0, fileobj=raw, mtime=0) as stream:
        stream.write(xml)
    digest = hashlib.md5(path.read_bytes()).hexdigest()
    path.with_name(f"{path.name}.md5").write_text(f"MD5({path.name})= {digest}\n")


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """`once(name, make)`: the folder that `make` gives, made at its first use by any of the test processes."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name, make):
        note = base / f"{name}.made"
        with open(base / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not note.exists():
                note.write_text(str(make()))
        return pathlib.Path(note.read_text())

    return made


@pytest.fixture(scope="session")
def checkout(repository, tmp_path_factory):
    """`checkout(name)` gives a fresh copy of the sources, without outputs."""
    return lambda name: copy_checkout(repository, tmp_path_factory.mktemp(name))


@pytest.fixture(scope="session")
def finished_demo(checkout, once):
    """A copy of the checkout in which the demo has run on two cores. Tests must not change it.

    MEDDISTANT_DEMO_TREE names where it stands: a finished copy of this very state of the sources, or a folder that is
    not there yet, so that several calls of pytest share one.
    """

    def make():
        folder = checkout("demo")
        result = snakemake(folder, "--cores", 2, timeout=WHOLE_DEMO_SECONDS)
        assert result.returncode == 0, result.stdout[-6000:]
        return folder

    tree = os.environ.get("MEDDISTANT_DEMO_TREE")
    if not tree:
        return once("demo", make)
    with open(f"{tree}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(tree):
            shutil.move(make(), tree)
    return pathlib.Path(tree)


@pytest.fixture(scope="session")
def finished_own(checkout, finished_demo, once):
    """A copy of the checkout in which the corpora were built from files that no rule makes (options: OWN).

    Tests must not change it. The MEDLINE files, MRCONSO and MRREL are so big that Snakemake compares no contents.
    """

    def make():
        folder = checkout("own")
        (folder / "own.yaml").write_text(OWN_CONFIG)
        shutil.copytree(finished_demo / "resources" / "demo" / "META", folder / "inputs" / "META")
        (folder / "inputs" / "baseline").mkdir()
        for path in sorted((finished_demo / "resources" / "demo" / "baseline").glob("*.xml.gz")):
            write_medline(folder / "inputs" / "baseline" / path.name, gzip.decompress(path.read_bytes()))
        result = snakemake(folder, *OWN, "--cores", 2, "corpus")
        assert result.returncode == 0, result.stdout[-6000:]
        return folder

    return once("own", make)
