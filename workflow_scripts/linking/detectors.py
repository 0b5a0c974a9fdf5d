"""Where the mentions of a sentence are: detectors behind one interface.

A detector takes sentence texts and gives, for each, the spans of its mentions: sorted, not overlapping, in code points
of that text. `make_detector` builds the one that the configuration names; a new one needs a class with `detect` and a
line there.
"""

import itertools
from typing import Protocol

from workflow_scripts.common import spacy_models
from workflow_scripts.common.errors import UsageError
from workflow_scripts.linking.forms import Squeezed, literal_form

CHUNK = 2048


class Detector(Protocol):
    """Finds mentions in sentences."""

    def detect(self, texts):
        """Yield a list of (start, end) spans for each text, in order."""


class DictionaryDetector:
    """Every occurrence of a known name between word boundaries, leftmost first and of these the longest.

    Names and text are compared in their literal form (`forms`): lower-cased, without white space beside punctuation. A
    span is bounded when the characters just outside it in the text are no letters or digits, whatever its own. The
    longest bounded name counts, so a longer name that ends inside a word never hides a shorter one that does not.

    Parameters
    ----------
    names : iterable of str
    min_chars : int
        Shorter names (characters, in their literal form) are ignored.
    """

    def __init__(self, names, min_chars):
        import ahocorasick_rs

        patterns = sorted({form for form in map(literal_form, names) if len(form) >= max(min_chars, 1)})
        self._automaton = ahocorasick_rs.AhoCorasick(
            patterns,
            matchkind=ahocorasick_rs.MatchKind.Standard,
            store_patterns=False,
            implementation=ahocorasick_rs.Implementation.ContiguousNFA,
        )

    def detect(self, texts):
        """Yield a list of (start, end) spans for each text, in order."""
        return map(self._spans, texts)

    def _spans(self, text):
        squeezed = Squeezed(text)
        form, length = squeezed.text, len(squeezed.text)
        spans = []
        for _, start, end in self._automaton.find_matches_as_indexes(form, overlapping=True):
            # Most names that occur stand inside words. The form tells: between two letters all white space never goes.
            if start and form[start].isalnum() and form[start - 1].isalnum():
                continue
            if end < length and form[end - 1].isalnum() and form[end].isalnum():
                continue
            spans.append(squeezed.span(start, end))
        return leftmost_longest(span for span in spans if span and is_bounded(text, *span))


class SpacyDetector:
    """Noun chunks or named entities of a spaCy model, without the components that these do not need.

    Noun chunks lose the determiners, pronouns and punctuation that open them.

    Parameters
    ----------
    model : str
        Path or package of the model.
    kind : str
        "noun_chunks" or "ner".
    retokenize : bool
        Whether the model cuts a text into tokens and sentences itself (as published); else what stands between single
        blanks is a token and a text is one sentence.

    Raises
    ------
    UsageError
        If the model cannot be loaded or lacks a component.
    """

    def __init__(self, model, kind, retokenize=True):
        if not model:
            raise UsageError(f"linking.detection: {kind} needs linking.model, the path or package of a spaCy model")

        def load():
            nlp = spacy_models.load_model(model, "linking.model")
            return spacy_models.keep_only(nlp, spacy_models.mention_components(nlp, kind, model))

        self.pipeline = spacy_models.Pipeline(load)
        self._spans, self._make = spacy_models.MENTION_SPANS[kind], None if retokenize else tokenized

    def detect(self, texts):
        """Yield a list of (start, end) spans for each text, in order."""
        return self.pipeline.read(texts, self._spans, self._make)


class CombinedDetector:
    """The spans of several detectors; one that overlaps a span of an earlier detector is dropped."""

    def __init__(self, detectors):
        self._detectors = detectors

    def detect(self, texts):
        """Yield a list of (start, end) spans for each text, in order."""
        texts = iter(texts)
        while chunk := list(itertools.islice(texts, CHUNK)):
            for found in zip(*(detector.detect(chunk) for detector in self._detectors), strict=True):
                kept = []
                for spans in found:
                    kept.extend(span for span in spans if not any(_overlap(span, other) for other in kept))
                yield sorted(kept)


def make_detector(detection, names, min_name_chars, model, retokenize=True):
    """The detector of a configuration value.

    Parameters
    ----------
    detection : str
        "dictionary", "noun_chunks", "ner", or some of these joined by "+": the earlier one wins where spans overlap.
    names : callable
        Gives the names of the knowledge base; called only if a dictionary is wanted.
    min_name_chars : int
    model : str or None
        spaCy model of noun_chunks and ner.
    retokenize : bool
        See SpacyDetector.
    """
    detectors = []
    for kind in detection.split("+"):
        if kind == "dictionary":
            detectors.append(DictionaryDetector(names(), min_name_chars))
        elif kind in spacy_models.COMPONENTS:
            detectors.append(SpacyDetector(model, kind, retokenize))
        else:
            raise UsageError(f"linking.detection: {detection}; known: dictionary, {', '.join(spacy_models.COMPONENTS)}")
    return detectors[0] if len(detectors) == 1 else CombinedDetector(detectors)


def is_bounded(text, start, end):
    """Whether the characters just outside a span are no letters or digits."""
    return not (start > 0 and text[start - 1].isalnum()) and not (end < len(text) and text[end].isalnum())


def leftmost_longest(spans):
    """Of overlapping (start, end) spans the one that starts first, of these the longest; the result is sorted."""
    kept, end = [], 0
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if span[0] >= end:
            kept.append(span)
            end = span[1]
    return kept


def _overlap(a, b):
    return a[0] < b[1] and b[0] < a[1]


def tokenized(vocab, text):
    """A Doc of one sentence whose tokens are what stands between single blanks."""
    from spacy.tokens import Doc

    words = text.split(" ") if text else []
    places = range(len(words))
    spaces, starts = [place + 1 < len(words) for place in places], [place == 0 for place in places]
    return Doc(vocab, words=words, spaces=spaces, sent_starts=starts)
