"""experiments/sources.tsv obeys its schema."""

import csv

import jsonschema
import pytest
import yaml

from workflow_scripts.common.raw_files import DOWNLOADED_EMBEDDINGS


@pytest.fixture(scope="module")
def rows(repository):
    with open(repository / "experiments/sources.tsv", encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


@pytest.fixture(scope="module")
def validator(repository):
    schema = yaml.safe_load((repository / "schemas/sources.schema.yaml").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_rows(rows, validator):
    assert rows
    for row in rows:
        validator.validate(row)
    names = [row["name"] for row in rows]
    assert len(set(names)) == len(names)


def test_mirrors_of_the_config_are_listed(rows, repository):
    config = yaml.safe_load((repository / "config.yaml").read_text(encoding="utf-8"))
    addresses = [row["url"] for row in rows]
    for mirror in config["medline"]["mirrors"]:
        assert any(address.startswith(mirror) for address in addresses), mirror


def test_embeddings_of_the_config_are_listed(rows):
    assert set(DOWNLOADED_EMBEDDINGS) <= {row["name"] for row in rows}


@pytest.mark.parametrize(
    "change", [{"url": "ftp.example"}, {"digest": "1234"}, {"restricted": "maybe"}, {"name": "A b"}]
)
def test_bad_row_is_refused(rows, validator, change):
    assert not validator.is_valid(rows[0] | change)
