"""Names of a knowledge base that say which of their entities is meant: "A2M (alpha-2-macroglobulin, human)".

A name of several entities, whatever its case, gets a text in brackets: the preferred name of its entity, or where it
is that itself, another name of it, one that no other entity has if there is one, or else the attribute; and the species
where the entities are of several. What this leaves ambiguous gets the identifier, too. A linker that compares names
sees one entity behind each name then; the part in brackets is what the context of a mention has to say. The rewritten
benchmark (its README) and the follow-up system BELHD do so.
"""

from workflow_scripts.common import duck


def disambiguate(database, folder, species):
    """Make the table disambiguated (the columns of names, and `changed`: 0, 1 or, with identifier, 2).

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    folder : Path
        Of the built knowledge base: names.parquet and foreign.parquet.
    species : dict
        Taxon -> how it is called; others are called by their name in foreign.parquet, or by their identifier.

    Returns
    -------
    dict
        Counts: names, homonyms (names with a text in brackets), with_identifier.
    """
    names, foreign = (duck.parquet([folder / f"{name}.parquet"]) for name in ("names", "foreign"))
    database.execute("CREATE TABLE called (foreign_identifier VARCHAR, word VARCHAR)")
    if species:
        database.executemany("INSERT INTO called VALUES (?, ?)", sorted(species.items()))
    _describe(database, names, foreign)
    bracketed = "CASE WHEN homonym AND text <> '' THEN name || ' (' || text || ')' ELSE name END"
    database.execute(
        f"""CREATE TABLE ambiguous AS SELECT lower({bracketed}) AS folded FROM described
        GROUP BY folded HAVING count(DISTINCT identifier) > 1"""
    )
    database.execute(
        f"""CREATE TABLE disambiguated AS
        SELECT DISTINCT identifier, kind, foreign_identifier, attribute,
        CASE WHEN a.folded IS NOT NULL THEN name || ' (' || concat_ws(', ', nullif(text, ''), identifier) || ')'
        ELSE {bracketed} END AS name,
        CASE WHEN a.folded IS NOT NULL THEN 2 WHEN homonym THEN 1 ELSE 0 END AS changed
        FROM described LEFT JOIN ambiguous a ON lower({bracketed}) = a.folded"""
    )
    total, homonyms, with_identifier = database.execute(
        "SELECT count(*), count(*) FILTER (changed > 0), count(*) FILTER (changed = 2) FROM disambiguated"
    ).fetchall()[0]
    return {"names": total, "homonyms": homonyms, "with_identifier": with_identifier}


def _describe(database, names, foreign):
    """Make the table described: names, whether each is a homonym, and the text that tells it apart."""
    database.execute(
        f"""CREATE TABLE shared AS SELECT lower(name) AS folded,
        count(DISTINCT coalesce(foreign_identifier, '')) > 1 AS several
        FROM {names} GROUP BY folded HAVING count(DISTINCT identifier) > 1"""
    )
    # names of the entities with a shared preferred name: one of them stands in the brackets
    database.execute(
        f"""CREATE TABLE others AS
        SELECT identifier, arg_min(n.name, (s.folded IS NOT NULL, n.kind, n.name)) AS other
        FROM {names} n LEFT JOIN shared s ON lower(n.name) = s.folded
        JOIN (
            SELECT identifier, lower(name) AS own FROM {names} SEMI JOIN shared ON lower(name) = folded WHERE kind = 0
        ) USING (identifier)
        WHERE lower(n.name) <> own GROUP BY identifier"""
    )
    database.execute(
        f"""CREATE TABLE described AS
        SELECT n.*, s.folded IS NOT NULL AS homonym, concat_ws(
            ', ',
            CASE WHEN lower(n.name) = lower(p.name) THEN coalesce(o.other, n.attribute) ELSE p.name END,
            CASE WHEN s.several THEN coalesce(c.word, f.name, n.foreign_identifier) END
        ) AS text
        FROM {names} n LEFT JOIN shared s ON lower(n.name) = s.folded
        LEFT JOIN (SELECT identifier, name FROM {names} WHERE kind = 0) p USING (identifier)
        LEFT JOIN others o USING (identifier)
        LEFT JOIN called c USING (foreign_identifier) LEFT JOIN {foreign} f USING (foreign_identifier)"""
    )
