"""Active concepts of the vocabulary and their one semantic type: the filters of MRCONSO and MRSTY."""

import collections
import csv
import difflib
import functools
import logging
import sys

import pyarrow as pa
import pyarrow.compute as pc

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
    counts, seen = {"rows": 0}, []
    with rrf.reading(mrconso, "MRCONSO", CONSO_COLUMNS, line_numbers=True) as rows:
        active_rows = _active_rows(rows, vocabulary, counts, seen)
        database.register("mrconso", pa.RecordBatchReader.from_batches(rows.schema, active_rows))
        database.execute(
            """CREATE TABLE names AS SELECT CUI AS cui, STR AS name, LINE AS line,
                2 * (TS <> 'P')::INT + (ISPREF <> 'Y')::INT AS distance FROM mrconso"""
        )
    database.register("seen", pa.table({"cui": pa.chunked_array(seen, pa.string())}))
    database.execute("CREATE TABLE known AS SELECT DISTINCT cui FROM seen")
    database.unregister("seen")
    if csv_quotes == "published":
        found = database.execute("SELECT cui, name FROM names ORDER BY line")
        names = read_as_csv(row for rows in iter(lambda: found.fetchmany(4096), []) for row in rows)
        database.register("read", pa.table({"cui": list(names), "name": pa.array(names.values(), pa.string())}))
        database.execute("CREATE TABLE active AS SELECT * FROM read")
    else:
        database.execute(
            "CREATE TABLE active AS SELECT cui, arg_min(name, (distance, name)) AS name FROM names GROUP BY cui"
        )
    for key, table in (("concepts", "known"), ("active_rows", "names"), ("active_concepts", "active")):
        counts[key] = database.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
    database.execute("DROP TABLE names")
    return counts


def _active_rows(reader, vocabulary, counts, seen):
    """Batches of the rows that make a concept active; counts all rows and collects the concepts of all."""
    wanted = (("STT", "PF"), ("SAB", vocabulary), ("TTY", "PT"), ("SUPPRESS", "N"))
    for batch in reader:
        counts["rows"] += batch.num_rows
        seen.append(pc.unique(batch["CUI"]))
        tests = (pc.equal(batch[name], value) for name, value in wanted)
        yield batch.filter(functools.reduce(pc.and_, tests))


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


def known_types(semantic_groups):
    """TUIs of all semantic types of NLM's SemGroups file, as an Arrow array."""
    return rrf.read(semantic_groups, "SemGroups")["TUI"].combine_chunks()


def load_concepts(database, mrsty, types, one_type_per_cui, known=None):
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
    known : pyarrow.Array or None
        TUIs of the semantic groups; a type of MRSTY that is not among them belongs to no group, so its concepts are
        left out. None: all are taken for known.

    Returns
    -------
    list of dict
        Unknown types of MRSTY by tui, sty and rows, most rows first.
    """
    unknown = collections.Counter()
    database.register("kept_types", types)
    choice = "arg_max(TUI, LINE)" if one_type_per_cui == "published" else "min(TUI)"
    with rrf.reading(mrsty, "MRSTY", ["CUI", "TUI", "STY"], line_numbers=True) as rows:
        watched = _count_unknown(rows, known, unknown)
        database.register("mrsty", pa.RecordBatchReader.from_batches(rows.schema, watched))
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
    ranked = sorted(unknown.items(), key=lambda item: (-item[1], item[0]))
    for (tui, sty), number in ranked:
        logging.warning("%s (%s) of MRSTY is in no semantic group: %s rows left out", tui, sty, f"{number:,}")
    return [{"tui": tui, "sty": sty, "rows": number} for (tui, sty), number in ranked]


def _count_unknown(rows, known, unknown):
    """The batches as they come; counts the rows of types that are not known."""
    for batch in rows:
        if known is not None:
            others = batch.filter(pc.invert(pc.is_in(batch["TUI"], known)))
            unknown.update(zip(others["TUI"].to_pylist(), others["STY"].to_pylist(), strict=True))
        yield batch
