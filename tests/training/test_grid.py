"""The grid of Table A.1: cells, batches, choice, going on after a stop, and what its file may hold."""

import json
import pathlib

import pytest
import yaml

from workflow_scripts.common import configuration
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.grid import cell_name, expand, poolings_of
from workflow_scripts.training.choose_cells import choose

EMBEDDINGS = ("biowordvec", "biow2v", "glove")


@pytest.fixture(scope="module")
def paper(repository):
    return yaml.safe_load((repository / "experiments/grid.yaml").read_text(encoding="utf-8"))


def template(encoder, level):
    return {"encoder": encoder, "level": level, "pooling": None, "bag_size": None, "epochs": 20, "hidden_size": 230}


def test_the_paper_has_84_cells_an_encoder(paper):
    parts = expand(paper, template, [1, 2, 3], 6)
    trainings = [training for part in parts.values() for training in part]
    assert len({(t["cell"], t["seed"]) for t in trainings}) == len(trainings) == 3 * 78 * 3
    for encoder in ("cnn", "pcnn", "gru"):
        own = {t["cell"]: t["row"] for t in trainings if t["row"]["encoder"] == encoder}
        assert sum(len(poolings_of(row)) for row in own.values()) == 84
    assert len(parts) == 9 * 13 < 5000
    for name, part in parts.items():
        encoder, embedding, _ = name.split(".")
        assert {(t["row"]["encoder"], t["row"]["embedding"]) for t in part} == {(encoder, embedding)}
        assert 1 <= len(part) <= 6
    assert {t["row"]["epochs"] for t in trainings} == {20}


@pytest.mark.parametrize("per_job", [1, 5, 100])
def test_batches_hold_every_training_once(paper, per_job):
    names = [
        (training["cell"], training["seed"])
        for part in expand(paper, template, [4, 2], per_job).values()
        for training in part
    ]
    assert len(names) == len(set(names)) == 3 * 78 * 2


def test_columns_replace_those_of_the_template():
    grid = {"encoders": ["cnn"], "columns": {"epochs": 1}, "sent": {"batch_size": [8], "embedding": ["glove"]}}
    ((training,),) = expand(grid, template, [1], 9).values()
    assert training["row"]["epochs"] == 1 and training["cell"] == "cnn_sent_glove_b8"
    assert training["row"]["bag_size"] is None and poolings_of(training["row"]) == ["avg", "one"]


def result(batch, auc, seed=1, level="bag", pooling="avg", embedding="glove"):
    row = template("cnn", level) | {"embedding": embedding, "batch_size": batch}
    row |= {"bag_size": 4, "pooling": pooling} if level == "bag" else {}
    found = {pooling: {"auc": auc}} if level == "bag" else {"avg": {"auc": auc}, "one": {"auc": 1 - auc}}
    return {"cell": cell_name(row), "seed": seed, "row": row, "found": found}


def test_the_best_mean_over_seeds_wins_and_the_first_among_equals():
    results = [result(128, 0.3), result(256, 0.5), result(128, 0.6, 2), result(256, 0.3, 2)]
    (best,) = choose(results)
    assert (best["cell"], best["cells"], best["seeds"]) == ("cnn_bag_avg_glove_b128_k4", 2, 2)
    assert best["valid_auc"] == pytest.approx(0.45) and best["valid_auc_sd"] == pytest.approx(0.045**0.5)
    (first,) = choose([result(128, 0.4), result(256, 0.4)])
    assert first["batch_size"] == 128 and first["valid_auc_sd"] is None
    (defined,) = choose([result(128, None), result(256, 0.0)])
    assert defined["batch_size"] == 256
    (nothing,) = choose([result(128, None)])
    assert nothing["valid_auc"] is None


def test_each_pooling_of_a_training_on_sentences_is_chosen_for_itself():
    chosen = choose([result(128, 0.2, level="sent"), result(256, 0.4, level="sent"), result(64, 0.1, pooling="att")])
    assert [(c["level"], c["pooling"], c["batch_size"]) for c in chosen] == [
        ("sent", "avg", 256), ("sent", "one", 128), ("bag", "att", 64),
    ]  # fmt: skip
    with pytest.raises(DataError, match="same seeds"):
        choose([result(128, 0.2), result(256, 0.2, seed=2)])


def plan(repository, tmp_path, **grid):
    config = configuration.read_yaml(repository / "config.yaml")
    path = tmp_path / "grid.yaml"
    path.write_text(json.dumps(grid))
    config["experiments"]["grid"] = {"file": str(path)}
    configuration.validate(config, repository / "schemas/config.schema.yaml")
    return configuration.Plan(config, repository).grid


def test_the_plan_takes_the_other_columns_from_models_tsv(repository, tmp_path):
    bag = {"batch_size": [7], "bag_size": [3], "embedding": ["glove"], "pooling": ["att"]}
    (part,) = plan(repository, tmp_path, encoders=["gru"], columns={"dropout": 0.1}, bag=bag).values()
    assert [training["seed"] for training in part] == [1, 2, 3]
    row = part[0]["row"]
    assert (row["hidden_size"], row["kernel_size"], row["dropout"], row["batch_size"]) == (230, None, 0.1, 7)


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({"encoders": ["bert"]}, "bert"),
        ({"encoders": ["cnn"], "sent": {"batch_size": [128]}}, "embedding"),
        ({"encoders": ["cnn"], "sent": {"batch_size": [0], "embedding": ["glove"]}}, "0"),
        ({"encoders": ["cnn"], "columns": {"name": "x"}}, "columns.name is no replaceable"),
        ({"encoders": ["cnn"], "columns": {"epoch": 1}}, "columns.epoch is no replaceable"),
        ({"encoders": ["cnn"], "sent": {"batch_size": [8], "embedding": ["w2v"]}}, "embedding w2v is not in"),
    ],
)
def test_a_wrong_grid_is_named(repository, tmp_path, grid, words):
    with pytest.raises(UsageError, match=words):
        plan(repository, tmp_path, **grid)


def test_null_searches_nothing_and_a_missing_file_is_an_error(repository):
    config = configuration.read_yaml(repository / "config.yaml")
    config["experiments"]["grid"] = {"file": None}
    configuration.validate(config, repository / "schemas/config.schema.yaml")
    assert configuration.Plan(config, repository).grid == {}
    config["experiments"]["grid"]["file"] = "none.yaml"
    with pytest.raises(UsageError, match="does not exist"):
        configuration.Plan(config, pathlib.Path(repository))
