"""Mentions before they are linked: linking, and text where one pass finds sentences and mentions."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

DETECTED = Contract(
    "linking/detected: mentions found in the distinct sentences of one batch, no two of a sentence overlap",
    pa.schema(
        [
            column("sentence_id", pa.string(), "of text/split"),
            column("start", pa.int32(), "first character in the sentence text, code points"),
            column("end", pa.int32(), "end (exclusive) in the sentence text, code points"),
            column("surface", pa.string(), "text[start:end]"),
        ]
    ),
    sort_by=("sentence_id", "start", "end"),
    unique=("sentence_id", "start", "end"),
)
