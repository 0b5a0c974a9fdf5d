"""What systems are asked to link: the gold mentions of a split, or the mentions that a detector found in its texts.

The stage linking knows sentences, not documents. Its detector gets each passage of a document as one sentence; its
linker gets each distinct text of a span as a sentence that is one mention.
"""

import bisect
import hashlib
import itertools

import pyarrow as pa

from workflow_scripts.belb.contracts import SPANS
from workflow_scripts.belb.predictions import NO_GOLD
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.sentences import SENTENCES, SPLIT
from workflow_scripts.common.errors import DataError


def sentence_id(text):
    """The id of a text: 128-bit BLAKE2b of its UTF-8 bytes, hexadecimal."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def gold_spans(gold):
    """The mentions of a `gold.Gold` as a table of contract SPANS."""
    rows = zip(gold.spans, gold.hexdigests, gold.texts, strict=True)
    return _spans((*span, digest, text) for span, digest, text in rows)


def passages(documents, split):
    """The passages of the documents of a split as a table of contract SPLIT: each as if it were a sentence.

    Parameters
    ----------
    documents : pyarrow.Table
        Of contract DOCUMENTS.
    split : str

    Returns
    -------
    pyarrow.Table
        `pmid` is the place of the document in `documents`, `field` that of the passage in the document; offsets are
        in the document's text.
    """
    columns = {name: [] for name in SPLIT.schema.names}
    for number, document in enumerate(documents.to_pylist()):
        if document["split"] != split:
            continue
        for place, passage in enumerate(document["passages"]):
            start = passage["offset"]
            starts, text = _tokens(document["text"][start : start + passage["length"]], start)
            if not starts:
                continue
            values = (number, 1, 0, f"{place:06d}", start, start + passage["length"])
            values += (sentence_id(text), text, len(starts), starts)
            for name, value in zip(SPLIT.schema.names, values, strict=True):
                columns[name].append(value)
    return pa.table(columns, schema=SPLIT.schema)


def _tokens(text, offset):
    """Starts of what stands between blanks, and these pieces joined by one blank."""
    words, starts, place = text.split(), [], 0
    for word in words:
        place = text.index(word, place)
        starts.append(offset + place)
        place += len(word)
    return starts, " ".join(words)


def found_spans(documents, passages, detected, gold):
    """The mentions that a detector found in passages, in their documents, as a table of contract SPANS.

    Parameters
    ----------
    documents, passages, detected : pyarrow.Table
        Of contracts DOCUMENTS, SPLIT (see `passages`) and DETECTED.
    gold : Gold
        Found spans that are exactly those of a gold mention get its digest.

    Raises
    ------
    DataError
        If a found mention is not in the passages.
    """
    names, texts = documents["document"].to_pylist(), documents["text"].to_pylist()
    digests = dict(zip(gold.spans, gold.hexdigests, strict=True))
    by_sentence = {}
    for row in detected.to_pylist():
        by_sentence.setdefault(row["sentence_id"], []).append((row["start"], row["end"]))
    rows = []
    for passage in passages.to_pylist():
        for start, end in by_sentence.get(passage["sentence_id"], ()):
            first, last = _placed(passage, start, end)
            document = names[passage["pmid"]]
            span = (document, first, last)
            rows.append((*span, digests.get(span, NO_GOLD), texts[passage["pmid"]][first:last]))
    unknown = sorted(set(by_sentence) - set(passages["sentence_id"].to_pylist()))
    if unknown:
        raise DataError("detected mentions", found=f"sentence {unknown[0]}", expected="sentences of the passages")
    return _spans(rows)


def _placed(passage, start, end):
    """A span of a passage's joined tokens as a span of the document's text."""
    lengths = (len(token) for token in passage["text"].split(" "))
    places = list(itertools.accumulate(lengths, lambda place, length: place + length + 1, initial=0))
    first, last = (bisect.bisect_right(places, place) - 1 for place in (start, end - 1))
    starts = passage["token_starts"]
    return starts[first] + start - places[first], starts[last] + end - places[last]


def _spans(rows):
    columns = list(zip(*sorted(rows), strict=True)) or [()] * len(SPANS.schema)
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, SPANS.schema, strict=True)], SPANS.schema
    )


def distinct_texts(spans):
    """The distinct texts of spans as tables of contracts DETECTED and SENTENCES: each is a sentence and its mention."""
    texts = sorted((sentence_id(text), text) for text in set(spans["text"].to_pylist()))
    ids, surfaces = [name for name, _ in texts], [text for _, text in texts]
    zeros, ends = [0] * len(ids), list(map(len, surfaces))
    sentences = [
        ids,
        surfaces,
        [len(text.split()) for text in surfaces],
        range(len(ids)),
        ["0"] * len(ids),
        zeros,
        ends,
    ]
    columns = ([ids, zeros, ends, surfaces], DETECTED.schema), (sentences, SENTENCES.schema)
    return tuple(
        pa.table([pa.array(column, field.type) for column, field in zip(values, schema, strict=True)], schema)
        for values, schema in columns
    )
