"""Abstracts of one batch of MEDLINE files.

Every Article/Abstract is read whatever the language of the article, with the text of inline markup; OtherAbstract is
not, unless the switch `other_abstracts` is published. `inline_markup: published` keeps only what stands before the
first inline tag of a section. Citations and deletions go to a table of their own; which citation lives is decided when
all batches are seen (paper, section 3.1).
"""

import dataclasses
import logging
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import open_writer
from workflow_scripts.text import medline_xml
from workflow_scripts.text.contracts import ABSTRACTS, CITATIONS

ROWS = 4096
_RECORD = CITATIONS.schema.field("record")


@dataclasses.dataclass(frozen=True)
class Params:
    """Config values; the last two are switches (mended, published)."""

    files_per_job: int
    max_bad_records: int
    inline_markup: str
    other_abstracts: str


class Buffer:
    """Rows of a schema, written to a Parquet file block by block."""

    def __init__(self, path, schema):
        self.schema = schema
        self.writer = pq.ParquetWriter(path, schema, compression="zstd")
        self.rows = []

    def add(self, row):
        """Add one row, a tuple in the order of the columns."""
        self.rows.append(row)
        if len(self.rows) >= ROWS:
            self.flush()

    def flush(self):
        """Write the rows that wait."""
        if self.rows:
            columns = zip(*self.rows, strict=True)
            arrays = [pa.array(values, field.type) for values, field in zip(columns, self.schema, strict=True)]
            self.writer.write_table(pa.Table.from_arrays(arrays, schema=self.schema))
            self.rows = []

    def close(self):
        """Write the rest and close the file."""
        self.flush()
        self.writer.close()


class BadRecords:
    """Counts unreadable records and stops when there are more than allowed."""

    def __init__(self, allowed):
        self.allowed, self.count = allowed, 0

    def add(self, path, bad):
        """Count one BadRecord of a file."""
        self.count += 1
        logging.warning("%s, line %d, record %d: %s; skipped", path, bad.line, bad.record, bad.problem)
        if self.count > self.allowed:
            raise DataError(
                path,
                line=bad.line,
                record=bad.record,
                found=f"{bad.problem}; {self.count} unreadable records in this batch",
                expected=f"at most {self.allowed} (medline.max_bad_records)",
                remedy="get the file again, or allow more with medline.max_bad_records",
            )


def kept_sections(citation, inline_markup, other_abstracts):
    """Yield (field, label, text) of the sections that a reading keeps: those that are not blank.

    Parameters
    ----------
    citation : medline_xml.Citation
    inline_markup, other_abstracts : str
        Switches, mended or published.
    """
    for section in citation.sections:
        if not section.other or other_abstracts == "published":
            text = section.published if inline_markup == "published" else section.text
            if text.strip():
                yield str(section.position), section.label, text


def citation_row(citation, file_rank, texts):
    """The row of CITATIONS for a citation of which `texts` sections are kept."""
    own = [section for section in citation.sections if not section.other]
    others = [section for section in citation.sections if section.other]
    return (
        citation.pmid,
        citation.version,
        file_rank,
        citation.record,
        citation.deletion,
        texts,
        sum(len(section.text.strip()) for section in own),
        sum(len(section.published.strip()) for section in own),
        len(others),
        sum(len(section.text.strip()) for section in others),
    )


def read_files(files, first_rank, settings, abstracts, citations):
    """Read files into two tables in file order, as they come; gives the number of unreadable records.

    Parameters
    ----------
    files : sequence of Path
    first_rank : int
        Position of the first one in the sorted list of all files.
    settings : Params
    abstracts, citations : Path
        Parquet files to write; the first has a column `record` besides those of ABSTRACTS.
    """
    texts = Buffer(abstracts, ABSTRACTS.schema.append(_RECORD))
    records = Buffer(citations, CITATIONS.schema)
    bad, progress = BadRecords(settings.max_bad_records), Progress("citations")
    for file_rank, path in enumerate(files, first_rank):
        for citation in medline_xml.citations(path):
            progress.add()
            if isinstance(citation, medline_xml.BadRecord):
                bad.add(path, citation)
                continue
            sections = list(kept_sections(citation, settings.inline_markup, settings.other_abstracts))
            for section in sections:
                texts.add((citation.pmid, citation.version, file_rank, *section, citation.record))
            records.add(citation_row(citation, file_rank, len(sections)))
        logging.info("%s: %s", path.name, progress.line())
    texts.close()
    records.close()
    progress.close()
    return bad.count


def sort_tables(database, abstracts, citations, abstracts_out, citations_out):
    """Write both tables in their order; of a citation that a file holds twice, the last abstract stays."""
    database.execute(f"CREATE VIEW citations AS FROM {duck.parquet(citations)}")
    last = (
        "SELECT pmid, version, file_rank, max(record) AS record FROM citations WHERE NOT deletion "
        "GROUP BY pmid, version, file_rank"
    )
    names = ", ".join(f'"{name}"' for name in ABSTRACTS.schema.names)
    query = (
        f"SELECT {names} FROM {duck.parquet(abstracts)} SEMI JOIN ({last}) USING (pmid, version, file_rank, record) "
        f"ORDER BY {', '.join(ABSTRACTS.sort_by)}"
    )
    with open_writer(abstracts_out, ABSTRACTS) as write:
        for table in duck.stream(database, query, rows=1 << 14):
            write(table.combine_chunks())
    with open_writer(citations_out, CITATIONS) as write:
        for table in duck.stream(database, f"FROM citations ORDER BY {', '.join(CITATIONS.sort_by)}"):
            write(table.combine_chunks())


def main(args):
    """Read the batch."""
    settings = params.parse(Params, args.params)
    first_rank = (int(args.batch) - 1) * settings.files_per_job
    with tempfile.TemporaryDirectory(dir=args.temporary, prefix="abstracts.") as folder:
        abstracts, citations = Path(folder, "abstracts.parquet"), Path(folder, "citations.parquet")
        bad = read_files(args.files, first_rank, settings, abstracts, citations)
        with duck.database(args.threads, args.memory_mb, args.temporary) as database:
            sort_tables(database, abstracts, citations, args.abstracts, args.citations)
    logging.info("%d files, %d unreadable records", len(args.files), bad)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=Path, nargs="+", required=True, help="MEDLINE .xml.gz files, sorted by name")
    parser.add_argument("--batch", required=True, help="number of the batch, from 0001")
    parser.add_argument("--abstracts", type=Path, required=True, help="Parquet file of sections to write")
    parser.add_argument("--citations", type=Path, required=True, help="Parquet file of citations to write")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
