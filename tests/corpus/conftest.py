"""A good corpus, made once."""

import pytest

from tests.corpus.helpers import write_world
from tests.corpus.test_build import commands
from tests.corpus.test_check import OWN
from tests.corpus.worlds import tidy_world


@pytest.fixture(scope="session")
def built(run_command, tmp_path_factory):
    """A folder with the inputs of the stage (in) and a corpus that keeps all promises (out)."""
    folder = tmp_path_factory.mktemp("good")
    paths = write_world(tidy_world(sentences=1500), folder / "in")
    process = commands(run_command, paths, folder / "out", corpus=OWN)
    assert process.returncode == 0, process.stderr
    return folder
