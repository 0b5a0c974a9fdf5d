"""What became of identifiers: chains of replacements followed to their end, and alternative identifiers."""

from workflow_scripts.belb.kb_names import LISTED
from workflow_scripts.common.errors import DataError


def make_history(raw, path):
    """Make the table history (old_identifier, new_identifier), one row an old identifier.

    new_identifier is the entity at the end of the chain of replacements; null where that was removed; several, in
    order and joined by ";", where an entity was split or merged into several. Rows that say of an entity of today that
    it was replaced are of another time and left out.

    Parameters
    ----------
    raw : Raw
        Its table raw_history is used up; table names is there.
    path : Path
        The released file, for messages.

    Raises
    ------
    DataError
        If replacements go round in a circle; names identifiers on circles.
    """
    database, counts = raw.database, raw.counts
    database.execute("CREATE TABLE current AS SELECT identifier FROM names WHERE kind = 0")
    database.execute("CREATE TABLE steps AS SELECT DISTINCT old_identifier, new_identifier FROM raw_history")
    database.execute("DROP TABLE raw_history")
    (living,) = database.execute(
        "DELETE FROM steps WHERE old_identifier IN (SELECT identifier FROM current)"
    ).fetchall()[0]
    # a row that names what replaced an entity says more than one that says that it went
    database.execute(
        """DELETE FROM steps WHERE new_identifier IS NULL AND old_identifier IN
        (SELECT old_identifier FROM steps WHERE new_identifier IS NOT NULL)"""
    )
    database.execute("CREATE TABLE resolved (old_identifier VARCHAR, new_identifier VARCHAR)")
    _follow(database, path)
    database.execute(
        """CREATE TABLE history AS SELECT old_identifier,
        string_agg(new_identifier, ';' ORDER BY try_cast(new_identifier AS HUGEINT) NULLS LAST, new_identifier)
            AS new_identifier
        FROM (SELECT DISTINCT old_identifier, new_identifier FROM resolved) GROUP BY old_identifier"""
    )
    counts["history rows of entities of today"] = living
    counts["replaced by what is no entity"] = database.execute(
        """SELECT count(DISTINCT old_identifier) FROM resolved ANTI JOIN current
        ON current.identifier = resolved.new_identifier WHERE resolved.new_identifier IS NOT NULL"""
    ).fetchall()[0][0]
    database.execute("DROP TABLE resolved")
    database.execute("DROP TABLE steps")


def _follow(database, path):
    """Fill `resolved`: in each round the identifiers all of whose successors are at an end or resolved."""
    database.execute("CREATE TABLE waiting AS FROM steps")
    while True:
        database.execute(
            """CREATE OR REPLACE TABLE ready AS SELECT DISTINCT old_identifier FROM waiting
            ANTI JOIN (
                SELECT w.old_identifier FROM waiting w
                SEMI JOIN (SELECT DISTINCT old_identifier FROM waiting) o ON w.new_identifier = o.old_identifier
            ) blocked USING (old_identifier)"""
        )
        (ready,) = database.execute("SELECT count(*) FROM ready").fetchall()[0]
        if not ready:
            break
        database.execute(
            """INSERT INTO resolved
            SELECT DISTINCT w.old_identifier, CASE WHEN r.old_identifier IS NULL THEN w.new_identifier
            ELSE r.new_identifier END
            FROM waiting w SEMI JOIN ready USING (old_identifier)
            LEFT JOIN resolved r ON w.new_identifier = r.old_identifier"""
        )
        database.execute("DELETE FROM waiting WHERE old_identifier IN (SELECT old_identifier FROM ready)")
    left = database.execute("SELECT DISTINCT old_identifier FROM waiting").fetchall()
    if left:
        raise _circle(database, path)
    database.execute("DROP TABLE waiting")
    database.execute("DROP TABLE ready")


def _circle(database, path):
    """The error for circles: what lies before a circle is peeled off, so that those on one are named."""
    while True:
        (peeled,) = database.execute(
            """DELETE FROM waiting WHERE old_identifier NOT IN
            (SELECT new_identifier FROM waiting WHERE new_identifier IS NOT NULL)"""
        ).fetchall()[0]
        if not peeled:
            break
    steps = database.execute("SELECT old_identifier, new_identifier FROM waiting ORDER BY ALL").fetchall()
    shown = ", ".join(f"{old} -> {new}" for old, new in steps[:LISTED])
    return DataError(
        path,
        found=f"{len({old for old, _ in steps}):,} identifiers that replace one another in a circle: {shown}"
        + " ..." * (len(steps) > LISTED),
        expected="replacements that end at an entity of today or at a removed one",
        remedy="get the file again; or set belb.kbs.<id>.history to false to build without a history",
    )


def make_alternatives(raw):
    """Make the table alternatives (alternative_identifier, identifier) without those that are entities themselves."""
    database, counts = raw.database, raw.counts
    database.execute(
        """CREATE TABLE alternatives AS SELECT DISTINCT a.alternative_identifier, a.identifier FROM raw_alternatives a
        ANTI JOIN current ON current.identifier = a.alternative_identifier WHERE a.alternative_identifier <> ''"""
    )
    counts["alternative identifiers that are entities"] = database.execute(
        """SELECT count(DISTINCT alternative_identifier) FROM raw_alternatives
        WHERE alternative_identifier IN (SELECT identifier FROM current)"""
    ).fetchall()[0][0]
    database.execute("DROP TABLE raw_alternatives")
