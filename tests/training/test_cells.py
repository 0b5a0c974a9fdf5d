"""Cells of the grid: the same weights when trained again, and what an earlier attempt finished is used."""

import csv
import json

import pytest

from workflow_scripts.common.errors import Resumable
from workflow_scripts.training import cells, choose_cells, score_cells, train_cells

SHARED = {"threads": 1, "device": "cpu", "precision": "fp32", "tokens_per_batch": 4096}
TEMPLATE = {
    "encoder": "cnn", "learning_rate": 0.01, "epochs": 2, "hidden_size": 12, "kernel_size": 3, "position_size": 3,
    "dropout": 0.1, "optimizer": "adam", "bias_correction": "yes", "weight_decay": 0.0, "schedule": "constant",
    "warmup_steps": 0, "embedding": "glove", "pretrained": None, "encoding": None, "head": None, "patience": None,
}  # fmt: skip
ROWS = {
    "cnn_sent_glove_b16": {"level": "sent", "pooling": None, "batch_size": 16, "bag_size": None},
    "cnn_bag_one_glove_b8_k2": {"level": "bag", "pooling": "one", "batch_size": 8, "bag_size": 2},
    "cnn_bag_one_glove_b8_k3": {"level": "bag", "pooling": "one", "batch_size": 8, "bag_size": 3},
}
TRAININGS = [{"cell": name, "seed": 5, "row": TEMPLATE | row} for name, row in ROWS.items()]


def run(module, *options, trainings=None):
    settings = [] if trainings is None else ["--params", json.dumps({"cells": trainings} | SHARED)]
    module.main(module.arguments().parse_args([*map(str, options), *settings]))


@pytest.fixture
def batch(word_index, corpus, tmp_path):
    """Options of train_cells, with an output and a state of the test's own."""
    folder = ["--index", word_index, "--rel2id", corpus / "rel2id.json", "--state", tmp_path / "state"]
    return [*folder, "--output", tmp_path / "cells.json"]


def test_chosen_cells_score_as_they_did(word_index, corpus, batch, tmp_path):
    """On the validation split in the place of the test split, the second training gives the metrics of the first."""
    run(train_cells, *batch, trainings=TRAININGS)
    first = json.loads((tmp_path / "cells.json").read_text())
    assert [entry["cell"] for entry in first] == list(ROWS) and not (tmp_path / "state").exists()
    assert set(first[0]["found"]) == {"avg", "one"} and set(first[1]["found"]) == {"one"}
    run(choose_cells, "--cells", tmp_path / "cells.json", "--output", tmp_path / "best.tsv")
    with open(tmp_path / "best.tsv", newline="") as stream:
        best = list(csv.DictReader(stream, delimiter="\t"))
    assert [(row["level"], row["pooling"], row["cells"]) for row in best] == [
        ("sent", "avg", "1"), ("sent", "one", "1"), ("bag", "one", "2"),
    ]  # fmt: skip
    (index := tmp_path / "words.glove").symlink_to(word_index)
    run(
        score_cells, "--best", tmp_path / "best.tsv", "--indexes", index, "--rel2id", corpus / "rel2id.json",
        "--test", corpus / "valid.parquet", "--state", tmp_path / "state", "--output", tmp_path / "scored.json",
        trainings=TRAININGS,
    )  # fmt: skip
    scored = {entry["cell"]: entry["found"] for entry in json.loads((tmp_path / "scored.json").read_text())}
    assert set(scored) == {row["cell"] for row in best} and len(scored) == 2
    for entry in first:
        if entry["cell"] in scored:
            assert scored[entry["cell"]] == entry["found"]


def test_a_stopped_batch_goes_on_to_the_same_result(batch, tmp_path, monkeypatch):
    run(train_cells, *batch, trainings=TRAININGS[1:])
    whole = (tmp_path / "cells.json").read_bytes()
    (tmp_path / "cells.json").unlink()
    original, started = cells.train, []

    def stopped_in_the_second(model, task, **options):
        started.append(task.row["bag_size"])
        steps = iter(range(100))
        stop = (lambda: next(steps) > 2) if len(started) == 2 else (lambda: False)
        return original(model, task, **options | {"stop": stop})

    monkeypatch.setattr(cells, "train", stopped_in_the_second)
    with pytest.raises(Resumable):
        run(train_cells, *batch, trainings=TRAININGS[1:])
    assert not (tmp_path / "cells.json").exists() and (tmp_path / "state" / cells.STATE).is_file()
    run(train_cells, *batch, trainings=TRAININGS[1:])
    assert started == [2, 3, 3], "what was finished is not trained again"
    assert (tmp_path / "cells.json").read_bytes() == whole


def test_other_settings_undo_what_was_finished(batch, tmp_path, monkeypatch):
    original, started = cells.train, []

    def counted(model, task, **options):
        started.append(task.row["epochs"])
        return original(model, task, **options)

    monkeypatch.setattr(cells, "train", counted)
    monkeypatch.setattr(train_cells.shutil, "rmtree", lambda *_, **__: None)
    one = TRAININGS[1]
    for trainings in ([one], [one], [one | {"row": one["row"] | {"epochs": 1}}], [one | {"seed": 6}]):
        run(train_cells, *batch, trainings=trainings)
    assert started == [2, 1, 2]
