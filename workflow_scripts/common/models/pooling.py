"""From sentences to bags: AVG, ONE and ATT, in training on representations and in evaluation on logits.

Paper, section 4; Lin et al. (2016) for ATT, Zeng et al. (2015) for ONE. In evaluation no representation is needed: AVG
and ATT average representations and the relation layer is linear, so the average of the sentences' logits is the logit
of the average.
"""

import numpy as np
import torch
import torch.nn.functional as F

TEST_BLOCK = 1 << 15


def training_loss(model, slots, bags, labels, pooling):
    """Mean cross-entropy over the bags of a batch.

    Parameters
    ----------
    model : RelationClassifier
    slots : float tensor of shape (S, H)
        Representations, after their own dropout, of the sentences of all bags; a sentence may fill several slots.
    bags : int64 tensor of shape (S,)
        The bag of each slot; every bag of 0 .. B - 1 has one.
    labels : int64 tensor of shape (B,)
        Relation ids.
    pooling : "avg" | "one" | "att" | None
        None: each bag is one slot, in order (training on sentences).
    """
    if pooling == "avg":
        slots = _average(slots, bags, len(labels))
    elif pooling == "one":
        slots = slots[_most_certain(model, slots, bags, labels)]
    elif pooling == "att":
        slots = _attend(model, slots, bags, labels)
    return F.cross_entropy(model.relations(model.dropout(slots)).float(), labels)


def _average(slots, bags, n_bags):
    total = slots.new_zeros(n_bags, slots.shape[1]).index_add(0, bags, slots)
    return total / torch.bincount(bags, minlength=n_bags)[:, None]


@torch.no_grad()
def _most_certain(model, slots, bags, labels):
    """Index of each bag's slot with the highest probability of the bag's label, the first among equals."""
    probabilities = F.softmax(model.relations(slots).float(), dim=1)
    own = probabilities.gather(1, labels[bags][:, None])[:, 0]
    highest = own.new_zeros(len(labels)).scatter_reduce(0, bags, own, "amax")
    index = torch.arange(len(slots), device=slots.device)
    candidates = torch.where(own == highest[bags], index, len(slots))
    return torch.full_like(labels, len(slots)).scatter_reduce(0, bags, candidates, "amin")


def _attend(model, slots, bags, labels):
    """Average of each bag's slots weighted by the softmax of their scores for the bag's label."""
    scores = (slots * model.queries()[labels[bags]]).sum(dim=1)
    lowest = scores.new_full((len(labels),), -torch.inf)
    highest = lowest.scatter_reduce(0, bags, scores.detach(), "amax")
    weights = (scores - highest[bags]).exp()
    total = weights.new_zeros(len(labels)).index_add(0, bags, weights)
    weights = weights / total[bags]
    return slots.new_zeros(len(labels), slots.shape[1]).index_add(0, bags, weights[:, None] * slots)


def pool_scores(logits, attention, bags, pooling):
    """Probabilities of all relations for each bag, from all its sentences.

    Parameters
    ----------
    logits : float array of shape (S, R)
        Of single sentences.
    attention : float array of shape (S, R) or None
        `RelationClassifier.attention_scores`, for ATT.
    bags : int array of shape (S,)
        Sorted, from 0, without gaps.
    pooling : "avg" | "one" | "att"
        AVG: softmax of the mean. ONE: for each relation the highest probability in the bag, so that rows do not sum to
        1. ATT: for each relation r the softmax under the attention of r, of which the entry r counts.

    Returns
    -------
    float32 array of shape (B, R)
        Computed in float64, so that it depends on no order of sentences beyond 1e-12.
    """
    starts = np.flatnonzero(np.diff(bags, prepend=-1))
    logits = np.asarray(logits, dtype=np.float64)
    if pooling == "avg":
        counts = np.diff(np.append(starts, len(bags)))
        return _softmax(np.add.reduceat(logits, starts) / counts[:, None]).astype(np.float32)
    if pooling == "one":
        return np.maximum.reduceat(_softmax(logits), starts).astype(np.float32)
    if pooling != "att" or attention is None:
        raise ValueError(f"pooling {pooling} without attention scores")
    return _attended(logits, np.asarray(attention, dtype=np.float64), bags, starts)


def _softmax(logits):
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _attended(logits, attention, bags, starts):
    """ATT in blocks of whole bags: (sentences, R, R) numbers at a time."""
    weights = np.exp(attention - np.maximum.reduceat(attention, starts)[bags])
    weights /= np.add.reduceat(weights, starts)[bags]
    n_relations = logits.shape[1]
    result = np.empty((len(starts), n_relations), np.float32)
    ends = np.append(starts[1:], len(bags))
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + TEST_BLOCK, side="right")))
        rows = slice(starts[first], ends[last - 1])
        mixed = weights[rows, :, None] * logits[rows, None, :]
        mixed = _softmax(np.add.reduceat(mixed, starts[first:last] - starts[first]))
        result[first:last] = np.einsum("brr->br", mixed)
        first = last
    return result
