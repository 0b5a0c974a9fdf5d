"""Masked-language pretraining of the demo's small BERT (Devlin et al. 2019), on one thread and in a fixed order."""

import logging
import math

import numpy as np
import torch
import torch.nn.functional as F

from workflow_scripts.common.keyed_random import key64, permutation, uniform_array
from workflow_scripts.demo.dice import Dice

MASKED_SHARE = 0.2
WARM_UP = 0.1


def pretrain(model, examples, tokens, settings):
    """Train `model` to guess masked tokens; what it learns about the text is what fine-tuning starts from.

    Parameters
    ----------
    model : transformers.BertModel
    examples : list of int32 arrays
        Token ids of one text each, [CLS] and [SEP] included.
    tokens : dict
        Ids "pad", "mask", "cls", "sep" and the set "markers": none of these is ever masked.
    settings : Params
        Steps, batch size, learning rate and seed.
    """
    torch.manual_seed(settings.seed)
    torch.use_deterministic_algorithms(True)
    head = torch.nn.Sequential(
        torch.nn.Linear(model.config.hidden_size, model.config.hidden_size),
        torch.nn.GELU(),
        torch.nn.LayerNorm(model.config.hidden_size),
    )
    bias = torch.nn.Parameter(torch.zeros(model.config.vocab_size))
    parameters = [*model.parameters(), *head.parameters(), bias]
    optimizer = torch.optim.AdamW(parameters, lr=settings.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, settings.steps))
    model.train()
    losses = []
    for step, batch in enumerate(_batches(examples, settings)):
        ids, mask, places, targets = _masked(batch, tokens, step, settings.seed)
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state.flatten(0, 1)[places]
        logits = head(states) @ model.embeddings.word_embeddings.weight.T + bias
        loss = F.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 100 == 99:
            logging.info("step %d of %d: loss %.3f", step + 1, settings.steps, np.mean(losses[-100:]))
    model.eval()
    return losses


def _rate(step, steps):
    """Linear warm-up, then linear to zero."""
    warm = max(1, int(steps * WARM_UP))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def _batches(examples, settings):
    """`settings.steps` batches of texts of like length, each epoch in another order."""
    done, epoch = 0, 0
    size = settings.batch_size
    while done < settings.steps:
        order = permutation(key64("epoch", settings.seed, epoch), len(examples)).tolist()
        bounds = range(0, len(order), 20 * size)
        order = [
            i for start in bounds for i in sorted(order[start : start + 20 * size], key=lambda i: len(examples[i]))
        ]
        starts = Dice("batches", settings.seed, epoch).shuffled(range(0, len(order), size))
        for start in starts[: settings.steps - done]:
            yield [examples[i] for i in order[start : start + size]]
        done += min(len(starts), settings.steps - done)
        epoch += 1


def _masked(batch, tokens, step, seed):
    """Padded ids with masks (int64, B x W), attention mask, flat places of the masked tokens and what stood there."""
    width = math.ceil(max(map(len, batch)) / 8) * 8
    ids = np.full((len(batch), width), tokens["pad"], dtype=np.int64)
    for row, text in enumerate(batch):
        ids[row, : len(text)] = text
    fixed = np.isin(ids, [tokens["pad"], tokens["cls"], tokens["sep"], *sorted(tokens["markers"])])
    draws = uniform_array(key64("mask", seed, step), np.arange(ids.size)).reshape(ids.shape)
    chosen = (draws < MASKED_SHARE) & ~fixed
    targets = torch.from_numpy(ids[chosen])
    ids[chosen & (draws < 0.9 * MASKED_SHARE)] = tokens["mask"]
    attention = torch.from_numpy((np.arange(width) < [[len(text)] for text in batch]).astype(np.int64))
    return torch.from_numpy(ids), attention, torch.from_numpy(np.flatnonzero(chosen)), targets
