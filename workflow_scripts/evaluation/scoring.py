"""A trained run over the pairs of a split: the sentences pass the encoder once, whatever the number of poolings."""

import dataclasses

import numpy as np
import pyarrow as pa

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.metrics import sentence_metrics
from workflow_scripts.common.models.pooling import pool_scores
from workflow_scripts.common.models.scoring import load_run, sentence_logits
from workflow_scripts.common.models.tokenization import encode_split
from workflow_scripts.common.sentence_subsets import subset_metrics
from workflow_scripts.common.tables import read_table


@dataclasses.dataclass(frozen=True)
class ScoredSentences:
    """The sentences of a split with their logits, before pooling.

    Parameters
    ----------
    pairs : list of P (head, tail), sorted
    bags : int array of shape (n,), sorted
        The pair of each sentence.
    gold : int array of shape (n,)
        Relation ids of the file.
    lines : int array of shape (n,)
        Row of each sentence in the instances table.
    logits : float array of shape (n, R)
    attention : float array of shape (n, R) or None
    names : list of R str
        Relations by id.
    na_id : int
    """

    pairs: list
    bags: np.ndarray
    gold: np.ndarray
    lines: np.ndarray
    logits: np.ndarray
    attention: np.ndarray
    names: list
    na_id: int

    @property
    def columns(self):
        """Ids of the relations other than NA, by name: the columns of a scores table."""
        ids = [index for index in range(len(self.names)) if index != self.na_id]
        return sorted(ids, key=self.names.__getitem__)

    @property
    def relations(self):
        """Names of `columns`."""
        return [self.names[index] for index in self.columns]

    def pooled(self, pooling):
        """Scores of the pairs: float32 (P, R - 1), columns as in `relations`; paper, section 4.1."""
        if pooling == "att" and self.attention is None:
            raise UsageError("pooling att needs a model that was trained with att")
        return pool_scores(self.logits, self.attention, self.bags, pooling)[:, self.columns]

    def sentence_metrics(self):
        """Sentence-level metrics of the most probable relation of each sentence."""
        return sentence_metrics(self.gold, np.argmax(self.logits, axis=1), self.na_id)

    def subset_metrics(self, common_from):
        """Sentence-level metrics of common and rare triples (paper, Table 9).

        A sentence is scored as a bag of one; then all poolings agree with its own logits.
        """
        return subset_metrics(self.gold, np.argmax(self.logits, axis=1), self.bags, self.na_id, common_from)


def load(folder, device, threads):
    """The trained run of a folder, on a device: "cpu", "cuda", or "auto" for a GPU when there is one.

    Raises
    ------
    UsageError
        If a GPU is asked for and none is there.
    """
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise UsageError("training.device is cuda and this machine has no GPU\n  remedy: set it to auto or cpu")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return load_run(folder, device, threads)


def score_sentences(bundle, instances_path):
    """Encode all sentences of a table of instances with a run (from `load`).

    Returns
    -------
    ScoredSentences
    """
    sentences, pairs = encode_split(instances_path, bundle.tokenizer, bundle.config["rel2id"])
    logits, attention = sentence_logits(bundle, sentences)
    rows = sentences.rows
    return ScoredSentences(
        pairs, rows["pair"], rows["relation"], rows["line"], logits, attention, list(bundle.relations), bundle.na_id
    )


def explain(scored, instances_path, pooling):
    """Where the score of each pair's best relation comes from.

    Parameters
    ----------
    scored : ScoredSentences
    instances_path : str or Path
        The table it was made from.
    pooling : str

    Yields
    ------
    dict
        head, tail, relation (the best other than NA), score, and `sentences`: text, weight and probability (of the
        relation, for this sentence alone), the weightiest first. Weights: avg 1/n; one 1 for the chosen sentence, the
        first among equals; att its attention for the relation.
    """
    texts = read_table(instances_path, INSTANCES, columns=["text"])["text"]
    for bag in weighted_bags(scored, pooling):
        own = texts.take(pa.array(bag.lines)).to_pylist()
        yield {
            "head": bag.pair[0],
            "tail": bag.pair[1],
            "relation": bag.relation,
            "score": bag.score,
            "sentences": [
                {"text": text, "weight": weight, "probability": probability}
                for text, weight, probability in zip(own, bag.weights, bag.probabilities, strict=True)
            ],
        }


@dataclasses.dataclass(frozen=True)
class WeightedBag:
    """A pair, its best relation other than NA with the score, and its sentences, the weightiest first.

    `lines` are rows of the instances table; `predicted` is the most probable relation of each sentence, NA included.
    """

    pair: tuple
    relation: str
    score: float
    lines: list
    weights: list
    probabilities: list
    predicted: list


def weighted_bags(scored, pooling):
    """Yield the WeightedBag of each pair; `explain` says what weights and probabilities are."""
    scores, relations = scored.pooled(pooling), scored.relations
    ends = np.append(np.flatnonzero(np.diff(scored.bags)) + 1, len(scored.bags))
    start = 0
    for pair, row, end in zip(scored.pairs, scores, ends.tolist(), strict=True):
        best = int(np.argmax(row))
        column, rows = scored.columns[best], slice(start, end)
        probability = _softmax(scored.logits[rows], axis=1)[:, column]
        weight = _weights(pooling, probability, None if scored.attention is None else scored.attention[rows, column])
        order = np.argsort(-weight, kind="stable")
        yield WeightedBag(
            tuple(pair),
            relations[best],
            float(row[best]),
            np.asarray(scored.lines[rows])[order].tolist(),
            weight[order].tolist(),
            probability[order].tolist(),
            [scored.names[index] for index in np.argmax(scored.logits[rows], axis=1)[order].tolist()],
        )
        start = end


def _weights(pooling, probability, attention):
    if pooling == "avg":
        return np.full(len(probability), 1 / len(probability))
    if pooling == "one":
        return (np.arange(len(probability)) == np.argmax(probability)).astype(float)
    return _softmax(attention, axis=0)


def _softmax(values, axis):
    values = np.asarray(values, dtype=np.float64)
    powers = np.exp(values - values.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
