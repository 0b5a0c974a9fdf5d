"""A paired bootstrap over bags: whether the AUC of two models differs by more than the choice of pairs explains."""

import numpy as np

from workflow_scripts.common.keyed_random import key64


def draw_pairs(n_pairs, seed, number):
    """How often each of `n_pairs` pairs is drawn, with replacement, in one resample: int64 array of sum `n_pairs`."""
    generator = np.random.Generator(np.random.Philox(key64("bootstrap", seed, number)))
    return np.bincount(generator.integers(0, n_pairs, n_pairs), minlength=n_pairs)


def resampled_aucs(scores, facts, draws):
    """AUC of a model on resamples of its pairs, as `common.metrics.evaluate` defines it.

    Predictions are ranked once; a pair that is drawn k times gives k copies of each of its predictions, one after the
    other. Where different pairs tie, copies of one stand together.

    Parameters
    ----------
    scores : float array of shape (P, R - 1)
        Rows sorted by (head, tail), columns by relation.
    facts : bool array of shape (P, R - 1)
    draws : iterable of int arrays of shape (P,)
        Of `draw_pairs`.

    Returns
    -------
    float64 array of shape (number of draws,)
        NaN for a resample without facts.
    """
    flat = np.ascontiguousarray(scores, dtype=np.float32).ravel()
    order = np.argsort(-flat, kind="stable")
    pair = order // max(scores.shape[1], 1)
    places = np.flatnonzero(np.asarray(facts).ravel()[order])
    return np.array([_auc(times[pair], places) for times in draws])


def _auc(copies, places):
    """Trapezoid over the ranks of the facts: those at `places` of a ranking in which each item has some copies."""
    own = copies[places]
    total = int(own.sum())
    if not total:
        return np.nan
    before = np.cumsum(copies)[places] - own
    starts = np.repeat(np.cumsum(own) - own, own)
    found = np.arange(1, total + 1)
    hits = np.repeat(before, own) + found - starts
    after = found / hits
    previous = np.where(hits > 1, (found - 1) / np.maximum(hits - 1, 1), 0.0)
    return float(np.where(hits > 1, after + previous, 0.0).sum() / 2 / total)


def difference(first, second, level=0.95):
    """Interval and p-value of a paired difference.

    Parameters
    ----------
    first, second : float arrays of shape (B,)
        The same resamples of two models; where one is NaN, the resample is left out.
    level : float
        Share of the differences that the interval holds.

    Returns
    -------
    dict
        `lower` and `upper` of first - second (percentiles), `p` (twice the smaller share of differences at or beyond 0
        on one side, what was seen counted as one resample more, so never 0; at most 1), `differs` (0 is not in the
        interval) and `resamples`; None where there is no resample.
    """
    gaps = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    gaps = gaps[np.isfinite(gaps)]
    if not gaps.size:
        return {"lower": None, "upper": None, "p": None, "differs": None, "resamples": 0}
    lower, upper = (float(value) for value in np.quantile(gaps, [(1 - level) / 2, (1 + level) / 2]))
    beyond = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
    p = min(1.0, 2 * (beyond + 1) / (gaps.size + 1))
    return {"lower": lower, "upper": upper, "p": p, "differs": not lower <= 0 <= upper, "resamples": int(gaps.size)}
