"""The loop: determinism, resume, selection, and what stops it."""

import itertools
import math

import numpy as np
import pytest
import torch

from tests.training.planted import row
from workflow_scripts.common.errors import DataError, Resumable
from workflow_scripts.training import encode_rows, loop
from workflow_scripts.training.loop import train

KINDS = [("cnn", "bag", "one"), ("pcnn", "bag", "att"), ("gru", "sent", None), ("bert", "bag", "avg")]


def weights(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


def equal(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def without_seconds(history):
    return [{name: value for name, value in epoch.items() if name != "seconds"} for epoch in history]


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides_the_weights(new_run, kind):
    results = []
    for seed in (1, 1, 2):
        torch.manual_seed(len(results))  # the state of the global generator must not matter
        model, task = new_run(row(*kind, epochs=2), seed)
        state = train(model, task)
        results.append((weights(model), without_seconds(state.history)))
    assert equal(results[0][0], results[1][0]) and results[0][1] == results[1][1]
    assert not equal(results[0][0], results[2][0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stops", [(3,), (11, 5, 3)])
def test_stopped_and_resumed_gives_the_same_weights(new_run, tmp_path, kind, stops):
    settings = row(*kind, epochs=3)
    model, task = new_run(settings)
    whole = train(model, task)
    expected = weights(model)
    path = tmp_path / "state.pt"
    for after in stops:  # steps of this attempt
        interrupted, task = new_run(settings)
        answers = itertools.chain([False] * (after - 1), itertools.repeat(True))
        with pytest.raises(Resumable):
            train(interrupted, task, state_path=path, identity="x", stop=answers.__next__)
    last, task = new_run(settings)
    with torch.no_grad():
        for parameter in last.parameters():
            parameter.add_(1.0)  # what a resumed run starts from must not matter
    resumed = train(last, task, state_path=path, identity="x")
    assert equal(weights(last), expected)
    assert equal(resumed.best_weights, whole.best_weights)
    assert without_seconds(resumed.history) == without_seconds(whole.history)


def test_the_state_of_other_settings_is_not_used(new_run, tmp_path, caplog):
    settings = row("cnn", "bag", "avg", epochs=1)
    model, task = new_run(settings)
    train(model, task, state_path=tmp_path / "s.pt", identity="old")
    model, task = new_run(settings)
    state = train(model, task, state_path=tmp_path / "s.pt", identity="new")
    assert len(state.history) == 1 and "starting anew" in caplog.text


def test_a_state_is_saved_in_the_middle_of_an_epoch(new_run, tmp_path):
    model, task = new_run(row("cnn", "bag", "avg", epochs=1))
    saved = []
    original = loop.Trainer.save

    def save(self, path, identity):
        saved.append((self.state.epoch, self.state.step))
        original(self, path, identity)

    loop.Trainer.save = save
    try:
        train(model, task, state_path=tmp_path / "s.pt", save_every=0.0)
    finally:
        loop.Trainer.save = original
    assert len(saved) > 5 and saved[:3] == [(0, 1), (0, 2), (0, 3)] and saved[-1] == (1, 0)


@pytest.mark.parametrize("kind", [("cnn", "bag", "att"), ("pcnn", "bag", "one"), ("gru", "bag", "avg")])
def test_the_token_budget_changes_no_step(new_run, kind):
    """Distinct sentences are encoded in other groups; the gradients agree."""
    gradients = []
    for budget in (300, 100_000):
        model, task = new_run(row(*kind), tokens_per_batch=budget)
        trainer = loop.Trainer(model, task)
        rows, bags = np.array([0, 1, 1, 5, 5, 9, 30, 2, 2]), np.array([0, 0, 1, 1, 1, 2, 3, 3, 3])
        torch.manual_seed(3)
        trainer.loss(rows, bags, np.array([0, 1, 2, 3])).backward()
        gradients.append([parameter.grad.clone() for parameter in model.parameters()])
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-4)


def test_recomputed_activations_change_no_gradient(new_run, monkeypatch):
    """A large batch of a BERT keeps no activations; with its inner dropout the gradients are those of one that does."""
    gradients = []
    for recompute in (True, False):
        model, task = new_run(row("bert", "bag", "att"), tokens_per_batch=200)
        trainer = loop.Trainer(model, task)
        if not recompute:
            monkeypatch.setattr(encode_rows, "_recomputed", lambda encoder, batch: encoder(batch))
        torch.manual_seed(3)
        trainer.loss(np.arange(40), np.arange(40) // 10, np.array([0, 1, 2, 3])).backward()
        gradients.append([parameter.grad.clone() for parameter in model.parameters()])
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, atol=1e-7, rtol=1e-5)


def test_each_distinct_sentence_is_encoded_once(new_run):
    model, task = new_run(row("cnn", "bag", "avg"))
    sizes = []
    model.encoder.register_forward_hook(lambda module, inputs, output: sizes.append(len(output)))
    loop.Trainer(model, task).loss(np.array([3, 3, 3, 7, 7, 4]), np.array([0, 0, 0, 1, 1, 1]), np.array([1, 2]))
    assert sum(sizes) == 3


def test_dropout_falls_on_slots_not_on_sentences(new_run):
    """One sentence in two slots is dropped out twice, independently."""
    model, task = new_run(row("cnn", "bag", "avg", dropout=0.5))
    trainer, seen = loop.Trainer(model, task), []
    model.representation_dropout.register_forward_hook(lambda module, inputs, output: seen.append(output))
    torch.manual_seed(0)
    trainer.loss(np.array([3, 3]), np.array([0, 0]), np.array([1]))
    first, second = seen[0] != 0
    assert (first != second).any()


@pytest.mark.parametrize("pooling", ["avg", "one", "att"])
def test_all_sentences_of_a_bag(new_run, pooling):
    model, task = new_run(row("cnn", "bag", pooling, bag_size=0, epochs=1))
    state = train(model, task)
    assert math.isfinite(state.history[0]["loss"])


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [None, None, None], [0.0, 0.5, 0.5], [0.3, None, 0.2]])
@pytest.mark.parametrize("level", ["bag", "sent"])
def test_the_first_best_epoch_is_kept_even_at_zero(new_run, monkeypatch, values, level):
    model, task = new_run(row("cnn", level, "avg" if level == "bag" else None, epochs=3))
    given, seen = iter(values), []

    def validate(model, task):
        seen.append(weights(model))
        return {"auc" if level == "bag" else "f1": next(given)}

    monkeypatch.setattr(loop, "validate", validate)
    state = train(model, task)
    best = max(range(3), key=lambda i: (values[i] is not None, values[i] or 0, -i))
    assert state.best_epoch == best + 1
    assert equal(state.best_weights, seen[best])


@pytest.mark.parametrize(
    "values, patience, epochs",
    [
        ([0.2, 0.3, 0.1, 0.3, 0.9, 0.9], 2, 4),  # an equal value is no better one
        ([0.2, 0.3, 0.1, 0.3, 0.9, 0.8], 3, 6),
        ([0.5, 0.4, 0.6, 0.5, 0.7, 0.6], 1, 2),
        ([None, None, 0.1, 0.0, 0.0, 0.0], 2, 5),
        ([None, None, 0.1, 0.0, 0.0, 0.0], 1, 2),
        ([0.5, 0.1, 0.1, 0.1, 0.1, 0.1], None, 6),
    ],
)
def test_early_stopping(new_run, monkeypatch, values, patience, epochs):
    given = iter(values)
    monkeypatch.setattr(loop, "validate", lambda model, task: {"auc": next(given)})
    settings = {"patience": patience} if patience else {}
    state = train(*new_run(row("cnn", "bag", "avg", epochs=6, **settings)))
    assert len(state.history) == epochs
    best = max(range(epochs), key=lambda i: (values[i] is not None, values[i] or 0, -i))
    assert state.best_epoch == best + 1


def test_early_stopping_after_a_resume(new_run, monkeypatch, tmp_path):
    """The count of epochs goes on where the saved state left it."""
    values = [0.5, 0.4, 0.3, 0.2, 0.1, 0.1]
    settings = row("cnn", "bag", "avg", epochs=6, patience=3)
    whole = iter(values)
    monkeypatch.setattr(loop, "validate", lambda model, task: {"auc": next(whole)})
    expected = train(*new_run(settings))
    parts, steps = iter(values), []
    monkeypatch.setattr(loop, "validate", lambda model, task: {"auc": next(parts)})
    stop = lambda: steps.append(0) or len(steps) >= 20  # noqa: E731
    with pytest.raises(Resumable):
        train(*new_run(settings), state_path=tmp_path / "state.pt", stop=stop)
    state = train(*new_run(settings), state_path=tmp_path / "state.pt")
    assert [epoch["epoch"] for epoch in state.history] == [1, 2, 3, 4]
    assert without_seconds(state.history) == without_seconds(expected.history)
    assert equal(state.best_weights, expected.best_weights)


def test_selection_looks_at_validation_alone(new_run):
    """Bags: AUC of the validation split; sentences: micro-F1 of its sentences."""
    from workflow_scripts.common.metrics import sentence_metrics
    from workflow_scripts.common.models.inference import classify

    model, task = new_run(row("cnn", "sent", None, epochs=6, learning_rate=0.01))
    state = train(model, task)
    model.load_state_dict(state.best_weights)
    logits, _ = classify(model, task.valid, task.pad_id, task.max_length)
    f1 = sentence_metrics(task.valid.rows["relation"], logits.argmax(axis=1), 0)["f1"]
    assert f1 == state.best_value == max(epoch["valid"]["f1"] for epoch in state.history) > 0


@pytest.mark.parametrize("step", [1, 4])
def test_a_loss_that_is_not_finite_stops_with_its_batch(new_run, step):
    model, task = new_run(row("cnn", "bag", "avg"))
    trainer = loop.Trainer(model, task)
    with pytest.raises(DataError) as error:
        for number, _ in enumerate(trainer.steps(), 2):
            if number == step:
                break
            if number == step - 1 or step == 1:
                with torch.no_grad():
                    model.relations.bias.fill_(float("nan"))
        if step == 4:
            model.relations.bias.data.fill_(float("nan"))
            for _ in trainer.steps():
                pass
        trainer.check_losses()
    text = str(error.value)
    assert "loss nan in epoch 1" in text and "train.jsonl" in text and "learning_rate" in text


def test_the_line_numbers_are_those_of_the_batch(new_run):
    model, task = new_run(row("cnn", "bag", "avg", batch_size=2))
    trainer = loop.Trainer(model, task)
    model.relations.bias.data.fill_(float("inf"))
    chosen = loop.epoch_batches(trainer.bags, 2, task.seed, 0)[0]
    expected = sorted(
        int(line) + 1
        for bag in chosen
        for line in task.train.rows["line"][trainer.bags.starts[bag] : trainer.bags.starts[bag + 1]]
    )
    next(trainer.steps())
    with pytest.raises(DataError) as error:
        trainer.check_losses()
    assert f"lines {', '.join(map(str, expected))} of train.jsonl" in str(error.value)


def test_warm_up_longer_than_training_is_said(new_run, caplog):
    train(*new_run(row("cnn", "bag", "avg", epochs=1, warmup_steps=10_000)))
    assert "never reaches its peak" in caplog.text
