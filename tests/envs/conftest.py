"""A checkout and a stand-in conda for tests of environments."""

import os
import subprocess
import sys

import pytest

from tests.e2e.conftest import copy_checkout
from tests.envs import fake_conda


class Site:
    """A machine with conda: a folder of environments, and Snakemake runs that use it."""

    def __init__(self, folder):
        self.root, self.prefix = folder / "conda", folder / "environments"
        self.binaries = fake_conda.install(self.root)

    def snakemake(self, checkout, *arguments, mode="", profile="profiles/demo", timeout=900):
        """Run Snakemake in a checkout with `--sdm conda` and the fixed prefix; text of both streams, and exit code."""
        options = ["--profile", profile, "--sdm", "conda", "--conda-prefix", self.prefix, *arguments]
        return self.run(checkout, ["snakemake", *map(str, options)], mode, timeout)

    def run(self, checkout, command, mode="", timeout=900):
        """Run any command in a checkout with conda on PATH."""
        variables = {**os.environ, "PYTHONNOUSERSITE": "1", "STANDIN_CONDA": mode}
        variables["PATH"] = f"{self.binaries}:{os.path.dirname(sys.executable)}:{variables['PATH']}"
        return subprocess.run(
            ["timeout", "-k", "10", str(timeout), *command],
            cwd=checkout,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=variables,
            timeout=timeout + 60,
        )

    def creations(self):
        """What conda was asked to create so far."""
        calls = (self.root / "calls.txt").read_text().splitlines()
        return [call for call in calls if call.startswith(("env create", "create"))]

    def environment(self, name, checkout):
        """The folder of an environment, found by the copy of its file that Snakemake leaves beside it."""
        wanted = (checkout / "envs" / f"{name}.yaml").read_bytes()
        (copy,) = [path for path in self.prefix.glob("*.yaml") if path.read_bytes() == wanted]
        return copy.with_suffix("")

    def python(self, name, checkout, script):
        """Run a few lines of Python in an environment."""
        python = self.environment(name, checkout) / "bin" / "python"
        return subprocess.run([python, "-I", "-c", script], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """`site()` gives a fresh machine; the wheels are shared by all of them."""
    wheels = tmp_path_factory.mktemp("wheels")

    def make():
        made = Site(tmp_path_factory.mktemp("site"))
        (made.root / "wheels").symlink_to(wheels)
        return made

    return make


@pytest.fixture(scope="session")
def checkout(repository, tmp_path_factory):
    """`checkout()` gives a fresh copy of the sources, without outputs."""
    return lambda: copy_checkout(repository, tmp_path_factory.mktemp("checkout"))
