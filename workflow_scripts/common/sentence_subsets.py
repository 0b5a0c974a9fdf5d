"""Sentence-level metrics on common and rare triples (paper, Table 9)."""

import numpy as np

from workflow_scripts.common.metrics import sentence_metrics

SUBSETS = ("all", "common", "rare")


def subset_metrics(gold, predicted, bags, na_id, common_from):
    """Sentence-level metrics of all sentences, those of common and those of rare triples, with and without NA.

    A triple is the pair of a sentence with its relation, NA included; it is common when the split has at least
    `common_from` sentences of it. Without NA only sentences whose own relation is not NA are counted, so that a
    precision then misses every NA sentence that was given a relation. The published rows fit no one partition: their
    precision over all triples lies below both of its parts.

    Parameters
    ----------
    gold, predicted : int arrays of shape (n,)
        Relation ids; `predicted` is the most probable relation of the sentence alone.
    bags : int array of shape (n,)
        The pair of each sentence.
    na_id : int
    common_from : int

    Returns
    -------
    dict
        Subset (SUBSETS) -> {"with_na": metrics, "without_na": metrics}, metrics as of
        `common.metrics.sentence_metrics`; all three subsets over the same predictions.
    """
    gold, predicted, bags = np.asarray(gold), np.asarray(predicted), np.asarray(bags)
    if not gold.shape == predicted.shape == bags.shape or gold.ndim != 1:
        raise ValueError(f"gold {gold.shape}, predicted {predicted.shape} and bags {bags.shape} must be equal vectors")
    _, triple, sizes = np.unique(np.stack([bags, gold]), axis=1, return_inverse=True, return_counts=True)
    common = sizes[triple.ravel()] >= common_from if gold.size else np.zeros(0, bool)
    chosen = {"all": np.ones(gold.size, bool), "common": common, "rare": ~common}
    related = gold != na_id
    return {
        name: {
            "with_na": sentence_metrics(gold[rows], predicted[rows], na_id),
            "without_na": sentence_metrics(gold[rows & related], predicted[rows & related], na_id),
        }
        for name, rows in chosen.items()
    }
