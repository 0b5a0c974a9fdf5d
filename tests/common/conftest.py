"""The paper's configuration, as the workflow sees it."""

import pytest

from workflow_scripts.common import configuration


@pytest.fixture
def schema(repository):
    return repository / "schemas" / "config.schema.yaml"


@pytest.fixture
def config(repository, schema):
    value = configuration.read_yaml(repository / "config.yaml")
    configuration.validate(value, schema)
    return value
