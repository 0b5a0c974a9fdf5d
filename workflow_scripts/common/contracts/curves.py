"""Precision-recall curve of a trained model on the test split: evaluation -> reporting (Figure 4)."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

CURVE = Contract(
    "evaluation/<run>/<pooling>/curve: points of the curve, evenly spaced in recall",
    pa.schema(
        [
            column("rank", pa.int64(), "predictions down to this point, from 1"),
            column("score", pa.float32(), "score of the last of them"),
            column("recall", pa.float64(), "share of the facts found"),
            column("precision", pa.float64(), "share of facts among the predictions"),
        ]
    ),
    sort_by=("rank",),
    unique=("rank",),
)
