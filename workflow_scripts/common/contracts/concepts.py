"""Active, typed concepts of the knowledge graph: kg -> corpus, reporting."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

CONCEPTS = Contract(
    "kg/concepts: active concepts of a kept semantic type",
    pa.schema(
        [
            column("cui", pa.string(), "concept unique identifier"),
            column("name", pa.string(), "preferred name in the vocabulary"),
            column("tui", pa.string(), "id of the concept's one semantic type"),
            column("sty", pa.string(), "name of the semantic type"),
            column("group", pa.string(), "semantic group of the type, e.g. DISO"),
            column("n_types", pa.int16(), "number of kept semantic types that the concept has in MRSTY"),
        ]
    ),
    sort_by=("cui",),
    unique=("cui",),
)
