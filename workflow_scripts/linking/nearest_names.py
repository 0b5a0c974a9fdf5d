"""Exact search for the names whose cosine with a query reaches a threshold.

Names and queries keep their grams from the rarest to the most frequent. Let g be the first gram, in this order, that a
query and a name share: their cosine is at most the product of their norms from g on. So a name needs a look only where
it stands in the list of a query's gram with this product at the threshold or above, and lists are in the order of that
norm (`name_index`): only their beginnings are read, and of frequent grams nothing (prefix filtering, as AllPairs and
PPJoin do). A signature of 256 bits then tells which of the query's grams the name cannot have; if what is left of
the product still reaches the threshold, the cosine is computed in full.
"""

import numpy as np

from workflow_scripts.linking.name_index import SIGNATURE_BITS, UNITS

# Room for rounding in the bounds; it only costs a few names that are scored in vain.
SLACK = 1e-4
PAIRS = 1 << 16
# Signatures that are fetched together.
GATHERED = 64


class NameSearch:
    """Searches of one index, one after the other; holds 4 bytes a name and 8 a gram of its own.

    Parameters
    ----------
    index : NameIndex
    """

    def __init__(self, index):
        self._index, self._mark = index, 0
        self._seen = np.zeros(len(index.offsets) - 1, np.int32)
        self._query = np.zeros(index.codes.size)
        self._gathered = np.empty((GATHERED, SIGNATURE_BITS // 64), np.uint64)

    def search(self, part, queries, threshold):
        """All names of a part whose cosine with a query is at least `threshold` (less SLACK) and above 0.

        Parameters
        ----------
        part : int
            0 or 1, see `name_index`.
        queries : Rows
        threshold : float or numpy.ndarray of float64
            For all queries, or one for each.

        Returns
        -------
        query, name : numpy.ndarray of int64
            Row in `queries` and name, by query, in no promised order of names.
        score : numpy.ndarray of float64
            Their cosines, at most 1.
        """
        size, done, found = len(queries.offsets) - 1, 0, []
        limits = np.maximum(np.broadcast_to(threshold, size) - SLACK, 0.0)
        while done < size:
            done, block = self._search(part, queries, limits, done)
            found.append(block)
        return tuple(np.concatenate(parts) for parts in zip(_no_pairs(), *found, strict=True))

    def _search(self, part, queries, limits, first):
        """Search from a query on, as many queries as the room for pairs allows, at least one."""
        index, room = self._index, PAIRS
        if self._mark > np.iinfo(np.int32).max - len(queries.offsets):
            self._seen[:] = 0
            self._mark = 0
        while True:
            out = (np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room))
            lists = (index.list_offsets[part], index.list_names, index.list_norms)
            vectors = (index.offsets, index.grams, index.weights, index.signatures)
            scratch = (self._seen, self._query, self._gathered)
            done, pairs = _compiled()(tuple(queries), lists, vectors, limits, first, self._mark, scratch, out)
            self._mark += done - first + 1
            if done > first:
                return done, tuple(column[:pairs].copy() for column in out)
            room *= 4


def _no_pairs():
    return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64)


_KERNEL = []


def _compiled():
    """The compiled search; compiled at the first use, in memory: no compiler and no folder is needed."""
    if not _KERNEL:
        import numba

        _KERNEL.append(numba.njit(nogil=True)(_search_lists))
    return _KERNEL[0]


def _search_lists(queries, lists, vectors, limits, first, mark, scratch, out):
    """Find pairs from query `first` on; gives the first query that is not done, and the number of pairs.

    A query whose pairs do not all fit is not done. `seen` holds the mark of the last query that scored a name.
    """
    query_offsets, query_grams, query_weights = queries
    list_offsets, list_names, list_norms = lists
    offsets, grams, weights, signatures = vectors
    (seen, dense, gathered), (out_query, out_name, out_score) = scratch, out
    pairs, (room, words) = 0, gathered.shape
    for query in range(first, query_offsets.size - 1):
        begin, end, limit = query_offsets[query], query_offsets[query + 1], limits[query]
        rest = 0.0
        for i in range(begin, end):
            dense[query_grams[i]] = query_weights[i]
            rest += np.float64(query_weights[i]) ** 2
        mark += 1
        pairs_before = pairs
        for i in range(begin, end):
            # The norm of the query from this gram on; the sum loses some digits on the way.
            norm = np.sqrt(max(rest, 0.0)) + 1e-6
            if norm < limit:
                break
            gram, lowest = query_grams[i], limit / norm * UNITS - 1e-3
            start = stop = list_offsets[gram]
            while stop < list_offsets[gram + 1] and list_norms[stop] >= lowest:
                stop += 1
            for block in range(start, stop, room):
                size = min(room, stop - block)
                # The signatures lie all over the memory: fetched without a branch between them they come together.
                for k in range(size):
                    for word in range(words):
                        gathered[k, word] = signatures[list_names[block + k], word]
                for k in range(size):
                    reach, needed = norm * norm, (limit / (list_norms[block + k] / UNITS)) ** 2
                    for j in range(i, end):
                        bit = query_grams[j] & (SIGNATURE_BITS - 1)
                        if not (gathered[k, bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1):
                            reach -= np.float64(query_weights[j]) ** 2
                            if reach < needed:
                                break
                    name = list_names[block + k]
                    if reach < needed or seen[name] == mark:
                        continue
                    seen[name] = mark
                    score = 0.0
                    for j in range(offsets[name], offsets[name + 1]):
                        score += dense[grams[j]] * np.float64(weights[j])
                    if score >= limit and score > 0:
                        if pairs == out_query.size:
                            dense[query_grams[begin:end]] = 0.0
                            return query, pairs_before
                        out_query[pairs], out_name[pairs], out_score[pairs] = query, name, min(score, 1.0)
                        pairs += 1
            rest -= np.float64(query_weights[i]) ** 2
        dense[query_grams[begin:end]] = 0.0
    return query_offsets.size - 1, pairs
