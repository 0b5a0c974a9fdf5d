"""Linkers that know nothing but names, and what links of the stage linking say about spans.

All give, for each distinct text, its ranks: lists of the identifiers that tie.
"""

import itertools

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.belb.predictions import Prediction, Predictions
from workflow_scripts.belb.similar_names import SimilarNames
from workflow_scripts.common.progress import Progress

FUZZY_NAMES = 5
# Names of one index, some 5 KB each in memory while it is made.
BLOCK = 1 << 17


def exact_ranks(names, texts):
    """One rank: the identifiers that have the text as a name, both lower-cased.

    Parameters
    ----------
    names : Path
        names.parquet of a knowledge base; read in blocks, of which only rows with a wanted name are kept.
    texts : list of str
        Distinct.

    Returns
    -------
    dict
        Text -> ranks.
    """
    lowered = pc.utf8_lower(pa.array(texts, pa.string()))
    found = {}
    with pq.ParquetFile(names) as file:
        progress = Progress("names", file.metadata.num_rows)
        for batch in file.iter_batches(columns=["identifier", "name"]):
            name = pc.utf8_lower(batch["name"])
            kept = pc.is_in(name, value_set=lowered)
            rows = zip(name.filter(kept).to_pylist(), batch["identifier"].filter(kept).to_pylist(), strict=True)
            for key, identifier in rows:
                found.setdefault(key, set()).add(identifier)
            progress.add(batch.num_rows)
        progress.close()
    return {
        text: [sorted(found[key])] if key in found else [] for text, key in zip(texts, lowered.to_pylist(), strict=True)
    }


def fuzzy_ranks(names, texts, limit=FUZZY_NAMES):
    """The most similar names by rapidfuzz's WRatio, lower-cased: a rank for each, with the identifiers that have it.

    This is the paper's system for cell lines. Of names of equal similarity the first by code point comes first.

    Parameters
    ----------
    names : Path
        names.parquet of a knowledge base, all in memory.
    texts : list of str
    limit : int
        Names looked at.

    Returns
    -------
    dict
        Text -> ranks.
    """
    table = pq.read_table(names, columns=["identifier", "name"], partitioning=None)
    identifiers = {}
    for name, identifier in zip(pc.utf8_lower(table["name"]).to_pylist(), table["identifier"].to_pylist(), strict=True):
        identifiers.setdefault(name, set()).add(identifier)
    choices, best = sorted(identifiers), dict.fromkeys(texts, ())
    blocks = range(0, len(choices), BLOCK)
    progress = Progress("texts", len(texts) * len(blocks))
    for start in blocks:
        index = SimilarNames(choices[start : start + BLOCK])
        for text in texts:
            best[text] = index.best(text.lower(), limit, best[text])
            progress.add()
    progress.close()
    return {text: [sorted(identifiers[name]) for _, name in found] for text, found in best.items()}


def linked_ranks(links, equal_names=None):
    """What the stage linking found: a rank for each score, with the identifiers of this score.

    The stage itself takes the smallest identifier among equal scores, which a benchmark should not count as knowledge.

    Parameters
    ----------
    links : pyarrow.Table
        Of contract linking/mentions, where each sentence is one mention, sorted by sentence and rank.
    equal_names : dict or None
        Text -> ranks of `exact_ranks`, for an engine that prefers equal names: of equal scores, these come first.

    Returns
    -------
    dict
        Text -> ranks; texts without a link are not in it.
    """
    columns = (links[name].to_pylist() for name in ("surface", "score", "cui"))
    ranks = {}
    for text, rows in itertools.groupby(zip(*columns, strict=True), key=lambda row: row[0]):
        preferred = {identifier for rank in (equal_names or {}).get(text, ()) for identifier in rank}
        # equal names have the highest score there is, so they differ from others only within that score
        keyed = [((-score, cui not in preferred), cui) for _, score, cui in rows]
        groups = itertools.groupby(sorted(keyed), key=lambda entry: entry[0])
        ranks[text] = [[cui for _, cui in tied] for _, tied in groups]
    return ranks


def nearest_ranks(nearest):
    """What an encoder of names found: a rank for each of the nearest names, with the identifiers that have it.

    Parameters
    ----------
    nearest : pyarrow.Table
        Of contract NEAREST_NAMES.

    Returns
    -------
    dict
        Text -> ranks.
    """
    ranks = {}
    for text, identifiers in zip(nearest["text"].to_pylist(), nearest["identifiers"].to_pylist(), strict=True):
        ranks.setdefault(text, []).append(identifiers)
    return ranks


def predictions_for(spans, ranks, corpus, kb, system):
    """Predictions of a system for spans.

    Parameters
    ----------
    spans : pyarrow.Table
        Of contract SPANS.
    ranks : dict
        Text -> ranks; a text may be missing.
    corpus, kb, system : str
        For the header.
    """
    rows = [
        Prediction(
            row["document"], row["start"], row["end"], row["hexdigest"], tuple(map(tuple, ranks.get(row["text"], ())))
        )
        for row in spans.to_pylist()
    ]
    return Predictions(corpus, kb, system, rows)
