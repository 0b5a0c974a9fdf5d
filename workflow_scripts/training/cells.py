"""Training of cells of the grid: what a cell gives, and going on after a stop."""

import dataclasses
import hashlib
import json
import logging
import pathlib
import signal

import numpy as np

from workflow_scripts.common.files import read_json, write_json
from workflow_scripts.common.grid import poolings_of
from workflow_scripts.common.metrics import evaluate, without_na
from workflow_scripts.common.models.arrays import Sentences
from workflow_scripts.common.models.inference import classify
from workflow_scripts.common.models.pooling import pool_scores
from workflow_scripts.training.loop import Task, train
from workflow_scripts.training.train_run import NA, initial_model, pad_id

STATE = "state.pt"
REPORTED = ("auc", "ap", "max_micro_f1", "max_macro_f1")


@dataclasses.dataclass(frozen=True)
class Params:
    """The trainings of a job, and config section `training`."""

    cells: list
    threads: int
    device: str
    precision: str
    tokens_per_batch: int


@dataclasses.dataclass(frozen=True)
class Place:
    """Where cells are trained.

    Parameters
    ----------
    index : Path
        Token arrays of the corpus with the embedding of the cells.
    relations : dict
        Name -> id.
    device : str
    tokens_per_batch : int
    identity : str
        Digest of code, data and settings: what was finished under another one is not used.
    state : Path
        Folder of finished cells and of the state of the one at work, until the job is done.
    save_every : float
        Seconds between saved states.
    """

    index: object
    relations: dict
    device: str
    tokens_per_batch: int
    identity: str
    state: object
    save_every: float


def train_cell(training, place, score):
    """Train one cell with one seed, or read what an earlier attempt of the job found.

    Parameters
    ----------
    training : dict
        cell, seed, row (of `common.grid.expand`).
    place : Place
    score : callable
        (model with the best weights, task, vocabulary) -> JSON value, what is kept of the cell.

    Returns
    -------
    dict
        cell, seed, row, best_epoch, and `found`: what `score` gave.

    Raises
    ------
    Resumable
        When stopped by SIGTERM, after the state was saved.
    """
    text = json.dumps([place.identity, training], sort_keys=True)
    identity = hashlib.sha256(text.encode()).hexdigest()
    kept = place.state / f"{training['cell']}.s{training['seed']}.json"
    if kept.is_file():
        earlier = read_json(kept)
        if earlier.pop("identity") == identity:
            logging.info("%s, seed %d: done by an earlier attempt", training["cell"], training["seed"])
            return earlier
    vocabulary = read_json(place.index / "vocabulary.json")
    task = Task(
        row=training["row"],
        seed=training["seed"],
        train=Sentences.load(place.index, "train"),
        valid=Sentences.load(place.index, "valid"),
        pad_id=pad_id(vocabulary),
        relations=sorted(place.relations, key=place.relations.get),
        na_id=place.relations[NA],
        max_length=vocabulary["max_length"],
        tokens_per_batch=place.tokens_per_batch,
    )
    model, *_ = initial_model(task, place.index, None, vocabulary)
    place.state.mkdir(parents=True, exist_ok=True)
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    state = train(
        model.to(place.device),
        task,
        state_path=place.state / STATE,
        identity=identity,
        save_every=place.save_every,
        stop=lambda: bool(stopped),
    )
    model.load_state_dict(state.best_weights)
    result = {**training, "best_epoch": state.best_epoch, "found": score(model, task, vocabulary)}
    write_json(kept, result | {"identity": identity})
    (place.state / STATE).unlink(missing_ok=True)
    logging.info("%s, seed %d: %s", training["cell"], training["seed"], result["found"])
    return result


def validation_metrics(model, task, _):
    """Metrics of the validation split for each pooling of the cell's row."""
    return split_metrics(model, task, task.valid)


def split_metrics(model, task, sentences):
    """Metrics of a split for each pooling of the cell's row: pooling -> {auc, ap, max_micro_f1, max_macro_f1}.

    Parameters
    ----------
    model : RelationClassifier
    task : Task
    sentences : Sentences
        All sentences of the split.
    """
    rows = sentences.rows
    logits, attention = classify(model, sentences, task.pad_id, task.max_length, task.tokens_per_batch)
    names = [name for index, name in enumerate(task.relations) if index != task.na_id]
    found = {}
    for pooling in poolings_of(task.row):
        scores = pool_scores(logits, attention, rows["pair"], pooling)
        facts = np.zeros(scores.shape, dtype=bool)
        facts[rows["pair"], rows["relation"]] = True
        metrics = evaluate(without_na(scores, task.na_id), without_na(facts, task.na_id), relations=names)
        found[pooling] = {name: metrics[name] for name in REPORTED}
    return found


def add_arguments(parser):
    """What every command that trains cells is told; cells know no encoder, no instances and no concepts."""
    path = pathlib.Path
    parser.add_argument("--rel2id", type=path, required=True, help="relation ids")
    parser.add_argument("--state", type=path, required=True, help="folder for what is finished, removed at the end")
    parser.add_argument("--save-every", type=float, default=600.0, help="seconds between full-state checkpoints")
    parser.set_defaults(encoder=None, instances=None, concepts=None)
