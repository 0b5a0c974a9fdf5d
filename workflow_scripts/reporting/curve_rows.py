"""Precision-recall curves of the models of a table, by row and seed."""

from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.tables import read_table
from workflow_scripts.reporting.catalogue import TABLE7_ROWS
from workflow_scripts.reporting.model_rows import evaluation_of, row_key


def curves(paths, models):
    """(model, bag, strategy) -> [(recall, precision)] by seed, in the order of Table 7.

    Parameters
    ----------
    paths : sequence of path
        evaluation/<run>/<pooling>/curve.parquet, in any order.
    models : dict
        Of `read_models`.

    Returns
    -------
    dict
        Values are lists of pairs of float64 arrays of one length.
    """
    found = {}
    for path in paths:
        _, _, model, seed, pooling = evaluation_of(path)
        table = read_table(path, CURVE)
        points = (table["recall"].to_numpy(), table["precision"].to_numpy())
        found.setdefault(row_key(models, model, pooling, path), []).append((seed, points))
    order = [key for key in TABLE7_ROWS if key in found] + sorted(set(found) - set(TABLE7_ROWS))
    return {key: [points for _, points in sorted(found[key], key=lambda entry: entry[0])] for key in order}
