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
    for group in encoder_batches(model.encoder, sentences.rows["length"], tokens_at_once):
        batch = to_device(gather(sentences, group, pad_id, model.encoder.extra_pads, max_length), weight.device)
        representations = model.encoder(batch)
        logits[group] = model.relations(representations).cpu().numpy()
        if attention is not None:
            attention[group] = model.attention_scores(representations).cpu().numpy()
    model.train(training)
    return logits, attention


def encoder_batches(encoder, lengths, tokens_at_once):
    """`micro_batches` of `tokens_at_once`, or of what the encoder asks for where it holds no activations."""
    if encoder.tokens_at_once is None:
        return micro_batches(lengths, tokens_at_once, encoder.extra_pads)
    return micro_batches(lengths, encoder.tokens_at_once, encoder.extra_pads, similar=0.0)


def to_device(batch, device):
    """The arrays of a batch as tensors on a device."""
    fields = (field.name for field in dataclasses.fields(Batch))
    return Batch(*(torch.from_numpy(getattr(batch, name)).to(device) for name in fields))
