"""A finished corpus as tables: rows for its contracts, its zero-shot and stratified subsets, its statistics."""

import collections
import dataclasses

import pyarrow as pa

from workflow_scripts.belb.contracts import MENTIONS, SPLITS
from workflow_scripts.belb.corpus_pipeline import mention_digest
from workflow_scripts.common.errors import DataError


def document_rows(name, documents):
    """Rows of contract DOCUMENTS, sorted."""
    rows = []
    for split in sorted(SPLITS):
        for laid in sorted(documents[split], key=lambda laid: laid.document):
            places = [{"type": kind, "offset": offset, "length": length} for kind, offset, length in laid.passages]
            rows.append({"corpus": name, "split": split, "document": laid.document, "text": laid.text})
            rows[-1]["passages"] = places
    return rows


def mention_rows(name, documents):
    """Rows of contract MENTIONS, sorted.

    Raises
    ------
    DataError
        If a mention's text is not at its place, or two mentions have one digest: both would be bugs of the pipeline.
    """
    rows = []
    for split in sorted(SPLITS):
        for laid in documents[split]:
            rows += [_mention_row(name, split, laid, mention) for mention in laid.mentions]
    rows.sort(key=lambda row: tuple(row[column] for column in MENTIONS.sort_by))
    digests = collections.Counter(row["hexdigest"] for row in rows)
    twice = [row for row in rows if digests[row["hexdigest"]] > 1]
    if twice:
        found = f"digest {twice[0]['hexdigest']} of {digests[twice[0]['hexdigest']]} mentions"
        raise DataError(name, record=twice[0]["document"], found=found, expected="one mention a digest")
    return rows


def _mention_row(name, split, laid, mention):
    first = mention.originals[0]
    text = laid.text[mention.start : mention.end] if laid.text else first.text
    if laid.text and not 0 <= mention.start < mention.end <= len(laid.text):
        found = f"a mention at [{mention.start}, {mention.end}) of {len(laid.text)} characters"
        raise DataError(name, record=laid.document, found=found, expected="mentions inside their text")
    grouped = zip(mention.originals, mention.digests, strict=True) if len(mention.digests) > 1 else ()
    row = {"corpus": name, "split": split, "document": laid.document, "start": mention.start, "end": mention.end}
    row |= {"text": text, "entity_type": mention.entity_type, "identifiers": mention.identifiers}
    row |= {"foreign": mention.foreign, "original_start": first.start, "original_end": first.end}
    row |= {"original_text": first.text, "original_type": first.entity_type}
    row |= {"original_identifiers": first.identifiers, "original_location": first.location}
    row |= {"hexdigest": mention_digest(mention)}
    return row | {"grouped": [dataclasses.asdict(item) | {"hexdigest": own} for item, own in grouped]}


def as_table(rows, contract):
    """Rows as a table of a contract."""
    return pa.Table.from_pylist(rows, schema=contract.schema)


def subsets(rows):
    """Digests of the test mentions that training says little about (paper, section on subsets).

    Returns
    -------
    dict of str to list of str
        zero_shot: no identifier of the mention is one of a training or development mention. stratified: one is, but
        the lower-cased text is that of none. Sorted.
    """
    seen = [row for row in rows if row["split"] != "test" and not row["foreign"]]
    identifiers = {name for row in seen for name in row["identifiers"]}
    texts = {row["text"].lower() for row in seen}
    found = {"zero_shot": [], "stratified": []}
    for row in rows:
        if row["split"] == "test" and not row["foreign"] and row["identifiers"]:
            if identifiers.isdisjoint(row["identifiers"]):
                found["zero_shot"].append(row["hexdigest"])
            elif row["text"].lower() not in texts:
                found["stratified"].append(row["hexdigest"])
    return {name: sorted(digests) for name, digests in found.items()}


def split_statistics(documents, mentions):
    """Counts of one split, from rows of both contracts."""
    own = [row for row in mentions if not row["foreign"]]
    by_document = {row["document"]: row["text"] for row in documents}
    texts = collections.defaultdict(set)
    for row in own:
        texts[row["text"].lower()].add(tuple(sorted(row["identifiers"])))
    return {
        "documents": len(documents),
        "documents_with_mentions": len({row["document"] for row in own}),
        "passages": sum(len(row["passages"]) for row in documents),
        "characters": sum(len(row["text"]) for row in documents),
        "mentions": len(own),
        "mentions_foreign": len(mentions) - len(own),
        "mentions_with_several_identifiers": sum(len(row["identifiers"]) > 1 for row in own),
        "mentions_without_identifier": sum(not row["identifiers"] for row in own),
        "mentions_that_overlap": _overlapping(own),
        "distinct_identifiers": len({name for row in own for name in row["identifiers"]}),
        "distinct_texts": len(texts),
        "ambiguous_texts": sum(len(sets) > 1 for sets in texts.values()),
        "mentions_verified_in_text": sum(row["text"] == _there(row, by_document) for row in mentions),
    }


def _there(row, texts):
    """What stands at a mention's place; None for a document without text."""
    return texts[row["document"]][row["start"] : row["end"]] or None


def _overlapping(rows):
    count, furthest = 0, {}
    for row in rows:
        count += row["start"] < furthest.get(row["document"], 0)
        furthest[row["document"]] = max(furthest.get(row["document"], 0), row["end"])
    return count
