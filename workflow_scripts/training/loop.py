"""The training loop: keyed batches, each distinct sentence encoded once a step, selection on the validation split, and
a state from which training goes on to the same weights."""

import dataclasses
import logging
import math
import time

import numpy as np
import torch

from workflow_scripts.common.errors import DataError, Resumable
from workflow_scripts.common.files import atomic_path
from workflow_scripts.common.keyed_random import key64
from workflow_scripts.common.metrics import evaluate, sentence_metrics, without_na
from workflow_scripts.common.models.arrays import Sentences
from workflow_scripts.common.models.inference import classify
from workflow_scripts.common.models.pooling import pool_scores, training_loss
from workflow_scripts.training.encode_rows import encode_rows
from workflow_scripts.training.optimiser import Adam, learning_rate
from workflow_scripts.training.sampling import batch_slots, epoch_batches, make_bags

CHECK_EVERY = 32
PRIOR_WORK_CLIP = 1.0  # largest norm of the gradient, in both works of column `head`
EPSILON = {"adam": 1e-8, "adamw": 1e-6}


@dataclasses.dataclass(frozen=True)
class Task:
    """What is learned from what.

    Parameters
    ----------
    row : dict
        A row of models.tsv.
    seed : int
    train, valid : Sentences
    pad_id : int
    relations : list of str
        By id.
    na_id : int
    max_length, tokens_per_batch : int
    mixed_precision : bool
        bf16 autocast in the encoder (GPU only).
    bags : Bags, AbstractBags or None
        Training examples; None: those of `make_bags`.
    """

    row: dict
    seed: int
    train: Sentences
    valid: Sentences
    pad_id: int
    relations: list
    na_id: int
    max_length: int
    tokens_per_batch: int
    mixed_precision: bool = False
    bags: object = None


@dataclasses.dataclass
class State:
    """Where training stands, besides weights and optimiser: plain values and CPU tensors."""

    epoch: int = 0
    step: int = 0
    loss_sum: float = 0.0
    seconds: float = 0.0
    best_epoch: int = -1
    best_value: float = -math.inf
    best_weights: dict = dataclasses.field(default_factory=dict)
    history: list = dataclasses.field(default_factory=list)


def train(model, task, *, state_path=None, identity="", save_every=600.0, stop=lambda: False):
    """Train a model; the best epoch's weights are in the state returned, also when its metric is 0 or undefined.

    Parameters
    ----------
    model : RelationClassifier
        With its initial weights; it ends with those of the last epoch.
    task : Task
    state_path : Path or None
        Where the full state is kept between attempts.
    identity : str
        A saved state of another identity is not used.
    save_every : float
        Seconds between saved states; they are saved after each epoch too.
    stop : callable
        Asked after each step whether to stop.

    Returns
    -------
    State

    Raises
    ------
    Resumable
        When `stop` said so, after the state was saved.
    DataError
        If the loss is not finite; the batch is named.
    """
    trainer = Trainer(model, task)
    if state_path is not None and state_path.is_file():
        trainer.restore(state_path, identity)
    state, saved = trainer.state, time.monotonic()
    while state.epoch < task.row["epochs"] and not has_stalled(state, task.row):
        started = time.monotonic()
        for _ in trainer.steps():
            due = time.monotonic() - saved > save_every
            if state_path is not None and (due or stop()):
                trainer.check_losses()
                state.seconds, started = state.seconds + time.monotonic() - started, time.monotonic()
                trainer.save(state_path, identity)
                saved = time.monotonic()
                if stop():
                    raise Resumable(f"stopped in epoch {state.epoch + 1}, step {state.step}; the state is saved")
        trainer.finish_epoch(started)
        if state_path is not None:
            trainer.save(state_path, identity)
            saved = time.monotonic()
    return state


def has_stalled(state, row):
    """Whether training ends early: `patience` epochs in a row gave no better validation value than the best one."""
    patience = row.get("patience")
    return patience is not None and state.best_epoch > 0 and state.epoch - state.best_epoch >= patience


class Trainer:
    """The parts of `train`: one object per run."""

    def __init__(self, model, task):
        self.model, self.task, self.state = model, task, State()
        row = task.row
        self.device = model.relations.weight.device
        self.bags = make_bags(task.train.rows, row["level"]) if task.bags is None else task.bags
        self.bag_size = row["bag_size"] if row["level"] == "bag" else 1
        self.n_steps = -(-len(self.bags) // row["batch_size"])
        decoupled, corrected = row["optimizer"] == "adamw", row["bias_correction"] == "yes"
        self.optimiser = Adam(model, decoupled, row["weight_decay"], corrected, EPSILON[row["optimizer"]])
        self.losses = []
        if row["warmup_steps"] >= self.n_steps * row["epochs"]:
            logging.warning("warmup_steps %d: the learning rate never reaches its peak", row["warmup_steps"])

    def steps(self):
        """Do the steps of the current epoch that are left, yielding after each."""
        task, state, row = self.task, self.state, self.task.row
        slots, starts = self.bags.draw(self.bag_size, task.seed, state.epoch)
        batches = epoch_batches(self.bags, row["batch_size"], task.seed, state.epoch)
        for chosen in batches[state.step :]:
            torch.manual_seed(key64(task.seed, "dropout", state.epoch, state.step) >> 1)
            loss = self.loss(*batch_slots(chosen, slots, starts), self.bags.labels[chosen])
            loss.backward()
            if row.get("head"):
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), PRIOR_WORK_CLIP)
            done = state.epoch * self.n_steps + state.step
            total = self.n_steps * row["epochs"]
            rate = learning_rate(row["learning_rate"], done, total, row["schedule"], row["warmup_steps"])
            self.optimiser.step(rate)
            self.losses.append((loss.detach() * len(chosen), chosen))
            state.step += 1
            if len(self.losses) >= CHECK_EVERY:
                self.check_losses()
            yield

    def loss(self, rows, bags, labels):
        """Loss of one batch: slots of `rows` in `bags`, each distinct row encoded once."""
        self.model.train()
        distinct, slot = np.unique(rows, return_inverse=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.task.mixed_precision):
            representations, position = self._encode(distinct)
        index = torch.from_numpy(position[slot]).to(self.device)
        slots = self.model.representation_dropout(representations.float().index_select(0, index))
        tensors = (torch.from_numpy(array).to(self.device) for array in (bags, labels))
        return training_loss(self.model, slots, *tensors, self.task.row["pooling"])

    def _encode(self, distinct):
        """Representations of some rows in groups of similar length, and where each row's one stands."""
        task = self.task
        is_bert = task.row["encoder"] == "bert"
        sizes = task.pad_id, task.max_length, task.tokens_per_batch
        return encode_rows(self.model.encoder, task.train, distinct, *sizes, recompute=is_bert)

    def check_losses(self):
        """Add the losses since the last check; one transfer from the device for all of them."""
        if not self.losses:
            return
        values = torch.stack([loss for loss, _ in self.losses]).tolist()
        for back, (value, (_, chosen)) in enumerate(zip(values, self.losses, strict=True)):
            if not math.isfinite(value):
                self._refuse(value, self.state.step - len(values) + back + 1, chosen)
            self.state.loss_sum += value
        self.losses.clear()

    def _refuse(self, loss, step, chosen):
        rows = np.unique(np.concatenate([self.bags.rows(bag) for bag in chosen]))
        lines = ", ".join(map(str, np.sort(self.task.train.rows["line"][rows] + 1).tolist()))
        raise DataError(
            "training",
            found=f"loss {loss} in epoch {self.state.epoch + 1}, step {step}, with lines {lines} of train.jsonl",
            expected="a finite loss",
            remedy="lower learning_rate, or raise warmup_steps, in models.tsv or training.overrides",
        )

    def finish_epoch(self, started):
        """Validate, keep the weights if they are the best so far, write the history, move to the next epoch."""
        self.check_losses()
        state, task = self.state, self.task
        metrics = validate(self.model, task)
        value = metrics[selection_metric(task.row)]
        if state.best_epoch < 0 or (value is not None and value > state.best_value):
            state.best_epoch, state.best_value = state.epoch + 1, -math.inf if value is None else value
            state.best_weights = {name: weight.cpu().clone() for name, weight in self.model.state_dict().items()}
        loss = state.loss_sum / len(self.bags)
        seconds = state.seconds + time.monotonic() - started
        state.history.append({"epoch": state.epoch + 1, "loss": loss, "valid": metrics, "seconds": round(seconds, 3)})
        logging.info("epoch %d: loss %.4f, valid %s, %.1f s", state.epoch + 1, loss, metrics, seconds)
        state.epoch, state.step, state.loss_sum, state.seconds = state.epoch + 1, 0, 0.0, 0.0

    def save(self, path, identity):
        """Write the full state."""
        content = {
            "identity": identity,
            "state": vars(self.state),
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state(),
        }
        with atomic_path(path) as temporary:
            torch.save(content, temporary)

    def restore(self, path, identity):
        """Go on from a saved state, unless it is another run's."""
        content = torch.load(path, map_location="cpu", weights_only=True)
        if content["identity"] != identity:
            logging.warning("%s is the state of other settings or data: starting anew", path)
            return
        self.state = State(**content["state"])
        self.model.load_state_dict(content["model"])
        self.optimiser.restore(content["optimiser"])
        logging.info("resumed in epoch %d after step %d", self.state.epoch + 1, self.state.step)


def selection_metric(row):
    """What the best epoch is chosen by: AUC over bags, or micro-F1 over sentences for a training on sentences."""
    return "auc" if row["level"] == "bag" else "f1"


def validate(model, task):
    """Metrics of a model on the validation split: those of bags, or those of sentences (Gao et al. 2021)."""
    rows = task.valid.rows
    logits, attention = classify(model, task.valid, task.pad_id, task.max_length, task.tokens_per_batch)
    if task.row["level"] == "sent":
        metrics = sentence_metrics(rows["relation"], logits.argmax(axis=1), task.na_id)
        return {name: metrics[name] for name in ("accuracy", "precision", "recall", "f1")}
    scores = pool_scores(logits, attention, rows["pair"], task.row["pooling"])
    facts = np.zeros(scores.shape, dtype=bool)
    facts[rows["pair"], rows["relation"]] = True
    names = [name for index, name in enumerate(task.relations) if index != task.na_id]
    metrics = evaluate(without_na(scores, task.na_id), without_na(facts, task.na_id), relations=names)
    return {name: metrics[name] for name in ("auc", "ap", "max_micro_f1")}
