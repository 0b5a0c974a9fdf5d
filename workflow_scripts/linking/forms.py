"""Forms under which names and surfaces are compared.

Sentences are tokens joined by one space, so "N-acetyl (R)" stands there as "N-acetyl ( R )", and with a tokenizer that
splits at hyphens as "N - acetyl ( R )". White space beside a punctuation mark therefore carries no meaning: the literal
form drops it, and a name is found again whatever the tokenizer did.
"""

import bisect
import re

# White space beside a character that is neither a letter nor a digit, or at an end; of other runs all but the first
# character. The pattern begins with what is rare, so that most characters are passed over.
_REMOVED = re.compile(r"\s(?:(?<![^\W_]\s)\s*+|\s*+(?![^\W_]))")
_OTHER_SPACE = re.compile(r"[^\S ]")


class Squeezed:
    """A text without the white space that carries no meaning, lower-cased, with the way back.

    Attributes
    ----------
    text : str
        The literal form.
    """

    def __init__(self, text):
        self._cuts, self._removed = [], [0]
        parts, place, length = [], 0, 0
        for match in _REMOVED.finditer(text):
            start, end = match.span()
            parts.append(text[place:start])
            length += start - place
            self._cuts.append(length)
            self._removed.append(self._removed[-1] + end - start)
            place = end
        parts.append(text[place:])
        kept = _OTHER_SPACE.sub(" ", "".join(parts))
        self.text = _lower(kept)
        self._longer = None if len(self.text) == len(kept) else _places(kept)

    def span(self, start, end):
        """The span of the original text behind a span of the form, or None where it has none.

        A span has none when it is empty or begins or ends inside a character whose lower case is longer (U+0130).
        """
        if self._longer is not None:
            start, end = self._longer.get(start), self._longer.get(end)
        if start is None or end is None or start >= end:
            return None
        return self._original(start), self._original(end - 1) + 1

    def _original(self, index):
        return index + self._removed[bisect.bisect_right(self._cuts, index)]


def literal_form(text):
    """A text lower-cased, without white space beside punctuation or at its ends, other white space as one space."""
    # The text of Squeezed without the way back: a tenth of the time.
    form = ""
    for word in text.split():
        form += f" {word}" if form and form[-1].isalnum() and word[0].isalnum() else word
    return _lower(form)


def search_key(surface):
    """The words of a surface, lower-cased and sorted.

    Surfaces of one key have the same vector: the n-grams are taken inside words of the lower-cased text, so neither
    case, nor white space, nor the order of words counts.
    """
    return " ".join(sorted(surface.lower().split()))


def _lower(text):
    """Lower case in which a character does not depend on its neighbours: the final sigma is a sigma."""
    return text.lower().replace("\u03c2", "\u03c3")


def _places(text):
    """Where each character of `text` begins in `text.lower()`, by that place; the end of the text is a place too."""
    places, position = {}, 0
    for index, character in enumerate(text):
        places[position] = index
        position += len(character.lower())
    places[position] = len(text)
    return places
