"""Choose the best cell of the grid for each encoder, level and pooling, by the AUC on the validation split."""

import csv
import math
import pathlib
import statistics

from workflow_scripts.common import command
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, read_json

COLUMNS = ("encoder", "level", "pooling", "cell", "embedding", "batch_size", "bag_size")
COLUMNS += ("valid_auc", "valid_auc_sd", "seeds", "cells")


def choose(results):
    """The best cell of each encoder, level and pooling.

    Parameters
    ----------
    results : list of dict
        Of `cells.train_cell` with `cells.validation_metrics`, in the order of the grid.

    Returns
    -------
    list of dict
        COLUMNS as keys; `valid_auc` is the mean over seeds, `cells` the number of cells compared. Among equals the
        first in the grid's order wins. A cell whose AUC does not exist with some seed is chosen last, its mean is None.

    Raises
    ------
    DataError
        If the cells were not trained with the same seeds.
    """
    groups = {}
    for result in results:
        row = result["row"]
        for pooling, metrics in result["found"].items():
            cells = groups.setdefault((row["encoder"], row["level"], pooling), {})
            row, values = cells.setdefault(result["cell"], (row, {}))
            values[result["seed"]] = metrics["auc"]
    seeds = {frozenset(values) for cells in groups.values() for _, values in cells.values()}
    if len(seeds) > 1:
        raise DataError("the grid", found=f"{len(seeds)} sets of seeds", expected="all cells with the same seeds")
    return [_best(key, cells) for key, cells in groups.items()]


def _best(key, cells):
    def mean(cell):
        values = list(cells[cell][1].values())
        return -math.inf if None in values else statistics.fmean(values)

    best = max(cells, key=mean)
    row, values = cells[best]
    defined = mean(best) > -math.inf
    return {
        **dict(zip(COLUMNS, key, strict=False)),
        "cell": best,
        **{name: row[name] for name in ("embedding", "batch_size", "bag_size")},
        "valid_auc": mean(best) if defined else None,
        "valid_auc_sd": statistics.stdev(values.values()) if defined and len(values) > 1 else None,
        "seeds": len(values),
        "cells": len(cells),
    }


def main(args):
    """Run the command."""
    chosen = choose([result for path in args.cells for result in read_json(path)])
    with atomic_open(args.output) as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(chosen)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--cells", type=path, nargs="+", required=True, help="validation metrics (JSON), in order")
    parser.add_argument("--output", type=path, required=True, help="the chosen cells (tsv)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
