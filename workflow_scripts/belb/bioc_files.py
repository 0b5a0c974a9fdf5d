"""BioC files, XML and JSON: reading released corpora, writing the unified form."""

import io
import json

from bioc import BioCAnnotation, BioCCollection, BioCDocument, BioCLocation, BioCPassage, biocjson, biocxml
from lxml import etree

from workflow_scripts.belb.corpus_records import Annotation, Document, Original, passage_starts
from workflow_scripts.belb.released_files import REMEDY, opened
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open

# Infons under which corpora keep the identifiers of an annotation; the first that is there counts.
IDENTIFIERS = ("identifier", "NCBI Gene identifier", "NCBI Gene", "NCBIGene", "MESH", "Identifier")


def read_collection(path):
    """The collection of a BioC file, plain or gzipped: JSON where its name says so, else XML."""
    with opened(path) as stream:
        data = stream.read()
    try:
        if ".json" in str(path).lower():
            return biocjson.loads(data.decode("utf-8"))
        return biocxml.load(io.BytesIO(data))
    except etree.XMLSyntaxError as error:
        raise DataError(path, found=f"broken XML: {error}", expected="a whole BioC file", remedy=REMEDY) from None
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        found = f"no BioC JSON ({type(error).__name__}: {error})"
        raise DataError(path, found=found, expected="a whole BioC file", remedy=REMEDY) from None


def read_bioc(path):
    """Yield the documents of a BioC file. Passages without text are left out.

    Offsets count in the released document, also where its passages leave gaps; here one blank joins them. Of an
    annotation in several pieces the first to the last character counts.
    """
    for document in read_collection(path).documents:
        yield _document(document, path)


def _document(released, path):
    kept = [passage for passage in released.passages if passage.text]
    if not released.id:
        raise DataError(path, found="a document without id", expected="an id", remedy=REMEDY)
    passages, annotations = [], []
    for passage, start in zip(kept, passage_starts(passage.text for passage in kept), strict=True):
        infons = passage.infons
        passages.append((infons.get("type") or infons.get("section_type") or "paragraph", passage.text))
        for annotation in passage.annotations:
            annotations.append(_annotation(annotation, start - passage.offset, released.id, path))
    unread = sum(len(passage.annotations) for passage in released.passages if not passage.text)
    if unread:
        found = f"{unread} annotations in passages without text"
        raise DataError(path, record=released.id, found=found, expected="annotations of a text", remedy=REMEDY)
    return Document(released.id, passages, annotations, f"{path}, document {released.id}")


def _annotation(released, shift, document, path):
    if not released.locations:
        found = f"annotation {released.id} without location"
        raise DataError(path, record=document, found=found, expected="an offset and a length", remedy=REMEDY)
    start = min(place.offset for place in released.locations)
    end = max(place.offset + place.length for place in released.locations)
    identifiers = next((released.infons[name] for name in IDENTIFIERS if released.infons.get(name)), "")
    original = Original(start, end, released.text or "", released.infons.get("type", ""), identifiers)
    place = f"{path}, document {document}, annotation {released.id}"
    return Annotation(start + shift, end + shift, original, place)


def write_bioc(path, corpus, documents, mentions):
    """Write one split in the unified form (A1.5).

    Parameters
    ----------
    path : path
    corpus : str
    documents, mentions : list of dict
        Rows of contracts DOCUMENTS and MENTIONS, sorted.
    """
    collection = BioCCollection()
    # the package puts the day of the run there, and equal corpora would differ
    collection.source, collection.date = corpus, ""
    by_document = {}
    for mention in mentions:
        by_document.setdefault(mention["document"], []).append(mention)
    for row in documents:
        collection.add_document(_unified(row, by_document.get(row["document"], [])))
    with atomic_open(path) as stream:
        biocjson.dump(collection, stream, indent=1, ensure_ascii=False)
        stream.write("\n")


def _unified(row, mentions):
    document = BioCDocument()
    document.id = row["document"]
    numbered = list(enumerate(mentions))
    # A corpus without texts has one empty passage, which holds all its annotations.
    for index, place in enumerate(row["passages"] or [{"type": "none", "offset": 0, "length": None}]):
        passage = BioCPassage()
        end = None if place["length"] is None else place["offset"] + place["length"]
        passage.offset = place["offset"]
        passage.text = row["text"][place["offset"] : end]
        passage.infons = {"id": str(index), "type": place["type"]}
        while numbered and (end is None or numbered[0][1]["start"] < end):
            passage.add_annotation(_unified_annotation(*numbered.pop(0)))
        document.add_passage(passage)
    return document


def _unified_annotation(number, mention):
    annotation = BioCAnnotation()
    annotation.id = str(number)
    annotation.text = mention["text"]
    annotation.infons = {
        "type": mention["entity_type"],
        "identifier": ";".join(mention["identifiers"]),
        "foreign": mention["foreign"],
        "hexdigest": mention["hexdigest"],
        "original": {
            "start": mention["original_start"],
            "end": mention["original_end"],
            "text": mention["original_text"],
            "entity_type": mention["original_type"],
            "identifiers": mention["original_identifiers"],
            "location": mention["original_location"],
        },
    }
    annotation.add_location(BioCLocation(mention["start"], mention["end"] - mention["start"]))
    return annotation
