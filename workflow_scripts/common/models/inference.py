"""Logits of single sentences from a model in memory."""

import dataclasses

import numpy as np
import torch

from workflow_scripts.common.models.arrays import Batch, gather, micro_batches

TOKENS_AT_ONCE = 1 << 13


@torch.inference_mode()
def classify(model, sentences, pad_id, max_length, tokens_at_once=TOKENS_AT_ONCE):
    """Logits of all relations for each sentence, and its attention scores where the model has any.

    Parameters
    ----------
    model : RelationClassifier
    sentences : Sentences
    pad_id, max_length : int
    tokens_at_once : int
        Padded tokens encoded at once; no result depends on it beyond float rounding.

    Returns
    -------
    logits : float32 array of shape (n, R)
    attention : float32 array of shape (n, R) or None
    """
    training = model.training
    model.eval()
    weight = model.relations.weight
    logits = np.empty((len(sentences), len(weight)), np.float32)
    attention = np.empty_like(logits) if model.attention else None
    extra = model.encoder.extra_pads
    for group in micro_batches(sentences.rows["length"], tokens_at_once, extra):
        batch = to_device(gather(sentences, group, pad_id, extra, max_length), weight.device)
        representations = model.encoder(batch)
        logits[group] = model.relations(representations).cpu().numpy()
        if attention is not None:
            attention[group] = model.attention_scores(representations).cpu().numpy()
    model.train(training)
    return logits, attention


def to_device(batch, device):
    """The arrays of a batch as tensors on a device."""
    fields = (field.name for field in dataclasses.fields(Batch))
    return Batch(*(torch.from_numpy(getattr(batch, name)).to(device) for name in fields))
