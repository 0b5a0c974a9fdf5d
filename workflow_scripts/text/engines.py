"""Sentence engines behind one interface.

An engine is a callable: it takes an iterable of texts and yields, in the same order, one `Tokens` per text.

- rule: tokens by regular expressions, sentence ends by rules written for abstracts; needs no model;
- biosenter: spaCy tokens, sentence ends of the model in package biosenter;
- spacy: spaCy tokens, sentence ends of a model's parser, senter or sentencizer.

In each, tokens hold no white space, do not overlap, and leave out nothing but white space.
"""

import typing

from workflow_scripts.common.errors import UsageError


class Tokens(typing.NamedTuple):
    """Tokens and sentences of one text.

    Parameters
    ----------
    words : list of str
        The tokens in text order.
    starts : list of int
        text[starts[i] : starts[i] + len(words[i])] == words[i]; code points.
    ends : list of int
        For each sentence the index of the token after its last; the last entry is len(words).
    """

    words: list
    starts: list
    ends: list


def load(engine, model=None):
    """The engine of a name.

    Parameters
    ----------
    engine : {"rule", "biosenter", "spacy"}
    model : str, optional
        Path or package of a spaCy model, for engine spacy.

    Raises
    ------
    UsageError
        If the engine is unknown, or its model is missing or unfit.
    """
    if engine == "rule":
        from workflow_scripts.text.rule_sentences import split

        return split
    if engine == "biosenter":
        from workflow_scripts.text.spacy_engine import SpacyEngine

        return SpacyEngine("biosenter")
    if engine == "spacy":
        if not model:
            raise UsageError("text.engine is spacy but text.model is empty: give the path or package of a spaCy model")
        from workflow_scripts.text.spacy_engine import SpacyEngine

        return SpacyEngine(model)
    raise UsageError(f"unknown sentence engine {engine!r}: one of rule, biosenter, spacy")
