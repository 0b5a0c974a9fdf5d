"""Fixtures of the reporting tests."""

import pytest

from tests.reporting.made_up import make_run, write_models
from workflow_scripts.reporting.expected import read_expected


@pytest.fixture(scope="session")
def models_file(tmp_path_factory):
    """A models.tsv of the made-up run."""
    return write_models(tmp_path_factory.mktemp("models") / "models.tsv")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A results folder of three seeds; do not write into it."""
    return make_run(tmp_path_factory.mktemp("results") / "demo")


@pytest.fixture(scope="session")
def expected_of(repository):
    """Rows of experiments/expected of a table."""

    def read(table):
        path = repository / f"experiments/expected/{table}.tsv"
        return read_expected(path, table, repository / "schemas/expected.schema.yaml")

    return read
