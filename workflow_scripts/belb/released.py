"""Predictions that the authors of the benchmark released (predictions.json), as predictions of ours.

A released file is a JSON list of objects: eid (document), start, end, hexdigest ("-" where the system found a span that
is no gold mention), y_pred (ranks, best first, each a list of identifiers that tie). Its identifiers are row numbers of
the authors' own snapshot of a knowledge base wherever the released ones are texts (CTD, Cellosaurus, UMLS): they mean
nothing in another snapshot, and scoring them as they are gives about zero. So a table of the snapshot is needed: two
columns, tab between, without header: number, identifier as released ("12", "MESH:D003924"). Where the knowledge base
itself has numbers (NCBI Gene, NCBI Taxonomy, dbSNP), the numbers are the identifiers and no table is needed.
"""

import csv

from workflow_scripts.belb.predictions import NO_GOLD, Prediction, Predictions
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json

KEYS = ("eid", "start", "end", "hexdigest", "y_pred")
# Gold mentions of the authors' corpora that ours lacks: other releases of the knowledge base, other repairs.
MAX_UNKNOWN_SHARE = 0.1


def read_identifiers(path):
    """Number of a snapshot (text) -> identifier as released.

    Raises
    ------
    DataError
        With file and line: not two columns, a number that is none or stands there twice, an empty identifier.
    """
    found = {}
    with open(path, encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
            if len(row) != 2 or not row[0].isdigit() or not row[1] or row[0] in found:
                raise DataError(
                    path,
                    line=line,
                    found="\t".join(row),
                    expected="number of the snapshot, tab, identifier as released; each number once",
                )
            found[row[0]] = row[1]
    return found


def read_released(path, gold, identifiers, kb, system):
    """Read a released file.

    Parameters
    ----------
    path : str or Path
    gold : Gold
        Of the split that the file is about.
    identifiers : dict or None
        Of `read_identifiers`; None: the numbers are the identifiers.
    kb, system : str
        For the header.

    Returns
    -------
    Predictions, int
        And how many rows were left out because the corpus lacks their gold mention.

    Raises
    ------
    DataError
        If the file is none of this form, a number is not in the table, or more than MAX_UNKNOWN_SHARE of the rows with
        a digest are about mentions that the corpus lacks.
    """
    places = {digest: place for place, digest in enumerate(gold.hexdigests)}
    rows, unknown, named = [], 0, 0
    for number, item in enumerate(_items(path)):
        digest = item["hexdigest"]
        ranks = tuple(_rank(path, number, rank, identifiers) for rank in item["y_pred"])
        if digest == NO_GOLD:
            rows.append(Prediction(str(item["eid"]), item["start"], item["end"], NO_GOLD, ranks))
            continue
        named += 1
        if digest not in places:
            unknown += 1
            continue
        # The digest names the mention; offsets may be those of a sentence, or from before a repair.
        rows.append(Prediction(*gold.spans[places[digest]], digest, ranks))
    if unknown > MAX_UNKNOWN_SHARE * named:
        raise DataError(
            path,
            found=f"{unknown} of {named} digests that are no gold mention of {gold.corpus} ({gold.split})",
            expected=f"at most {MAX_UNKNOWN_SHARE:.0%}",
            remedy="give predictions for this corpus and split, and the release of the corpus that they are for",
        )
    return Predictions(gold.corpus, kb, system, rows, str(path)), unknown


def _items(path):
    try:
        items = read_json(path)
    except (OSError, ValueError) as error:
        raise DataError(path, found=str(error), expected="a JSON list of predictions") from None
    if not isinstance(items, list):
        raise DataError(path, found=type(items).__name__, expected="a JSON list of predictions")
    for number, item in enumerate(items):
        if not isinstance(item, dict) or any(key not in item for key in KEYS) or not isinstance(item["y_pred"], list):
            raise DataError(
                path, record=number, found=str(item)[:120], expected=f"an object with keys {', '.join(KEYS)} (a list)"
            )
    return items


def _rank(path, number, rank, identifiers):
    found = []
    for value in map(str, rank if isinstance(rank, list) else [rank]):
        if identifiers is not None and value not in identifiers:
            raise DataError(
                path,
                record=number,
                found=f"identifier {value}",
                expected="numbers of the table of identifiers",
                remedy="the table belongs to another snapshot: give that of the snapshot of these predictions",
            )
        found.append(value if identifiers is None else identifiers[value])
    return tuple(found)
