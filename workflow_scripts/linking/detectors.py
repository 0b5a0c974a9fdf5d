"""Where the mentions of a sentence are: detectors behind one interface.

A detector takes sentence texts and gives, for each, the spans of its mentions: sorted, not overlapping, in code points
of that text. `make_detector` builds the one that the configuration names; a new one needs a class with `detect` and a
line there.
"""

import itertools
from typing import Protocol

from workflow_scripts.common.errors import UsageError
from workflow_scripts.linking.forms import Squeezed, literal_form

CHUNK = 2048
SPACY_BATCH = 64
# What each way of finding mentions needs of a pipeline; all other components are left out when it is loaded.
COMPONENTS = {
    "noun_chunks": ("tagger", "morphologizer", "attribute_ruler", "parser"),
    "ner": ("ner",),
}
ENCODERS = ("tok2vec", "transformer")
# Words that open a noun chunk and are no part of a name: "the liver", "its side effects", "these patients".
OPENING = frozenset({"DET", "PRON", "PUNCT", "CCONJ", "ADP"})


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
        matches = self._automaton.find_matches_as_indexes(squeezed.text, overlapping=True)
        spans = (squeezed.span(start, end) for _, start, end in matches)
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
        self._nlp, self._retokenize = load_model(model, kind), retokenize
        self._spans = {"noun_chunks": _chunk_spans, "ner": _entity_spans}[kind]

    def detect(self, texts):
        """Yield a list of (start, end) spans for each text, in order."""
        texts = iter(texts)
        while chunk := list(itertools.islice(texts, CHUNK)):
            # The zone frees the strings and word forms of its texts: a worker does not grow with the corpus.
            with self._nlp.memory_zone():
                docs = chunk if self._retokenize else map(self._doc, chunk)
                found = [self._spans(doc) for doc in self._nlp.pipe(docs, batch_size=SPACY_BATCH)]
            yield from found

    def _doc(self, text):
        from spacy.tokens import Doc

        words = text.split(" ") if text else []
        places = range(len(words))
        spaces, starts = [place + 1 < len(words) for place in places], [place == 0 for place in places]
        return Doc(self._nlp.vocab, words=words, spaces=spaces, sent_starts=starts)


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
        elif kind in COMPONENTS:
            detectors.append(SpacyDetector(model, kind, retokenize))
        else:
            raise UsageError(f"linking.detection: {detection}; known: dictionary, {', '.join(COMPONENTS)}")
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


def load_model(model, kind):
    """Load a spaCy model and remove the components that a kind of mention does not need."""
    if not model:
        raise UsageError(f"linking.detection: {kind} needs linking.model, the path or package of a spaCy model")
    import spacy

    try:
        nlp = spacy.load(model)
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(
            f"linking.model: spaCy cannot load {model}: {str(error).splitlines()[0]}\n"
            "  remedy: give the folder of an unpacked model (the one with config.cfg) or an installed package"
        ) from None
    last = COMPONENTS[kind][-1]
    if last not in nlp.component_names:
        raise UsageError(f"linking.detection: {kind} needs a {last}, but {model} has {', '.join(nlp.component_names)}")
    for name in nlp.component_names:
        if name not in COMPONENTS[kind] and name not in ENCODERS:
            nlp.remove_pipe(name)
    for name in ENCODERS:
        if name in nlp.component_names and not set(nlp.get_pipe(name).listening_components) & set(nlp.pipe_names):
            nlp.remove_pipe(name)
    return nlp


def _chunk_spans(doc):
    spans = []
    for chunk in doc.noun_chunks:
        first, last = chunk.start, chunk.end
        while first < last and doc[first].pos_ in OPENING:
            first += 1
        if first < last:
            spans.append((doc[first].idx, chunk.end_char))
    return spans


def _entity_spans(doc):
    return [(entity.start_char, entity.end_char) for entity in doc.ents]
