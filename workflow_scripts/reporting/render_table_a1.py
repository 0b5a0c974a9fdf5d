"""Table A.1: the best cells of the search of hyper-parameters."""

import csv
import pathlib

from workflow_scripts.common import command
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.catalogue import TABLE_A1
from workflow_scripts.reporting.model_rows import summary
from workflow_scripts.reporting.outputs import table_parser, write_table
from workflow_scripts.reporting.sources import json_file
from workflow_scripts.reporting.table import Cell

PRINTED = {"glove": "GloVe"}


def main(args):
    """Run the command."""
    values = {}
    if args.best is not None:
        values = grid_values(args.best, [entry for path in args.scores for entry in json_file(path)])
    write_table(args, TABLE_A1, values)


def grid_values(best, scored):
    """Rows of the chosen cells.

    Parameters
    ----------
    best : path
        best.tsv of the grid.
    scored : list of dict
        Trainings of the chosen cells with their metrics of the test split: cell, seed, found.

    Raises
    ------
    DataError
        If a chosen cell has no metrics.
    """
    values, column = {}, TABLE_A1.column("auc")
    with open(best, encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            own = {entry["seed"]: entry["found"] for entry in scored if entry["cell"] == row["cell"]}
            if not own:
                raise DataError(best, found=f"cell {row['cell']} without test metrics", expected="metrics of each cell")
            cells = {
                "bag_size": Cell(row["bag_size"] or "-"),
                "batch_size": Cell(row["batch_size"]),
                "embedding": Cell(PRINTED.get(row["embedding"], row["embedding"])),
                "valid_auc": _scaled(row["valid_auc"], row["valid_auc_sd"]),
                "auc": summary(column, [own[seed][row["pooling"]]["auc"] for seed in sorted(own)]),
                "cells": Cell(int(row["cells"])),
            }
            name = "+".join([row["encoder"].upper(), row["level"], row["pooling"].upper()])
            values[(name,)] = (cells, tuple(f"{row['cell']}.s{seed}" for seed in sorted(own)))
    return values


def _scaled(mean, sd):
    return Cell(100.0 * float(mean) if mean else None, 100.0 * float(sd) if sd else None)


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--best", type=path, help="the chosen cells (tsv); without: nothing was searched")
    parser.add_argument("--scores", type=path, nargs="*", default=[], help="their metrics of the test split (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
