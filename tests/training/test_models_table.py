"""experiments/models.tsv: rows of Table 7, cells of Table A.1, and what the schema refuses."""

import csv

import jsonschema
import pytest
import yaml

from workflow_scripts.common.configuration import _typed

TABLE_A1 = """
CNN+sent - 128 biowordvec
CNN+bag+avg 8 128 glove
CNN+bag+one 16 256 glove
CNN+bag+att 8 256 glove
PCNN+sent - 128 biowordvec
PCNN+bag+avg 4 128 glove
PCNN+bag+one 8 128 glove
PCNN+bag+att 8 128 glove
GRU+sent - 128 biowordvec
GRU+bag+avg 8 128 biow2v
GRU+bag+one 16 256 glove
GRU+bag+att 16 128 glove
"""


@pytest.fixture(scope="module")
def rows(repository):
    with open(repository / "experiments" / "models.tsv", encoding="utf-8", newline="") as stream:
        return [{k: _typed(v) for k, v in row.items()} for row in csv.DictReader(stream, delimiter="\t")]


@pytest.fixture(scope="module")
def validator(repository):
    schema = yaml.safe_load((repository / "schemas" / "models.schema.yaml").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_every_row_is_valid_and_named_once(rows, validator):
    for row in rows:
        validator.validate(row)
    assert len({row["model"] for row in rows}) == len(rows)


def test_table_7_has_all_encoders_levels_and_poolings(rows):
    found = {(row["encoder"], row["level"], row["pooling"]) for row in rows if "table7" in row["tables"]}
    kinds = {("sent", None), ("bag", "avg"), ("bag", "one"), ("bag", "att")}
    assert found == {(encoder, *kind) for encoder in ("cnn", "pcnn", "gru", "bert") for kind in kinds}


def test_cells_of_table_a1(rows):
    printed = {}
    for line in TABLE_A1.split("\n")[1:-1]:
        name, bag, batch, embedding = line.split()
        encoder, level, *pooling = name.split("+")
        key = (encoder, level, *(pooling or [None]))
        printed[key] = (None if bag == "-" else int(bag), int(batch), embedding)
    ours = {
        (row["name"], row["level"], row["pooling"]): (row["bag_size"], row["batch_size"], row["embedding"])
        for row in rows
        if row["encoder"] != "bert"
    }
    assert ours == printed


def test_settings_of_appendix_e(rows):
    for row in rows:
        if row["head"]:
            continue
        if row["encoder"] == "bert":
            assert (row["batch_size"], row["learning_rate"], row["epochs"]) == (64, 2e-5, 3)
            assert row["bag_size"] == (4 if row["level"] == "bag" else None)
        else:
            assert (row["learning_rate"], row["epochs"], row["dropout"]) == (1e-3, 20, 0.5)
        if row["encoder"] in ("cnn", "pcnn"):
            assert (row["position_size"], row["kernel_size"]) == (5, 3)


def test_settings_of_the_prior_works(rows):
    """Bags of 16, 2 of them a step, 2e-5; AMIL stops early after 20 epochs without gain."""
    found = {row["head"]: row for row in rows if row["head"]}
    assert set(found) == {"amin2020", "amil_l"}
    for row in found.values():
        assert (row["tables"], row["batch_size"], row["bag_size"], row["learning_rate"]) == ("table3", 2, 16, 2e-5)
    assert (found["amil_l"]["epochs"], found["amil_l"]["patience"]) == (300, 20)


@pytest.mark.parametrize(
    "change",
    [
        {"pooling": "max"},
        {"encoder": "cnn", "pretrained": "biobert"},
        {"embedding": None},
        {"level": "sent"},
        {"bag_size": None},
        {"epochs": 0},
        {"dropout": 1.0},
        {"kernel_size": 2},
        {"kernel_size": None},
        {"optimizer": "sgd"},
        {"colour": "red"},
        {"encoding": "XX"},
        {"head": "amin2020"},
        {"patience": 0},
        {"tables": "tabel7"},
    ],
)
def test_the_schema_refuses(rows, validator, change):
    row = next(row for row in rows if row["model"] == "cnn_bag_one")
    assert not validator.is_valid(row | change)


@pytest.mark.parametrize(
    "model, column",
    [
        ("bert_sent", "hidden_size"),
        ("bert_sent", "kernel_size"),
        ("gru_sent", "kernel_size"),
        ("gru_sent", "position_size"),
    ],
)
def test_the_schema_refuses_what_would_have_no_effect(rows, validator, model, column):
    row = next(row for row in rows if row["model"] == model)
    assert validator.is_valid(row) and not validator.is_valid(row | {column: 3})
