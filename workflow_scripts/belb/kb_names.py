"""Names and entities of a knowledge base, out of the raw tables: each name once, one preferred name for each entity."""

from workflow_scripts.belb.kb_raw import FURTHER_PREFERRED
from workflow_scripts.common.errors import DataError

LISTED = 20


def number_first(column):
    """The order in which identifiers come "first": numbers by value, before text by code point."""
    return f"try_cast({column} AS HUGEINT) NULLS LAST, {column}"


def make_names(raw, path, settings, promote=False):
    """Make the tables names (identifier, name, kind) and entities (identifier, foreign_identifier, attribute).

    A name that an entity has several times is kept once, with its smallest kind. Of several preferred names of an
    entity the smallest stays preferred, the others get the kind FURTHER_PREFERRED.

    Parameters
    ----------
    raw : Raw
        Its tables raw_names and raw_entities are used up.
    path : Path
        The released file, for messages.
    settings : Settings
    promote : bool
        The smallest name of an entity without a preferred name becomes it; else such an entity is an error.

    Raises
    ------
    DataError
        If there is no name, an entity has no preferred name, or several foreign entities where one is allowed.
    """
    database, counts = raw.database, raw.counts
    database.execute(
        f"""CREATE TABLE cleaned AS SELECT identifier, {_cleaned("name", settings.remove_quotes)} AS name, kind
        FROM raw_names"""
    )
    database.execute("DROP TABLE raw_names")
    database.execute(
        """CREATE TABLE names AS SELECT identifier, name, min(kind) AS kind FROM cleaned
        WHERE name NOT IN ('', '-') AND identifier NOT IN ('', '-') GROUP BY identifier, name"""
    )
    released, blank = database.execute(
        "SELECT count(*), count(*) FILTER (name IN ('', '-') OR identifier IN ('', '-')) FROM cleaned"
    ).fetchall()[0]
    database.execute("DROP TABLE cleaned")
    (names,) = database.execute("SELECT count(*) FROM names").fetchall()[0]
    if not names:
        raise DataError(path, found=f"no name in {raw.counts['rows']:,} rows", expected="names of entities")
    counts.update({"names released": released, "blank names": blank, "duplicate names": released - blank - names})
    _one_preferred(raw, path, promote)
    _make_entities(raw, path)


def _cleaned(column, remove_quotes):
    """Names have single blanks for tabs and line feeds, and none at their ends."""
    column = f"translate({column}, chr(9) || chr(10) || chr(13), '   ')"
    return f"trim(translate({column}, '''\"', ''))" if remove_quotes else f"trim({column})"


def _one_preferred(raw, path, promote):
    database, counts = raw.database, raw.counts
    database.execute(
        """CREATE TABLE unusual AS SELECT identifier, count(*) FILTER (kind = 0) AS preferred FROM names
        GROUP BY identifier HAVING count(*) FILTER (kind = 0) <> 1"""
    )
    without = database.execute("SELECT identifier FROM unusual WHERE preferred = 0 ORDER BY identifier").fetchall()
    if without and not promote:
        shown = ", ".join(identifier for (identifier,) in without[:LISTED])
        raise DataError(
            path,
            found=f"{len(without):,} entities without a preferred name: {shown}{' ...' * (len(without) > LISTED)}",
            expected="exactly one preferred name for each entity",
            remedy="the file is damaged or cut short: get it again",
        )
    counts["preferred names chosen"] = len(without)
    counts["further preferred names"] = database.execute(
        "SELECT coalesce(sum(preferred - 1), 0) FROM unusual WHERE preferred > 1"
    ).fetchall()[0][0]
    # ordered by kind the preferred names come first where there are any
    database.execute(
        f"""CREATE TABLE chosen AS SELECT identifier, name,
        CASE WHEN row_number() OVER (PARTITION BY identifier ORDER BY kind <> 0, name) = 1 THEN 0
        WHEN kind = 0 THEN {FURTHER_PREFERRED} ELSE kind END AS kind
        FROM names SEMI JOIN unusual USING (identifier)"""
    )
    database.execute("DELETE FROM names WHERE identifier IN (SELECT identifier FROM unusual)")
    database.execute("INSERT INTO names FROM chosen")
    database.execute("DROP TABLE unusual")
    database.execute("DROP TABLE chosen")


def _make_entities(raw, path):
    """Entities with a foreign entity or an attribute; a second row of an entity must agree on the foreign entity."""
    database = raw.database
    database.execute("CREATE TABLE entities AS SELECT DISTINCT * FROM raw_entities")
    database.execute("DROP TABLE raw_entities")
    database.execute("CREATE TABLE repeated AS SELECT identifier FROM entities GROUP BY identifier HAVING count(*) > 1")
    conflicts = database.execute(
        """SELECT identifier, string_agg(DISTINCT coalesce(foreign_identifier, 'none'), ', ') FROM entities
        SEMI JOIN repeated USING (identifier) GROUP BY identifier
        HAVING count(DISTINCT coalesce(foreign_identifier, 'none')) > 1 ORDER BY identifier"""
    ).fetchall()
    if conflicts:
        shown = "; ".join(
            f"{identifier}: {', '.join(sorted(found.split(', ')))}" for identifier, found in conflicts[:LISTED]
        )
        raise DataError(
            path,
            found=f"{len(conflicts):,} entities with several foreign entities in several rows ({shown})",
            expected="one row for each entity",
            remedy="the file holds an entity twice: get it again",
        )
    database.execute(
        """CREATE TABLE merged AS SELECT identifier, min(foreign_identifier), min(attribute) FROM entities
        SEMI JOIN repeated USING (identifier) GROUP BY identifier"""
    )
    database.execute("DELETE FROM entities WHERE identifier IN (SELECT identifier FROM repeated)")
    database.execute("INSERT INTO entities FROM merged")
    database.execute("DROP TABLE repeated")
    database.execute("DROP TABLE merged")
