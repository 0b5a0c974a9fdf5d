"""Names of the linker's knowledge base: linking -> corpus (alias filter), leakage."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

ALIASES = Contract(
    "linking/kb/aliases: every distinct name of every concept of the linker's KB",
    pa.schema(
        [
            column("cui", pa.string(), "concept unique identifier"),
            column("name", pa.string(), "name as written in MRCONSO"),
            column("preferred", pa.bool_(), "the concept's canonical name; exactly one per concept"),
            column("defined", pa.bool_(), "the concept has a definition in MRDEF"),
        ]
    ),
    sort_by=("cui", "name"),
    unique=("cui", "name"),
)
