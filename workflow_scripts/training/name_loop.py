"""The training loop of an encoder of names: keyed batches, the best weights by validation where there is one, and a
state from which training goes on to the same weights."""

import contextlib
import dataclasses
import logging
import math
import os
import tempfile
import time

import numpy as np
import torch

from workflow_scripts.common.errors import DataError, Resumable
from workflow_scripts.common.files import atomic_path
from workflow_scripts.common.keyed_random import key64
from workflow_scripts.training.encode_rows import encode_rows
from workflow_scripts.training.name_encoder import encode_into
from workflow_scripts.training.optimiser import Adam

METRIC = "recall@1"
EPSILON = 1e-8
REPORT_EVERY = 50


@dataclasses.dataclass(frozen=True)
class Task:
    """How an encoder of names is trained: AdamW with a constant learning rate.

    Parameters
    ----------
    epochs : int
        0: not at all.
    max_steps : int or None
        Training ends after so many steps of all epochs together.
    learning_rate, weight_decay : float
    seed, pad_id, max_length, tokens_per_batch : int
    mixed_precision : bool
        bf16 autocast (GPU only).
    """

    epochs: int
    max_steps: int | None
    learning_rate: float
    weight_decay: float
    seed: int
    pad_id: int
    max_length: int
    tokens_per_batch: int
    mixed_precision: bool = False


@dataclasses.dataclass
class State:
    """Where training stands, besides weights, optimiser and objective: plain values and CPU tensors."""

    epoch: int = 0
    step: int = 0
    done: int = 0
    begun: bool = False
    loss_sum: float = 0.0
    best_epoch: int = -1
    best_value: float = -math.inf
    best_weights: dict = dataclasses.field(default_factory=dict)
    history: list = dataclasses.field(default_factory=list)


def train(encoder, task, objective, *, state_path=None, identity="", save_every=600.0, stop=lambda: False):
    """Train an encoder of names.

    Where the objective validates, the weights before the first epoch and after each one are candidates and the first
    of the best is taken; else the last weights are.

    Parameters
    ----------
    encoder : NameEncoder
        With its initial weights; it ends with those of the last epoch.
    task : Task
    objective : Synonyms or Candidates
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
        `best_weights` are those to keep, `best_epoch` the number of epochs that made them.

    Raises
    ------
    Resumable
        When `stop` said so, after the state was saved.
    DataError
        If the loss is not finite.
    """
    trainer = Trainer(encoder, task, objective, state_path, identity)
    state, saved = trainer.state, time.monotonic()
    while True:
        trainer.begin_epoch()
        if state.epoch == task.epochs or trainer.is_over():
            return trainer.finished()
        for _ in trainer.steps():
            due = time.monotonic() - saved > save_every
            if state_path is not None and (due or stop()):
                trainer.save()
                saved = time.monotonic()
                if stop():
                    raise Resumable(f"stopped in epoch {state.epoch + 1}, step {state.step}; the state is saved")
        trainer.finish_epoch()
        trainer.save()
        saved = time.monotonic()


class Trainer:
    """The parts of `train`: one object per run."""

    def __init__(self, encoder, task, objective, state_path=None, identity=""):
        self.encoder, self.task, self.objective, self.state = encoder, task, objective, State()
        self.path, self.identity = state_path, identity
        self.device = next(encoder.parameters()).device
        self.optimiser = Adam(encoder, True, task.weight_decay, True, EPSILON)
        if state_path is not None and state_path.is_file():
            self._restore()

    def begin_epoch(self):
        """Validate the weights as they are and let the objective renew what it learns from; once an epoch."""
        state = self.state
        if state.begun:
            return
        with VectorsOf(self.encoder, self.task) as vectors_of:
            metrics = self.objective.begin(vectors_of)
        state.begun = True
        if metrics is None:
            return
        state.history.append({"epoch": state.epoch, "valid": metrics})
        logging.info("after %d epochs: %s", state.epoch, metrics)
        if state.best_epoch < 0 or metrics[METRIC] > state.best_value:
            self._keep(metrics[METRIC])
        self.save()

    def _keep(self, value):
        self.state.best_epoch, self.state.best_value = self.state.epoch, value
        self.state.best_weights = {name: weight.cpu().clone() for name, weight in self.encoder.state_dict().items()}

    def is_over(self):
        """Whether the steps are spent."""
        return self.task.max_steps is not None and self.state.done >= self.task.max_steps

    def steps(self):
        """Do the steps of the current epoch that are left, yielding after each."""
        task, state = self.task, self.state
        while state.step < self.objective.n_steps() and not self.is_over():
            torch.manual_seed(key64(task.seed, "dropout", state.epoch, state.step) >> 1)
            self.encoder.train()
            loss = self.objective.loss(state.epoch, state.step, self._encode)
            value = loss.item()
            if not math.isfinite(value):
                raise DataError(
                    "training",
                    found=f"loss {value} in epoch {state.epoch + 1}, step {state.step + 1}",
                    expected="a finite loss",
                    remedy="lower learning_rate of the system",
                )
            loss.backward()
            self.optimiser.step(task.learning_rate)
            state.loss_sum, state.step, state.done = state.loss_sum + value, state.step + 1, state.done + 1
            if state.step % REPORT_EVERY == 0:
                mean = state.loss_sum / state.step
                logging.info(
                    "epoch %d, step %d of %d: loss %.4f", state.epoch + 1, state.step, self.objective.n_steps(), mean
                )
            yield

    def _encode(self, sequences, rows):
        """Vectors of some distinct rows, with gradients, in their order."""
        task = self.task
        with torch.autocast(self.device.type, torch.bfloat16, enabled=task.mixed_precision):
            sizes = task.pad_id, task.max_length, task.tokens_per_batch
            vectors, position = encode_rows(self.encoder, sequences, rows, *sizes, recompute=True)
        return vectors[torch.from_numpy(position).to(self.device)]

    def finish_epoch(self):
        """Write the history and move to the next epoch."""
        state = self.state
        mean = state.loss_sum / max(1, state.step)
        state.history.append({"epoch": state.epoch + 1, "loss": mean, "steps": state.step})
        logging.info("epoch %d: loss %.4f in %d steps", state.epoch + 1, mean, state.step)
        state.epoch, state.step, state.loss_sum, state.begun = state.epoch + 1, 0, 0.0, False

    def finished(self):
        """The state, with the last weights as the best where nothing was validated."""
        if self.state.best_epoch < 0:
            self._keep(-math.inf)
        return self.state

    def save(self):
        """Write the full state."""
        if self.path is None:
            return
        content = {
            "identity": self.identity,
            "state": vars(self.state),
            "model": self.encoder.state_dict(),
            "optimiser": self.optimiser.state(),
            "objective": self.objective.state(),
        }
        with atomic_path(self.path) as temporary:
            torch.save(content, temporary)

    def _restore(self):
        content = torch.load(self.path, map_location="cpu", weights_only=True)
        if content["identity"] != self.identity:
            logging.warning("%s is the state of other settings or data: starting anew", self.path)
            return
        self.state = State(**content["state"])
        self.encoder.load_state_dict(content["model"])
        self.optimiser.restore(content["optimiser"])
        self.objective.restore(content["objective"])
        logging.info("resumed in epoch %d after step %d", self.state.epoch + 1, self.state.step)


class VectorsOf(contextlib.ExitStack):
    """Call it with sequences for their vectors, float16 (n, hidden_size), mapped from a file that goes at the end."""

    def __init__(self, encoder, task):
        super().__init__()
        self.encoder, self.task = encoder, task
        self.device = next(encoder.parameters()).device
        self.folder = self.enter_context(tempfile.TemporaryDirectory(prefix="vectors."))
        self.files = 0

    def __call__(self, sequences):
        self.files += 1
        path = os.path.join(self.folder, f"{self.files}.npy")
        shape = (len(sequences), self.encoder.output_size)
        vectors = np.lib.format.open_memmap(path, "w+", np.float16, shape)
        encode_into(vectors, self.encoder, sequences, self.task.pad_id, self.task.tokens_per_batch)
        return vectors
