"""spaCy models with no more of them than is asked for, read in blocks so that memory does not grow with the text.

One process: whole batches of files are the grain of parallel work.
"""

import contextlib
import itertools
import pathlib

from workflow_scripts.common.errors import UsageError

BATCH = 64  # the fastest size for parsers and senters; larger ones are slower
ZONE = 2048  # texts after which spaCy's strings are freed
WARM = 4 * ZONE  # texts whose strings are kept
RECYCLED = 16 * ZONE  # texts after which a pipeline without memory zones (spaCy before 3.8) is loaded again
CACHED_CHUNKS = 1 << 17
# Of these the first that a model has ends its sentences.
SENTENCE_ENDERS = ("parser", "senter", "sentencizer")
# What each way of finding mentions needs of a pipeline; the last of them finds the mentions.
COMPONENTS = {
    "noun_chunks": ("tagger", "morphologizer", "attribute_ruler", "parser"),
    "ner": ("ner",),
}
ENCODERS = ("tok2vec", "transformer", "curated_transformer")
# Words that open a noun chunk and are no part of a name: "the liver", "its side effects", "these patients".
OPENING = frozenset({"DET", "PRON", "PUNCT", "CCONJ", "ADP"})


class Pipeline:
    """A loaded spaCy model.

    Parameters
    ----------
    load : callable
        Gives the spacy.Language.
    """

    def __init__(self, load):
        self._load = load
        self._start()

    def _start(self):
        self.nlp, self._seen = self._load(), 0
        if hasattr(self.nlp.tokenizer, "max_cache_size"):
            self.nlp.tokenizer.max_cache_size = CACHED_CHUNKS

    def read(self, texts, reading, make=None):
        """Yield reading(doc) for each text, in order; what it gives must not hold on to the doc.

        Parameters
        ----------
        texts : iterable of str
        reading : callable
            Gets a spacy.tokens.Doc.
        make : callable, optional
            Makes a Doc of the vocabulary and a text; else the model's own tokenizer does.
        """
        texts = iter(texts)
        while block := list(itertools.islice(texts, ZONE)):
            with self._zone():
                docs = block if make is None else [make(self.nlp.vocab, text) for text in block]
                done = [reading(doc) for doc in self.nlp.pipe(docs, batch_size=BATCH)]
            self._seen += len(block)
            yield from done

    def _zone(self):
        if not hasattr(self.nlp, "memory_zone"):
            if self._seen >= RECYCLED:
                self._start()
        elif self._seen >= WARM:
            # Within a memory zone spaCy's tokenizer reads its cache but adds nothing to it: the first texts fill it.
            return self.nlp.memory_zone()
        return contextlib.nullcontext()


def load_model(model, key):
    """A spaCy model by its path or package; `key` is the configuration key that names it, for errors.

    Raises
    ------
    UsageError
        If it cannot be loaded.
    """
    import spacy

    try:
        return spacy.load(model)
    except (OSError, ValueError, ImportError) as error:
        advice = "give the path of the unpacked model (the folder with config.cfg) or the name of an installed package"
        if pathlib.PurePath(model).name.startswith("en_core_sci"):
            advice += "; scispaCy's models come from the release page of that project, not from the package index"
        raise UsageError(
            f"{key}: spaCy cannot load {model!r}\n  found:  {str(error)[:300]}\n  remedy: {advice}"
        ) from None


def sentence_ender(nlp, key):
    """The component that ends sentences; UsageError if there is none."""
    found = next((name for name in SENTENCE_ENDERS if name in nlp.component_names), None)
    if found is None:
        raise UsageError(
            f"{key}: the model ends no sentences\n  found:    {', '.join(nlp.component_names) or 'no component'}\n"
            f"  expected: one of {', '.join(SENTENCE_ENDERS)}"
        )
    return found


def mention_components(nlp, kind, key):
    """The components that a kind of mention needs; UsageError if the one that finds them is not there."""
    last = COMPONENTS[kind][-1]
    if last not in nlp.component_names:
        raise UsageError(f"linking.detection: {kind} needs a {last}, but {key} has {', '.join(nlp.component_names)}")
    return COMPONENTS[kind]


def keep_only(nlp, names):
    """Take every other component out of a pipeline, and encoders to which none of these listens; returns it."""
    for name in nlp.component_names:
        if name not in names and name not in ENCODERS:
            nlp.remove_pipe(name)
    for name in list(nlp.disabled):
        nlp.enable_pipe(name)
    for name in ENCODERS:
        if name in nlp.component_names:
            listening = getattr(nlp.get_pipe(name), "listening_components", None)
            if listening is not None and not set(listening) & set(nlp.pipe_names):
                nlp.remove_pipe(name)
    return nlp


def chunk_spans(doc):
    """(start, end) of the noun chunks of a Doc, code points, without the words that open them."""
    spans = []
    for chunk in doc.noun_chunks:
        first, last = chunk.start, chunk.end
        while first < last and (doc[first].pos_ in OPENING or doc[first].is_space):
            first += 1
        if first < last:
            spans.append((doc[first].idx, chunk.end_char))
    return spans


def entity_spans(doc):
    """(start, end) of the named entities of a Doc, code points."""
    return [(entity.start_char, entity.end_char) for entity in doc.ents]


MENTION_SPANS = {"noun_chunks": chunk_spans, "ner": entity_spans}
