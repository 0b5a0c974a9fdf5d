"""The rows of a matrix of unit vectors that are nearest to others: exact, block by block.

A product of two float16 numbers of size at most 1 is a multiple of 2^-48, and so is each partial sum of an inner
product of unit vectors, which stays about 1: float64 holds them all. Blocks are compared in float32, whose error is
bounded; whatever may be among the nearest is compared again in float64. So the result depends on no block size, no
number of threads, no device.
"""

import numpy as np
import torch

from workflow_scripts.common.progress import Progress

ROWS_AT_ONCE, QUERIES_AT_ONCE = 1 << 15, 1 << 9


@torch.inference_mode()
def nearest_rows(queries, vectors, k, device="cpu", rows_at_once=ROWS_AT_ONCE, queries_at_once=QUERIES_AT_ONCE):
    """The k rows with the largest inner product for each query; of equal ones those that come first.

    Parameters
    ----------
    queries : float16 array of shape (n, d)
        Of length 1 (up to rounding).
    vectors : float16 array of shape (m, d)
        The same; may be mapped from a file, which is read once.
    k : int
    device : str
        Where blocks are compared.
    rows_at_once, queries_at_once : int
        Size of a block; memory is that of a block, and of the candidates.

    Returns
    -------
    rows : int64 array of shape (n, min(k, m))
        Best first.
    scores : float64 array of shape (n, min(k, m))
    """
    k = min(k, len(vectors))
    if not len(queries) or not k:
        return np.empty((len(queries), k), np.int64), np.empty((len(queries), k))
    # over twice the largest error of a sum of d float32 products of unit vectors, in any order
    margin = 4 * (queries.shape[1] + 2) * 2.0**-24
    starts = range(0, len(queries), queries_at_once)
    chunks = [_Chunk(torch.from_numpy(queries[i : i + queries_at_once]).to(device).float(), k, margin) for i in starts]
    progress = Progress("names searched", len(vectors))
    for start in range(0, len(vectors), rows_at_once):
        block = torch.from_numpy(np.array(vectors[start : start + rows_at_once])).to(device).float()
        for chunk in chunks:
            chunk.add(start, block)
        progress.add(len(block))
    progress.close()
    found = [chunk.nearest(queries[i : i + queries_at_once], vectors) for i, chunk in zip(starts, chunks, strict=True)]
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


class _Chunk:
    """Some queries, and the rows so far that may be among their nearest."""

    def __init__(self, queries, k, margin):
        self.queries, self.k, self.margin = queries, k, margin
        self.best = torch.full((len(queries), k), -torch.inf, device=queries.device)
        self.candidates = [torch.empty(0, dtype=kind) for kind in (torch.int64, torch.int64, torch.float32)]

    def add(self, start, block):
        scores = self.queries @ block.T
        self.best = torch.cat([self.best, scores.topk(min(self.k, len(block))).values], dim=1).topk(self.k).values
        query, row = torch.nonzero(scores >= self._least()[:, None], as_tuple=True)
        new = query, row + start, scores[query, row]
        self.candidates = [torch.cat([old, found.cpu()]) for old, found in zip(self.candidates, new, strict=True)]
        self._prune()

    def _least(self):
        return self.best[:, -1] - self.margin

    def _prune(self):
        query, _, score = self.candidates
        kept = score >= self._least().cpu()[query]
        self.candidates = [values[kept] for values in self.candidates]

    def nearest(self, queries, vectors):
        query, row, _ = (values.numpy() for values in self.candidates)
        scores = np.empty(len(query))
        for start in range(0, len(query), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            products = queries[query[part]].astype(np.float64) * vectors[row[part]].astype(np.float64)
            scores[part] = products.sum(axis=1)
        order = np.lexsort((row, -scores, query))
        counts = np.bincount(query, minlength=len(queries))
        places = (np.cumsum(counts) - counts)[:, None] + np.arange(self.k)
        return row[order][places], scores[order][places]
