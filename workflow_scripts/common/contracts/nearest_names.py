"""The names nearest to texts: training -> belb."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

NEAREST_NAMES = Contract(
    "belb/dense/<gold or found>: the names whose vectors are nearest to those of texts, best first",
    pa.schema(
        [
            column("text", pa.string(), "of a mention"),
            column("rank", pa.int32(), "from 1; names that the encoder cannot tell apart share one"),
            column("name", pa.string(), "the first by code point of the names of this rank"),
            column("score", pa.float64(), "cosine of the two vectors, in [-1, 1]"),
            column("identifiers", pa.list_(pa.string()), "the entities that have a name of this rank, by code point"),
        ]
    ),
    sort_by=("text", "rank"),
    unique=("text", "rank"),
)
