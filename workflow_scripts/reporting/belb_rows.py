"""Values of the tables of BELB: metrics of systems on corpora, and statistics of corpora, from stage belb."""

import pathlib

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting import belb_catalogue as catalogue
from workflow_scripts.reporting.sources import json_file, take
from workflow_scripts.reporting.table import Cell

# How the paper's tables call the system that restricts the filtered figures.
REFERENCE = "rbes"
# The corpora in the order of the tables.
CORPORA = (
    "gnormplus nlm_gene ncbi_disease bc5cdr_disease bc5cdr_chemical nlm_chem linnaeus s800 bioid medmentions".split()
)
CORPORA += ["snp", "osiris", "tmvar"]
MODES = ("std", "strict", "lenient")


def read_metrics(paths):
    """Metrics files by (corpus, system).

    Raises
    ------
    DataError
        If two files are about the same system and corpus.
    """
    found = {}
    for path in sorted(map(pathlib.Path, paths)):
        metrics = json_file(path)
        key = (take(path, metrics, "corpus"), take(path, metrics, "system"))
        if key in found:
            raise DataError(path, found=f"metrics of {key[1]} on {key[0]} again", expected="one file for each")
        found[key] = (path, metrics)
    return found


def table_values(name, metrics, found=()):
    """Values of a table of systems.

    Parameters
    ----------
    name : str
        Of `belb_catalogue.BELB_TABLES`, one of systems.
    metrics, found : sequence of path
        Metrics on gold mentions, and on found ones.

    Returns
    -------
    dict
        Keys of the row -> (dict of column name -> Cell, ids behind it).
    """
    if name == catalogue.TABLE4_GROUPS.name:
        return group_values(read_metrics(metrics))
    makers = {
        catalogue.TABLE4.name: _table4,
        catalogue.TABLE5.name: lambda path, entry: _modes(path, entry, "full", ("std", "strict")),
        catalogue.TABLE14.name: _table14,
        catalogue.TABLE15.name: _table15,
        catalogue.END_TO_END.name: _end_to_end,
    }
    values = {}
    chosen = read_metrics(found if name == catalogue.END_TO_END.name else metrics)
    for (corpus, system), (path, entry) in chosen.items():
        cells = makers[name](path, entry)
        values[corpus, system] = (cells, (f"{corpus}/{system}",))
        if name == catalogue.TABLE4.name and take(path, entry, "reference") == system:
            values[corpus, REFERENCE] = values[corpus, system]
    return values


def _recall(path, entry, part, metric, mode):
    """A recall of a part of the metrics; None where the part or the metric is not there."""
    values = take(path, entry, part)
    return None if values is None or metric not in values else take(path, values, metric, mode)


def _table4(path, entry):
    return {
        "recall": Cell(_recall(path, entry, "filtered", "recall@1", "std")),
        "ours_full": Cell(_recall(path, entry, "full", "recall@1", "std")),
    }


def _percent(value):
    return Cell(None if value is None else 100.0 * value)


def _modes(path, entry, part, modes=MODES):
    return {mode: _percent(_recall(path, entry, part, "recall@1", mode)) for mode in modes}


def _table14(path, entry):
    filtered = take(path, entry, "filtered")
    count = None if filtered is None else take(path, filtered, "n")
    return {"mentions": Cell(count), **_modes(path, entry, "filtered")}


def _table15(path, entry):
    n, predicted, ambiguous = (take(path, entry, "full", key) for key in ("n", "predicted", "ambiguous"))
    cells = {"mentions": Cell(n), **_modes(path, entry, "full")}
    cells |= {f"{mode}@5": _percent(_recall(path, entry, "full", "recall@5", mode)) for mode in MODES[1:]}
    return cells | {"ambiguous": Cell(ambiguous), "unanswered": Cell(n - predicted)}


def _end_to_end(path, entry):
    spans = take(path, entry, "spans")
    cells = {"gold": Cell(take(path, spans, "gold")), "found": Cell(take(path, spans, "predicted"))}
    for what in ("detection", "linking"):
        cells |= {f"{what}_{name}": _percent(take(path, spans, what, name)) for name in ("precision", "recall", "f1")}
    return cells


def group_values(metrics):
    """Micro-averages over the corpora of the run, by entity type and for the subsets that training says little about.

    The filtered figure is over the corpora with a reference system.
    """
    sums = {}
    for (corpus, system), (path, entry) in metrics.items():
        for column, prefix in (("recall", "filtered_"), ("ours_full", "")):
            parts = {}
            for name in ("by_type", "subsets"):
                parts |= take(path, entry, f"{prefix}{name}") or {}
            for group, part in parts.items():
                n, recall = take(path, part, "n"), take(path, part, "recall@1", "std")
                for name in {system, REFERENCE} if entry["reference"] == system else {system}:
                    sums.setdefault((group, name), {}).setdefault(column, []).append((n, recall, f"{corpus}/{system}"))
    return {key: _averages(columns) for key, columns in sums.items()}


def _averages(columns):
    cells = {}
    for column, entries in columns.items():
        total = sum(n for n, *_ in entries)
        cells[column] = Cell(sum(n * recall for n, recall, _ in entries if n) / total if total else None)
    cells["ours_mentions"] = Cell(sum(n for n, *_ in columns["ours_full"]))
    return cells, tuple(name for *_, name in columns["ours_full"])


def corpus_values(paths):
    """Counts of corpora: statistics.json of each."""
    values = {}
    for path in sorted(map(pathlib.Path, paths)):
        statistics = json_file(path)
        cells = {}
        for split, counts in take(path, statistics, "splits").items():
            for what in ("documents", "mentions"):
                cells[f"{what}_{split}"] = Cell(take(path, counts, what))
        cells |= {name: Cell(count) for name, count in take(path, statistics, "subsets").items()}
        corpus = take(path, statistics, "corpus")
        values[(corpus,)] = (cells, (corpus,))
    return values


def label_values(paths):
    """What the history did to gold identifiers of the test split (Table 10): statistics.json of corpora.

    A change that never happened is not counted there; without a knowledge base nothing is known about any.
    """
    values = {}
    for path in sorted(map(pathlib.Path, paths)):
        statistics = json_file(path)
        changes = take(path, statistics, "pipeline", "test")
        names = ("replaced", "removed", "alternative", "not_in_kb")
        known = take(path, statistics, "knowledge_base_at_hand")
        cells = {name: Cell(changes.get(f"identifiers_{name}", 0) if known else None) for name in names}
        corpus = take(path, statistics, "corpus")
        values[(corpus,)] = (cells, (corpus,))
    return values


def row_order(values, expected):
    """Rows by corpus in the order of the tables, in each the paper's systems first; corpora of one's own come last."""
    printed = list(dict.fromkeys(entry.keys for entry in expected))
    keys = printed + sorted(set(values) - set(printed))
    place = {name: number for number, name in enumerate([*CORPORA, *dict.fromkeys(key[0] for key in keys)])}
    place |= {name: number for number, name in enumerate(CORPORA)}
    return sorted(keys, key=lambda key: place[key[0]])
