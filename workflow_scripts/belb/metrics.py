"""recall@k of linkers in three modes of reading ties, over all mentions and over some (BELB, sections 2.3.1 and 2.3.2).

A mention is right at rank r if an identifier of that rank is one of its gold identifiers. Where several distinct
identifiers tie at a rank,

- std takes one of them at random; what is reported is the expectation of that draw, not a draw,
- strict calls the rank wrong,
- lenient calls it right if any of them is.

recall@k asks for a right rank among the first k: std draws at each rank independently. All is micro-averaged over the
gold mentions; a mention without prediction is wrong.
"""

import dataclasses
import math

import numpy as np

from workflow_scripts.belb.gold import aligned
from workflow_scripts.common.errors import DataError

MODES = ("std", "strict", "lenient")


@dataclasses.dataclass(frozen=True)
class Hits:
    """How right each gold mention is: by rank k and mode an array of float64 in [0, 1], (n_mentions,).

    Parameters
    ----------
    values : dict
        (k, mode) -> array.
    predicted : numpy.ndarray of bool, (n_mentions,)
        The mention has a candidate.
    spans : numpy.ndarray of bool, (n_mentions,)
        The predictions have a row for the mention, with or without candidates.
    ambiguous : numpy.ndarray of bool, (n_mentions,)
        Several identifiers tie at the first rank.
    """

    values: dict
    predicted: np.ndarray
    spans: np.ndarray
    ambiguous: np.ndarray

    def recall(self, mask=None):
        """n and, by "recall@k", the mean of each mode; None where no mention is in the mask (bool, (n_mentions,))."""
        mask = np.ones(len(self.predicted), bool) if mask is None else mask
        n = int(mask.sum())
        result = {"n": n, "predicted": int(self.predicted[mask].sum()), "ambiguous": int(self.ambiguous[mask].sum())}
        for (k, mode), value in self.values.items():
            result.setdefault(f"recall@{k}", {})[mode] = math.fsum(value[mask]) / n if n else None
        return result


def hits(gold, predictions, ranks=(1,)):
    """How right each gold mention is.

    Parameters
    ----------
    gold : Gold
    predictions : Predictions
    ranks : sequence of int
        The k of recall@k.

    Returns
    -------
    Hits

    Raises
    ------
    DataError
        See `gold.aligned`.
    """
    rows = aligned(gold, predictions)
    mention, rank, tied, right = _ranks(gold, predictions, rows, max(ranks))
    share = right / np.maximum(tied, 1)
    by_rank = {"std": share, "strict": ((tied == 1) & (right == 1)) * 1.0, "lenient": (right > 0) * 1.0}
    values = {}
    for k in ranks:
        within = rank < k
        for mode in MODES:
            missed = np.ones(len(gold))
            np.multiply.at(missed, mention[within], 1.0 - by_rank[mode][within])
            values[k, mode] = 1.0 - missed
    spans = np.array(rows) >= 0
    first = rank == 0
    predicted, ambiguous = np.zeros(len(gold), bool), np.zeros(len(gold), bool)
    predicted[mention[first]] = True
    ambiguous[mention[first & (tied > 1)]] = True
    return Hits(values, predicted, spans, ambiguous)


def _ranks(gold, predictions, rows, depth):
    """Of the first ranks of all mentions: mention, rank, distinct identifiers that tie, how many of them are right."""
    mention, rank, tied, right = [], [], [], []
    for place, row in enumerate(rows):
        if row < 0:
            continue
        wanted = gold.identifiers[place]
        for number, candidates in enumerate(predictions.rows[row].candidates[:depth]):
            distinct = set(candidates) if len(candidates) > 1 else candidates
            mention.append(place)
            rank.append(number)
            tied.append(len(distinct))
            right.append(sum(identifier in wanted for identifier in distinct))
    return tuple(np.array(column, np.int64) for column in (mention, rank, tied, right))


def evaluation(gold, predictions, ranks=(1, 5), reference=None, masks=None):
    """Everything that is reported about one system on one corpus.

    Parameters
    ----------
    gold : Gold
    predictions : Predictions
    ranks : sequence of int
        Beside 1.
    reference : Predictions or None
        The filtered figures are over the gold mentions whose exact span this system has.
    masks : dict or None
        Subsets: name -> bool array, (n_mentions,).

    Returns
    -------
    dict
        corpus, kb, system, reference, split; "full", "by_type" and "subsets", and over the reference system's spans
        "filtered", "filtered_by_type" and "filtered_subsets" (None without one), each with n, predicted (mentions with
        a candidate), ambiguous (several identifiers at rank 1) and recall@k by mode, shares in [0, 1], None where there
        is no mention; "spans": numbers of gold and predicted ones, see `end_to_end`.
    """
    if not ranks or any(k < 1 for k in ranks):
        raise DataError("recall@k", found=f"ranks {list(ranks)}", expected="numbers from 1")
    found = hits(gold, predictions, sorted({1, *ranks}))
    types = np.array(gold.entity_types)
    filtered = np.array(aligned(gold, reference)) >= 0 if reference is not None else None
    exact = int(found.spans.sum())
    parts = {"by_type": {kind: types == kind for kind in sorted(set(gold.entity_types))}, "subsets": masks or {}}
    result = {
        "corpus": gold.corpus,
        "split": gold.split,
        "kb": predictions.kb,
        "system": predictions.system,
        "reference": reference.system if reference is not None else None,
        "spans": {"gold": len(gold), "predicted": len(predictions.rows), "exact": exact}
        | end_to_end(found, len(predictions.rows), exact),
    }
    for prefix, kept in (("", np.ones(len(gold), bool)), ("filtered_", filtered)):
        result[prefix.removesuffix("_") or "full"] = None if kept is None else found.recall(kept)
        for name, chosen in parts.items():
            of_parts = {part: found.recall(mask & kept) for part, mask in chosen.items()} if kept is not None else None
            result[f"{prefix}{name}"] = of_parts
    return result


def end_to_end(found, rows, exact):
    """Of spans and of linked spans: precision, recall and F1, where spans were found and not given.

    A found span is right if it is exactly that of a gold mention; a linked one if its first rank is right too (std).
    """
    right = math.fsum(found.values[1, "std"])
    return {"detection": _scores(exact, rows, len(found.spans)), "linking": _scores(right, rows, len(found.spans))}


def _scores(right, predicted, gold):
    precision = right / predicted if predicted else 0.0
    recall = right / gold if gold else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}
