"""The search for the nearest names said with scikit-learn and a sparse product: what the compiled search must equal.

A product of only the rarest grams of a query bounds the cosine from above, and the names that can still reach the
wanted score are scored in full. If the grams left out have norm r, a name that shares none of the others scores at
most r.
"""

import numpy as np

from workflow_scripts.common.errors import UsageError

# Entries of one product (8 bytes each) and pairs scored in full at once: together below half a gigabyte.
PRODUCT_ENTRIES = 1 << 24
SCORED_PAIRS = 1 << 19
# Room for rounding in float32 bounds; it only costs a few pairs that are scored in vain.
SLACK = 1e-4


class NgramSpace:
    """The vector space of the names of a knowledge base.

    Parameters
    ----------
    names : list of str
        Distinct names.
    min_df : int
        A gram must occur in at least this many names.

    Attributes
    ----------
    vectors : scipy.sparse.csr_matrix, (n_names, n_grams) float32
        Rows of unit length; all zero where a name has no known gram.

    Raises
    ------
    UsageError
        If no gram occurs in that many names.
    """

    def __init__(self, names, min_df):
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), min_df=min_df, dtype=np.float32)
        try:
            self.vectors = self._vectorizer.fit_transform(names).tocsr()
        except ValueError as error:
            raise UsageError(
                f"linking.ngram_min_df: no character 3-gram occurs in {min_df} of the {len(names)} names of the "
                f"knowledge base ({error})\n  remedy: set linking.ngram_min_df to 1, or give a larger knowledge base"
            ) from None

    def transform(self, texts):
        """Vectors of texts, (n_texts, n_grams) csr float32."""
        return self._vectorizer.transform(texts).tocsr()


class Postings:
    """Names by gram, for one subset of the names.

    Parameters
    ----------
    vectors : scipy.sparse.csr_matrix, (n_names, n_grams) float32
        Vectors of all names.
    rows : numpy.ndarray of int64
        The names of the subset.
    """

    def __init__(self, vectors, rows):
        self.rows = rows
        self._vectors = vectors[rows]
        self._by_gram = self._vectors.T.tocsr()
        self._frequency = np.diff(self._by_gram.indptr)

    def search(self, queries, threshold):
        """All names whose cosine with a query is at least `threshold` (less SLACK).

        Parameters
        ----------
        queries : scipy.sparse.csr_matrix, (n, n_grams) float32
        threshold : float

        Returns
        -------
        query, name : numpy.ndarray of int64
            Row in `queries` and name, in no promised order.
        score : numpy.ndarray of float64
            Their cosines, at most 1.
        """
        prefix, rest = self._prefix(queries, threshold)
        work = prefix.astype(bool).astype(np.int64) @ self._frequency
        found = [_no_pairs()]
        for first, last in _blocks(work, PRODUCT_ENTRIES):
            query, column = self._possible(prefix[first:last], rest[first:last], threshold)
            for start in range(0, query.size, SCORED_PAIRS):
                part = slice(start, start + SCORED_PAIRS)
                score = self._cosine(queries, query[part] + first, column[part])
                good = score >= threshold - SLACK
                found.append((query[part][good] + first, self.rows[column[part][good]], score[good]))
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))

    def _prefix(self, queries, threshold):
        """The rarest grams of each query, so many that the others have a norm below the threshold; and that norm."""
        row = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
        order = np.lexsort((queries.indices, self._frequency[queries.indices], row))
        squares = queries.data[order].astype(np.float64) ** 2
        # Mass of the row from each gram on, in the order of rarity: all grams up to the row's end.
        upto = np.concatenate(([0.0], np.cumsum(squares)))
        remaining = upto[queries.indptr[1:]][row] - upto[:-1]
        limit = max(threshold - SLACK, 0.0) ** 2
        kept = np.zeros(queries.nnz, dtype=bool)
        kept[order] = remaining >= limit
        rest = np.bincount(row[~kept], weights=queries.data[~kept].astype(np.float64) ** 2, minlength=queries.shape[0])
        prefix = queries.copy()
        prefix.data = np.where(kept, prefix.data, np.float32(0))
        prefix.eliminate_zeros()
        return prefix, np.sqrt(rest)

    def _possible(self, prefix, rest, threshold):
        """Pairs whose cosine can reach the threshold, by Cauchy-Schwarz on the grams outside the prefix."""
        product = (prefix @ self._by_gram).tocsr()
        query = np.repeat(np.arange(prefix.shape[0]), np.diff(product.indptr))
        partial = product.data.astype(np.float64)
        norm = np.sqrt(np.asarray(prefix.multiply(prefix).sum(axis=1), dtype=np.float64).ravel())
        share = np.minimum(partial / norm[query], 1.0)
        good = partial + rest[query] * np.sqrt(1.0 - share**2) >= threshold - SLACK
        return query[good].astype(np.int64), product.indices[good].astype(np.int64)

    def _cosine(self, queries, query, column):
        pairs = queries[query].astype(np.float64).multiply(self._vectors[column])
        return np.minimum(np.asarray(pairs.sum(axis=1)).ravel(), 1.0)


def _blocks(work, budget):
    """Consecutive ranges of rows whose work is within the budget, each at least one row."""
    upto = np.cumsum(work)
    first = 0
    while first < work.size:
        done = upto[first - 1] if first else 0
        last = max(int(np.searchsorted(upto, done + budget, side="right")), first + 1)
        yield first, last
        first = last


def _no_pairs():
    return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64)
