"""AVG, ONE and ATT against their formulas, written out bag by bag."""

import math

import numpy as np
import pytest
import torch

from workflow_scripts.common.models import pooling
from workflow_scripts.common.models.classifier import RelationClassifier

SIZES = [1, 3, 1, 5, 2]
R, H = 4, 6


class Vector(torch.nn.Module):
    output_size, detached_query = H, False


@pytest.fixture(params=[0, 1, 2])
def case(request):
    torch.manual_seed(request.param)
    model = RelationClassifier(Vector(), R, dropout=0.0, attention=True)
    with torch.no_grad():
        model.diagonal.copy_(torch.rand(H) + 0.5)
    slots = torch.randn(sum(SIZES), H, requires_grad=True)
    bags = torch.repeat_interleave(torch.arange(len(SIZES)), torch.tensor(SIZES))
    labels = torch.tensor([0, 2, 3, 1, 2])
    return model, slots, bags, labels


def softmax(values):
    top = max(values)
    powers = [math.exp(value - top) for value in values]
    return [power / sum(powers) for power in powers]


def logits_of(model, vector):
    weight, bias = model.relations.weight.tolist(), model.relations.bias.tolist()
    return [sum(w * x for w, x in zip(row, vector, strict=True)) + b for row, b in zip(weight, bias, strict=True)]


def bag_vector(model, vectors, label, how):
    """The vector of one bag, by the formulas of training."""
    if how == "avg":
        weights = [1 / len(vectors)] * len(vectors)
    elif how == "one":
        certainty = [softmax(logits_of(model, vector))[label] for vector in vectors]
        weights = [float(j == certainty.index(max(certainty))) for j in range(len(vectors))]
    else:
        query = [w * d for w, d in zip(model.relations.weight[label].tolist(), model.diagonal.tolist(), strict=True)]
        weights = softmax([sum(q * x for q, x in zip(query, vector, strict=True)) for vector in vectors])
    return [sum(a * vector[k] for a, vector in zip(weights, vectors, strict=True)) for k in range(H)]


def split_bags(slots):
    vectors, result = slots.tolist(), []
    for size in SIZES:
        result.append(vectors[:size])
        vectors = vectors[size:]
    return result


@pytest.mark.parametrize("how", ["avg", "one", "att"])
def test_training_loss(case, how):
    model, slots, bags, labels = case
    losses = []
    for vectors, label in zip(split_bags(slots), labels.tolist(), strict=True):
        probabilities = softmax(logits_of(model, bag_vector(model, vectors, label, how)))
        losses.append(-math.log(probabilities[label]))
    found = pooling.training_loss(model, slots, bags, labels, how)
    assert found.item() == pytest.approx(sum(losses) / len(losses), abs=1e-6)


def test_one_takes_the_first_of_equals_and_no_gradient_passes_the_choice(case):
    model, slots, bags, labels = case
    twins = slots.detach().clone()
    twins[2] = twins[1]
    twins[3] = twins[1]
    twins.requires_grad_()
    pooling.training_loss(model, twins, bags, labels, "one").backward()
    touched = twins.grad.abs().sum(dim=1) > 0
    assert touched[1:4].tolist() == [True, False, False]
    assert touched.sum() == len(SIZES)


def test_attention_query_is_trained(case):
    model, slots, bags, labels = case
    pooling.training_loss(model, slots, bags, labels, "att").backward()
    assert model.diagonal.grad.abs().sum() > 0


def test_sentences_are_bags_of_one(case):
    model, slots, _, _ = case
    labels = torch.arange(len(slots)) % R
    expected = torch.nn.functional.cross_entropy(model.relations(slots), labels)
    found = pooling.training_loss(model, slots, torch.arange(len(slots)), labels, None)
    assert found.item() == pytest.approx(expected.item())


def test_scores(case):
    model, slots, bags, _ = case
    with torch.no_grad():
        logits, attention = model.relations(slots).numpy(), model.attention_scores(slots).numpy()
    found = {how: pooling.pool_scores(logits, attention, bags.numpy(), how) for how in ("avg", "one", "att")}
    for b, vectors in enumerate(split_bags(slots)):
        average = [sum(vector[k] for vector in vectors) / len(vectors) for k in range(H)]
        single = [softmax(logits_of(model, vector)) for vector in vectors]
        for r in range(R):
            assert found["avg"][b, r] == pytest.approx(softmax(logits_of(model, average))[r], abs=1e-6)
            assert found["one"][b, r] == pytest.approx(max(p[r] for p in single), abs=1e-6)
            attended = softmax(logits_of(model, bag_vector(model, vectors, r, "att")))
            assert found["att"][b, r] == pytest.approx(attended[r], abs=1e-6)
    assert found["one"].sum(axis=1).max() > 1.01


def test_attention_in_blocks_is_the_same(monkeypatch):
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 9, 60)
    bags = np.repeat(np.arange(60), sizes)
    logits, attention = rng.normal(size=(2, len(bags), 5))
    whole = pooling.pool_scores(logits, attention, bags, "att")
    for block in (1, 7, 40):
        monkeypatch.setattr(pooling, "TEST_BLOCK", block)
        assert (pooling.pool_scores(logits, attention, bags, "att") == whole).all()


def test_attention_without_scores_is_refused():
    with pytest.raises(ValueError, match="att"):
        pooling.pool_scores(np.zeros((2, 3)), None, np.array([0, 1]), "att")


def test_large_scores_do_not_overflow():
    logits = np.array([[900.0, -900.0], [800.0, 0.0]])
    for how in ("avg", "one", "att"):
        scores = pooling.pool_scores(logits, logits * 10, np.array([0, 0]), how)
        assert np.isfinite(scores).all()
