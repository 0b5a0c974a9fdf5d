"""Tables of the stage belb. Identifiers are the originals everywhere ("MESH:D003924", "9606"), never row numbers."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

SPLITS = ("train", "dev", "test")

_PASSAGE = pa.struct(
    [
        column("type", pa.string(), "title, abstract, or what the corpus names it"),
        column("offset", pa.int32(), "first character in the document's text, code points"),
        column("length", pa.int32(), "code points"),
    ]
)
_ORIGINAL = pa.struct(
    [
        column("start", pa.int32(), "as distributed"),
        column("end", pa.int32(), "as distributed"),
        column("text", pa.string(), "as distributed"),
        column("entity_type", pa.string(), "as distributed"),
        column("identifiers", pa.string(), "as distributed"),
        column("location", pa.string(), "as distributed", nullable=True),
        column("hexdigest", pa.string(), "of this annotation alone"),
    ]
)

DOCUMENTS = Contract(
    "belb/corpora/<id>/documents: texts and their passages",
    pa.schema(
        [
            column("corpus", pa.string(), "corpus and entity type, e.g. bc5cdr_disease"),
            column("split", pa.string(), "train, dev or test"),
            column("document", pa.string(), "PMID or PMCID; with a part number where long documents are split"),
            column("text", pa.string(), "the passages, joined by one space"),
            column("passages", pa.list_(_PASSAGE), "in the order of the text"),
        ]
    ),
    sort_by=("split", "document"),
    unique=("split", "document"),
)

MENTIONS = Contract(
    "belb/corpora/<id>/mentions: gold mentions with their identifiers",
    pa.schema(
        [
            column("corpus", pa.string(), "corpus and entity type, e.g. bc5cdr_disease"),
            column("split", pa.string(), "train, dev or test"),
            column("document", pa.string(), "of documents"),
            column("start", pa.int32(), "first character in the document's text, code points"),
            column("end", pa.int32(), "end (exclusive) in the document's text, code points"),
            column("text", pa.string(), "the document's text[start:end]"),
            column("entity_type", pa.string(), "disease, chemical, species, cell_line, gene, variant or umls"),
            column("identifiers", pa.list_(pa.string()), "after the pipeline, in the order of the annotation"),
            column("foreign", pa.bool_(), "added for context (a species near a gene), never scored"),
            column("original_start", pa.int32(), "as distributed, before any repair"),
            column("original_end", pa.int32(), "as distributed, before any repair"),
            column("original_text", pa.string(), "as distributed, before any repair"),
            column("original_type", pa.string(), "as distributed"),
            column("original_identifiers", pa.string(), "as distributed, one string"),
            column("original_location", pa.string(), "section or figure where the corpus names one", nullable=True),
            column("hexdigest", pa.string(), "digest of the annotation as distributed: how predictions name a mention"),
            column(
                "grouped", pa.list_(_ORIGINAL), "all annotations of this span as distributed; empty if there is one"
            ),
        ]
    ),
    sort_by=("split", "document", "start", "end", "entity_type"),
    unique=("split", "document", "start", "end", "entity_type"),
)
