"""A keyed stream of draws: each item of the release has its own, so an edit of one item leaves the others alone."""

import bisect
import itertools

from workflow_scripts.common.keyed_random import key64

_MASK = (1 << 64) - 1


class Dice:
    """Draws from SplitMix64 started at the hash of a key.

    Parameters
    ----------
    *key : int or str
        What the draws are for; equal keys give equal draws on every machine and Python.
    """

    def __init__(self, *key):
        self._state = key64(*key)

    def bits(self):
        """The next 64 random bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def uniform(self):
        """A float in [0, 1)."""
        return (self.bits() >> 11) / (1 << 53)

    def chance(self, probability):
        """True with the given probability."""
        return self.uniform() < probability

    def integer(self, low, high):
        """An integer in [low, high], both ends included."""
        return low + self.bits() % (high - low + 1)

    def choose(self, options):
        """One element of a sequence."""
        return options[self.bits() % len(options)]

    def weighted(self, options, weights):
        """One element of a sequence, with probabilities proportional to integer or float weights."""
        cumulative = list(itertools.accumulate(weights))
        return options[bisect.bisect_right(cumulative, self.uniform() * cumulative[-1])]

    def shuffled(self, items):
        """A new list of the items in random order."""
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = self.bits() % (last + 1)
            items[last], items[other] = items[other], items[last]
        return items

    def bag_size(self, mean, most):
        """A geometric number of sentences with the given mean before the cut at `most`."""
        size = 1
        while size < most and self.chance(1 - 1 / mean):
            size += 1
        return size
