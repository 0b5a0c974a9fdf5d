"""Values of tables of models: metrics of all seeds of a configuration, as mean and sample standard deviation."""

import csv
import pathlib
import re
import statistics

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.sources import json_file, take
from workflow_scripts.reporting.table import Cell

RUN = re.compile(r"(?P<corpus>[^.]+)\.(?P<model>.+)\.s(?P<seed>\d+)")
TICK = {"sent": "-", "bag": "✓"}


def read_models(path):
    """Rows of experiments/models.tsv by model id."""
    with open(path, encoding="utf-8", newline="") as stream:
        rows = {row["model"]: row for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)}
    for row in rows.values():
        missing = [name for name in ("name", "level") if not row.get(name)]
        if missing:
            raise DataError(path, record=row["model"], found=f"no value in column {missing[0]}", expected="one")
    return rows


def evaluation_of(path):
    """(run id, corpus, model id, seed, pooling) of a file evaluation/<run>/<pooling>/<file>."""
    path = pathlib.Path(path)
    match = RUN.fullmatch(path.parent.parent.name)
    if not match:
        raise DataError(path, found=path.parent.parent.name, expected="a folder <corpus>.<model>.s<seed>/<pooling>/")
    return match[0], match["corpus"], match["model"], int(match["seed"]), path.parent.name


def row_key(models, model, pooling, path):
    """(model, bag, strategy) as the paper prints them."""
    if model not in models:
        raise DataError(path, found=f"model {model}", expected="one of " + ", ".join(models))
    row = models[model]
    if row["level"] not in TICK:
        raise DataError(path, found=f"level {row['level']} of {model}", expected="sent or bag")
    return row["name"], TICK[row["level"]], pooling.upper()


def full_name(models, path):
    """Name of an evaluated model as Tables 8 and 9 print it, e.g. BERT+bag+AVG."""
    _, _, model, _, pooling = evaluation_of(path)
    return row_name(models, model, pooling, path)


def row_name(models, model, pooling, path):
    """The same from model id and pooling; `path`: the file that names them."""
    name, bag, strategy = row_key(models, model, pooling, path)
    return "+".join([name, "sent" if bag == TICK["sent"] else "bag", strategy])


def model_name(path, models):
    """ "BERT+sent+AVG, seed 1" for a file of evaluation/<run>/<pooling>/."""
    return f"{full_name(models, path)}, seed {evaluation_of(path)[3]}"


def model_values(paths, models, columns):
    """Values of a table of models.

    Parameters
    ----------
    paths : sequence of path
        metrics.json files in any order.
    models : dict
        Of `read_models`.
    columns : sequence of Column

    Returns
    -------
    dict
        (model, bag, strategy) -> (dict of column name -> Cell, run ids). A metric that does not exist in some seed has
        no value: a mean over fewer seeds would not be comparable. The sd is over seeds with n - 1, None for one seed.

    Raises
    ------
    DataError
        If a metric is missing or not in [0, 1], or two models fill the same row.
    """

    def key_of(path):
        _, _, model, _, pooling = evaluation_of(path)
        return row_key(models, model, pooling, path)

    return run_values(paths, key_of, columns)


def metric_of(path, metrics, column):
    """The metric that has the column's name."""
    return take(path, metrics, column.name)


def run_values(paths, key_of, columns, value_of=metric_of):
    """Values of a table whose rows are runs in some grouping: one row per key, over seeds.

    Parameters
    ----------
    paths : sequence of path
        metrics.json files in any order.
    key_of : callable
        Path -> key values of its row.
    columns : sequence of Column
    value_of : callable
        (path, content of metrics.json, column) -> number in [0, 1] or None where it does not exist.

    Returns
    -------
    dict
        As of `model_values`.
    """
    groups = {}
    for path in sorted(map(pathlib.Path, paths)):
        groups.setdefault(key_of(path), {})[evaluation_of(path)[0]] = path
    values = {}
    for key, files in groups.items():
        names = sorted({evaluation_of(path)[1:3] for path in files.values()})
        if len(names) > 1:
            listed = ", ".join(".".join(name) for name in names)
            raise DataError(
                "models", found=f"{listed} all fill row {' '.join(key)}", expected="one", remedy="name them differently"
            )
        metrics = {run: json_file(path) for run, path in files.items()}
        cells = {
            column.name: summary(
                column, [_checked(files[run], column.name, value_of(files[run], metrics[run], column)) for run in files]
            )
            for column in columns
        }
        values[key] = (cells, tuple(files))
    return values


def summary(column, values):
    """Mean and sample standard deviation in the paper's unit; no value when one is missing, no sd for one value."""
    if any(value is None for value in values):
        return Cell()
    scaled = [value * column.scale for value in values]
    return Cell(statistics.fmean(scaled), statistics.stdev(scaled) if len(scaled) > 1 else None)


def _checked(path, name, value):
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1):
        raise DataError(path, found=f"{name} {value!r}", expected="a number in [0, 1], or null where it does not exist")
    return None if value is None else float(value)
