"""Link each distinct surface to the concepts that it may mean, with scores.

`tfidf` is the linker of the paper (scispaCy's; section 3.1) with an exact search in place of its approximate one;
`literal` takes equal names only. Surfaces of one key (lower-cased, words sorted) are searched once.
"""

import dataclasses
import logging
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema, open_writer, read_table
from workflow_scripts.linking.candidates import Rule, make_generator
from workflow_scripts.linking.tables import LINKS, SURFACES

ROWS = 1 << 14


@dataclasses.dataclass(frozen=True)
class Params:
    """How candidates are found and chosen."""

    candidates: str
    mode: str
    ngram_min_df: int
    threshold: float
    no_definition_threshold: float
    k: int
    max_candidates: int


def links(generator, keys, surfaces):
    """A table of contract LINKS for some surfaces and their keys."""
    columns = {name: [] for name in LINKS.schema.names}
    for surface, found in zip(surfaces, generator.candidates(keys, surfaces), strict=True):
        for rank, (cui, score) in enumerate(found):
            columns["surface"].append(surface)
            columns["cui"].append(cui)
            columns["score"].append(score)
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


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    rule = Rule(settings.threshold, settings.no_definition_threshold, settings.k, settings.max_candidates)
    aliases = read_table(args.aliases, ALIASES, columns=["cui", "name", "defined"])
    generator = make_generator(settings.candidates, settings.mode, aliases, rule, settings.ngram_min_df)
    total, linked = link(args.surfaces, args.links, generator)
    logging.info("%s of %s distinct surfaces linked", f"{linked:,}", f"{total:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--aliases", type=Path, required=True, help="names of the knowledge base (Parquet)")
    parser.add_argument("--surfaces", type=Path, required=True, help="distinct surfaces (Parquet)")
    parser.add_argument("--links", type=Path, required=True, help="output: concepts of the surfaces (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
