"""Tables that stay inside the text stage."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

_PMID = column("pmid", pa.int64(), "PubMed id")
_VERSION = column("version", pa.int32(), "version of the citation")
_FILE_RANK = column("file_rank", pa.int32(), "position of the MEDLINE file in the sorted list of all files")
_RECORD = column("record", pa.int32(), "position of the record in its file, from 1")

ABSTRACTS = Contract(
    "text/abstracts: the sections of the abstracts of one batch that hold more than blanks",
    pa.schema(
        [
            _PMID,
            _VERSION,
            _FILE_RANK,
            column("field", pa.string(), "AbstractText element: its position in Article/Abstract from 0, as text"),
            column("label", pa.string(), "label of a section of a structured abstract", nullable=True),
            column("text", pa.string(), "text of the element, each white-space character made a blank"),
        ]
    ),
    sort_by=("pmid", "version", "file_rank", "field"),
    unique=("pmid", "version", "file_rank", "field"),
)

CITATIONS = Contract(
    "text/citations: every citation and every deletion of one batch; characters are code points",
    pa.schema(
        [
            _PMID,
            _VERSION,
            _FILE_RANK,
            _RECORD,
            column("deletion", pa.bool_(), "the record deletes this version of the citation"),
            column("texts", pa.int32(), "sections kept (rows of text/abstracts, were the record the last of its key)"),
            column("characters", pa.int32(), "characters of Article/Abstract without blanks around sections"),
            column("published_characters", pa.int32(), "the same, up to the first inline tag of each section"),
            column("other_texts", pa.int32(), "AbstractText elements outside Article/Abstract"),
            column("other_characters", pa.int32(), "their characters"),
        ]
    ),
    sort_by=("pmid", "version", "file_rank", "record"),
    unique=("pmid", "version", "file_rank", "record"),
)
