"""What the parsers of knowledge bases fill: raw rows in a database, in any order and with repetitions.

| table | columns |
|---|---|
| raw_names | identifier, name, kind: every name as it is released; kind 0 is the preferred name |
| raw_entities | identifier, foreign_identifier, attribute: where the format has them, one row an entity |
| raw_other_foreign | identifier, foreign_identifier: further foreign entities, where an entity has several |
| raw_history | old_identifier, new_identifier: one step, null where the entity was removed |
| raw_alternatives | alternative_identifier, identifier |
| raw_citations | identifier, pmid |

Identifiers are text, as the knowledge base and its corpora write them.
"""

import collections
import dataclasses

import pyarrow as pa

# Kind of a name that is released as preferred where its entity has another preferred name already.
FURTHER_PREFERRED = 100
FURTHER_PREFERRED_NAME = "further preferred name"
ROWS = 1 << 16
TABLES = {
    "raw_names": "identifier VARCHAR, name VARCHAR, kind SMALLINT",
    "raw_entities": "identifier VARCHAR, foreign_identifier VARCHAR, attribute VARCHAR",
    "raw_other_foreign": "identifier VARCHAR, foreign_identifier VARCHAR",
    "raw_history": "old_identifier VARCHAR, new_identifier VARCHAR",
    "raw_alternatives": "alternative_identifier VARCHAR, identifier VARCHAR",
    "raw_citations": "identifier VARCHAR, pmid VARCHAR",
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a knowledge base is built.

    Parameters
    ----------
    format : str
        A key of common.belb_files.KB_FILES.
    kb : str
        Its id: the prefix of its tables in a database.
    taxa : list of str or None
        NCBI Gene: only the genes of these species.
    remove_quotes : bool
        Take ' and " out of names, as the published benchmark does; "Alzheimer's disease" then matches no text.
    history : bool
        Read the files of the history, too.
    drop_suppressed : bool
        UMLS: leave out suppressed names, which the published benchmark keeps.
    max_orphan_share : float
        Largest share of the foreign identifiers that the foreign knowledge base may lack.
    """

    format: str
    kb: str
    taxa: list | None = None
    remove_quotes: bool = False
    history: bool = True
    drop_suppressed: bool = False
    max_orphan_share: float = 0.05


class Raw:
    """The raw tables in a DuckDB connection, and counts of what was read and what was left out."""

    def __init__(self, database):
        self.database = database
        self.counts = collections.Counter()
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {table} ({columns})")

    def insert(self, table, batch, query="FROM batch", parameters=None):
        """Append the result of a query over the view `batch` (an Arrow table) to a raw table; gives its rows."""
        self.database.register("batch", batch)
        (rows,) = self.database.execute(f"INSERT INTO {table} {query}", parameters or []).fetchall()[0]
        self.database.unregister("batch")
        return rows

    def count(self, batch, what, query, parameters=None):
        """Add the one number that a query over `batch` gives to the counts."""
        self.database.register("batch", batch)
        self.counts[what] += self.database.execute(query, parameters or []).fetchall()[0][0]
        self.database.unregister("batch")


class Rows:
    """Rows of one raw table from a parser that makes them one by one; they go to the database in blocks."""

    def __init__(self, raw, table):
        self.raw, self.table = raw, table
        self.names = [column.split()[0] for column in TABLES[table].split(", ")]
        self.rows = []

    def add(self, *row):
        """Append a row."""
        self.rows.append(row)
        if len(self.rows) >= ROWS:
            self.flush()

    def flush(self):
        """Hand over what waits."""
        if self.rows:
            kinds = [pa.int16() if name == "kind" else pa.string() for name in self.names]
            columns = [pa.array(values, kind) for values, kind in zip(zip(*self.rows, strict=True), kinds, strict=True)]
            self.raw.insert(self.table, pa.table(columns, names=self.names))
            self.rows = []
