"""Make the linker's knowledge base: every distinct name of every concept of a UMLS release.

Names are the MRCONSO rows of one language that are not suppressed, of the wanted vocabularies and source restriction
levels. A concept's canonical name has TS=P, STT=PF and ISPREF=Y; where a subset has lost it, the row that comes closest
in this order, then the smallest name. A concept is defined when MRDEF has a row for it that is not suppressed: the
linker is laxer with these (paper, section 3.1; scispaCy 0.4.0 links against a KB made by the same rules).
"""

import dataclasses
import logging
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common import command, duck, params, rrf
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import open_writer

NAME_COLUMNS = ["CUI", "STR", "TS", "STT", "ISPREF", "LAT", "SUPPRESS", "SRL", "SAB"]


@dataclasses.dataclass(frozen=True)
class Params:
    """Which names belong to the knowledge base; None stands for all vocabularies or levels."""

    vocabularies: list | None
    restriction_levels: list | None
    language: str


def name_filters(settings):
    """The tests a MRCONSO row must pass, in order: (what is dropped, batch -> boolean array) pairs."""
    filters = [
        (f"not of language {settings.language}", lambda rows: pc.equal(rows["LAT"], settings.language)),
        ("suppressed", lambda rows: pc.equal(rows["SUPPRESS"], "N")),
    ]
    if settings.restriction_levels is not None:
        levels = pa.array([str(level) for level in settings.restriction_levels], pa.string())
        filters.append(("of other restriction levels", lambda rows: pc.is_in(rows["SRL"], levels)))
    if settings.vocabularies is not None:
        vocabularies = pa.array(settings.vocabularies, pa.string())
        filters.append(("of other vocabularies", lambda rows: pc.is_in(rows["SAB"], vocabularies)))
    filters.append(("blank", lambda rows: pc.not_equal(pc.utf8_trim_whitespace(rows["STR"]), "")))
    return filters


def filtered(reader, filters, counts):
    """A reader of the rows that pass all filters; `counts` gets the rows read and those that each filter drops."""
    counts.update({"rows": 0} | {reason: 0 for reason, _ in filters})
    progress = Progress("MRCONSO rows")

    def batches():
        for batch in reader:
            counts["rows"] += batch.num_rows
            progress.add(batch.num_rows)
            for reason, test in filters:
                before = batch.num_rows
                batch = batch.filter(test(batch))
                counts[reason] += before - batch.num_rows
            if batch.num_rows:
                yield batch
        progress.close()

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


def build(mrconso, mrdef, settings, database, out):
    """Write the aliases of the knowledge base.

    Parameters
    ----------
    mrconso, mrdef : Path
        RRF files of one release.
    settings : Params
    database : duckdb.DuckDBPyConnection
    out : Path
        Parquet file of contract ALIASES.

    Returns
    -------
    dict
        Counts: rows read, rows dropped by reason, names, concepts, defined concepts.

    Raises
    ------
    DataError
        If a file breaks the RRF format, or no name passes the filters.
    """
    counts = {}
    with rrf.reading(mrconso, "MRCONSO", NAME_COLUMNS) as rows:
        database.register("mrconso", filtered(rows, name_filters(settings), counts))
        # The distance to the canonical row as one number: TS weighs more than STT, STT more than ISPREF.
        database.execute(
            """CREATE TABLE names AS SELECT CUI AS cui, STR AS name,
            min(4 * (TS <> 'P')::INT + 2 * (STT <> 'PF')::INT + (ISPREF <> 'Y')::INT) AS distance
            FROM mrconso GROUP BY ALL"""
        )
    with rrf.reading(mrdef, "MRDEF", ["CUI", "SUPPRESS"]) as rows:
        database.register("mrdef", rows)
        database.execute("CREATE TABLE defined AS SELECT DISTINCT CUI AS cui FROM mrdef WHERE SUPPRESS = 'N'")
    (totals,) = database.execute(
        "SELECT count(*), count(DISTINCT cui), count(DISTINCT cui) FILTER (cui IN (FROM defined)) FROM names"
    ).fetchall()
    counts |= dict(zip(("names", "concepts", "defined concepts"), totals, strict=True))
    if not counts["names"]:
        funnel = ", ".join(f"{number:,} {what}" for what, number in counts.items())
        raise DataError(
            mrconso,
            found=f"no name for the linker's knowledge base ({funnel})",
            expected="names that pass the filters",
            remedy="check linking.kb.language, linking.kb.vocabularies and linking.kb.restriction_levels",
        )
    with open_writer(out, ALIASES) as write:
        query = """SELECT cui, name, row_number() OVER (PARTITION BY cui ORDER BY distance, name) = 1 AS preferred,
            cui IN (FROM defined) AS defined FROM names ORDER BY cui, name"""
        for table in duck.stream(database, query):
            write(table)
    return counts


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        counts = build(args.mrconso, args.mrdef, settings, database, args.aliases)
    for what, number in counts.items():
        logging.info("%s: %s", what, f"{number:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--mrconso", type=Path, required=True, help="MRCONSO.RRF")
    parser.add_argument("--mrdef", type=Path, required=True, help="MRDEF.RRF of the same release")
    parser.add_argument("--aliases", type=Path, required=True, help="output: names of the knowledge base (Parquet)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
