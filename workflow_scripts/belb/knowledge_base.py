"""A built knowledge base for programs: names of an identifier, identifiers of a name, history, homonyms.

    from workflow_scripts.belb.knowledge_base import load_kb

    with load_kb("resources/belb/kbs/ncbi_taxonomy") as kb:
        kb.identifiers("Homo sapiens")        # ["9606"]
        kb.preferred("9606")                  # "Homo sapiens"
        kb.resolve("63221")                   # the identifiers of today

Each question is one look-up in a database on disk, so that NCBI Gene opens as fast as a small knowledge base. Names are
compared as they are written. To read all names, take names.parquet.
"""

import pathlib
import urllib.parse

import sqlalchemy
from sqlalchemy import select

from workflow_scripts.belb.kb_store import engine_of, refusals, tables_of
from workflow_scripts.common.errors import DataError, UsageError


def load_kb(place, kb=None):
    """Open a knowledge base.

    Parameters
    ----------
    place : str or Path
        Folder of a built knowledge base with kb.db in it, or an address of SQLAlchemy.
    kb : str, optional
        Its id; by default the only one of the database.

    Raises
    ------
    DataError
        If there is no such database or knowledge base, or it refuses.
    UsageError
        If the database holds several and none is named, or its driver is not installed.
    """
    if "://" in str(place):
        engine = engine_of(str(place))
    else:
        path = pathlib.Path(place)
        path = path / "kb.db" if path.is_dir() else path
        if not path.is_file():
            raise DataError(
                path, found="no such file", expected="a built knowledge base", remedy="build it (target belb)"
            )
        file = f"file:{urllib.parse.quote(str(path))}"
        address = sqlalchemy.URL.create("sqlite", database=file, query={"mode": "ro", "uri": "true"})
        engine = sqlalchemy.create_engine(address)
    with refusals(place):
        return KnowledgeBase(engine, _the_one(engine, kb, place))


def _the_one(engine, kb, place):
    """The id of the knowledge base that is meant."""
    names = sqlalchemy.inspect(engine).get_table_names()
    there = sorted(name.removesuffix("_kinds") for name in names if name.endswith("_kinds"))
    if kb in there or (kb is None and len(there) == 1):
        return kb or there[0]
    if kb is None and there:
        raise UsageError(f"{place} holds several knowledge bases; name one of {', '.join(there)}")
    raise DataError(
        place,
        found=f"knowledge bases {', '.join(there) or '(none)'}",
        expected=kb or "a knowledge base",
        remedy="build it (target belb)",
    )


class KnowledgeBase:
    """A knowledge base in a database; use it in a `with` block, or close it."""

    def __init__(self, engine, kb):
        self.kb, self.tables = kb, tables_of(kb)
        self._engine, self._connection = engine, engine.connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Close the connection."""
        self._connection.close()
        self._engine.dispose()

    def __contains__(self, identifier):
        names = self.tables["names"].c
        return bool(self._column(select(names.identifier).where(names.identifier == identifier).limit(1)))

    def __len__(self):
        """Number of entities."""
        names = self.tables["names"].c
        return self._column(select(sqlalchemy.func.count()).where(names.kind == 0))[0]

    def names(self, identifier):
        """Names of an entity, the preferred one first, then by kind and name; empty for an unknown identifier."""
        names = self.tables["names"].c
        query = select(names.name, names.kind).where(names.identifier == identifier)
        # sorted here: a database sorts text by a locale
        return [name for name, _ in sorted(self._rows(query), key=lambda row: (row[1], row[0]))]

    def preferred(self, identifier):
        """The preferred name of an entity; None for an unknown identifier."""
        return next(iter(self.names(identifier)), None)

    def foreign(self, identifier):
        """Foreign entities of an entity (species of a gene), the main one first."""
        names, others = self.tables["names"].c, self.tables["other_foreign"].c
        main = select(names.foreign_identifier).where(names.identifier == identifier, names.kind == 0)
        further = select(others.foreign_identifier).where(others.identifier == identifier)
        return [taxon for taxon in self._column(main) if taxon] + sorted(self._column(further))

    def identifiers(self, name, foreign=None):
        """Entities that have a name, sorted; with `foreign` only those of that foreign entity."""
        names = self.tables["names"].c
        query = select(names.identifier).where(names.name == name)
        return sorted(self._column(query if foreign is None else query.where(names.foreign_identifier == foreign)))

    def resolve(self, identifier):
        """The entities of today that an identifier stands for.

        Itself where it is one; else those that it is an alternative identifier of; else those that replaced it. Empty
        where it was removed, or was never known.
        """
        if identifier in self:
            return [identifier]
        alternatives, history = self.tables["alternatives"].c, self.tables["history"].c
        found = self._column(select(alternatives.identifier).where(alternatives.alternative_identifier == identifier))
        if found:
            return sorted(found)
        found = self._column(select(history.new_identifier).where(history.old_identifier == identifier))
        return [new for new in (found[0] or "").split(";") if new and new in self] if found else []

    def is_removed(self, identifier):
        """Whether the history says that an identifier was removed and nothing replaced it."""
        history = self.tables["history"].c
        return self._column(select(history.new_identifier).where(history.old_identifier == identifier)) == [None]

    def homonyms(self, name):
        """(foreign entity or None, entity) of a name that several entities with one foreign entity share, sorted."""
        return self._pairs("name_homonyms", name)

    def foreign_homonyms(self, name):
        """(foreign entity, entity) of a name that entities with several foreign entities share, sorted."""
        return self._pairs("foreign_name_homonyms", name)

    def representative(self, identifier):
        """The first of the entities that are like this one in all but the identifier; mostly itself."""
        homonyms = self.tables["identifier_homonyms"].c
        found = self._column(select(homonyms.representative).where(homonyms.identifier == identifier))
        return found[0] if found else identifier

    def _pairs(self, table, name):
        columns = self.tables[table].c
        query = select(columns.foreign_identifier, columns.identifier).where(columns.name == name)
        return sorted((tuple(row) for row in self._rows(query)), key=lambda row: (row[0] or "", row[1]))

    def _column(self, query):
        return [row[0] for row in self._rows(query)]

    def _rows(self, query):
        return self._connection.execute(query).fetchall()
