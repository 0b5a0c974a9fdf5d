"""Fixtures that all tests share."""

import os
import pathlib
import subprocess
import sys

import pytest

# Test processes share the cores: threads of their own would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
REPOSITORY = pathlib.Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def repository():
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data():
    """Folder of real text and reference outputs; tests that need it skip where it is absent."""
    folder = pathlib.Path(os.environ.get("MEDDISTANT_SHARED", REPOSITORY.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set MEDDISTANT_SHARED to the folder that holds data/ and tools/")
    return folder


@pytest.fixture(scope="session")
def run_command():
    """Run a command of the workflow as its rule does: `run_command("kg/build_kg.py", "--mrrel", path, ...)`.

    Gives the completed process (text output); `environment` adds variables.
    """

    def run(script, *arguments, environment=None, timeout=300):
        variables = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONNOUSERSITE": "1", **(environment or {})}
        return subprocess.run(
            [sys.executable, "-P", str(REPOSITORY / "workflow_scripts" / script), *map(str, arguments)],
            capture_output=True,
            text=True,
            env=variables,
            timeout=timeout,
        )

    return run
