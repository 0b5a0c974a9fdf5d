"""The names most similar to a text by rapidfuzz's WRatio, without scoring every name.

WRatio compares two strings as they stand, word by word in sorted order, and piecewise; each part is a share of matched
characters. How many characters can match at most is known from what the strings are made of: the characters both have,
and the pairs of neighbours within words that only one has. This bounds the score from above. Names are scored in the
order of their bounds until no bound is left that reaches the last of the best, so the result is that of scoring all.
"""

import collections
import re

import numpy as np
from rapidfuzz import fuzz, process

# Weights of WRatio: of word-wise against plain comparison, of piecewise comparison by the ratio of lengths.
WORDS, PIECES, SHORT_PIECES = 0.95, 0.9, 0.6
PIECES_FROM, SHORT_PIECES_ABOVE = 1.5, 8.0
# Bounds are sums in another order than rapidfuzz's.
ROUNDING = 1e-6
NO_LIMIT = 1 << 28
FIRST_SCORED = 64
_BLANK = re.compile(r"\s")


class SimilarNames:
    """An index of names.

    Parameters
    ----------
    names : sequence of str
        Distinct and sorted by code point.
    """

    def __init__(self, names):
        self.names = np.array(names, object)
        made = [_Made(name) for name in names]
        self._length, self._distinct, self._pairs = (
            np.array([getattr(each, key) for each in made], np.int32) for key in ("length", "distinct", "pairs")
        )
        # what pairs of neighbours say holds for plain names; others get no limit by them
        no_limit = np.where(self._length == self._distinct, 0, NO_LIMIT).astype(np.int32)
        self._limit, self._own_limit = self._length + no_limit, 2 * self._length - self._pairs + no_limit
        self._pairs = self._pairs - no_limit
        self._shared_words = _Postings([each.words for each in made])
        self._shared_characters = _Postings([each.characters for each in made])
        self._shared_pairs = _Postings([each.pairs_of_words for each in made])

    def best(self, text, limit, before=()):
        """The names that are most similar to a text.

        Parameters
        ----------
        text : str
        limit : int
        before : sequence of (float, str)
            Score and name of the best of other names, all of which sort before these.

        Returns
        -------
        list of (float, str)
            Score above 0 and name, at most `limit` with those from before; equal scores by code point of the name.
        """
        bounds, best = self.bounds(text), [(-score, -1, name) for score, name in before]
        left, size = np.flatnonzero(bounds > ROUNDING), FIRST_SCORED
        while True:
            if len(best) == limit:
                last, place, _ = best[-1]
                left = left[(bounds[left] > -last) | ((bounds[left] == -last) & (left < place))]
            if not left.size:
                return [(-score, name) for score, _, name in best]
            order = np.argpartition(-bounds[left], size) if size < left.size else np.arange(left.size)
            chosen, left = left[order[:size]], left[order[size:]]
            scores = process.cdist([text], self.names[chosen], scorer=fuzz.WRatio, dtype=np.float64)[0]
            found = zip((-scores).tolist(), chosen.tolist(), self.names[chosen], strict=True)
            best = sorted([*best, *(row for row in found if row[0] < 0)], key=lambda row: row[:2])[:limit]
            size *= 4

    def bounds(self, text):
        """Upper bounds of WRatio of a text and each name: float64, (n_names,); ROUNDING where nothing is shared."""
        text = _Made(text)
        characters = self._shared_characters.count(text.characters)
        pairs = self._shared_pairs.count(text.pairs_of_words)
        # characters of the words that both have, with the blanks between
        common = self._shared_words.count(text.words, weight=lambda word: len(word) + 1)
        shorter = np.minimum(self._distinct, text.distinct)
        matched, inside = characters, np.minimum(characters, shorter)
        if text.plain:
            # a character that is left out or put in breaks two pairs of one string and one of the other
            limit = np.minimum(self._limit + (2 * text.length - text.pairs), self._own_limit + text.length)
            matched = np.minimum(characters, (limit + pairs) // 3)
            own = np.where(self._length >= text.length, np.minimum(self._pairs, text.pairs), self._pairs)
            # half a character is right here: of lost pairs some are due to what only the other one has
            inside = np.minimum(inside, shorter - (own - pairs) / 2)
        whole = _percent(matched, self._distinct + text.distinct)
        shared = np.maximum(common - 1, 0)
        words = WORDS * _percent(shared, shared + shorter)
        # piecewise: the shorter one against pieces of the other that are no longer
        pieces = np.maximum(_percent(inside, shorter + inside), (common > 0) * (WORDS * 100.0))
        ratio = np.maximum(self._length, text.length) / np.maximum(np.minimum(self._length, text.length), 1)
        weight = np.where(ratio > SHORT_PIECES_ABOVE, SHORT_PIECES, PIECES)
        return np.maximum(whole, np.where(ratio < PIECES_FROM, words, pieces * weight))


def _percent(matched, total):
    """200 matched / total, from above; exactly 100 where all match."""
    return np.minimum(200.0 * matched / np.maximum(total, 1) + ROUNDING, 100.0)


class _Made:
    """What a string is made of: multisets of characters, of pairs of neighbours within words, and the set of words.

    `distinct` is the length of the distinct words with one blank between; a string is plain if that is its length.
    """

    def __init__(self, string):
        words = string.split()
        self.length, self.words = len(string), set(words)
        self.distinct = max(sum(map(len, self.words)) + len(self.words) - 1, 0)
        self.plain = self.length == self.distinct
        # words are compared with plain blanks between
        self.characters = _numbered(_BLANK.sub(" ", string))
        self.pairs_of_words = _numbered(a + b for word in words for a, b in zip(word, word[1:], strict=False))
        self.pairs = len(self.pairs_of_words)


def _numbered(items):
    """A multiset as a set: each item with the number of times it was there before."""
    seen = collections.Counter()
    found = []
    for item in items:
        found.append((item, seen[item]))
        seen[item] += 1
    return found


class _Postings:
    """Which rows have an item: an array of their numbers, or a mask for an item that many have."""

    def __init__(self, rows):
        places = collections.defaultdict(list)
        for number, items in enumerate(rows):
            for item in items:
                places[item].append(number)
        self._size, self._places = len(rows), {}
        for item, numbers in places.items():
            array = np.array(numbers, np.int32)
            if 16 * array.size > self._size:
                array, numbers = np.zeros(self._size, bool), array
                array[numbers] = True
            self._places[item] = array

    def count(self, items, weight=None):
        """Items, or their weights, that each row shares: int32, (n_rows,)."""
        total = np.zeros(self._size, np.int32)
        for item in items:
            places = self._places.get(item)
            if places is None:
                continue
            number = weight(item) if weight else 1
            if places.dtype == bool:
                total += places * number if number != 1 else places
            else:
                total[places] += number
        return total
