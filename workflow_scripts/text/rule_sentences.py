"""Sentence ends by rules written for abstracts.

A point, question or exclamation mark ends a sentence where the next token looks like a beginning: a capital, a digit,
a name such as `mRNA` or `p53`, or one of these after an opening mark. It does not inside brackets, after an
abbreviation (unless a common first word follows), within the initials of a name, or after the number of a list item.
"""

import re

from workflow_scripts.text.engines import Tokens
from workflow_scripts.text.rule_tokens import chunk_tokens

_BLANK = re.compile(r"[^\S ]")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_CLOSING_QUOTES = frozenset("\"'\u201d\u2019\u00bb")
_LEADING = frozenset("([{\"'\u201c\u2018\u00ab<>\u2264\u2265\u00b1~\u2248+-\u2013\u2014\u2022*")
_STOPS = frozenset(".?!\u2026")
_WIDE_STOPS = frozenset("\u3002\uff1f\uff01")  # no blank follows these
_NEVER_LAST = frozenset(
    "e.g. i.e. vs. cf. ca. Dr. Drs. Prof. Mr. Mrs. Ms. St. Fig. Figs. fig. figs. Eq. Eqs. pp.".split()
)
_DOSES = re.compile(r"(?:[a-z]\.){2,}")  # i.v., p.o., b.i.d.
_LETTERED = frozenset(
    "group type class grade stage phase panel table part arm hepatitis vitamin protein factor".split()
)
_FIRST_WORDS = frozenset(
    "A After All Also Although Among An As At Background Because Between Both But By Compared Conclusion Conclusions "
    "Data Despite During Each Finally For Four From Furthermore Here How However If In Interestingly It Its Methods "
    "Moreover Most No Objective Of On One Only Our Overall Patients Results She Since Six Some Such Ten That The Their "
    "There Therefore These They This Those Three Thus To Two Using We What When Whereas Whether While With".split()
)
_CITED = re.compile(r"\d+(?:[-,\u2013]\d+)*")
_ITEM = re.compile(r"\d{1,3}|[IVX]{1,5}|[A-Za-z]")
_LONGEST_BRACKET = 80  # tokens; a bracket that is open longer was never closed


def split(texts):
    """Yield the Tokens of each text."""
    for text in texts:
        yield _split_text(_BLANK.sub(" ", text))


def _split_text(text):
    words, starts, marked = [], [], []
    position = 0
    for chunk in text.split(" "):
        if chunk:
            pieces, offsets, bears = chunk_tokens(chunk)
            if bears:
                marked.append((len(words), len(words) + len(pieces)))
            if len(pieces) == 1:
                words.append(pieces[0])
                starts.append(position)
            else:
                words.extend(pieces)
                starts.extend([position + offset for offset in offsets])
        position += len(chunk) + 1
    return Tokens(words, starts, _ends(words, starts, marked))


def _ends(words, starts, marked):
    """Token indices at which sentences end, exclusive; only tokens of the ranges in `marked` can matter."""
    ends, first, depth, opened = [], 0, 0, 0
    for begin, stop in marked:
        for index in range(begin, stop):
            word = words[index]
            if word in _OPENING:
                depth, opened = depth + 1, index
                continue
            if depth and index - opened > _LONGEST_BRACKET:
                depth = 0
            if word in _CLOSING:
                depth = max(depth - 1, 0)
                if depth or index == 0 or words[index - 1] not in _STOPS:
                    continue
            elif not (word[-1] == "." or word in _STOPS or word in _WIDE_STOPS):
                continue
            end = _after_stop(words, starts, index)
            if depth and not _outside(words, index, end):
                continue
            if first < end < len(words) and _is_end(words, starts, first, index, end):
                ends.append(end)
                first, depth = end, 0
    if words and first < len(words):
        ends.append(len(words))
    return ends


def _outside(words, index, end):
    """Whether the stop at `index` ends a sentence even though a bracket seems open: the bracket was never closed."""
    return words[index - 1] in _CLOSING or (end < len(words) and words[end] in _FIRST_WORDS)


def _touches(words, starts, index):
    """Whether no blank stands between token `index` and the one before it."""
    return starts[index] == starts[index - 1] + len(words[index - 1])


def _after_stop(words, starts, index):
    """The token after a stop, the closing quotes and the cited numbers that touch it."""
    end, count = index + 1, len(words)
    while end < count and words[end] in _CLOSING_QUOTES and _touches(words, starts, end):
        end += 1
    cited = end + 1 < count and _CITED.fullmatch(words[end]) and words[index] == "."
    if cited and _touches(words, starts, end) and not _touches(words, starts, end + 1):
        end += 1
    return end


def _is_end(words, starts, first, index, end):
    """Whether the sentence that begins at token `first` ends before token `end`, after the stop at `index`."""
    word, following = words[index], words[end]
    if word in _WIDE_STOPS:
        return True
    if _touches(words, starts, end):
        before = words[index - 1] if index else ""
        return len(before) > 2 and before[-1].islower() and following[:1].isupper() and following[1:2].islower()
    if len(word) > 1 and word[-1] == "." and word.strip("."):
        if word in _NEVER_LAST:
            return False
        return following in _FIRST_WORDS or bool(
            _DOSES.fullmatch(word) and following[0].isupper() and following[1:].islower()
        )
    if not _begins(words, end):
        return False
    return word != "." or not _belongs_to_name(words, starts, first, index, end)


def _begins(words, index):
    """Whether token `index` looks like the first of a sentence."""
    word = words[index]
    opened = word in _LEADING
    while word in _LEADING:
        index += 1
        if index == len(words):
            return False
        word = words[index]
    if word[0].isupper() or word[0].isdecimal():
        return True
    if word[0].islower():
        return not opened and any(sign.isupper() or sign.isdecimal() for sign in word[1:])
    return word[0].isalpha()


def _belongs_to_name(words, starts, first, index, end):
    """Whether the point at `index` follows the number of a list item or the initial of a person."""
    if index == 0 or not _touches(words, starts, index):
        return False
    before = words[index - 1]
    if index - 1 == first and _ITEM.fullmatch(before):
        return True
    if not (len(before) == 1 and before.isupper()) or words[end] in _FIRST_WORDS:
        return False
    chain = len(words[end]) == 1 and end + 1 < len(words) and words[end + 1] == "."
    chain |= index - 3 >= first and words[index - 2] == "." and len(words[index - 3]) == 1
    earlier = words[index - 2] if index - 2 > first else ""
    named = earlier[:1].isupper() and earlier[1:].islower() and earlier.lower() not in _LETTERED
    return chain or named
