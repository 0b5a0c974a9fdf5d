"""Scores of a trained model over the pairs of one split: evaluation -> reporting."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

SCORES = Contract(
    "evaluation/<run>/<pooling>/scores: one row per pair and relation other than NA",
    pa.schema(
        [
            column("head", pa.string(), "CUI of the head"),
            column("tail", pa.string(), "CUI of the tail"),
            column("relation", pa.string(), "relation other than NA"),
            column("score", pa.float32(), "probability of the relation"),
        ]
    ),
    sort_by=("head", "tail", "relation"),
    unique=("head", "tail", "relation"),
)
