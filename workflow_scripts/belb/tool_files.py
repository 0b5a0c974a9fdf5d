"""What a tool of others reads of a corpus, and what its annotations say about the gold mentions.

Formats: pubtator (title and, as one line, all the rest), bioc (XML), biocjson, and predictions: a predictions file
whose mentions have no candidates yet, for tools that are given the mentions.
"""

import collections
import dataclasses

from bioc import BioCCollection, BioCDocument, BioCPassage, biocjson, biocxml

from workflow_scripts.belb.bioc_files import read_bioc
from workflow_scripts.belb.identifiers import parse_identifiers
from workflow_scripts.belb.predictions import NO_GOLD, Prediction, Predictions, write_predictions
from workflow_scripts.belb.pubtator import read_pubtator
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open

PREDICTIONS = "predictions"
REMEDY = "the tool's own messages are in the log of run_belb_tool; experiments/belb_tools.tsv says how tools are run"
# More annotations than this whose text is not that of their span: offsets of another text.
MAX_WRONG_SHARE = 0.1


def texts_of(documents, split):
    """Document -> (text, passages as (type, offset, length)) of a split, each line end of the text a blank.

    Raises
    ------
    DataError
        If the split has no document, or one has no text: tools need texts.
    """
    found = {}
    for row in documents.to_pylist():
        if row["split"] == split:
            text = "".join(" " if character in "\n\r\t" else character for character in row["text"])
            places = [(place["type"], place["offset"], place["length"]) for place in row["passages"]]
            found[row["document"]] = text, places
    empty = [name for name, (text, _) in found.items() if not text.strip()]
    if not found or empty:
        what = f"{len(empty)} documents without text: {', '.join(empty[:3])}" if empty else f"no document of {split}"
        raise DataError("the corpus", found=what, expected="documents with texts, which tools read")
    return found


def write_pubtator(path, texts):
    """Write texts as PubTator: the first passage is the title, all that follows it the abstract."""
    with atomic_open(path) as stream:
        for document, (text, places) in texts.items():
            end = places[0][1] + places[0][2]
            stream.write(f"{document}|t|{text[:end]}\n{document}|a|{text[end + 1 :]}\n\n")


def write_bioc(path, texts, corpus, as_json=False):
    """Write texts as BioC, without annotations; passages that one blank does not join are one."""
    collection = BioCCollection()
    collection.source, collection.date = corpus, ""
    for name, (text, places) in texts.items():
        document = BioCDocument()
        document.id = name
        if " ".join(text[offset : offset + length] for _, offset, length in places) != text:
            places = [("text", 0, len(text))]
        for kind, offset, length in places:
            passage = BioCPassage()
            passage.offset, passage.text, passage.infons = offset, text[offset : offset + length], {"type": kind}
            document.add_passage(passage)
        collection.add_document(document)
    with atomic_open(path) as stream:
        stream.write((biocjson if as_json else biocxml).dumps(collection))


def write_mentions(path, gold):
    """Write the gold mentions as a predictions file without candidates."""
    rows = [Prediction(*span, digest, ()) for span, digest in zip(gold.spans, gold.hexdigests, strict=True)]
    write_predictions(path, Predictions(gold.corpus, "", "", rows))


def read_annotations(path, form, texts):
    """What a tool wrote: document -> its annotations.

    Raises
    ------
    DataError
        If documents are missing, unknown or there twice, or a text is not that which the tool got: its offsets would be
        those of another text.
    """
    found = {}
    for document in (read_pubtator if form == "pubtator" else read_bioc)(path):
        name = document.document
        if name not in texts or name in found:
            again = "again" if name in found else "that it did not get"
            raise DataError(path, found=f"document {name} {again}", expected="each document once", remedy=REMEDY)
        _require_text(path, name, texts[name][0], document.text)
        found[name] = document.annotations
    if len(found) != len(texts):
        missing = [name for name in texts if name not in found]
        raise DataError(
            path,
            found=f"{len(missing)} of {len(texts)} documents are missing: {', '.join(missing[:3])}",
            expected="all documents, also those without annotations",
            remedy=REMEDY,
        )
    return found


def _require_text(path, document, text, there):
    if there != text:
        # a title alone has nothing after it
        at = next((n for n, (a, b) in enumerate(zip(text, there, strict=False)) if a != b), min(len(text), len(there)))
        raise DataError(
            path,
            record=document,
            found=f"another text from character {at} on: {there[at : at + 30]!r}",
            expected=f"{text[at : at + 30]!r}, as the tool got it, since offsets count in it",
            remedy="make the tool keep the text (a wrapper may put its offsets back), or give its predictions file",
        )


@dataclasses.dataclass(frozen=True)
class Kept:
    """Which annotations of a tool count: `wanted` says so of a type, `rule` is how identifiers are written
    (`identifiers.RULES`)."""

    wanted: object
    rule: str


def predictions_of(annotations, texts, kept, gold, system):
    """Predictions of a tool out of its annotations.

    The identifiers of all annotations with one span tie in one rank. Spans count exactly as they are: one that is not
    that of a gold mention stays in the predictions, but says nothing about any.

    Parameters
    ----------
    annotations, texts : dict
        Of `read_annotations` and `texts_of`.
    kept : Kept
    gold : Gold
    system : str

    Returns
    -------
    Predictions
    dict
        Counts: annotations, other_types (by type), without_identifier, unknown_form, wrong_text, spans; of the gold
        mentions gold, found (exact span), overlapped (by another span only), missed; spans_that_are_no_gold.

    Raises
    ------
    DataError
        If the text of more than MAX_WRONG_SHARE of the annotations is not that of their span.
    """
    counts, other, spans, wrong = collections.Counter(), collections.Counter(), {}, []
    for document, found in annotations.items():
        for annotation in found:
            original = annotation.original
            if not kept.wanted(original.entity_type):
                other[original.entity_type] += 1
                continue
            counts["annotations"] += 1
            span = document, annotation.start, annotation.end
            if texts[document][0][annotation.start : annotation.end] != original.text:
                wrong.append((span, original.text))
                continue
            identifiers, odd = parse_identifiers(original.identifiers, kept.rule)
            counts["unknown_form"] += bool(odd)
            counts["without_identifier"] += not identifiers and not odd
            if identifiers:
                spans.setdefault(span, []).extend(identifiers)
    _require_right(system, wrong, counts["annotations"], texts)
    rows = [
        Prediction(*span, NO_GOLD, (tuple(dict.fromkeys(identifiers)),)) for span, identifiers in sorted(spans.items())
    ]
    names = ("annotations", "without_identifier", "unknown_form")
    report = {name: counts[name] for name in names} | {
        "wrong_text": len(wrong),
        "other_types": dict(sorted(other.items())),
    }
    return Predictions(gold.corpus, "", system, rows), report | _matches(gold, set(spans))


def _require_right(system, wrong, total, texts):
    if len(wrong) > MAX_WRONG_SHARE * total:
        (document, start, end), text = wrong[0]
        raise DataError(
            f"the annotations of {system}",
            record=document,
            found=f"{len(wrong)} of {total} are not the text at their offsets; the first is {text!r}",
            expected=f"{texts[document][0][start:end]!r}, at [{start}, {end})",
            remedy="offsets count characters of title, one blank, text from 0; the end is not included",
        )


def _matches(gold, spans):
    """How the spans of a tool and the gold ones fit."""
    by_document = collections.defaultdict(list)
    for document, start, end in spans:
        by_document[document].append((start, end))
    found = sum(span in spans for span in gold.spans)
    overlapped = sum(
        (document, start, end) not in spans
        and any(here < end and start < there for here, there in by_document[document])
        for document, start, end in gold.spans
    )
    counts = {"spans": len(spans), "gold": len(gold), "found": found, "overlapped": overlapped}
    missed = len(gold) - found - overlapped
    return counts | {"missed": missed, "spans_that_are_no_gold": len(spans - set(gold.spans))}
