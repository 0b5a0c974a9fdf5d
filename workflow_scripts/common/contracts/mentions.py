"""Linked mentions: linking -> corpus."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

MENTIONS = Contract(
    "linking/mentions: mentions with their concepts, best first",
    pa.schema(
        [
            column("sentence_id", pa.string(), "of text/sentences"),
            column("start", pa.int32(), "first character in the sentence text, code points"),
            column("end", pa.int32(), "end (exclusive) in the sentence text, code points"),
            column("surface", pa.string(), "text[start:end]"),
            column("cui", pa.string(), "concept unique identifier"),
            column("score", pa.float32(), "cosine in [0, 1], rounded to 1e-5; 1 for a literal match"),
            column("rank", pa.int16(), "0 for the best concept of the mention"),
        ]
    ),
    sort_by=("sentence_id", "start", "end", "rank"),
    unique=("sentence_id", "start", "end", "rank"),
)
