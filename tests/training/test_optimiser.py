"""Adam and AdamW against PyTorch's own and against formulas; the learning rate."""

import copy

import pytest
import torch

from workflow_scripts.training.optimiser import Adam, learning_rate


@pytest.fixture
def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.LayerNorm(4), torch.nn.Linear(4, 3))


def gradients(model, step):
    torch.manual_seed(100 + step)
    model(torch.randn(6, 5)).pow(2).sum().backward()


@pytest.mark.parametrize("decoupled", [False, True])
def test_equals_the_optimisers_of_pytorch(model, decoupled):
    other = copy.deepcopy(model)
    ours = Adam(model, decoupled, 0.1, True, 1e-8)
    if decoupled:
        spared = [p for name, p in other.named_parameters() if "bias" in name or name.startswith("1.")]
        rest = [p for name, p in other.named_parameters() if not ("bias" in name or name.startswith("1."))]
        groups = [{"params": rest, "weight_decay": 0.1}, {"params": spared, "weight_decay": 0.0}]
        theirs = torch.optim.AdamW(groups, lr=0.01)
    else:
        theirs = torch.optim.Adam(other.parameters(), lr=0.01, weight_decay=0.1)
    for step in range(6):
        gradients(model, step)
        gradients(other, step)
        ours.step(0.01)
        theirs.step()
        theirs.zero_grad()
    for a, b in zip(model.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("decoupled", [False, True])
def test_without_bias_correction_equals_the_formula(model, decoupled):
    wd, eps = 0.05, 1e-6
    values = {name: parameter.detach().double().clone() for name, parameter in model.named_parameters()}
    first = {name: torch.zeros_like(value) for name, value in values.items()}
    second = {name: torch.zeros_like(value) for name, value in values.items()}
    optimiser = Adam(model, decoupled, wd, False, eps)
    for step, rate in enumerate([0.0, 0.01, 0.02, 0.015, 0.01]):
        gradients(model, step)
        for name, parameter in model.named_parameters():
            gradient, p = parameter.grad.double(), values[name]
            spared = "bias" in name or name.startswith("1.")
            if not decoupled:
                gradient = gradient + wd * p
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.999 * second[name] + 0.001 * gradient**2
            if decoupled and not spared:
                p = p * (1 - rate * wd)
            values[name] = p - rate * first[name] / (second[name].sqrt() + eps)
        optimiser.step(rate)
        with torch.no_grad():  # both go on from the same weights, so that rounding does not pile up
            for name, parameter in model.named_parameters():
                torch.testing.assert_close(parameter.double(), values[name], atol=2e-6, rtol=1e-4)
                parameter.copy_(values[name])
                values[name] = parameter.double().clone()


def test_a_restored_optimiser_goes_on_the_same(model):
    def steps(target, optimiser, numbers):
        for step in numbers:
            gradients(target, step)
            optimiser.step(0.01)

    optimiser = Adam(model, True, 0.1, False, 1e-6)
    steps(model, optimiser, range(3))
    twin = copy.deepcopy(model)
    other = Adam(twin, True, 0.1, False, 1e-6)
    other.restore(copy.deepcopy(optimiser.state()))
    steps(model, optimiser, range(3, 6))
    steps(twin, other, range(3, 6))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), twin.parameters(), strict=True))


@pytest.mark.parametrize(
    ("schedule", "warmup", "expected"),
    [
        ("constant", 0, [1, 1, 1, 1, 1, 1]),
        ("constant", 2, [0, 0.5, 1, 1, 1, 1]),
        ("linear", 2, [0, 0.5, 1, 0.75, 0.5, 0.25]),
        ("linear", 0, [1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]),
        ("linear", 9, [i / 9 for i in range(6)]),
    ],
)
def test_learning_rate(schedule, warmup, expected):
    found = [learning_rate(2.0, step, 6, schedule, warmup) for step in range(6)]
    assert found == pytest.approx([2 * value for value in expected])
