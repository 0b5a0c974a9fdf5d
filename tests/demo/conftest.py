"""The embedded release, made once for all tests of the stage."""

import dataclasses
import pathlib

import pytest


@dataclasses.dataclass(frozen=True)
class Release:
    """Where a release stands."""

    folder: pathlib.Path

    @property
    def meta(self):
        return self.folder / "META"

    @property
    def baseline(self):
        return self.folder / "baseline"

    @property
    def text(self):
        return self.folder / "text.tsv"

    def files(self):
        """Bytes of all files by their path in the release."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="session")
def make_release(run_command, tmp_path_factory):
    """Write a release with the command: `make_release(params="{}", environment=None)`."""

    def make(params="{}", environment=None):
        release = Release(tmp_path_factory.mktemp("release"))
        options = ["--meta", release.meta, "--baseline", release.baseline, "--text", release.text, "--params", params]
        done = run_command("demo/generate_demo_release.py", *options, environment=environment)
        assert done.returncode == 0, done.stderr
        return release

    return make


@pytest.fixture(scope="session")
def release(make_release):
    """The release of the default seed."""
    return make_release()


@pytest.fixture(scope="session")
def short_text(release, tmp_path_factory):
    """The first 1,500 sentences of the release's text."""
    path = tmp_path_factory.mktemp("text") / "text.tsv"
    path.write_text(
        "".join(release.text.read_text(encoding="utf-8").splitlines(keepends=True)[:1500]), encoding="utf-8"
    )
    return path
