"""Tokens and sentences of a spaCy pipeline, with no more of it than the sentences need."""

import itertools
import logging
import pathlib

from workflow_scripts.common.errors import UsageError
from workflow_scripts.text.engines import Tokens

BATCH = 64  # the fastest size for parsers and senters; larger ones are slower
ZONE = 2048  # texts after which spaCy's strings are freed
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
        self.nlp = _load(str(model))
        logging.info("%s %s: %s", model, self.nlp.meta.get("version", ""), ", ".join(self.nlp.pipe_names))

    def __call__(self, texts):
        """Yield the Tokens of each text."""
        texts = iter(texts)
        while block := list(itertools.islice(texts, ZONE)):
            with self.nlp.memory_zone():
                done = [_tokens(doc) for doc in self.nlp.pipe(block, batch_size=BATCH)]
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
    words, starts, ends = [], [], []
    for token in doc:
        if token.is_sent_start and words and (not ends or ends[-1] < len(words)):
            ends.append(len(words))
        if not token.is_space:
            _add(words, starts, token.text, token.idx)
    if words and (not ends or ends[-1] < len(words)):
        ends.append(len(words))
    return Tokens(words, starts, ends)


def _add(words, starts, text, start):
    """Add a token; one that a pipeline merged across blanks is cut there."""
    for piece in text.split():
        offset = text.index(piece)
        words.append(piece)
        starts.append(start + offset)
        start, text = start + offset + len(piece), text[offset + len(piece) :]
