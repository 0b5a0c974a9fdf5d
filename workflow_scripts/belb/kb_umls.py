"""UMLS: MRCONSO.RRF and MRCUI.RRF (the paper's release is 2017AA, in full).

English names; the kind of a name is its term type (TTY), of several the first by alphabet. The preferred name of a
concept is the one of term type PN; of a concept without one, which a subset may have, the smallest name becomes it.
"""

from workflow_scripts.belb import released_files
from workflow_scripts.belb.released_files import Layout
from workflow_scripts.common import rrf

MRCUI = Layout(("CUI1", "VER", "REL", "RELA", "MAPREASON", "CUI2", "MAPIN"), separator=b"|", closing=b"|")
LANGUAGE = "ENG"
PREFERRED = "PN"


def load(files, raw, settings):
    """Fill the raw tables; gives the kinds, which depend on the term types that the release has.

    History: relation SY names the concept that replaced another, DEL says that it was deleted; broader, narrower and
    related concepts are none, and counted.
    """
    (path,) = files["names"]
    raw.database.execute("CREATE TABLE typed (identifier VARCHAR, name VARCHAR, tty VARCHAR)")
    kept = f"LAT = '{LANGUAGE}'" + " AND SUPPRESS = 'N'" * settings.drop_suppressed
    with rrf.reading(path, "MRCONSO", ["CUI", "STR", "LAT", "TTY", "SUPPRESS"]) as rows:
        for batch in rows:
            raw.counts["rows"] += batch.num_rows
            raw.count(batch, "rows of other languages", f"SELECT count(*) FROM batch WHERE LAT <> '{LANGUAGE}'")
            raw.count(
                batch, "suppressed rows", f"SELECT count(*) FROM batch WHERE LAT = '{LANGUAGE}' AND SUPPRESS <> 'N'"
            )
            raw.insert("typed", batch, f"SELECT CUI, STR, TTY FROM batch WHERE {kept}")
    types = [tty for (tty,) in raw.database.execute("SELECT DISTINCT tty FROM typed ORDER BY tty").fetchall()]
    kinds = {PREFERRED: 0} | {tty: code for code, tty in enumerate((t for t in types if t != PREFERRED), start=101)}
    raw.database.execute("CREATE TABLE types (tty VARCHAR, code SMALLINT)")
    raw.database.executemany("INSERT INTO types VALUES (?, ?)", list(kinds.items()))
    raw.database.execute("INSERT INTO raw_names SELECT identifier, name, code FROM typed JOIN types USING (tty)")
    raw.database.execute("DROP TABLE typed")
    if settings.history:
        for history in files["history"]:
            for batch in released_files.tables(history, MRCUI, ["CUI1", "REL", "CUI2"]):
                raw.count(
                    batch,
                    "history rows of other relations",
                    "SELECT count(*) FROM batch WHERE REL NOT IN ('SY', 'DEL')",
                )
                raw.insert(
                    "raw_history",
                    batch,
                    "SELECT CUI1, CASE WHEN REL = 'SY' THEN nullif(CUI2, '') END FROM batch WHERE REL IN ('SY', 'DEL')",
                )
    return kinds
