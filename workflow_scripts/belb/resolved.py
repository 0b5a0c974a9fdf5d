"""Predicted identifiers as those of a knowledge base: alternative and replaced ones are brought up to date."""

import collections
import dataclasses

from workflow_scripts.belb.identifiers import read_known
from workflow_scripts.common.errors import DataError

# Systems that were made for another release predict identifiers that this one lacks; other identifiers altogether, such
# as row numbers, are all unknown.
MAX_UNKNOWN_SHARE = 0.5


def resolved(predictions, folder):
    """Predictions with the identifiers of a knowledge base (A1.9: removed ones are no answer).

    Parameters
    ----------
    predictions : Predictions
    folder : Path
        Of the built knowledge base.

    Returns
    -------
    Predictions
        Ranks without an identifier that is left are gone.
    collections.Counter
        Distinct predicted identifiers: kept, alternative, replaced, removed, unknown.

    Raises
    ------
    DataError
        If more than MAX_UNKNOWN_SHARE of the distinct identifiers are unknown to the knowledge base.
    """
    distinct = {identifier for row in predictions.rows for rank in row.candidates for identifier in rank}
    if not distinct:
        return predictions, collections.Counter()
    known = read_known(folder, distinct)
    counts, new, unknown = collections.Counter(), {}, []
    for identifier in sorted(distinct):
        new[identifier], done = known.resolve(identifier)
        if done == "kept" and identifier not in known.current:
            done = "unknown"
            unknown.append(identifier)
        counts[done] += 1
    if len(unknown) > MAX_UNKNOWN_SHARE * len(distinct):
        raise DataError(
            predictions.path,
            found=f"{len(unknown)} of {len(distinct)} identifiers unknown there: {', '.join(unknown[:3])}",
            expected=f"identifiers of the knowledge base in {folder}, as released",
            remedy="numbers of a snapshot need its table of identifiers (belb.predictions, key identifiers)",
        )
    rows = [dataclasses.replace(row, candidates=_ranks(row.candidates, new)) for row in predictions.rows]
    return dataclasses.replace(predictions, rows=rows), counts


def _ranks(candidates, new):
    ranks = (tuple(dict.fromkeys(found for identifier in rank for found in new[identifier])) for rank in candidates)
    return tuple(rank for rank in ranks if rank)
