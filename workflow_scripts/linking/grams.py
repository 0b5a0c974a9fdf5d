"""Character 3-grams of texts as scispaCy counts them, and TF-IDF vectors of these.

A text is lower-cased and cut at white space; each word is put between two blanks, and every window of three characters
of that counts (scikit-learn's "char_wb"). A gram is a number here: its three code points, 21 bits each.

Vectors come in compressed rows: `Rows(offsets, grams, weights)`. The grams of a vocabulary are numbered from the rarest
to the most frequent, and the entries of a row are in that order: the search needs it so.
"""

import dataclasses
import typing

import numpy as np

_BITS = 21
_BLANK = ord(" ")
_SQUARE_UNITS = 2.0**45


class Rows(typing.NamedTuple):
    """Sparse vectors: row i has the entries offsets[i]:offsets[i + 1] of grams (int32) and weights (float32)."""

    offsets: np.ndarray
    grams: np.ndarray
    weights: np.ndarray


def occurrences(texts):
    """Every 3-gram of every text.

    Returns
    -------
    row, code : numpy.ndarray of int64
        Text and gram, in the order of the texts.
    """
    padded = [f" {' '.join(text.lower().split())} " for text in texts]
    points = np.frombuffer("".join(padded).encode("utf-32-le"), np.uint32).astype(np.int64)
    # A window around a blank lies in no word, so windows across two texts drop out too.
    middle = np.flatnonzero(points[1:-1] != _BLANK) + 1
    row = np.repeat(np.arange(len(padded)), [len(text) for text in padded])[middle]
    return row, points[middle - 1] << 2 * _BITS | points[middle] << _BITS | points[middle + 1]


def document_frequencies(blocks):
    """In how many texts each gram occurs.

    Parameters
    ----------
    blocks : iterable of list of str

    Returns
    -------
    codes, counts : numpy.ndarray of int64
        Grams, ascending, and their texts.
    """
    codes, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    for texts in blocks:
        row, code = occurrences(texts)
        found, _ = sorted_runs(code)
        pairs, _ = sorted_runs(row * max(found.size, 1) + np.searchsorted(found, code))
        seen = np.bincount(pairs % max(found.size, 1), minlength=found.size)
        both, _ = sorted_runs(np.concatenate([codes, found]))
        summed = np.zeros(both.size, np.int64)
        summed[np.searchsorted(both, codes)] = counts
        summed[np.searchsorted(both, found)] += seen
        codes, counts = both, summed
    return codes, counts


def sorted_runs(values):
    """Distinct values, ascending, and how often each occurs, by sorting.

    np.unique hashes integers: on runs of near-by numbers, as here, that takes a hundred times as long.
    """
    values = np.sort(values)
    starts = (
        np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])) if values.size else np.empty(0, np.int64)
    )
    return values[starts], np.diff(starts, append=values.size)


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """The grams of a vector space.

    Attributes
    ----------
    codes : numpy.ndarray of int64
        Ascending.
    idf : numpy.ndarray of float32
        Weight of each gram, in the same order.
    ranks : numpy.ndarray of int32
        Number of each gram in vectors: 0 for the rarest, equally rare ones by code.
    """

    codes: np.ndarray
    idf: np.ndarray
    ranks: np.ndarray

    @classmethod
    def of(cls, codes, counts, texts, min_df):
        """The grams that occur in at least `min_df` of so many texts, weighted as scikit-learn does, in float32."""
        kept = counts >= min_df
        codes, counts = codes[kept], counts[kept]
        idf = np.full(counts.shape, texts + 1, np.float32)
        idf /= counts.astype(np.float32) + np.float32(1)
        idf = np.log(idf) + np.float32(1)
        ranks = np.empty(codes.size, np.int32)
        ranks[np.argsort(counts, kind="stable")] = np.arange(codes.size, dtype=np.int32)
        return cls(codes, idf, ranks)

    def transform(self, texts):
        """Vectors of texts, of unit length; a text without a known gram has an empty row.

        Returns
        -------
        Rows
        """
        size = self.codes.size
        row, code = occurrences(texts)
        if not size or not code.size:
            return Rows(np.zeros(len(texts) + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
        gram = np.minimum(np.searchsorted(self.codes, code), size - 1)
        known = self.codes[gram] == code
        pairs, counts = sorted_runs(row[known] * size + gram[known])
        row, gram = np.divmod(pairs, size)
        weights = counts.astype(np.float32) * self.idf[gram]
        # Products in float32, sums in float64: the arithmetic of scikit-learn's normalisation.
        norms = np.sqrt(np.bincount(row, weights=weights * weights, minlength=len(texts)))
        weights = (weights / norms[row]).astype(np.float32)
        order = np.argsort(row * size + self.ranks[gram])
        offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(texts)))])
        return Rows(offsets.astype(np.int64), self.ranks[gram][order], weights[order])


def remaining_norms(offsets, weights):
    """Norm of each row from each of its entries on, float64, the same whatever rows stand before it.

    Sums run over all rows, in integers: their differences are exact, and a sum that overflows does no harm.
    """
    squares = np.rint(weights.astype(np.float64) ** 2 * _SQUARE_UNITS).astype(np.int64)
    upto = np.concatenate([[0], np.cumsum(squares)])
    ends = np.repeat(upto[offsets[1:]], np.diff(offsets))
    return np.sqrt((ends - upto[:-1]) / _SQUARE_UNITS)
