"""Foreign entities of a knowledge base: the species of a gene or a cell line, the gene of a variant."""

import logging

from workflow_scripts.belb.kb_names import LISTED
from workflow_scripts.common import duck
from workflow_scripts.common.errors import DataError


def make_foreign(raw, path, foreign, max_orphan_share):
    """Make the tables foreign_entities (foreign_identifier, name) and other_foreign (identifier, foreign_identifier).

    With the foreign knowledge base at hand, foreign identifiers that it replaced by one other are replaced in
    `entities` too (the published benchmark patches three taxa of Cellosaurus by hand), and those that it lacks are
    orphans: they stay, without a name.

    Parameters
    ----------
    raw : Raw
        With the tables names and entities.
    path : Path
        The released file, for messages.
    foreign : Path or None
        Folder of the built foreign knowledge base.
    max_orphan_share : float
        More orphans than this share of the distinct foreign identifiers are an error.

    Returns
    -------
    list of str
        The first orphans.

    Raises
    ------
    DataError
        If there are too many orphans.
    """
    database, counts = raw.database, raw.counts
    if foreign is None:
        _make_other_foreign(database)
        database.execute(f"CREATE TABLE foreign_entities AS SELECT *, NULL::VARCHAR AS name FROM ({_used()})")
        counts["foreign identifiers"] = database.execute("SELECT count(*) FROM foreign_entities").fetchall()[0][0]
        return []
    names, history = duck.parquet(foreign / "names.parquet"), duck.parquet(foreign / "history.parquet")
    database.execute(
        f"""CREATE TABLE known AS SELECT identifier FROM {names}
        SEMI JOIN ({_used()}) u ON identifier = u.foreign_identifier WHERE kind = 0"""
    )
    database.execute(
        f"""CREATE TABLE moved AS SELECT old_identifier, new_identifier FROM {history}
        SEMI JOIN ({_used()}) u ON old_identifier = u.foreign_identifier
        ANTI JOIN known ON old_identifier = known.identifier
        SEMI JOIN (FROM {names} WHERE kind = 0) n ON new_identifier = n.identifier"""
    )
    for table in ("entities", "raw_other_foreign"):
        database.execute(
            f"""UPDATE {table} SET foreign_identifier = new_identifier FROM moved
            WHERE foreign_identifier = old_identifier"""
        )
    _make_other_foreign(database)
    database.execute(
        f"""CREATE TABLE foreign_entities AS SELECT u.foreign_identifier, n.name FROM ({_used()}) u
        LEFT JOIN (FROM {names} WHERE kind = 0) n ON u.foreign_identifier = n.identifier"""
    )
    return _orphans(database, counts, path, foreign, max_orphan_share)


def _used():
    return (
        "SELECT foreign_identifier FROM entities WHERE foreign_identifier IS NOT NULL "
        "UNION SELECT foreign_identifier FROM raw_other_foreign"
    )


def _make_other_foreign(database):
    """Further foreign entities, each once and none that is the main one, also after replacements."""
    database.execute(
        """CREATE TABLE other_foreign AS SELECT DISTINCT identifier, foreign_identifier FROM raw_other_foreign
        ANTI JOIN entities USING (identifier, foreign_identifier)"""
    )


def _orphans(database, counts, path, foreign, max_orphan_share):
    orphans = [
        identifier
        for (identifier,) in database.execute(
            "SELECT foreign_identifier FROM foreign_entities WHERE name IS NULL ORDER BY foreign_identifier"
        ).fetchall()
    ]
    (known,) = database.execute("SELECT count(*) FROM foreign_entities").fetchall()[0]
    (entities,) = database.execute(
        """SELECT count(*) FROM entities
        SEMI JOIN (FROM foreign_entities WHERE name IS NULL) USING (foreign_identifier)"""
    ).fetchall()[0]
    (replaced,) = database.execute("SELECT count(*) FROM moved").fetchall()[0]
    counts.update(
        {
            "foreign identifiers": known,
            "foreign identifiers replaced": replaced,
            "orphan foreign identifiers": len(orphans),
            "entities with an orphan foreign identifier": entities,
        }
    )
    shown = f"{', '.join(orphans[:LISTED])}{' ...' * (len(orphans) > LISTED)}"
    if len(orphans) > max_orphan_share * known:
        raise DataError(
            path,
            found=f"{len(orphans):,} of {known:,} foreign identifiers that {foreign} lacks: {shown}",
            expected=f"at most {max_orphan_share:.1%} of them (belb.kbs.<id>.max_orphan_share)",
            remedy="build the foreign knowledge base of the same time, or allow more",
        )
    if orphans:
        logging.warning("%s lacks %s foreign identifiers: %s", foreign, f"{len(orphans):,}", shown)
    return orphans[:LISTED]
