"""NCBI Taxonomy: names.dmp, merged.dmp and delnodes.dmp, in taxdump.tar.gz or beside one another.

Columns stand between '\\t|\\t', a line ends with '\\t|'. A unique name ("Bacteria <bacteria>") replaces the name that
it makes unique. The root of the tree, taxon 1 with the names "all" and "root", is no species and left out.
"""

from workflow_scripts.belb import released_files
from workflow_scripts.belb.released_files import Layout

# Classes of names; a class that came later is "other".
KINDS = {
    "scientific name": 0,
    "equivalent name": 1,
    "synonym": 2,
    "genbank synonym": 3,
    "common name": 4,
    "genbank common name": 5,
    "blast name": 6,
    "acronym": 7,
    "genbank acronym": 8,
    "anamorph": 9,
    "genbank anamorph": 10,
    "teleomorph": 11,
    "authority": 12,
    "includes": 13,
    "in-part": 14,
    "misspelling": 15,
    "misnomer": 16,
    "type material": 17,
    "unpublished name": 18,
    "other": 19,
}
ROOT = "identifier = '1' AND name IN ('all', 'root')"
DUMP = {"separator": b"\t|\t", "closing": b"\t|"}
NAMES = Layout(("identifier", "name", "unique_name", "class"), **DUMP)
MERGED = Layout(("old", "new"), **DUMP)
DELETED = Layout(("old",), **DUMP)


def load(files, raw, settings):
    """Fill the raw tables; a deleted taxon has no new identifier, a merged one that of the taxon it became."""
    kinds = ", ".join(f"({code}, '{name}')" for name, code in KINDS.items())
    raw.database.execute(f"CREATE TABLE classes AS FROM (VALUES {kinds}) AS v(code, class)")
    path, member = _place(files, "names", "names.dmp")
    for batch in released_files.tables(path, NAMES, member=member):
        raw.counts["rows"] += batch.num_rows
        raw.count(batch, "rows of the root", f"SELECT count(*) FROM batch WHERE {ROOT}")
        raw.count(
            batch,
            "names of an unknown class",
            "SELECT count(*) FROM batch WHERE class NOT IN (SELECT class FROM classes)",
        )
        raw.insert(
            "raw_names",
            batch,
            f"""SELECT identifier, CASE WHEN unique_name = '' THEN name ELSE unique_name END,
            coalesce(code, {KINDS["other"]}) FROM batch LEFT JOIN classes USING (class) WHERE NOT ({ROOT})""",
        )
    if settings.history:
        path, member = _place(files, "merged", "merged.dmp")
        for batch in released_files.tables(path, MERGED, member=member):
            raw.insert("raw_history", batch, "SELECT old, new FROM batch")
        path, member = _place(files, "deleted", "delnodes.dmp")
        for batch in released_files.tables(path, DELETED, member=member):
            raw.insert("raw_history", batch, "SELECT old, NULL FROM batch")


def _place(files, role, member):
    """(file, member of the archive or None) of a table of the dump."""
    archive = next((path for path in files["names"] if ".tar" in path.name or path.name.endswith(".tgz")), None)
    return (archive, member) if archive else (files[role][0], None)
