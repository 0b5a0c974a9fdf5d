"""Names as the prior works match them: whole words, exactly, the longest first.

Text and names are compared as sequences of words and single punctuation marks, so that a name is found again whatever
white space the sentences have around punctuation. The form of a name is that sequence, joined by one space.
"""

import re

TOKEN = re.compile(r"\w+|[^\w\s]")


def form(name):
    """The form of a name: its words and punctuation marks, joined by one space."""
    return " ".join(TOKEN.findall(name))


class Matcher:
    """Finds names in sentences.

    Parameters
    ----------
    forms : iterable of str
        Forms of names, lower-cased if `fold`.
    fold : bool
        Lower-case the sentences.
    """

    def __init__(self, forms, fold):
        self.fold, self.forms, self.longest = fold, set(forms), {}
        for text in self.forms:
            first, _, rest = text.partition(" ")
            length = 1 + rest.count(" ") + bool(rest)
            if self.longest.get(first, 0) < length:
                self.longest[first] = length

    def spans(self, text):
        """(start, end, form) of the names in a text, left to right, longest first, without overlaps.

        Offsets are code points of the text as given, the end exclusive.
        """
        found, tokens = [], list(TOKEN.finditer(text))
        words = [token[0].lower() if self.fold else token[0] for token in tokens]
        place = 0
        while place < len(words):
            longest = min(self.longest.get(words[place], 0), len(words) - place)
            for length in range(longest, 0, -1):
                name = " ".join(words[place : place + length])
                if name in self.forms:
                    found.append((tokens[place].start(), tokens[place + length - 1].end(), name))
                    place += length
                    break
            else:
                place += 1
        return found
