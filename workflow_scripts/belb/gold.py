"""Gold mentions of a split, and which of them a predictions file speaks about."""

import dataclasses

import pyarrow.compute as pc

from workflow_scripts.belb.contracts import SPLITS
from workflow_scripts.belb.predictions import NO_GOLD
from workflow_scripts.common.errors import DataError


@dataclasses.dataclass(frozen=True)
class Gold:
    """The scored mentions of one split, in the order of mentions.parquet.

    Parameters
    ----------
    corpus, split : str
    documents : dict
        Document id -> its split, of all splits.
    spans : list of (document, start, end)
    hexdigests, entity_types, texts : list of str
    identifiers : list of list of str
        Any of them is right.
    """

    corpus: str
    split: str
    documents: dict
    spans: list
    hexdigests: list
    entity_types: list
    texts: list
    identifiers: list

    def __len__(self):
        return len(self.spans)


def gold_of(corpus, documents, mentions, split="test"):
    """The gold mentions of a split.

    Parameters
    ----------
    corpus : str
    documents, mentions : pyarrow.Table
        Of contracts DOCUMENTS and MENTIONS.
    split : str

    Raises
    ------
    DataError
        If the split has no mention.
    """
    kept = mentions.filter(pc.and_(pc.equal(mentions["split"], split), pc.invert(mentions["foreign"])))
    if not kept.num_rows:
        found = pc.value_counts(mentions["split"].combine_chunks()).to_pylist()
        counts = ", ".join(f"{entry['values']} {entry['counts']}" for entry in found) or "none"
        raise DataError(
            f"corpus {corpus}", found=f"mentions: {counts}", expected=f"mentions of split {split} ({', '.join(SPLITS)})"
        )
    names = ("document", "start", "end", "hexdigest", "entity_type", "text", "identifiers")
    columns = {name: kept[name].to_pylist() for name in names}
    return Gold(
        corpus,
        split,
        dict(zip(documents["document"].to_pylist(), documents["split"].to_pylist(), strict=True)),
        list(zip(columns["document"], columns["start"], columns["end"], strict=True)),
        columns["hexdigest"],
        columns["entity_type"],
        columns["text"],
        columns["identifiers"],
    )


def aligned(gold, predictions):
    """For each gold mention the number of its row in the predictions, -1 for none.

    A row with a digest is about the mention with this digest and must have its span; one without is about the mention
    of exactly its span, if there is one.

    Parameters
    ----------
    gold : Gold
    predictions : Predictions

    Returns
    -------
    list of int

    Raises
    ------
    DataError
        With file and line: another corpus, an unknown document or one of another split, a digest that is not in the
        gold standard or has another span there, a mention that two rows are about, a span of several mentions without
        digest.
    """
    if predictions.corpus != gold.corpus:
        raise DataError(
            predictions.path,
            line=1,
            found=f"predictions for corpus {predictions.corpus}",
            expected=f"predictions for corpus {gold.corpus}",
            remedy="give the predictions of this corpus",
        )
    by_digest = {digest: place for place, digest in enumerate(gold.hexdigests)}
    by_span = {}
    for place, span in enumerate(gold.spans):
        by_span.setdefault(span, []).append(place)
    rows = [-1] * len(gold)
    for number, row in enumerate(predictions.rows):
        _check_document(gold, predictions, number)
        place = _place(gold, predictions, number, by_digest, by_span)
        if place is None:
            continue
        if rows[place] >= 0:
            raise DataError(
                predictions.path,
                line=number + 2,
                found=f"mention {row.document} {row.start}-{row.end} again (first in line {rows[place] + 2})",
                expected="each mention once",
            )
        rows[place] = number
    return rows


def _check_document(gold, predictions, number):
    document = predictions.rows[number].document
    split = gold.documents.get(document)
    if split != gold.split:
        raise DataError(
            predictions.path,
            line=number + 2,
            found=f"document {document} of split {split}" if split else f"unknown document {document}",
            expected=f"documents of split {gold.split} of {gold.corpus}",
            remedy="predict for this split, or name another one",
        )


def _place(gold, predictions, number, by_digest, by_span):
    row = predictions.rows[number]
    span = (row.document, row.start, row.end)
    if row.hexdigest != NO_GOLD:
        place = by_digest.get(row.hexdigest)
        if place is None or gold.spans[place] != span:
            there = "no gold mention" if place is None else "the gold mention {} {}-{}".format(*gold.spans[place])
            raise DataError(
                predictions.path,
                line=number + 2,
                found=f"span {row.document} {row.start}-{row.end} with digest {row.hexdigest}: that is {there}",
                expected=f'span and digest of a gold mention of {gold.corpus} ({gold.split}), or digest "-"',
                remedy="copy both from mentions.parquet",
            )
        return place
    places = by_span.get(span, [])
    if len(places) > 1:
        types = ", ".join(gold.entity_types[place] for place in places)
        raise DataError(
            predictions.path,
            line=number + 2,
            found=f"span {row.document} {row.start}-{row.end} without digest",
            expected=f"the digest of one of the gold mentions of this span ({types})",
        )
    return places[0] if places else None
