"""Annotations whose text is not at their offsets, mentions that begin or end inside a word (A1.6, steps 8 and 9)."""

import re

from workflow_scripts.belb.corpus_records import Annotation

# Farther than this from its offsets an equal text is another mention.
WINDOW = 20
_WORDS = re.compile(r"\w+")


def repaired(annotation, text):
    """An annotation at the place in `text` that its own text has, and what was done.

    Returns
    -------
    (Annotation or None, str or None)
        None, None: nothing had to be done. Repairs, first that fits: `case` (same place, other case), `moved` (equal
        text at most 20 characters away, the nearest, then the first), `signs` (the same words, other signs or blanks
        between them, as near). (None, "lost") where nothing fits.
    """
    mention, start, end = annotation.original.text, annotation.start, annotation.end
    inside = 0 <= start < end <= len(text)
    there = text[start:end] if inside else ""
    if there and there == mention:
        return None, None
    if there and there.casefold() == mention.casefold():
        return annotation, "case"
    nearest = _nearest(re.compile(re.escape(mention)), text, start) if mention else None
    if nearest:
        return _at(annotation, nearest), "moved"
    words = _WORDS.findall(mention)
    nearest = _nearest(re.compile(r"\W*".join(map(re.escape, words)), re.IGNORECASE), text, start) if words else None
    if nearest:
        return _at(annotation, nearest), "signs"
    return None, "lost"


def _at(annotation, span):
    return Annotation(*span, annotation.original, annotation.place)


def _nearest(pattern, text, start):
    begin = max(start - WINDOW, 0)
    spans, position = [], begin
    while (found := pattern.search(text, position)) and found.start() <= start + WINDOW:
        spans.append(found.span())
        position = found.start() + 1
    return min(spans, key=lambda span: (abs(span[0] - start), span[0]), default=None)


def blanks_between_words(text, spans):
    """Where blanks have to be put so that no mention begins or ends inside a word.

    Parameters
    ----------
    text : str
    spans : iterable of (int, int)
        All mentions of the document. No blank is put inside another mention.

    Returns
    -------
    list of int
        Offsets of `text` before which a blank goes, ascending.
    """
    spans = sorted(set(spans))
    places = set()
    for start, end in spans:
        places.update(place for place in (start, end) if _inside_word(text, place))
    return [place for place in sorted(places) if not any(start < place < end for start, end in spans)]


def _inside_word(text, place):
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()
