"""Values of Table 2: the audits of stage leakage."""

import pathlib

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.sources import json_file, take
from workflow_scripts.reporting.table import Cell

KINDS = {"direct": ("triples", "direct"), "inverse": ("triples", "inverse"), "pairs": ("pairs", "either")}


def leakage_values(paths, spec):
    """Sizes of the splits and shares of them that training knows.

    Parameters
    ----------
    paths : sequence of path
        Audits, `<corpus>.json`; the name of a row is the one the audit gives its benchmark.
    spec : Spec
        Of Table 2.

    Returns
    -------
    dict
        (benchmark,) -> (dict of column name -> Cell, ids of the corpora). A split without facts has no shares.

    Raises
    ------
    DataError
        If two audits name the same benchmark.
    """
    values = {}
    for path in sorted(map(pathlib.Path, paths)):
        audit = json_file(path)
        name, splits = take(path, audit, "benchmark"), take(path, audit, "splits")
        if (name,) in values:
            raise DataError(path, found=f"another audit of {name}", expected="one for each benchmark")
        cells = {split: Cell(take(path, splits, split, "triples", "n")) for split in ("train", "valid", "test")}
        for column in spec.columns:
            split, _, kind = column.name.partition("_")
            if kind:
                of, way = KINDS[kind]
                n, known = (take(path, splits, split, of, key) for key in ("n", way))
                cells[column.name] = Cell(column.scale * known / n) if n else Cell()
        values[(name,)] = (cells, (path.stem,))
    return values
