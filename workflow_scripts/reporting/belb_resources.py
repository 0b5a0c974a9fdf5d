"""Values of BELB's tables of resources: where they are and their licences (Table 8), semantic groups (Table 9)."""

import pathlib

from workflow_scripts.common.belb_corpora import CORPUS_SOURCES, numbered_rows, read_registry
from workflow_scripts.common.belb_files import KB_FILES, KB_SOURCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.sources import json_file, take
from workflow_scripts.reporting.table import Cell

RELEASE = "original"  # of corpora, not what others made of them
KNOWLEDGE_BASE = "knowledge base"
SOURCES = "name release url member what licence restricted digest".split()


def resource_values(registry, sources):
    """All corpora and knowledge bases of BELB: addresses, licence, and whether the workflow fetches them.

    Corpora are the rows of the registry, knowledge bases the formats that are read; what is not fetched is a row of the
    table of sources under its own name.

    Parameters
    ----------
    registry, sources : Path
        experiments/belb_corpora.tsv and experiments/sources.tsv.

    Returns
    -------
    dict
        (entity type, resource) -> (dict of column name -> Cell, names of the rows of `sources`).

    Raises
    ------
    DataError
        If a resource is no row of the table of sources.
    """
    rows = {row["name"]: row for _, row in numbered_rows(sources, SOURCES)}
    values = {}
    for (corpus, release), row in read_registry(registry).items():
        if release == RELEASE:
            cells, names = _resource(sources, rows, corpus, CORPUS_SOURCES)
            values[row.entity_type, row.name] = (cells | {"licence": Cell(row.licence)}, names)
    for kind in KB_FILES:
        cells, names = _resource(sources, rows, kind, KB_SOURCES)
        values[KNOWLEDGE_BASE, kind] = (cells, names)
    return values


def _resource(path, rows, name, fetched):
    names = tuple(fetched.get(name, [name]))
    missing = [each for each in names if each not in rows]
    if missing:
        raise DataError(
            path, found=f"no row {missing[0]}", expected=f"where {name} of BELB is published", remedy="add the row"
        )
    addresses = dict.fromkeys(rows[each]["url"] for each in names)
    licences = dict.fromkeys(rows[each]["licence"] for each in names)
    cells = {"location": Cell(tuple(addresses)), "licence": Cell("; ".join(licences))}
    return cells | {"access": Cell("yes" if name in fetched else "no")}, names


def group_counts(paths):
    """Mentions by semantic group of one corpus, most first and equal counts by name; empty without a corpus.

    Raises
    ------
    DataError
        If there are counts of several corpora.
    """
    values = {}
    for path in map(pathlib.Path, paths):
        counts = json_file(path)
        corpus, total = take(path, counts, "corpus"), take(path, counts, "mentions")
        groups = take(path, counts, "groups")
        for group, number in sorted(groups.items(), key=lambda entry: (-entry[1], entry[0])):
            if (group,) in values:
                raise DataError(path, found=f"{group} again", expected="counts of one corpus with semantic types")
            share = Cell(100.0 * number / total if total else None)
            values[(group,)] = ({"mentions": Cell(number), "share": share}, (corpus,))
    return values
