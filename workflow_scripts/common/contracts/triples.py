"""The filtered knowledge graph: kg -> corpus, leakage, reporting."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

TRIPLES = Contract(
    "kg/triples: facts (head, relation, tail) that survive the filters",
    pa.schema(
        [
            column("head", pa.string(), "CUI2 of the MRREL row"),
            column("relation", pa.string(), "RELA of the MRREL row"),
            column("tail", pa.string(), "CUI1 of the MRREL row"),
            column("rui", pa.string(), "RUI of the (first) MRREL row"),
        ]
    ),
    sort_by=("head", "relation", "tail", "rui"),
)
