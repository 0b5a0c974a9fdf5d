"""Links of surfaces, whatever generator of candidates finds them."""

import dataclasses
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema, open_writer
from workflow_scripts.linking.tables import LINKS, SURFACES

ROWS = 1 << 14
DECIMALS = 5


@dataclasses.dataclass(frozen=True)
class Rule:
    """When a concept is a candidate (scispaCy's linker; paper, section 3.1).

    A concept with a definition must score above `threshold`, one without also at least `no_definition_threshold`. Only
    the `k` nearest names count, and at most `max_candidates` concepts are given.
    """

    threshold: float
    no_definition_threshold: float
    k: int
    max_candidates: int


class CandidateGenerator(Protocol):
    """Finds the concepts of surfaces."""

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface, best first: scores descending, then concepts ascending."""


def links(generator, keys, surfaces):
    """A table of contract LINKS for some surfaces and their keys."""
    columns = {name: [] for name in LINKS.schema.names}
    for surface, found in zip(surfaces, generator.candidates(keys, surfaces), strict=True):
        for rank, (cui, score) in enumerate(found):
            columns["surface"].append(surface)
            columns["cui"].append(cui)
            columns["score"].append(round(score, DECIMALS))
            columns["rank"].append(rank)
    return pa.table(columns, schema=LINKS.schema)


def link(surfaces, out, generator, rows=ROWS):
    """Write the links of a file of surfaces; returns (surfaces, linked surfaces)."""
    check_schema(surfaces, SURFACES)
    linked = 0
    with pq.ParquetFile(surfaces) as file, open_writer(out, LINKS) as write:
        progress = Progress("surfaces", file.metadata.num_rows)
        for batch in file.iter_batches(batch_size=rows):
            table = links(generator, batch["key"].to_pylist(), batch["surface"].to_pylist())
            write(table)
            linked += table["rank"].to_pylist().count(0)
            progress.add(batch.num_rows)
    progress.close()
    return progress.done, linked
