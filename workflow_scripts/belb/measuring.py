"""A corpus in memory, and a linker measured on it."""

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.belb.contracts import DOCUMENTS, MENTIONS
from workflow_scripts.belb.corpus_tables import subsets
from workflow_scripts.belb.gold import gold_of
from workflow_scripts.belb.metrics import evaluation
from workflow_scripts.belb.predictions import Prediction, Predictions, read_predictions
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table


@dataclasses.dataclass(frozen=True)
class Corpus:
    """A corpus: its name, its documents and its mentions, of all splits.

    Parameters
    ----------
    name : str
        As in the header of predictions files.
    documents, mentions : pyarrow.Table
        Of contracts DOCUMENTS and MENTIONS.
    """

    name: str
    documents: pa.Table
    mentions: pa.Table

    def texts(self, split="test"):
        """Document id -> text, of one split."""
        kept = self.documents.filter(pc.equal(self.documents["split"], split))
        return dict(zip(kept["document"].to_pylist(), kept["text"].to_pylist(), strict=True))

    def gold(self, split="test"):
        """The scored mentions of a split, see `gold.Gold`."""
        return gold_of(self.name, self.documents, self.mentions, split)

    def subsets(self, split="test"):
        """Name -> bool array, (n_mentions,): the mentions of the test split that training says little about."""
        if split != "test":
            return {}
        digests = self.gold(split).hexdigests
        rows = self.mentions.select(["split", "foreign", "identifiers", "text", "hexdigest"]).to_pylist()
        return {name: np.isin(digests, chosen) for name, chosen in subsets(rows).items()}


def load_corpus(folder):
    """Read the corpus in a folder with documents.parquet and mentions.parquet.

    Raises
    ------
    DataError
        If a file is missing or no table of the contract, or the two are not of one corpus.
    """
    folder = Path(folder)
    documents = read_table(folder / "documents.parquet", DOCUMENTS)
    mentions = read_table(folder / "mentions.parquet", MENTIONS)
    names = sorted({*pc.unique(documents["corpus"]).to_pylist(), *pc.unique(mentions["corpus"]).to_pylist()})
    if len(names) != 1:
        raise DataError(folder, found=f"corpora {', '.join(names) or 'none'}", expected="one corpus")
    return Corpus(names[0], documents, mentions)


def evaluate(corpus, predictions, split="test", ranks=(1, 5), reference=None):
    """Measure a linker on a corpus.

    Parameters
    ----------
    corpus : Corpus
    predictions : Predictions, or path of a predictions file
    split : str
    ranks : sequence of int
        The k of recall@k.
    reference : Predictions, path, or None
        The filtered figures are over the gold mentions whose exact span this system has.

    Returns
    -------
    dict
        See `metrics.evaluation`.

    Raises
    ------
    DataError
        If a file is wrong in itself (`predictions.read_predictions`) or does not fit the corpus (`gold.aligned`).
    """
    gold = corpus.gold(split)
    predictions, reference = (_loaded(each, corpus) for each in (predictions, reference))
    return evaluation(gold, predictions, ranks, reference, corpus.subsets(split))


def _loaded(predictions, corpus):
    if predictions is None or isinstance(predictions, Predictions):
        return predictions
    return read_predictions(predictions, corpus.name)


def link(corpus, linker, kb="", system="", split="test"):
    """Predictions of a function for the gold mentions of a split.

    Parameters
    ----------
    corpus : Corpus
    linker : callable
        Gets the text of a mention; gives ranks, best first, each a list of the identifiers that tie there.
    kb, system : str
        For the header.
    split : str

    Returns
    -------
    Predictions
    """
    gold = corpus.gold(split)
    found = {text: tuple(map(tuple, linker(text))) for text in dict.fromkeys(gold.texts)}
    rows = [
        Prediction(*span, digest, found[text])
        for span, digest, text in zip(gold.spans, gold.hexdigests, gold.texts, strict=True)
    ]
    return Predictions(corpus.name, kb, system, rows)
