"""Aligned sentences: between the two steps of the corpus stage, never read by another stage."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

ALIGNED = Contract(
    "corpus/<id>/aligned: one pair for each sentence that has one",
    pa.schema(
        [
            column("sentence_id", pa.string(), "of text/sentences"),
            column("split", pa.string(), "train, valid or test"),
            column("positive", pa.bool_(), "the pair is a fact of the split; else it is an NA candidate"),
            column("head", pa.string(), "CUI of the head"),
            column("head_name", pa.string(), "surface of the head"),
            column("head_start", pa.int32(), "code points"),
            column("head_end", pa.int32(), "code points, exclusive"),
            column("tail", pa.string(), "CUI of the tail"),
            column("tail_name", pa.string(), "surface of the tail"),
            column("tail_start", pa.int32(), "code points"),
            column("tail_end", pa.int32(), "code points, exclusive"),
        ]
    ),
    sort_by=("sentence_id",),
    unique=("sentence_id",),
)
