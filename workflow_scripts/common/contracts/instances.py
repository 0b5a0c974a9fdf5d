"""The benchmark as a table, beside its JSON lines: corpus -> training, evaluation, leakage, reporting."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

INSTANCES = Contract(
    "corpus/<id>/<split>.parquet: instances, row i = line i of the JSON lines",
    pa.schema(
        [
            column("text", pa.string(), "sentence, tokens joined by one space"),
            column("head", pa.string(), "CUI of the head"),
            column("head_name", pa.string(), "text[head_start:head_end]"),
            column("head_start", pa.int32(), "code points"),
            column("head_end", pa.int32(), "code points, exclusive"),
            column("tail", pa.string(), "CUI of the tail"),
            column("tail_name", pa.string(), "text[tail_start:tail_end]"),
            column("tail_start", pa.int32(), "code points"),
            column("tail_end", pa.int32(), "code points, exclusive"),
            column("relation", pa.string(), "relation, NA for none"),
            column("sentence_id", pa.string(), "of text/sentences"),
            column("rui", pa.string(), "MRREL row behind a positive instance", nullable=True),
        ]
    ),
    sort_by=("head", "tail", "relation", "sentence_id"),
)
