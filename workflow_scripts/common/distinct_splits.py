"""No two splits of a corpus may be the same: an epoch or a threshold would be chosen on what is tested."""

import hashlib

import pyarrow.compute as pc

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table

_KEY = ("sentence_id", "head", "tail")


def require_distinct_splits(paths):
    """Raise DataError where two splits hold the same sentences of the same pairs, in whatever order.

    Parameters
    ----------
    paths : dict from split to path
        Tables of INSTANCES.
    """
    seen = {}
    for split, path in paths.items():
        digest = _content(path)
        if digest in seen:
            raise DataError(
                path,
                found=f"split {split} is the same as split {seen[digest]} ({paths[seen[digest]]})",
                expected="splits without a common sentence",
                remedy="give each split its own file: epochs and thresholds are chosen on valid, tested on test",
            )
        seen[digest] = split


def _content(path):
    table = read_table(path, INSTANCES, columns=list(_KEY))
    table = table.take(pc.sort_indices(table, sort_keys=[(name, "ascending") for name in _KEY]))
    digest = hashlib.sha256()
    for name in _KEY:
        digest.update("\n".join(table[name].to_pylist()).encode() + b"\0")
    return digest.hexdigest()
