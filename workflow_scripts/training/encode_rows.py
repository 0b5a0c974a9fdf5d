"""Representations of some sentences with their gradients, within the bound on memory that tokens_per_batch sets."""

import numpy as np
import torch

from workflow_scripts.common.models.arrays import gather
from workflow_scripts.common.models.inference import encoder_batches, to_device


def encode_rows(encoder, sentences, rows, pad_id, max_length, tokens_per_batch, recompute=False):
    """Encode rows in groups of similar length.

    Parameters
    ----------
    encoder : nn.Module
        Gets a `Batch` of tensors on its own device.
    sentences : Sentences
    rows : int array of shape (n,)
        Distinct.
    pad_id, max_length, tokens_per_batch : int
    recompute : bool
        Where the rows have more padded tokens than tokens_per_batch, backward computes the activations of each group
        again, with the same dropout, instead of keeping those of all.

    Returns
    -------
    float tensor of shape (n, d), int64 array of shape (n,)
        The representations, and the place of each row's one among them.
    """
    device = next(encoder.parameters()).device
    lengths = sentences.rows["length"][rows]
    groups = encoder_batches(encoder, lengths, tokens_per_batch)
    padded = sum(len(group) * int(lengths[group[0]]) for group in groups)
    recompute = recompute and padded > tokens_per_batch
    parts = []
    for group in groups:
        batch = to_device(gather(sentences, rows[group], pad_id, encoder.extra_pads, max_length), device)
        parts.append(_recomputed(encoder, batch) if recompute else encoder(batch))
    position = np.empty(len(rows), np.int64)
    position[np.concatenate(groups)] = np.arange(len(rows))
    return torch.cat(parts), position


def _recomputed(encoder, batch):
    """The encoder's output without its activations, which backward computes again with the same dropout."""
    from torch.utils.checkpoint import checkpoint

    return checkpoint(encoder, batch, use_reentrant=False)
