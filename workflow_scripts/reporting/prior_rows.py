"""Values of Table 3: a model on a benchmark as it was ("original") and without its overlap ("filtered")."""

import dataclasses

from workflow_scripts.reporting.model_rows import evaluation_of, read_models, run_values
from workflow_scripts.reporting.sources import take


def prior_values(paths, models_file, filtered, spec):
    """Metrics of the runs, by model.

    Parameters
    ----------
    paths : sequence of path
        metrics.json of the evaluations.
    models_file : path
        experiments/models.tsv.
    filtered : set of str
        Ids of the corpora without overlap.
    spec : Spec
        Of Table 3; a column is named `<metric>_<original or filtered>`.

    Returns
    -------
    dict
        (name of the model,) -> (dict of column name -> Cell, run ids).

    Raises
    ------
    DataError
        If several corpora or models would fill the same cells.
    """
    models = read_models(models_file)
    values = {}
    for version in ("original", "filtered"):
        columns = [column for column in spec.columns if column.name.endswith(f"_{version}")]
        bare = [dataclasses.replace(column, name=column.name.removesuffix(f"_{version}")) for column in columns]
        own = [path for path in paths if (evaluation_of(path)[1] in filtered) == (version == "filtered")]
        found = run_values(
            own,
            lambda path: (models[evaluation_of(path)[2]]["name"],),
            bare,
            lambda path, metrics, column: take(path, metrics, column.name),
        )
        for key, (cells, runs) in found.items():
            before, runs_before = values.get(key, ({}, ()))
            named = {f"{name}_{version}": cell for name, cell in cells.items()}
            values[key] = (before | named, (*runs_before, *runs))
    return values
