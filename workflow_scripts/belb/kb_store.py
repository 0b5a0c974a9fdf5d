"""The tables of a knowledge base as files with a contract, and as tables of a database (BELB, Listing 10).

In a database each table is called `<kb>_<table>`; `<kb>_kinds` names the kinds. A password never stands in an address:
the driver takes it from where it always does (PGPASSWORD, .pgpass). Tried are SQLite, and PostgreSQL with psycopg.
"""

import contextlib

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy

from workflow_scripts.belb import contracts
from workflow_scripts.common import duck
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import atomic_path
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema, open_writer

CONTRACTS = {
    "names": contracts.NAMES,
    "history": contracts.HISTORY,
    "alternatives": contracts.ALTERNATIVES,
    "name_homonyms": contracts.NAME_HOMONYMS,
    "foreign_name_homonyms": contracts.FOREIGN_NAME_HOMONYMS,
    "identifier_homonyms": contracts.IDENTIFIER_HOMONYMS,
    "foreign": contracts.FOREIGN,
    "other_foreign": contracts.OTHER_FOREIGN,
    "citations": contracts.CITATIONS,
}
# Where a table's rows come from, when it is not the table of its name in the building database.
SOURCES = {
    "names": "names LEFT JOIN entities USING (identifier)",
    "foreign": "foreign_entities",
    "citations": "(SELECT DISTINCT identifier, pmid FROM raw_citations SEMI JOIN names USING (identifier))",
}
INDEXES = {
    "names": ["identifier", "name", "foreign_identifier"],
    "name_homonyms": ["name"],
    "foreign_name_homonyms": ["name"],
    "history": ["new_identifier"],
}
# A tree of PostgreSQL takes no text above 2,704 bytes, and names are longer; they are only ever asked for as a whole.
NAME = "name"
# Rows of one statement.
ROWS = 1 << 14


def write_files(database, folder):
    """Write every table to a Parquet file in a folder, sorted and checked; gives the rows of each."""
    rows = {}
    for name, contract in CONTRACTS.items():
        columns = ", ".join(contract.schema.names)
        order = ", ".join(f"{column} NULLS FIRST" for column in contract.sort_by)
        rows[name] = 0
        with open_writer(folder / f"{name}.parquet", contract) as write:
            for table in duck.stream(database, f"SELECT {columns} FROM {SOURCES.get(name, name)} ORDER BY {order}"):
                write(table)
                rows[name] += table.num_rows
    return rows


def load_sqlite(folder, kinds, kb, path):
    """Load the files of a knowledge base into a new SQLite database; gives the rows."""
    with atomic_path(path) as temporary:
        engine = sqlalchemy.create_engine(sqlalchemy.URL.create("sqlite", database=str(temporary)))
        # The file gets its name when all is in it: nothing has to survive a crash before.
        sqlalchemy.event.listen(engine, "connect", _unguarded)
        try:
            return _load(engine, folder, kinds, kb)
        finally:
            engine.dispose()


def load_server(folder, kinds, kb, address):
    """Load the files of a knowledge base into the database at an address, in one transaction; gives the rows.

    Raises
    ------
    UsageError
        If the address is none of SQLAlchemy, its driver is not installed, or it holds a password.
    DataError
        If the database refuses; then nothing has changed there.
    """
    engine = engine_of(address, may_hold_password=False)
    try:
        with refusals(address):
            return _load(engine, folder, kinds, kb)
    finally:
        engine.dispose()


def engine_of(address, may_hold_password=True):
    """The engine of SQLAlchemy for an address; UsageError where it is none, or its driver is not installed."""
    try:
        url = sqlalchemy.engine.make_url(address)
        if url.password is not None and not may_hold_password:
            raise UsageError(
                f"{url.render_as_string(hide_password=True)} holds a password\n"
                "  expected: an address without one\n"
                "  remedy:   give it to the driver by its own way (PGPASSWORD, .pgpass)"
            )
        return sqlalchemy.create_engine(url)
    except (sqlalchemy.exc.ArgumentError, sqlalchemy.exc.NoSuchModuleError, ImportError) as error:
        raise UsageError(
            f"no database can be reached: {error}\n  expected: an address like postgresql+psycopg://user@host/database\n"
            "  remedy:   correct the address (belb.kbs.<id>.database), or install its driver (README)"
        ) from None


@contextlib.contextmanager
def refusals(place):
    """Turn what a database says to a connection or a statement into a DataError."""
    try:
        yield
    except sqlalchemy.exc.DBAPIError as error:
        raise DataError(
            place,
            found=" ".join(str(error.orig).split()),
            expected="a database that is there and does what it is told",
            remedy="is the server running, are user, host and database right, may the user make tables?",
        ) from None


def _unguarded(connection, _):
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")


def tables_of(kb):
    """The tables of a knowledge base in a database, by name: a dict of sqlalchemy.Table."""
    metadata = sqlalchemy.MetaData()
    found = {}
    for name, contract in CONTRACTS.items():
        key = () if NAME in contract.unique else contract.unique
        columns = [_column(field, primary=field.name in key) for field in contract.schema]
        found[name] = sqlalchemy.Table(f"{kb}_{name}", metadata, *columns)
    found["kinds"] = sqlalchemy.Table(
        f"{kb}_kinds",
        metadata,
        sqlalchemy.Column("kind", sqlalchemy.SmallInteger, primary_key=True, autoincrement=False),
        sqlalchemy.Column("meaning", sqlalchemy.Text, nullable=False),
    )
    return found


def _column(field, primary):
    kind = sqlalchemy.SmallInteger if pa.types.is_integer(field.type) else sqlalchemy.Text
    return sqlalchemy.Column(field.name, kind, primary_key=primary, nullable=field.nullable, autoincrement=False)


def _load(engine, folder, kinds, kb):
    """Fill the tables, then index them; a knowledge base of the same id is replaced."""
    tables, rows = tables_of(kb), {}
    with engine.begin() as connection:
        for table in tables.values():
            table.drop(connection, checkfirst=True)
            table.create(connection)
        connection.execute(
            tables["kinds"].insert(), [{"kind": code, "meaning": name} for code, name in sorted(kinds.items())]
        )
        for name, contract in CONTRACTS.items():
            path = folder / f"{name}.parquet"
            check_schema(path, contract)
            rows[name] = _fill(connection, tables[name], path)
            for column in INDEXES.get(name, []):
                kind = "hash" if column == NAME else "btree"
                index = sqlalchemy.Index(f"{kb}_{name}_{column}", tables[name].c[column], postgresql_using=kind)
                index.create(connection)
    return rows


def _fill(connection, table, path):
    rows, progress = 0, Progress(f"rows of {table.name}")
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS):
            if batch.num_rows:
                connection.execute(table.insert(), batch.to_pylist())
                rows += batch.num_rows
                progress.add(batch.num_rows)
    return rows
