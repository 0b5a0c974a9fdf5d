"""Values of the tables of the corpus (Tables 6, A.2, A.4)."""

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.sources import json_file, take
from workflow_scripts.reporting.table import Cell

SPLITS = ("train", "valid", "test")
BINS = ("1-2x", "2-3x", ">=3x")


def summary_values(path, corpus):
    """Counts of the whole corpus, row ("all",), and of each split (Table 6)."""
    statistics = json_file(path)
    whole = {}
    for name in ("entities", "relations", "types", "groups", "type_pairs"):
        number = take(path, statistics, name)
        whole[name] = Cell(None if number is None else int(number))
    values = {("all",): (whole, (corpus,))}
    for split in SPLITS:
        part = take(path, statistics, "splits", split)
        cells = {name: Cell(int(take(path, part, name))) for name in ("instances", "facts", "bags")}
        per_bag, share = take(path, part, "instances_per_bag"), take(path, part, "na_share")
        cells["instances_per_bag"] = Cell(None if per_bag is None else float(per_bag))
        cells["na_share"] = Cell(None if share is None else 100.0 * float(share))
        values[(split,)] = (cells, (corpus,))
    return values


def pruned_values(path, corpus):
    """Names pruned for their frequency, by semantic type and bin (Table A.2).

    Counts are per split; a name that is pruned in several splits stands in its highest bin.
    """
    highest = {}
    for entry in take(path, json_file(path), "pruned_mentions"):
        kind, name, size = (take(path, entry, key) for key in ("sty", "name", "bin"))
        if size not in BINS:
            raise DataError(path, found=f"bin {size!r} of {name!r}", expected="one of " + ", ".join(BINS))
        names = highest.setdefault(kind, {})
        names[name] = max(names.get(name, 0), BINS.index(size))
    return {
        (kind,): (
            {label: Cell(tuple(sorted(n for n, b in names.items() if b == i))) for i, label in enumerate(BINS)},
            (corpus,),
        )
        for kind, names in highest.items()
    }


def type_values(path, corpus):
    """Semantic types of the corpus with group, name and number of entities (Table A.4)."""
    values = {}
    for entry in take(path, json_file(path), "entities_by_type"):
        tui, name, group, entities = (take(path, entry, key) for key in ("tui", "sty", "group", "entities"))
        if entities:
            cells = {"group": Cell(group), "type": Cell(name), "entities": Cell(int(entities))}
            values[(tui,)] = (cells, (corpus,))
    return values
