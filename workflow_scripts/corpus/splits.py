"""The three parts of a corpus: their names, order, priority and bits."""

SPLITS = ("train", "valid", "test")
"""A sentence goes to the last of these for which it has a pair: test before valid before train."""

BITS = (1, 2, 4)
"""A set of splits is a uint8 mask; the greatest bit has priority."""
