"""The tables that only this stage reads: the distinct surfaces of mentions and the links of these."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

_SURFACE = column("surface", pa.string(), "text[start:end]")

SURFACES = Contract(
    "linking/surfaces: distinct surfaces of all batches with the key under which they are searched",
    pa.schema([column("key", pa.string(), "lower-cased words, sorted"), _SURFACE]),
    sort_by=("key", "surface"),
    unique=("key", "surface"),
)

# In the order of SURFACES and then of rank: sorting by surface would buy nothing.
LINKS = Contract(
    "linking/links: concepts of each surface that has any, best first",
    pa.schema(
        [
            _SURFACE,
            column("cui", pa.string(), "concept unique identifier"),
            column("score", pa.float32(), "cosine in [0, 1], rounded to 1e-5; 1 for a literal match"),
            column("rank", pa.int16(), "0 for the best concept of the surface"),
        ]
    ),
)
