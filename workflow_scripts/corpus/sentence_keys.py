"""Keys of random draws that belong to sentences."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.keyed_random import key64, key64_array

_DIGITS = np.full(256, 16, dtype=np.uint64)
_DIGITS[list(b"0123456789abcdef")] = np.arange(16)


def draw_keys(ids, seed, purpose):
    """uint64 key of each sentence for one purpose, from the seed and the first 64 bits of its id.

    Parameters
    ----------
    ids : pyarrow.Array or ChunkedArray of string
        Sentence ids, 32 lower-case hexadecimal digits each.
    seed : int
    purpose : str
        Draws for different purposes are independent.

    Raises
    ------
    DataError
        On an id of another form.
    """
    if isinstance(ids, pa.ChunkedArray):
        parts = [draw_keys(chunk, seed, purpose) for chunk in ids.chunks]
        return np.concatenate([np.empty(0, dtype=np.uint64), *parts])
    if not len(ids):
        return np.empty(0, dtype=np.uint64)
    if pc.all(pc.equal(pc.binary_length(ids), 32)).as_py():
        digits = _DIGITS[np.frombuffer(_characters(ids), dtype=np.uint8).reshape(-1, 32)[:, :16]]
        if digits.max() < 16:
            places = np.arange(60, -4, -4, dtype=np.uint64)
            return key64_array(key64(seed, purpose), (digits << places).sum(axis=1, dtype=np.uint64))
    bad = next(text for text in ids.to_pylist() if not re.fullmatch("[0-9a-f]{32}", text))
    raise DataError("linking/mentions", found=f"sentence_id {bad!r}", expected="32 lower-case hexadecimal digits")


def _characters(ids):
    """The bytes of all ids, one after the other."""
    start = ids.offset * 32
    return memoryview(ids.buffers()[2])[start : start + 32 * len(ids)]
