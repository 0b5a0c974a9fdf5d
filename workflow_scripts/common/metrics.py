"""Held-out metrics of distantly supervised relation extraction, in NumPy.

The definition is that of Gao et al. (2021), which the paper follows in section 4: all (pair, relation) predictions but
those of NA are ranked by score, and a prediction is right when the triple is a fact of the split.

Ties. Predictions with equal scores are ranked by (head, tail, relation), ascending by code point. The published
evaluation keeps the order of the file; here every file and every scores table is in that very order, so the two agree
on our files, while a shuffled file, another number of shards or another core count changes nothing. The rule never
looks at the facts, so it flatters no model on average, also where inputs coincide and whole groups tie (mentions
replaced by their types). What it decided is reported: `n_ties`, and under `ties` the values with the facts of each tie
first and last. `ap`, `micro_f1` and `macro_f1` do not depend on any order.
"""

import numpy as np

PRECISION_AT = (100, 200, 300, 1000, 2000)


def evaluate(scores, facts, *, relations, pairs=None, precision_at=PRECISION_AT, fixed_threshold=0.5):
    """Metrics of one model on one split.

    Parameters
    ----------
    scores : array of shape (P, R - 1)
        Score of each pair and relation other than NA; taken as float32, the type of the scores table.
    facts : bool array of shape (P, R - 1)
        True where (head, tail, relation) is a triple of the split.
    relations : sequence of R - 1 str
        Names of the columns.
    pairs : sequence of P (head, tail) or None
        Names of the rows; they settle ties. None promises that the rows are sorted by (head, tail).
    precision_at : sequence of int
        Ranks k of P@k.
    fixed_threshold : float
        Threshold of `micro_f1` and `macro_f1`.

    Returns
    -------
    dict
        `auc` (trapezoid from the first point, no anchor), `ap` (sum of precision x recall steps over distinct scores),
        `max_micro_f1` with its `threshold`, `max_macro_f1` (at that same threshold, not the maximum of macro-F1),
        `micro_f1` and `macro_f1` at the fixed threshold, `p@k` and `mean_p@k`, the mean of P@1 .. P@k that Amin et al.
        2020a and Hogan et al. 2021 call P@k (both None where k exceeds the number of predictions),
        `per_relation`, `n_facts`, `n_pairs`, `n_predictions`, `n_ties` (predictions that share their score),
        `ties`, and macro means over the relations that have facts (`*_present`, `n_relations_present`); the plain macro
        means count a relation without facts as 0. All in [0, 1]; whatever needs a fact is None in a split without.

    Raises
    ------
    ValueError
        If shapes disagree, a score is not finite, a relation or pair repeats, or a k is not positive.
    """
    scores, facts, relations = _checked(scores, facts, relations, precision_at)
    scores, facts, relations = _canonical(scores, facts, relations, pairs)
    ranking = Ranking(scores, facts)
    threshold, best = ranking.best_f1()
    at_best, at_fixed = (_by_relation(scores, facts, value) for value in (threshold, fixed_threshold))
    result = {
        "auc": ranking.auc(),
        "ap": ranking.average_precision(),
        "max_micro_f1": best,
        "threshold": threshold,
        "fixed_threshold": float(fixed_threshold),
        "n_facts": ranking.n_facts,
        "n_pairs": scores.shape[0],
        "n_predictions": ranking.n,
        "n_relations_present": int(facts.any(axis=0).sum()),
        "n_ties": ranking.n_ties,
        "per_relation": _per_relation(relations, at_best, at_fixed, ranking.n_facts > 0),
        "ties": ranking.tie_report(precision_at),
    }
    result |= _averages(at_best, at_fixed)
    result |= {f"mean_p@{k}": ranking.mean_precision_to(k) for k in precision_at}
    return result | {f"p@{k}": ranking.precision_at(k) for k in precision_at}


def curve(scores, facts, *, relations, pairs=None, points=1000):
    """Precision-recall curve, thinned by `Ranking.curve`; arguments as in `evaluate` (paper, Figure 4)."""
    scores, facts, relations = _checked(scores, facts, relations, ())
    scores, facts, _ = _canonical(scores, facts, relations, pairs)
    return Ranking(scores, facts).curve(points)


class Ranking:
    """Predictions in the order of the tie rule, kept as the ranks of the facts.

    Parameters
    ----------
    scores : float32 array of shape (P, R - 1)
        Rows sorted by (head, tail), columns by relation.
    facts : bool array of shape (P, R - 1)

    Attributes
    ----------
    hits : int64 array of shape (n_facts,)
        Ranks of the facts, from 1, ascending.
    starts, ends : int64 arrays of shape (n_facts,)
        Ranks start + 1 .. end share the score of the fact.
    n, n_facts, n_ties : int
    """

    def __init__(self, scores, facts):
        flat = np.ascontiguousarray(scores, dtype=np.float32).ravel()
        order = _descending_order(flat)
        self.n = flat.size
        self.hits = np.flatnonzero(facts.ravel()[order]) + 1
        self.n_facts = self.hits.size
        self.sorted_scores = flat[order]
        self.starts, self.ends = self._tie(self.sorted_scores[self.hits - 1])
        equal = self.sorted_scores[1:] == self.sorted_scores[:-1]
        self.n_ties = int(np.count_nonzero(np.append(equal, False) | np.append(False, equal))) if self.n else 0

    def auc(self, hits=None):
        """Trapezoid under precision over recall from the first point on; None without facts.

        Recall moves only at facts, so the sum runs over their ranks. A fact at rank 1 adds nothing: no point precedes
        it.
        """
        if not self.n_facts:
            return None
        hits = self.hits if hits is None else hits
        found = np.arange(1, hits.size + 1)
        after = found / hits
        before = np.where(hits > 1, (found - 1) / np.maximum(hits - 1, 1), 0.0)
        area = np.where(hits > 1, after + before, 0.0) / 2
        return float(area.sum() / self.n_facts)

    def average_precision(self):
        """Precision at the end of each fact's group of equal scores, averaged over facts; None without facts."""
        if not self.n_facts:
            return None
        found = np.searchsorted(self.hits, self.ends, side="right")
        return float((found / self.ends).sum() / self.n_facts)

    def best_f1(self):
        """Score at the first rank of the highest micro-F1, and that F1; (None, None) without facts.

        F1 falls between two facts, so only their ranks can hold the maximum.
        """
        if not self.n_facts:
            return None, None
        found = np.arange(1, self.n_facts + 1)
        precision, recall = found / self.hits, found / self.n_facts
        f1 = 2 * precision * recall / (precision + recall + 1e-20)
        best = int(np.argmax(f1))
        return float(self.sorted_scores[self.hits[best] - 1]), float(f1[best])

    def precision_at(self, k):
        """Share of facts among the first k predictions; None when there are fewer than k."""
        return None if k > self.n else float(np.searchsorted(self.hits, k, side="right") / k)

    def mean_precision_to(self, k):
        """Mean of the precisions at ranks 1 .. k; None when there are fewer than k predictions."""
        if k > self.n:
            return None
        ranks = np.arange(1, k + 1)
        return float((np.searchsorted(self.hits, ranks, side="right") / ranks).mean())

    def tie_report(self, precision_at):
        """What the tie rule decided: for each k the size of the tie across rank k and the P@k with its facts first and
        last (`n` 0: no tie there), and the AUC with the facts of every tie first and last."""
        report = {
            "auc_facts_first": self.auc(self._hits_within_ties(first=True)),
            "auc_facts_last": self.auc(self._hits_within_ties(first=False)),
        }
        for k in precision_at:
            report[f"p@{k}"] = None if k > self.n else self._tie_at(k)
        return report

    def curve(self, points):
        """At most `points` points of the precision-recall curve, evenly spaced in recall.

        Point j is the first rank that finds ceil(j * n_facts / m) facts, m = min(points, n_facts), j = 1..m; point 1 is
        the first fact when m > 1.

        Returns
        -------
        dict of arrays of shape (m,)
            `rank` (int64, from 1), `score` (float32), `recall`, `precision` (float64).
        """
        m = min(points, self.n_facts)
        found = -(-np.arange(1, m + 1) * self.n_facts // m) if m else np.empty(0, np.int64)
        if m > 1:
            found[0] = 1
        rank = self.hits[found - 1]
        return {
            "rank": rank,
            "score": self.sorted_scores[rank - 1],
            "recall": found / max(self.n_facts, 1),
            "precision": found / rank,
        }

    def _tie(self, scores):
        """How many predictions score higher, and how many at least as high."""
        ascending = self.sorted_scores[::-1]
        higher = self.n - np.searchsorted(ascending, scores, side="right")
        return higher, self.n - np.searchsorted(ascending, scores, side="left")

    def _tie_at(self, k):
        start, end = (int(bound) for bound in self._tie(self.sorted_scores[k - 1]))
        before, upto = (int(found) for found in np.searchsorted(self.hits, [start, end], side="right"))
        wrong = (end - start) - (upto - before)
        lowest = before + max(0, k - start - wrong)
        highest = before + min(k - start, upto - before)
        return {"n": 0 if end == k else end - start, "lowest": lowest / k, "highest": highest / k}

    def _hits_within_ties(self, first):
        """Ranks of the facts when the facts of each group of equal scores come first or last in it."""
        if first:
            return self.starts + np.arange(self.n_facts) - np.searchsorted(self.hits, self.starts, side="right") + 1
        return self.ends + np.arange(self.n_facts) - np.searchsorted(self.hits, self.ends, side="right") + 1


def sentence_metrics(gold, predicted, na_id):
    """Sentence-level accuracy and micro precision, recall and F1 over relations other than NA (paper, section 4).

    Parameters
    ----------
    gold, predicted : int arrays of shape (n,)
        Relation ids; `predicted` is the argmax of the sentence's probabilities.
    na_id : int

    Returns
    -------
    dict
        accuracy, precision, recall, f1 in [0, 1] (0 where the denominator is 0; accuracy None for n = 0), and the
        counts n, n_gold, n_predicted, n_correct of relations other than NA.
    """
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    if gold.shape != predicted.shape or gold.ndim != 1:
        raise ValueError(f"gold {gold.shape} and predicted {predicted.shape} must be vectors of one length")
    right = gold == predicted
    n_gold, n_predicted = int((gold != na_id).sum()), int((predicted != na_id).sum())
    n_correct = int((right & (gold != na_id)).sum())
    return {
        "accuracy": float(right.mean()) if gold.size else None,
        "precision": n_correct / n_predicted if n_predicted else 0.0,
        "recall": n_correct / n_gold if n_gold else 0.0,
        "f1": 2 * n_correct / (n_gold + n_predicted) if n_correct else 0.0,
        "n": int(gold.size),
        "n_gold": n_gold,
        "n_predicted": n_predicted,
        "n_correct": n_correct,
    }


def without_na(array, na_id):
    """The columns of an array of shape (P, R) other than NA's, in their order: shape (P, R - 1)."""
    array = np.asarray(array)
    if not 0 <= na_id < array.shape[1]:
        raise ValueError(f"NA id {na_id} is no column of an array of shape {array.shape}")
    return np.delete(array, na_id, axis=1)


def _checked(scores, facts, relations, precision_at):
    scores, facts = np.asarray(scores, dtype=np.float32), np.asarray(facts)
    relations = list(relations)
    if scores.ndim != 2 or scores.shape != facts.shape or scores.shape[1] != len(relations):
        raise ValueError(f"scores {scores.shape}, facts {facts.shape} and {len(relations)} relations do not fit")
    if facts.dtype != np.bool_:
        raise ValueError(f"facts must be bool, found {facts.dtype}")
    if not np.isfinite(scores).all():
        raise ValueError(f"{int((~np.isfinite(scores)).sum())} scores are not finite")
    if len(set(relations)) != len(relations):
        raise ValueError("a relation is named twice")
    if any(k < 1 for k in precision_at):
        raise ValueError(f"ranks of P@k must be positive: {list(precision_at)}")
    return scores, facts, relations


def _canonical(scores, facts, relations, pairs):
    """Rows by (head, tail), columns by relation: the order that settles ties."""
    columns = sorted(range(len(relations)), key=relations.__getitem__)
    if columns != list(range(len(relations))):
        scores, facts = scores[:, columns], facts[:, columns]
        relations = [relations[column] for column in columns]
    if pairs is not None:
        names = [tuple(pair) for pair in pairs]
        if len(names) != len(scores) or len(set(names)) != len(names):
            raise ValueError(f"{len(scores)} rows need as many distinct pairs, found {len(set(names))} of {len(names)}")
        rows = sorted(range(len(names)), key=names.__getitem__)
        scores, facts = scores[rows], facts[rows]
    return scores, facts, relations


def _descending_order(flat):
    """Positions (int64) by score, descending, ties by position.

    One plain sort of 64-bit integers, the score's bits (inverted, to descend) above the position, takes half the time
    of a stable argsort.
    """
    if flat.size >= 1 << 32:
        raise ValueError(f"{flat.size} predictions: at most {(1 << 32) - 1} can be ranked at once")
    bits = (flat + np.float32(0)).view(np.uint32)  # -0.0 + 0.0 is 0.0, so both zeros tie
    ascending = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(1 << 31))
    keys = (~ascending).astype(np.uint64) << np.uint64(32)
    keys |= np.arange(flat.size, dtype=np.uint64)
    keys.sort()
    return (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _by_relation(scores, facts, threshold):
    """Per relation: facts, predictions at or above the threshold (none for None), right ones, and F1 (0 for 0/0)."""
    chosen = scores >= np.float32(threshold) if threshold is not None else np.zeros_like(facts)
    n_facts, n_predicted, n_correct = (part.sum(axis=0) for part in (facts, chosen, chosen & facts))
    f1 = 2 * n_correct / np.maximum(n_facts + n_predicted, 1)
    return {"n_facts": n_facts, "n_predicted": n_predicted, "n_correct": n_correct, "f1": f1}


def _averages(at_best, at_fixed):
    """Micro-F1 at the fixed threshold; macro-F1 at both, over all relations and over those with facts."""
    present = at_best["n_facts"] > 0
    if not present.any():
        names = ("max_macro_f1", "max_macro_f1_present", "micro_f1", "macro_f1", "macro_f1_present")
        return dict.fromkeys(names)
    total = at_fixed["n_facts"].sum() + at_fixed["n_predicted"].sum()
    result = {"micro_f1": float(2 * at_fixed["n_correct"].sum() / total)}
    for name, counts in (("max_macro_f1", at_best), ("macro_f1", at_fixed)):
        result |= {name: float(counts["f1"].mean()), f"{name}_present": float(counts["f1"][present].mean())}
    return result


def _per_relation(relations, at_best, at_fixed, defined):
    """Counts and ratios of each relation at the best micro threshold, `fixed_f1` at the fixed one; 0/0 is None."""
    rows = {}
    for column, relation in enumerate(relations):
        facts, predicted, correct = (int(at_best[key][column]) for key in ("n_facts", "n_predicted", "n_correct"))
        rows[relation] = {
            "n_facts": facts,
            "n_predicted": predicted if defined else None,
            "precision": correct / predicted if predicted else None,
            "recall": correct / facts if facts else None,
            "f1": float(at_best["f1"][column]) if defined else None,
            "fixed_f1": float(at_fixed["f1"][column]) if defined else None,
        }
    return rows
