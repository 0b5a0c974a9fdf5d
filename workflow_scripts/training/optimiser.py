"""Adam and AdamW (Kingma and Ba 2015; Loshchilov and Hutter 2019) by PyTorch's fused kernel, and learning rates.

The functional form is used because it starts without the compiler that `torch.optim.Adam` imports: a second of each
run.
"""

import torch
from torch.optim.adam import adam

BETA_1, BETA_2 = 0.9, 0.999


class Adam:
    """One optimiser for all weights of a model.

    Parameters
    ----------
    model : nn.Module
    decoupled : bool
        AdamW: weights shrink by learning rate x weight_decay a step, but for biases and layer norms. Else weight_decay
        times the weight is added to each gradient.
    weight_decay : float
    bias_correction : bool
        False divides neither moment by 1 - beta^t, as the published BERT runs: early steps are larger. The kernel
        always corrects, so learning rate, epsilon and decay are turned into those that undo it.
    epsilon : float
    """

    def __init__(self, model, decoupled, weight_decay, bias_correction, epsilon):
        self.decoupled, self.bias_correction, self.epsilon = decoupled, bias_correction, epsilon
        spared = _biases_and_norms(model) if decoupled else set()
        named = list(model.named_parameters())
        self.groups = [
            (weight_decay, [parameter for name, parameter in named if name not in spared]),
            (0.0, [parameter for name, parameter in named if name in spared]),
        ]
        parameters = [parameter for _, group in self.groups for parameter in group]
        self.moments = {
            parameter: (torch.zeros_like(parameter), torch.zeros_like(parameter), _counter(parameter))
            for parameter in parameters
        }
        self.steps = 0

    def step(self, learning_rate):
        """Update all weights from their gradients, then drop the gradients."""
        self.steps += 1
        with torch.no_grad():
            for weight_decay, parameters in self.groups:
                if parameters:
                    self._step_group(parameters, learning_rate, weight_decay)
        for parameter in self.moments:
            parameter.grad = None

    def _step_group(self, parameters, learning_rate, weight_decay):
        rate, decay, epsilon = learning_rate, weight_decay, self.epsilon
        if not self.bias_correction:
            first, second = 1 - BETA_1**self.steps, (1 - BETA_2**self.steps) ** 0.5
            rate, epsilon = rate * first / second, epsilon / second
            decay = decay * second / first if self.decoupled else decay
        moments = [self.moments[parameter] for parameter in parameters]
        adam(
            parameters,
            [parameter.grad for parameter in parameters],
            [moment[0] for moment in moments],
            [moment[1] for moment in moments],
            [],
            [moment[2] for moment in moments],
            fused=True,
            amsgrad=False,
            beta1=BETA_1,
            beta2=BETA_2,
            lr=rate,
            weight_decay=decay,
            eps=epsilon,
            maximize=False,
            decoupled_weight_decay=self.decoupled,
        )

    def state(self):
        """All that `restore` needs, as tensors."""
        return {"steps": self.steps, "moments": [list(moment) for moment in self.moments.values()]}

    def restore(self, state):
        """Go on from a `state` of the same model."""
        self.steps = state["steps"]
        for own, saved in zip(self.moments.values(), state["moments"], strict=True):
            for target, value in zip(own, saved, strict=True):
                target.copy_(value)


def _counter(parameter):
    return torch.zeros((), dtype=torch.float32, device=parameter.device)


def _biases_and_norms(model):
    norms = {name for name, module in model.named_modules() if isinstance(module, torch.nn.LayerNorm)}
    names = [name for name, _ in model.named_parameters()]
    return {name for name in names if name.endswith("bias") or name.rpartition(".")[0] in norms}


def learning_rate(peak, step, total, schedule, warmup):
    """Learning rate of a step, counted from 0.

    Linear from 0 over the first `warmup` steps; then constant, or (schedule "linear") linear to 0 at step `total`.
    """
    if step < warmup:
        return peak * step / warmup
    if schedule == "constant":
        return peak
    return peak * max(0.0, (total - step) / max(1, total - warmup))
