"""Active concepts of the vocabulary and their one semantic type: the filters of MRCONSO and MRSTY."""

import csv
import difflib
import logging
import sys

import pyarrow as pa

from workflow_scripts.common import rrf
from workflow_scripts.common.errors import UsageError

CONSO_COLUMNS = ["CUI", "TS", "STT", "ISPREF", "SAB", "TTY", "STR", "SUPPRESS"]
# What the published code's CSV reader (pandas 1.x) takes for a missing value.
MISSING = frozenset(
    "#N/A,#N/A N/A,#NA,-1.#IND,-1.#QNAN,-NaN,-nan,1.#IND,1.#QNAN,<NA>,N/A,NA,NULL,NaN,n/a,nan,null,".split(",")
)


def load_active_concepts(database, mrconso, vocabulary, csv_quotes):
    """Make tables `known` (cui) and `active` (cui, name) from MRCONSO.

    A concept is active if one of its rows is a preferred form (STT=PF) and a preferred term (TTY=PT) of the
    vocabulary and is not suppressed. `known` holds every concept of MRCONSO.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    mrconso : str or Path
    vocabulary : str
        SAB, e.g. "SNOMEDCT_US".
    csv_quotes : {"mended", "published"}
        mended: of several names, the one that UMLS prefers (TS, then ISPREF), then the smallest, whatever the order
        of rows. published: the name of the last row, as a CSV reader that knows quotes sees it: an opening quote
        swallows the concepts up to the next one, and a name such as NA is missing (null).

    Returns
    -------
    dict
        Counts: rows, concepts, active_rows, active_concepts.
    """
    with rrf.reading(mrconso, "MRCONSO", CONSO_COLUMNS, line_numbers=True) as rows:
        database.register("mrconso", rows)
        database.execute(
            """CREATE TABLE conso AS
            SELECT CUI AS cui, count(*) AS n_rows,
                list({line: LINE, name: STR, distance: 2 * (TS <> 'P')::INT + (ISPREF <> 'Y')::INT})
                    FILTER (STT = 'PF' AND SAB = $1 AND TTY = 'PT' AND SUPPRESS = 'N') AS names
            FROM mrconso GROUP BY CUI""",
            [vocabulary],
        )
    database.execute("CREATE TABLE known AS SELECT cui FROM conso")
    if csv_quotes == "published":
        query = """SELECT cui, entry.name FROM (SELECT cui, unnest(names) AS entry FROM conso) ORDER BY entry.line"""
        names = read_as_csv(database.sql(query).fetchall())
        database.register("names", pa.table({"cui": list(names), "name": pa.array(names.values(), pa.string())}))
        database.execute("CREATE TABLE active AS SELECT * FROM names")
    else:
        database.execute(
            """CREATE TABLE active AS SELECT cui, arg_min(entry.name, (entry.distance, entry.name)) AS name
            FROM (SELECT cui, unnest(names) AS entry FROM conso) GROUP BY cui"""
        )
    counts = database.execute(
        "SELECT coalesce(sum(n_rows), 0)::BIGINT, count(*), coalesce(sum(len(names)), 0)::BIGINT, "
        "(SELECT count(*) FROM active) FROM conso"
    ).fetchall()[0]
    database.execute("DROP TABLE conso")
    return dict(zip(("rows", "concepts", "active_rows", "active_concepts"), counts, strict=True))


def read_as_csv(rows):
    """What a CSV reader that knows quotes makes of (cui, name) rows: name (None: missing) by cui, the last one wins.

    Fields are separated by a tab; a field that begins with a quote goes on, over line ends, to the next quote.
    """
    csv.field_size_limit(sys.maxsize)
    lines = (f"{cui}\t{name}\n" for cui, name in rows)
    names = {row[0]: row[1] for row in csv.reader(lines, delimiter="\t", quotechar='"', doublequote=True)}
    return {cui: None if name in MISSING else name for cui, name in names.items()}


def kept_types(semantic_groups, groups, excluded_types):
    """Semantic types of the kept groups, without those excluded by name.

    Parameters
    ----------
    semantic_groups : str or Path
        SemGroups file of NLM: group|name of the group|TUI|name of the type.
    groups, excluded_types : list of str

    Returns
    -------
    pyarrow.Table
        Strings tui, sty, group, sorted by tui.

    Raises
    ------
    UsageError
        If a group or an excluded type is not in the file.
    """
    rows = rrf.read(semantic_groups, "SemGroups").to_pylist()
    for key, wanted, column in (("groups", groups, "GROUP"), ("excluded_types", excluded_types, "STY")):
        there = sorted({row[column] for row in rows})
        for name in wanted:
            if name not in there:
                near = difflib.get_close_matches(name, there, 1) or there[:15]
                raise UsageError(f"kg.{key}: {name} is not in {semantic_groups}; there is {', '.join(near)}")
    kept = [row for row in rows if row["GROUP"] in groups and row["STY"] not in excluded_types]
    kept.sort(key=lambda row: row["TUI"])
    columns = {"tui": "TUI", "sty": "STY", "group": "GROUP"}
    return pa.table({name: pa.array([row[key] for row in kept], pa.string()) for name, key in columns.items()})


def load_concepts(database, mrsty, types, one_type_per_cui):
    """Make table `concepts` (cui, name, tui, sty, group, n_types): active concepts of a kept type.

    Needs table `active`.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    mrsty : str or Path
    types : pyarrow.Table
        From `kept_types`.
    one_type_per_cui : {"mended", "published"}
        Of several kept types: the smallest TUI, or the last row of the file.
    """
    database.register("kept_types", types)
    choice = "arg_max(TUI, LINE)" if one_type_per_cui == "published" else "min(TUI)"
    with rrf.reading(mrsty, "MRSTY", ["CUI", "TUI"], line_numbers=True) as rows:
        database.register("mrsty", rows)
        database.execute(
            f"""CREATE TABLE typed AS SELECT CUI AS cui, {choice} AS tui, count(DISTINCT TUI)::SMALLINT AS n_types
            FROM mrsty WHERE TUI IN (SELECT tui FROM kept_types) GROUP BY CUI"""
        )
    database.execute(
        """CREATE TABLE concepts AS SELECT cui, coalesce(name, '') AS name, tui, sty, "group", n_types
        FROM active JOIN typed USING (cui) JOIN kept_types USING (tui)"""
    )
    found = database.execute("SELECT count(*) FROM concepts").fetchall()[0][0]
    logging.info("%s active concepts of a kept semantic type", f"{found:,}")
    return found
