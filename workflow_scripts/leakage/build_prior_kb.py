"""Names and facts of the benchmarks UMLS.v2 and UMLS.v3, from a whole UMLS release.

Names: English rows of MRCONSO of any vocabulary, of more than two characters and no stop word. Facts: MRREL rows of
class RO with a RELA, of any vocabulary and in both directions, as (CUI1, RELA, CUI2): nothing is turned or left out.
"""

import logging
import pathlib

import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common import command, duck, rrf
from workflow_scripts.common.tables import Contract, column, open_writer
from workflow_scripts.leakage.names import form
from workflow_scripts.leakage.stop_words import STOP_WORDS

MIN_CHARS = 3
NAMES = Contract(
    "leakage/kb/names: forms of names and what they denote",
    pa.schema([column("name", pa.string(), "form of the name"), column("cui", pa.string(), "a concept of that name")]),
    sort_by=("name", "cui"),
    unique=("name", "cui"),
)
FACTS = Contract(
    "leakage/kb/facts: facts of all vocabularies",
    pa.schema(
        [column(name, pa.string(), of) for name, of in (("head", "CUI1"), ("relation", "RELA"), ("tail", "CUI2"))]
    ),
    sort_by=("head", "relation", "tail"),
    unique=("head", "relation", "tail"),
)


def names(batches):
    """Batches (name, cui) of the names that count."""
    for batch in batches:
        batch = batch.filter(pc.equal(batch["LAT"], "ENG"))
        texts = batch["STR"].to_pylist()
        kept = [len(text) >= MIN_CHARS and text.lower() not in STOP_WORDS for text in texts]
        forms = [form(text) for text, keep in zip(texts, kept, strict=True) if keep]
        yield pa.RecordBatch.from_pydict({"name": pa.array(forms, pa.string()), "cui": batch["CUI"].filter(kept)})


def facts(batches):
    """Batches (head, relation, tail) of the facts."""
    for batch in batches:
        batch = batch.filter(pc.and_(pc.equal(batch["REL"], "RO"), pc.not_equal(batch["RELA"], "")))
        yield pa.RecordBatch.from_pydict({"head": batch["CUI1"], "relation": batch["RELA"], "tail": batch["CUI2"]})


def write(database, path, table, columns, select, contract):
    """Write the distinct rows that `select` takes from an RRF table; returns their number."""
    source, name, output = path
    written = 0
    with rrf.reading(source, name, columns) as rows:
        schema = contract.schema.remove_metadata()
        fields = pa.schema([pa.field(field.name, field.type) for field in schema])
        database.register("rows", pa.RecordBatchReader.from_batches(fields, select(rows)))
        database.execute(f"CREATE TABLE {table} AS SELECT DISTINCT * FROM rows WHERE {fields.names[0]} != ''")
    with open_writer(output, contract) as writer:
        for batch in duck.stream(database, f"FROM {table} ORDER BY {', '.join(fields.names)}"):
            writer(batch)
            written += batch.num_rows
    return written


def main(args):
    """Run the command."""
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        source = (args.mrconso, "MRCONSO", args.names)
        logging.info("%d names", write(database, source, "names", ["CUI", "LAT", "STR"], names, NAMES))
        source = (args.mrrel, "MRREL", args.facts)
        logging.info("%d facts", write(database, source, "facts", ["CUI1", "REL", "CUI2", "RELA"], facts, FACTS))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--mrconso", type=pathlib.Path, required=True, help="MRCONSO.RRF")
    parser.add_argument("--mrrel", type=pathlib.Path, required=True, help="MRREL.RRF")
    parser.add_argument("--names", type=pathlib.Path, required=True, help="names and concepts (Parquet)")
    parser.add_argument("--facts", type=pathlib.Path, required=True, help="facts (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
