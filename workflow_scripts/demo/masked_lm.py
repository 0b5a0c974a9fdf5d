"""Pretraining of the demo's small BERT, on one thread and in a fixed order.

Two losses: masked tokens are guessed (Devlin et al. 2019), and the state of each mention's start marker says which
tokens its sentence holds. The second makes the markers gather their context, which a model of this size would not
learn from the few facts of the demo's corpus.
"""

import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from workflow_scripts.common.keyed_random import key64, permutation, uniform_array
from workflow_scripts.common.models.bert import Transformer, initialise
from workflow_scripts.demo.dice import Dice

MASKED_SHARE = 0.15
WARM_UP = 0.1
BLOCK = 20  # batches among which texts are sorted by length


class Guesser(nn.Module):
    """Scores of all tokens from states, tied to the embeddings of the transformer."""

    def __init__(self, words):
        super().__init__()
        n_tokens, size = words.weight.shape
        self.layers = nn.Sequential(nn.Linear(size, size), nn.GELU(), nn.LayerNorm(size))
        self.bias = nn.Parameter(torch.zeros(n_tokens))
        self.words = words

    def forward(self, states):
        return F.log_softmax(self.layers(states) @ self.words.weight.T + self.bias, dim=-1)


def pretrain(config, examples, tokens, settings):
    """Train a transformer on texts.

    Parameters
    ----------
    config : dict
        As `common.models.bert.Transformer` takes it.
    examples : list of (int32 array, int, int)
        Token ids of a text, [CLS] and [SEP] included, and the places of two start markers (0 and 0: none).
    tokens : dict
        Ids "pad", "mask", "cls", "sep", "unk" and the list "markers": none of these is ever masked.
    settings : object
        steps, batch_size, learning_rate, seed.

    Returns
    -------
    Transformer, list of float
        In evaluation mode, and the loss of each step.
    """
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    torch.use_deterministic_algorithms(True)
    model = Transformer(config)
    masked_head, marker_head = Guesser(model.words), Guesser(model.words)
    for part in (model, masked_head.layers, marker_head.layers):
        initialise(part, config)
    trained = nn.ModuleList([model, masked_head, marker_head])
    optimizer = torch.optim.AdamW(trained.parameters(), lr=settings.learning_rate, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, settings.steps))
    weights = token_weights(examples, tokens, config["vocab_size"])
    losses = []
    for step, batch in enumerate(_batches(examples, settings)):
        loss = _loss(model, masked_head, marker_head, Batch(batch, tokens, step, settings.seed), weights)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 100 == 99:
            logging.info("step %d of %d: loss %.3f", step + 1, settings.steps, np.mean(losses[-100:]))
    return model.eval(), losses


class Batch:
    """Padded ids with masks (int64, B x W), their lengths, places to read (B x P) and what is asked of them."""

    def __init__(self, examples, tokens, step, seed):
        texts = [ids for ids, _, _ in examples]
        ids = np.full((len(texts), max(map(len, texts))), tokens["pad"], dtype=np.int64)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
        self.whole = torch.from_numpy(ids.copy())
        self.lengths = torch.tensor([len(text) for text in texts])
        fixed = np.isin(ids, [tokens[name] for name in ("pad", "cls", "sep", "unk")] + tokens["markers"])
        draws = uniform_array(key64("mask", seed, step), np.arange(ids.size)).reshape(ids.shape)
        chosen = (draws < MASKED_SHARE) & ~fixed
        masked = [np.flatnonzero(row) for row in chosen]
        places = np.zeros((len(texts), 2 + max(map(len, masked))), dtype=np.int64)
        places[:, :2] = [(first, second) for _, first, second in examples]
        for row, found in enumerate(masked):
            places[row, 2 : 2 + len(found)] = found
        self.asked = torch.from_numpy(np.arange(places.shape[1] - 2) < [[len(found)] for found in masked])
        self.marked = torch.from_numpy(places[:, 0] > 0)
        self.places = torch.from_numpy(places)
        ids[chosen & (draws < 0.9 * MASKED_SHARE)] = tokens["mask"]
        self.ids = torch.from_numpy(ids)


def _loss(model, masked_head, marker_head, batch, weights):
    states = model(batch.ids, batch.lengths, batch.places)
    targets = batch.whole.gather(1, batch.places[:, 2:])[batch.asked]
    loss = F.nll_loss(masked_head(states[:, 2:][batch.asked]), targets)
    if batch.marked.any():
        scores = marker_head(states[batch.marked, :2].mean(1))
        present = batch.whole[batch.marked]
        share = weights[present]
        loss = loss - (scores.gather(1, present) * share).sum(1).div(share.sum(1)).mean()
    return loss


def token_weights(examples, tokens, n_tokens):
    """Weight of each token in the markers' loss, float32 (n_tokens,): 0 for special tokens, less for frequent ones."""
    counts = np.bincount(np.concatenate([ids for ids, _, _ in examples]), minlength=n_tokens)
    weights = 1 / np.sqrt(counts + 10.0)
    weights[[tokens[name] for name in ("pad", "cls", "sep", "unk")] + tokens["markers"]] = 0
    return torch.from_numpy(weights.astype(np.float32))


def _rate(step, steps):
    """Linear warm-up, then linear to zero."""
    warm = max(1, int(steps * WARM_UP))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def _batches(examples, settings):
    """`settings.steps` batches of texts of like length, each epoch in another order."""
    done, epoch, size = 0, 0, settings.batch_size
    while done < settings.steps:
        order = permutation(key64("epoch", settings.seed, epoch), len(examples)).tolist()
        blocks = [order[start : start + BLOCK * size] for start in range(0, len(order), BLOCK * size)]
        order = [i for block in blocks for i in sorted(block, key=lambda i: len(examples[i][0]))]
        starts = Dice("batches", settings.seed, epoch).shuffled(range(0, len(order), size))
        for start in starts[: settings.steps - done]:
            yield [examples[i] for i in order[start : start + size]]
        done += min(len(starts), settings.steps - done)
        epoch += 1
