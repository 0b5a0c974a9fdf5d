"""Scores of a trained model, from a run folder alone. The interface is described in the package's docstring."""

import dataclasses

import numpy as np
import torch

from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.models.classifier import RelationClassifier, build_classifier
from workflow_scripts.common.models.encoders import N_INDICATORS
from workflow_scripts.common.models.inference import TOKENS_AT_ONCE, classify
from workflow_scripts.common.models.pooling import pool_scores
from workflow_scripts.common.models.run_folder import CONFIG, VOCABULARY, WEIGHTS, read_run
from workflow_scripts.common.models.tokenization import encode_split, tokenizer_from_json


@dataclasses.dataclass(frozen=True)
class Bundle:
    """A trained model with all that it needs to read text.

    Parameters
    ----------
    model : RelationClassifier
        In evaluation mode.
    tokenizer : WordTokenizer or WordPieceTokenizer
    config : dict
        The run's config.json.
    """

    model: RelationClassifier
    tokenizer: object
    config: dict

    @property
    def relations(self):
        """Names of all relations by id."""
        return sorted(self.config["rel2id"], key=self.config["rel2id"].get)

    @property
    def na_id(self):
        """Id of NA."""
        return self.config["na_id"]


def load_run(folder, device="cpu", threads=1):
    """Load a run folder.

    Raises
    ------
    DataError
        If a file is missing, broken, or the weights or the vocabulary are not those of the architecture in config.json.
    """
    torch.set_num_threads(threads)
    config, weights, vocabulary = read_run(folder)
    model = build_classifier(config["row"], config["max_length"], len(config["rel2id"]), config["shape"])
    try:
        model.load_state_dict(weights, strict=True)
    except RuntimeError as error:
        raise DataError(f"{folder}/{WEIGHTS}", found=str(error), expected="the weights of config.json") from None
    _check_vocabulary(folder, config, vocabulary)
    return Bundle(model.to(device).eval(), tokenizer_from_json(vocabulary), config)


def _check_vocabulary(folder, config, vocabulary):
    """The vocabulary of another run would give each word some other word's vector, and no error."""
    kind = "wordpieces" if config["row"]["encoder"] == "bert" else "words"
    found = vocabulary.get("kind")
    if found == kind == "words":
        indicators = N_INDICATORS if config["row"]["encoder"] == "gru" else 0
        kind = f"{config['shape']['vectors'][0] - 2 - indicators} words"
        found = f"{len(vocabulary['words'])} words"
    if found != kind:
        raise DataError(
            f"{folder}/{VOCABULARY}",
            found=found,
            expected=f"{kind}, as {CONFIG} says",
            remedy="the files of a run belong together: copy the whole folder, or train the run again",
        )


def score_split(bundle, path, pooling, tokens_at_once=TOKENS_AT_ONCE):
    """Scores of all pairs of a split, from all their sentences.

    Parameters
    ----------
    bundle : Bundle
    path : str or Path
        A table of INSTANCES.
    pooling : "avg" | "one" | "att"
    tokens_at_once : int
        Padded tokens encoded at once.

    Returns
    -------
    pairs : list of (head, tail)
        P of them, sorted.
    scores : float32 array of shape (P, R - 1)
    relations : list of R - 1 str
        Names of the columns: all relations but NA, by id.

    Raises
    ------
    DataError
        If the file breaks its contract or has a relation that the model does not know.
    UsageError
        For "att" with a model trained otherwise.
    """
    if pooling == "att" and not bundle.model.attention:
        raise UsageError(f"pooling att needs a model trained with it; {bundle.config['model']} was not")
    sentences, pairs = encode_split(path, bundle.tokenizer, bundle.config["rel2id"])
    logits, attention = sentence_logits(bundle, sentences, tokens_at_once)
    scores = pool_scores(logits, attention, sentences.rows["pair"], pooling)
    others = [index for index in range(scores.shape[1]) if index != bundle.na_id]
    return pairs, np.ascontiguousarray(scores[:, others]), [bundle.relations[index] for index in others]


def sentence_logits(bundle, sentences, tokens_at_once=TOKENS_AT_ONCE):
    """Logits of all relations for each sentence, and its attention scores where the model has any."""
    return classify(bundle.model, sentences, bundle.tokenizer.pad_id, bundle.config["max_length"], tokens_at_once)
