"""A finished demo in a copy of the checkout, made once for all end-to-end tests."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

WHOLE_DEMO_SECONDS = 1800


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


def snakemake(folder, *arguments, environment=None, timeout=600):
    """Run Snakemake with the demo profile in a checkout; output is text, both streams together."""
    variables = {**os.environ, "PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1", **(environment or {})}
    variables["PATH"] = f"{os.path.dirname(sys.executable)}:{variables['PATH']}"
    return subprocess.run(
        ["timeout", "-k", "10", str(timeout), "snakemake", "--profile", "profiles/demo", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=variables,
        timeout=timeout + 60,
    )


@pytest.fixture(scope="session")
def checkout(repository, tmp_path_factory):
    """`checkout(name)` gives a fresh copy of the sources, without outputs."""
    return lambda name: copy_checkout(repository, tmp_path_factory.mktemp(name))


@pytest.fixture(scope="session")
def finished_demo(checkout):
    """A copy of the checkout in which the demo has run on two cores. Tests must not change it.

    While tests are written, MEDDISTANT_DEMO_TREE may name a finished copy of this very state of the sources.
    """
    if tree := os.environ.get("MEDDISTANT_DEMO_TREE"):
        return pathlib.Path(tree)
    folder = checkout("demo")
    result = snakemake(folder, "--cores", 2, timeout=WHOLE_DEMO_SECONDS)
    assert result.returncode == 0, result.stdout[-6000:]
    return folder
