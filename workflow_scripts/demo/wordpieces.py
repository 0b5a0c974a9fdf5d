"""A WordPiece vocabulary learned from text: pairs of pieces are joined by count, ties by the pieces themselves.

The trainers of the tokenizers package number the pieces in an order that changes from run to run; this one does not.
"""

import collections

SPECIAL = ["[PAD]", *(f"[unused{i}]" for i in range(10)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def learn_wordpieces(counts, size):
    """Pieces of a vocabulary: the special tokens, single characters (whole or "##"), then joined pieces by count.

    Parameters
    ----------
    counts : dict of str to int
        Words, normalised as the tokenizer will see them, and how often they occur.
    size : int
        Tokens wanted; fewer when nothing is left to join.
    """
    words = sorted(counts)
    pieces = [[word[0], *(f"##{letter}" for letter in word[1:])] for word in words]
    vocabulary = SPECIAL + sorted({piece for split in pieces for piece in split})
    known = set(vocabulary)
    pair_counts, places = collections.Counter(), collections.defaultdict(set)
    for index, split in enumerate(pieces):
        for pair in zip(split, split[1:], strict=False):
            pair_counts[pair] += counts[words[index]]
            places[pair].add(index)
    while len(vocabulary) < size and pair_counts:
        best = min(pair_counts, key=lambda pair: (-pair_counts[pair], pair))
        joined = best[0] + best[1].removeprefix("##")
        if joined not in known:
            known.add(joined)
            vocabulary.append(joined)
        for index in sorted(places[best]):
            count, old = counts[words[index]], pieces[index]
            new = _join(old, best, joined)
            _count(pair_counts, places, old, -count, index)
            _count(pair_counts, places, new, count, index)
            pieces[index] = new
    return vocabulary


def _join(split, pair, joined):
    out, position = [], 0
    while position < len(split):
        if tuple(split[position : position + 2]) == pair:
            out.append(joined)
            position += 2
        else:
            out.append(split[position])
            position += 1
    return out


def _count(pair_counts, places, split, count, index):
    for pair in zip(split, split[1:], strict=False):
        pair_counts[pair] += count
        if pair_counts[pair] <= 0:
            del pair_counts[pair]
        if count > 0:
            places[pair].add(index)
        else:
            places[pair].discard(index)
