"""The grid of hyper-parameters of Table A.1: its cells, and the jobs that train them."""

import itertools

LEVELS = ("sent", "bag")


def expand(grid, template_of, seeds, cells_per_job):
    """Trainings of a grid, in batches of one encoder and one embedding.

    Parameters
    ----------
    grid : dict
        `encoders`, `columns` (values that replace those of the template in every cell), and for each level the values
        of batch_size and embedding, for bag of bag_size and pooling too; see schemas/grid.schema.yaml.
    template_of : callable
        (encoder, level) -> row of models.tsv whose other columns every cell takes over.
    seeds : sequence of int
    cells_per_job : int
        Trainings a job.

    Returns
    -------
    dict
        Part `<encoder>.<embedding>.<number>` -> list of {"cell", "seed", "row"}; a training on sentences stands for two
        cells of the paper, as both poolings are evaluated.
    """
    parts = {}
    for encoder in grid["encoders"]:
        by_embedding = {}
        for level in LEVELS:
            for row in _rows(grid, level, template_of(encoder, level)):
                by_embedding.setdefault(row["embedding"], []).append(row)
        for embedding, rows in by_embedding.items():
            trainings = [{"cell": cell_name(row), "seed": seed, "row": row} for row in rows for seed in seeds]
            for number, start in enumerate(range(0, len(trainings), cells_per_job), 1):
                parts[f"{encoder}.{embedding}.{number:03d}"] = trainings[start : start + cells_per_job]
    return parts


def cell_name(row):
    """Name of a cell: what it is searched over, e.g. cnn_bag_avg_glove_b128_k8."""
    pooling = f"_{row['pooling']}" if row["pooling"] else ""
    size = f"_k{row['bag_size']}" if row["level"] == "bag" else ""
    return f"{row['encoder']}_{row['level']}{pooling}_{row['embedding']}_b{row['batch_size']}{size}"


def poolings_of(row):
    """How a training is evaluated: on sentences with AVG and ONE, on bags with its own pooling."""
    return ["avg", "one"] if row["level"] == "sent" else [row["pooling"]]


def _rows(grid, level, template):
    values = grid.get(level)
    if values is None:
        return
    names = ("embedding", "batch_size") + (("bag_size", "pooling") if level == "bag" else ())
    for chosen in itertools.product(*(values[name] for name in names)):
        yield {**template, **grid.get("columns", {}), **dict(zip(names, chosen, strict=True))}
