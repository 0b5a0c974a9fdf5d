"""Names of a knowledge base with the entities that have them: belb -> training."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

GROUPED_NAMES = Contract(
    "belb/dense/names: each distinct name of a knowledge base",
    pa.schema(
        [
            column("name", pa.string(), "as the knowledge base writes it"),
            column("identifiers", pa.list_(pa.string()), "the entities that have it, by code point, each once"),
        ]
    ),
    sort_by=("name",),
    unique=("name",),
)
