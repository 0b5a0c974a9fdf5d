"""Unique sentences and their occurrences: text -> linking, corpus."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

_ID = column("sentence_id", pa.string(), "128-bit BLAKE2b of the UTF-8 text, 32 hexadecimal digits")
_TEXT = column("text", pa.string(), "tokens joined by one space")
_N_TOKENS = column("n_tokens", pa.int32(), "number of tokens of text.split()")
_PMID = column("pmid", pa.int64(), "PubMed id")
_FIELD = column("field", pa.string(), "AbstractText element: its position in Article/Abstract from 0, as text")
_START = column("start", pa.int32(), "first character in the abstract section's own text, code points")
_END = column("end", pa.int32(), "end (exclusive) in the abstract section's own text, code points")

SPLIT = Contract(
    "text/split: every sentence of one batch, with its place and the map back to it",
    pa.schema(
        [
            _PMID,
            column("version", pa.int32(), "version of the citation"),
            column("file_rank", pa.int32(), "position of the MEDLINE file in the sorted list of all files"),
            _FIELD,
            _START,
            _END,
            _ID,
            _TEXT,
            _N_TOKENS,
            column(
                "token_starts",
                pa.list_(pa.int32()),
                "start of each token in the abstract section's own text, code points; its length is the token's own",
            ),
        ]
    ),
    sort_by=("pmid", "version", "file_rank", "field", "start", "end"),
)

SENTENCES = Contract(
    "text/sentences: unique sentences; the place is that of the first occurrence",
    pa.schema([_ID, _TEXT, _N_TOKENS, _PMID, _FIELD, _START, _END]),
    sort_by=("sentence_id",),
    unique=("sentence_id",),
)

OCCURRENCES = Contract(
    "text/occurrences: every place of every unique sentence",
    pa.schema([_ID, _PMID, _FIELD, _START, _END]),
    sort_by=("sentence_id", "pmid", "field", "start", "end"),
)
