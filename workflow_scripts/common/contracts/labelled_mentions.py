"""Gold mentions from which an encoder of names learns: belb -> training."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

LABELLED_MENTIONS = Contract(
    "belb/dense/mentions: gold mentions of the splits train and dev, never of test",
    pa.schema(
        [
            column("split", pa.string(), "train or dev"),
            column("number", pa.int64(), "of the mention in its split, in the order of mentions.parquet"),
            column("text", pa.string(), "of the mention"),
            column("identifiers", pa.list_(pa.string()), "any of them is right"),
        ]
    ),
    sort_by=("split", "number"),
    unique=("split", "number"),
)
