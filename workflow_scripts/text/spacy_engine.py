"""Tokens and sentences of a spaCy pipeline, with no more of it than the sentences need."""

import contextlib
import itertools
import logging
import pathlib
import re

import numpy as np

from workflow_scripts.common.errors import UsageError
from workflow_scripts.text.engines import Tokens

BATCH = 64  # the fastest size for parsers and senters; larger ones are slower
ZONE = 2048  # texts after which spaCy's strings are freed
WARM = 4 * ZONE  # texts whose strings are kept
CACHED_CHUNKS = 1 << 17
_DARK = re.compile(r"\S+")
_ENDS_SENTENCES = ("parser", "senter", "sentencizer")
_FEEDS_THEM = {"tok2vec", "transformer", "curated_transformer"}
_UNUSED = ["ner", "tagger", "morphologizer", "lemmatizer", "attribute_ruler", "entity_linker", "textcat"]


class SpacyEngine:
    """Sentence engine over a model folder or an installed model package.

    Of the pipeline only the first of parser, senter, sentencizer that the model has runs, and what it listens to. One
    process: whole batches of files are the grain of parallel work.

    Raises
    ------
    UsageError
        If the model cannot be loaded or ends no sentences.
    """

    def __init__(self, model):
        self.prepare(_load(str(model)))
        logging.info("%s %s: %s", model, self.nlp.meta.get("version", ""), ", ".join(self.nlp.pipe_names))

    def prepare(self, nlp):
        """Take a loaded pipeline."""
        self.nlp, self.seen = nlp, 0
        if hasattr(nlp.tokenizer, "max_cache_size"):
            nlp.tokenizer.max_cache_size = CACHED_CHUNKS

    def __call__(self, texts):
        """Yield the Tokens of each text."""
        texts = iter(texts)
        while block := list(itertools.islice(texts, ZONE)):
            # Within a memory zone spaCy's tokenizer reads its cache but adds nothing to it: the first texts fill it.
            with self.nlp.memory_zone() if self.seen >= WARM else contextlib.nullcontext():
                done = [_tokens(doc) for doc in self.nlp.pipe(block, batch_size=BATCH)]
            self.seen += len(block)
            yield from done


def _load(model):
    import spacy

    try:
        nlp = spacy.load(model, exclude=_UNUSED)
    except (OSError, ValueError, ImportError) as error:
        advice = "give the path of the unpacked model or the name of an installed package"
        if pathlib.PurePath(model).name.startswith("en_core_sci"):
            advice += "; scispaCy's models come from the release page of that project, not from the package index"
        raise UsageError(
            f"text.model: cannot load {model!r}\n  found:  {str(error)[:300]}\n  remedy: {advice}"
        ) from None
    ender = next((name for name in _ENDS_SENTENCES if name in nlp.component_names), None)
    if ender is None:
        raise UsageError(
            f"text.model: {model!r} ends no sentences\n  found:    {', '.join(nlp.component_names) or 'no component'}\n"
            f"  expected: one of {', '.join(_ENDS_SENTENCES)}"
        )
    kept = {ender} if ender == "sentencizer" else {ender} | _FEEDS_THEM
    for name in nlp.component_names:
        if name not in kept:
            nlp.remove_pipe(name)
    for name in nlp.disabled:
        nlp.enable_pipe(name)
    return nlp


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
