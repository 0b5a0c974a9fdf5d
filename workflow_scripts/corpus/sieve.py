"""A bitmap that tells most codes of a set from most others: a first, cheap test before a search."""

import numpy as np

BITS_PER_CODE = 32
_ODD = np.uint64(0x9E3779B97F4A7C15)


def sorted_distinct(codes):
    """The distinct values of an integer array, sorted (np.unique hashes them: many times slower on long arrays)."""
    codes = np.sort(codes)
    return codes[np.concatenate([[True], codes[1:] != codes[:-1]])] if len(codes) else codes


class Sieve:
    """A set of int64 codes as a bitmap of their hashes: no member is refused, about one other in 32 is let through.

    Parameters
    ----------
    codes : int64 array
        The members.
    """

    def __init__(self, codes):
        width = max(6, int(BITS_PER_CODE * max(len(codes), 1) - 1).bit_length())
        self.shift = np.uint64(64 - width)
        places = sorted_distinct(self._places(codes))
        octets = places >> 3
        starts = np.flatnonzero(np.concatenate([[True], octets[1:] != octets[:-1]])) if len(octets) else octets
        self.octets = np.zeros(1 << (width - 3), dtype=np.uint8)
        if len(places):
            bits = np.uint8(1) << (places & 7).astype(np.uint8)
            self.octets[octets[starts]] = np.bitwise_or.reduceat(bits, starts)

    def _places(self, codes):
        with np.errstate(over="ignore"):
            return ((codes.view(np.uint64) * _ODD) >> self.shift).view(np.int64)

    def lets_through(self, codes):
        """bool array: which of `codes` may be members."""
        places = self._places(codes)
        octets = self.octets.take(places >> 3)
        octets >>= places.astype(np.uint8) & np.uint8(7)
        octets &= np.uint8(1)
        return octets.view(bool)
