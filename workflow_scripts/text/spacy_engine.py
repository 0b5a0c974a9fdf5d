"""Tokens and sentences of a spaCy pipeline, with no more of it than the sentences and mentions need."""

import bisect
import itertools
import logging
import re

import numpy as np

from workflow_scripts.common import spacy_models
from workflow_scripts.text.engines import Tokens

_DARK = re.compile(r"\S+")


class SpacyEngine:
    """Sentence engine over a model folder or an installed model package.

    Of the pipeline only the first of parser, senter, sentencizer that the model has runs, what the mentions need, and
    what these listen to.

    Parameters
    ----------
    model : str
        Path or package of a spaCy model.
    detection : {"noun_chunks", "ner"}, optional
        Mentions that `read` finds.

    Raises
    ------
    UsageError
        If the model cannot be loaded, ends no sentences or lacks what finds the mentions.
    """

    def __init__(self, model, detection=None):
        def load():
            nlp = spacy_models.load_model(str(model), "text.model")
            names = {spacy_models.sentence_ender(nlp, f"text.model {model!r}")}
            if detection:
                names |= set(spacy_models.mention_components(nlp, detection, model))
            return spacy_models.keep_only(nlp, names)

        self.prepare(load, detection)
        logging.info("%s %s: %s", model, self.nlp.meta.get("version", ""), ", ".join(self.nlp.pipe_names))

    def prepare(self, load, detection=None):
        """Take a function that loads a pipeline."""
        self._pipeline = spacy_models.Pipeline(load)
        self._spans = spacy_models.MENTION_SPANS.get(detection)

    @property
    def nlp(self):
        """The spacy.Language."""
        return self._pipeline.nlp

    def __call__(self, texts):
        """Yield the Tokens of each text."""
        return self._pipeline.read(texts, _tokens)

    def read(self, texts):
        """Yield (Tokens, mentions) of each text, mentions as in `sentence_spans`."""
        return self._pipeline.read(texts, self._read)

    def _read(self, doc):
        tokens = _tokens(doc)
        return tokens, sentence_spans(tokens, self._spans(doc))


def sentence_spans(tokens, spans):
    """Spans of a text as spans of its sentences, whose text is their tokens joined by one space.

    A span takes in the whole of each token that it touches. One without tokens, in two sentences, or over an earlier
    one is left out.

    Parameters
    ----------
    tokens : Tokens
    spans : iterable of (int, int)
        Code points of the text, sorted.

    Returns
    -------
    list of (int, int, int)
        Number of the sentence in the text, start and end in the text of that sentence; sorted.
    """
    starts = tokens.starts
    # Where each token begins in the text of all tokens joined, and the first token of each sentence.
    joined = [0, *itertools.accumulate(len(word) + 1 for word in tokens.words)]
    firsts = [0, *tokens.ends]
    found, free = [], 0
    for start, end in spans:
        first = max(bisect.bisect_right(starts, start) - 1, 0)
        while first < len(starts) and starts[first] + len(tokens.words[first]) <= start:
            first += 1
        last = bisect.bisect_left(starts, end) - 1
        sentence = bisect.bisect_right(firsts, first) - 1
        if free <= first <= last and last < firsts[sentence + 1]:
            before = joined[firsts[sentence]]
            found.append((sentence, joined[first] - before, joined[last + 1] - 1 - before))
            free = last + 1
    return found


def _tokens(doc):
    words = [token.text for token in doc]
    starts = [token.idx for token in doc]
    begins = np.flatnonzero(doc.to_array("SENT_START") == 1).tolist()
    if len(" ".join(words).split()) != len(words):
        return _without_blanks(words, starts, begins)
    return Tokens(words, starts, [end for end in [*begins, len(words)] if end])


def _without_blanks(words, starts, begins):
    """The same without tokens of white space; tokens that a pipeline merged across blanks are cut there."""
    kept, places, ends, begins = [], [], [], set(begins)
    for index, (word, start) in enumerate(zip(words, starts, strict=True)):
        if index in begins:
            ends.append(len(kept))
        for match in _DARK.finditer(word):
            kept.append(match[0])
            places.append(start + match.start())
    ends.append(len(kept))
    return Tokens(kept, places, [end for end, last in zip(ends, [0, *ends], strict=False) if end > last])
