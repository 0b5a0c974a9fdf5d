"""The models of Table 3 against literal restatements: representations, attention and bags by semantic type."""

import dataclasses

import numpy as np
import pytest
import torch

from tests.training import planted
from tests.training.conftest import load_task
from tests.training.test_encoders import random_sentences
from workflow_scripts.common.models import bert
from workflow_scripts.common.models.arrays import ROW, gather
from workflow_scripts.common.models.classifier import build_classifier
from workflow_scripts.common.models.inference import classify, to_device
from workflow_scripts.common.models.pooling import pool_scores, training_loss
from workflow_scripts.training.abstract_bags import abstract_bags, read_types
from workflow_scripts.training.loop import Trainer, train
from workflow_scripts.training.train_run import initial_model


def make_model(tmp_path, head, pooling):
    (tmp_path / "config.json").write_text(
        '{"vocab_size": 11, "max_position_embeddings": 64, "hidden_size": 12, "num_hidden_layers": 2, '
        '"num_attention_heads": 2, "intermediate_size": 20}'
    )
    torch.manual_seed(3)
    model = build_classifier(planted.row("bert", "bag", pooling, head=head), 64, 5, bert.read_config(tmp_path))
    bert.initialise(model.encoder.transformer, {"initializer_range": 0.5})
    return model.eval()


def states_of(model, sentences, i):
    """States of all tokens of one sentence, alone and without pads."""
    batch = to_device(gather(sentences, np.array([i]), 0), "cpu")
    columns = torch.arange(batch.ids.shape[1])
    return model.encoder.transformer(batch.ids, batch.lengths, columns[None, :])[0]


def literal(model, head, row, states):
    if head == "amin2020":
        parts = []
        for role in ("head", "tail"):
            inner = [states[k] for k in range(row[f"{role}_start"] + 1, row[f"{role}_end"] - 1)]
            mean = sum(inner) / len(inner) if inner else torch.zeros(len(states[0]))
            parts.append(mean.tanh() @ model.encoder.mention.weight.T + model.encoder.mention.bias)
        sentence = states[0].tanh() @ model.encoder.sentence.weight.T + model.encoder.sentence.bias
        return torch.cat([sentence, *parts])
    first, second = sorted(((row["head_start"], row["head_end"]), (row["tail_start"], row["tail_end"])))
    between = [states[k] for k in range(first[1], second[0])]
    mean = sum(between) / len(between) if between else torch.zeros(len(states[0]))
    return torch.cat([states[row["head_end"] - 1], mean, states[row["tail_end"] - 1]])


@pytest.mark.parametrize("head", ["amin2020", "amil_l"])
@pytest.mark.parametrize("seed", [0, 1])
def test_representations_spelled_out(tmp_path, head, seed):
    model = make_model(tmp_path, head, "avg")
    sentences = random_sentences(seed, 14, 20)
    batch = to_device(gather(sentences, np.arange(14), 0), "cpu")
    with torch.no_grad():
        found = model.encoder(batch)
        expected = [literal(model, head, sentences.rows[i], states_of(model, sentences, i)) for i in range(14)]
    torch.testing.assert_close(found, torch.stack(expected), atol=1e-5, rtol=1e-4)
    assert found.shape[1] == model.encoder.output_size == 36


@pytest.mark.parametrize("head", ["amin2020", "amil_l"])
def test_no_gradient_passes_through_the_query(tmp_path, head):
    """Loss and gradient of attention with the relation's row taken as a constant."""
    model = make_model(tmp_path, head, "att")
    slots, bags = torch.randn(6, 36), torch.tensor([0, 0, 0, 1, 1, 1])
    labels = torch.tensor([2, 4])
    training_loss(model, slots, bags, labels, "att").backward()
    found = model.relations.weight.grad.clone()
    weight = model.relations.weight.detach().requires_grad_()
    losses = []
    for bag, label in enumerate(labels):
        own = slots[bags == bag]
        share = torch.softmax(own @ weight.detach()[label], dim=0)
        logits = (share @ own) @ weight.T + model.relations.bias.detach()
        losses.append(-torch.log_softmax(logits, dim=0)[label])
    (expected,) = torch.autograd.grad(sum(losses) / 2, weight)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
    assert model.diagonal is None and "diagonal" not in model.state_dict()


def test_attention_at_test_has_a_query_per_relation(tmp_path):
    model = make_model(tmp_path, "amin2020", "att")
    sentences = random_sentences(4, 5, 15)
    bags = np.array([0, 0, 1, 1, 1])
    logits, attention = classify(model, sentences, 0, 64)
    scores = pool_scores(logits, attention, bags, "att")
    batch = to_device(gather(sentences, np.arange(5), 0), "cpu")
    with torch.no_grad():
        representations = model.encoder(batch)
        for bag in (0, 1):
            own = representations[torch.from_numpy(bags == bag)]
            for relation in range(5):
                share = torch.softmax(own @ model.relations.weight[relation], dim=0)
                expected = torch.softmax(model.relations(share @ own), dim=0)[relation]
                assert scores[bag, relation] == pytest.approx(expected.item(), abs=1e-5)


def make_rows(seed, n):
    rng = np.random.default_rng(seed)
    rows = np.zeros(n, ROW)
    rows["relation"], rows["line"] = rng.integers(0, 3, n), rng.permutation(n)
    return rows, rng.integers(0, 2, (n, 2))


@pytest.mark.parametrize("seed, n, bag_size", [(0, 100, 16), (1, 37, 4), (2, 5, 16), (3, 64, 1)])
def test_bags_of_one_relation_between_two_types(seed, n, bag_size):
    rows, types = make_rows(seed, n)
    key = [(int(a), int(relation), int(b)) for (a, b), relation in zip(types, rows["relation"], strict=True)]
    bags = abstract_bags(rows, types, bag_size)
    sizes = {name: key.count(name) for name in key}
    assert len(bags) == sum(-(-size // bag_size) for size in sizes.values())
    draws = [bags.draw(bag_size, 1, epoch) for epoch in (0, 0, 1)]
    for slots, starts in draws:
        assert starts.tolist() == list(range(0, len(bags) * bag_size + 1, bag_size))
        assert set(slots.tolist()) == set(range(n)), "every sentence is read"
        for bag, label in enumerate(bags.labels):
            own = slots[starts[bag] : starts[bag + 1]]
            assert {key[row] for row in own} == {key[own[0]]} and key[own[0]][1] == label
            assert set(own.tolist()) <= set(bags.rows(bag).tolist())
        counts = np.bincount(slots, minlength=n)
        assert (counts[[sizes[name] % bag_size == 0 for name in key]] == 1).all()
    assert (draws[0][0] == draws[1][0]).all()
    assert bag_size == 1 or n < 6 or (draws[0][0] != draws[2][0]).any()


def test_types_of_instances(corpus, tmp_path, caplog):
    rows = planted.make_split(5, 4)
    planted.write_split(tmp_path / "x.parquet", rows)
    planted.write_concepts(tmp_path / "c.parquet", {row[role] for row in rows for role in ("head", "tail")})
    lines = np.array([3, 0, 1])
    found = read_types(tmp_path / "x.parquet", tmp_path / "c.parquet", lines)
    numbers = {
        name: i for i, name in enumerate(sorted({planted.type_of(r[k]) for r in rows for k in ("head", "tail")}))
    }
    assert found.tolist() == [[numbers[planted.type_of(rows[i][k])] for k in ("head", "tail")] for i in lines]
    planted.write_concepts(tmp_path / "c.parquet", {row["head"] for row in rows})
    assert (read_types(tmp_path / "x.parquet", tmp_path / "c.parquet", lines)[:, 1] == -1).all()
    assert f"{len(rows)} of {len(rows)} instances have a concept without" in caplog.text


@pytest.mark.parametrize("head, pooling", [("amin2020", "avg"), ("amin2020", "att"), ("amil_l", "avg")])
def test_the_planted_signal_is_learned(corpus, piece_index, tiny_bert, head, pooling):
    row = planted.row("bert", "bag", pooling, head=head, epochs=6, batch_size=4, learning_rate=0.002)
    task, vocabulary = load_task(piece_index, row)
    if head == "amil_l":
        types = read_types(corpus / "train.parquet", corpus / "concepts.parquet", task.train.rows["line"])
        task = dataclasses.replace(task, bags=abstract_bags(task.train.rows, types, row["bag_size"]))
    model, *_ = initial_model(task, piece_index, tiny_bert, vocabulary)
    state = train(model, task)
    assert state.best_value > 0.4, [epoch["valid"] for epoch in state.history]


def test_gradients_are_clipped_for_prior_work_alone(new_run, monkeypatch):
    called = []
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda parameters, norm: called.append(norm))
    for head, expected in ((None, []), ("amin2020", [1.0])):
        next(Trainer(*new_run(planted.row("bert", "bag", "avg", head=head))).steps())
        assert called == expected
