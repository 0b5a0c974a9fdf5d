"""Values of the tables about what kind of benchmark this is (Tables 1 and 4)."""

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.sources import json_file, take
from workflow_scripts.reporting.table import Cell

HOLDS, FAILS = "✓", "-"
OURS = "MedDistant19"
# property of Table 4 -> key of properties.json, and what n and broken count
CHECKS = {
    "unique NA sentences": ("na_sentences", "{broken:,} of {n:,} NA sentences used more than once"),
    "inductive": ("inductive", "{broken:,} of {n:,} validation and test facts between entities of training facts"),
    "NA-type constraint": ("na_types", "{broken:,} of {n:,} NA pairs without the types of a triple"),
    "NA-argument role constraint": ("na_roles", "{broken:,} of {n:,} NA pairs without the roles of triples"),
}


def property_values(path, corpus):
    """The six properties of Table 4.

    Parameters
    ----------
    path : str or Path
        properties.json of the corpus.
    corpus : str
        Its id.
    """
    report = json_file(path)
    links = take(path, report, "links")
    n, below, before = (take(path, links, name) for name in ("n", "below_one", "before_share"))
    after = 100.0 * below / n if n else 0.0
    text = f"scores below 1: {100.0 * (before or 0.0):.1f} % of all links, {after:.1f} % of those in the corpus"
    rows = {"approximate entity linking": (bool(before), text)}
    for name, (key, text) in CHECKS.items():
        counts = take(path, report, key)
        rows[name] = (not take(path, counts, "broken"), text.format(**counts))
    leak = take(path, report, "leakage")
    text = "{broken:,} of {n:,} validation and test facts related in training".format(**leak)
    rows["triples leakage"] = (bool(take(path, leak, "broken")), text)
    return {
        (name,): ({"md19": Cell(HOLDS if holds else FAILS), "measured": Cell(text)}, (corpus,))
        for name, (holds, text) in rows.items()
    }


def landscape_values(properties_path, statistics_path, corpus, audits=()):
    """What is computed of Table 1: our corpus, and benchmarks whose audit of leakage is at hand.

    Parameters
    ----------
    properties_path, statistics_path : str or Path
        properties.json and statistics.json of the corpus.
    corpus : str
        Its id.
    audits : sequence of path
        Audits of other benchmarks: benchmark, relations_with_na, overlap, splits.test.triples.
    """
    relations = int(take(statistics_path, json_file(statistics_path), "relations"))
    leak = take(properties_path, json_file(properties_path), "leakage")
    values = {(OURS,): (_landscape(relations, leak["broken"], leak["n"]), (corpus,))}
    for path in audits:
        audit = json_file(path)
        name, test = take(path, audit, "benchmark"), take(path, audit, "splits", "test", "triples")
        if (name,) in values:
            raise DataError(path, found=f"benchmark {name} again", expected="each benchmark once")
        cells = _landscape(
            int(take(path, audit, "relations_with_na")), take(path, test, "either"), take(path, test, "n")
        )
        overlaps = take(path, audit, "overlap")
        values[(name,)] = (cells | {"no_overlap": Cell(FAILS if overlaps else HOLDS)}, (f"audit of {name}",))
    return values


def _landscape(relations, broken, n):
    return {
        "relations": Cell(relations),
        "no_overlap": Cell(FAILS if broken else HOLDS),
        "overlap": Cell(100.0 * broken / n if n else None),
    }
