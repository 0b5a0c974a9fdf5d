"""The filters of MRREL, from rows to facts, with exact counts after each (paper, sections 3 and A.1)."""

import logging

import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common import rrf
from workflow_scripts.common.errors import DataError

REL_COLUMNS = ["CUI1", "REL", "CUI2", "RELA", "RUI", "SAB", "SUPPRESS"]
FUNNEL_COLUMNS = ["step", "rows", "triples", "relations", "concepts", "meaning"]
# The tests that a fact passes one after the other; `depth` of table facts counts those passed in a row.
TESTS = [
    ("repeats_removed", "one row per (CUI2, REL, CUI1, RELA)"),
    ("known", "both concepts are in MRCONSO"),
    ("active", "both concepts are active in the vocabulary"),
    ("typed", "both concepts have a kept semantic type"),
    ("frequent", "the relation has more than kg.min_relation_triples triples"),
    ("listed", "the relation is in the table of relations"),
    ("written", "of kg.relation_class: the triples written"),
]


def load_rows(database, mrrel, vocabulary):
    """Make tables `rel` (head, code, tail, class, rui, line) and `codes` (code, relation) from MRREL.

    An MRREL row reads "CUI2 RELA CUI1": head is CUI2, tail is CUI1. Rows of the vocabulary that are not suppressed
    are kept; of rows equal in (CUI2, REL, CUI1, RELA) the first line number and the smallest RUI. RELA is replaced by
    a code, which keeps the long names out of millions of rows.

    Returns
    -------
    dict
        Row counts: rows, vocabulary, unsuppressed.
    """
    counts, codes = {"rows": 0, "vocabulary": 0, "unsuppressed": 0}, {}
    with rrf.reading(mrrel, "MRREL", REL_COLUMNS, line_numbers=True) as rows:
        schema = rows.schema.set(REL_COLUMNS.index("RELA"), pa.field("RELA", pa.int32()))
        batches = _vocabulary_rows(rows, vocabulary, counts, codes)
        database.register("mrrel", pa.RecordBatchReader.from_batches(schema, batches))
        database.execute(
            """CREATE TABLE rel AS
            SELECT CUI2 AS head, RELA AS code, CUI1 AS tail, REL AS class, min(RUI) AS rui, min(LINE) AS line
            FROM mrrel GROUP BY ALL"""
        )
    names = pa.table({"code": pa.array(codes.values(), pa.int32()), "relation": pa.array(codes, pa.string())})
    database.register("code_names", names)
    database.execute("CREATE TABLE codes AS FROM code_names")
    return counts


def _vocabulary_rows(reader, vocabulary, counts, codes):
    """Batches of the unsuppressed rows of a vocabulary, with codes for RELA; fills the counts and the codes."""
    for batch in reader:
        counts["rows"] += batch.num_rows
        batch = batch.filter(pc.equal(batch["SAB"], vocabulary))
        counts["vocabulary"] += batch.num_rows
        batch = batch.filter(pc.equal(batch["SUPPRESS"], "N"))
        counts["unsuppressed"] += batch.num_rows
        for name in pc.unique(batch["RELA"]).to_pylist():
            codes.setdefault(name, len(codes))
        place = batch.schema.get_field_index("RELA")
        coded = pc.index_in(batch["RELA"], value_set=pa.array(codes, pa.string()))
        yield batch.set_column(place, pa.field("RELA", pa.int32()), coded)


def load_facts(database, relations, relation_class, min_relation_triples, ro_per_row, repeated_rel):
    """Make view `facts`, one row per (head, relation, tail) with its `depth` in TESTS, and table `written`.

    Needs tables `rel`, `codes`, `known`, `active` and `concepts`. Table `written` (head, relation, tail, rui, line)
    holds the rows of the graph; `relation_facts` (code, relation, n, class) what its relations are judged by.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    relations : iterable of str
        Relations of the table.
    relation_class : str
        REL of the relations wanted ("RO").
    min_relation_triples : int
        A relation must have more triples than this, counted before the test of its class.
    ro_per_row : {"mended", "published"}
        The REL of each row decides, or one REL per relation: that of its last row between active concepts.
    repeated_rel : {"mended", "published"}
        A triple with two REL values counts and is written once, or twice.
    """
    per_row, once = ro_per_row == "mended", repeated_rel == "mended"
    database.register("listed", pa.table({"relation": pa.array(list(relations), pa.string())}))
    database.execute("SET VARIABLE relation_class = ?", [relation_class])
    database.execute("SET VARIABLE min_relation_triples = ?", [min_relation_triples])
    _group_facts(database)
    database.execute(
        f"""CREATE TABLE relation_facts AS
        SELECT code, relation, {"count(*)" if once else "sum(n_rows)"} FILTER (ends = 3) AS n,
            arg_max(last_class, last_line) FILTER (ends >= 2) AS class,
            relation IN (SELECT relation FROM listed) AS listed
        FROM grouped JOIN codes USING (code) GROUP BY code, relation"""
    )
    in_class = "in_class" if per_row else "coalesce(r.class = getvariable('relation_class'), false)"
    database.execute(
        f"""CREATE VIEW facts AS
        SELECT head, tail, code, relation, n_rows, in_class, CASE
            WHEN ends < 3 THEN ends
            WHEN relation = '' OR r.n <= getvariable('min_relation_triples') THEN 3
            WHEN NOT listed THEN 4 WHEN NOT {in_class} THEN 5 ELSE 6 END AS depth
        FROM grouped JOIN relation_facts r USING (code)"""
    )
    columns, group = ("min(rui) AS rui, min(line) AS line", "GROUP BY ALL") if once else ("rui, line", "")
    database.execute(
        f"""CREATE TABLE written AS SELECT head, relation, tail, {columns}
        FROM rel JOIN codes USING (code) SEMI JOIN (FROM facts WHERE depth = 6) USING (head, code, tail)
        {"WHERE class = getvariable('relation_class')" if per_row else ""} {group}"""
    )


def _group_facts(database):
    """Table `grouped`: one row per (head, code, tail); `ends` is 0, or 1 if both concepts are known, 2 if they are
    active, 3 if they have a kept type."""
    database.execute(
        """CREATE TABLE grouped AS
        WITH nodes AS (
            SELECT k.cui, (1 + (a.cui IS NOT NULL)::INT + (c.cui IS NOT NULL)::INT)::TINYINT AS state
            FROM known k LEFT JOIN active a USING (cui) LEFT JOIN concepts c USING (cui)),
        distinct_facts AS (
            SELECT head, code, tail, count(*)::INT AS n_rows,
                bool_or(class = getvariable('relation_class')) AS in_class,
                arg_max(class, line) AS last_class, max(line) AS last_line
            FROM rel GROUP BY head, code, tail)
        SELECT f.*, least(coalesce(h.state, 0), coalesce(t.state, 0)) AS ends
        FROM distinct_facts f LEFT JOIN nodes h ON f.head = h.cui LEFT JOIN nodes t ON f.tail = t.cui"""
    )


def funnel(database, concept_counts, n_concepts, row_counts):
    """Counts after each filter.

    Returns
    -------
    list of list
        Rows of FUNNEL_COLUMNS; None where a count has no meaning.
    """
    conso = concept_counts
    steps = [
        ["mrconso", conso["rows"], None, None, conso["concepts"], "rows and concepts of MRCONSO"],
        ["active_names", conso["active_rows"], None, None, conso["active_concepts"], "STT=PF, TTY=PT, not suppressed"],
        ["active_typed", None, None, None, n_concepts, "active concepts of a kept semantic type"],
        ["mrrel", row_counts["rows"], None, None, None, "rows of MRREL"],
        ["vocabulary", row_counts["vocabulary"], None, None, None, "rows of umls.vocabulary"],
        ["unsuppressed", row_counts["unsuppressed"], None, None, None, "SUPPRESS=N"],
    ]
    facts = _by_depth(database, "SELECT depth, sum(n_rows), count(*) FROM facts GROUP BY depth", 2)
    relations = _by_depth(
        database,
        "SELECT d, count(*) FROM (SELECT max(depth) AS d FROM facts WHERE relation <> '' GROUP BY relation) GROUP BY d",
        1,
    )
    concepts = _by_depth(
        database,
        """SELECT d, count(*) FROM (SELECT max(depth) AS d FROM
        (SELECT head AS cui, depth FROM facts UNION ALL SELECT tail, depth FROM facts) GROUP BY cui) GROUP BY d""",
        1,
    )
    for depth, (step, meaning) in enumerate(TESTS):
        counts = [facts[depth][0], facts[depth][1], relations[depth][0], concepts[depth][0]]
        steps.append([step, *counts, meaning])
    steps[-1][1] = database.execute("SELECT count(*) FROM written").fetchall()[0][0]
    return steps


def _by_depth(database, query, width):
    """Cumulated counts: for each depth, the sums over all depths that are not smaller."""
    table = {row[0]: row[1:] for row in database.execute(query).fetchall()}
    totals, sums = [], [0] * width
    for depth in reversed(range(len(TESTS))):
        sums = [int(a + b) for a, b in zip(sums, table.get(depth, [0] * width), strict=True)]
        totals.append(sums)
    return totals[::-1]


def audit(database, inverses, documented):
    """What a reader of the graph should know about what was left out.

    Returns
    -------
    dict
        concepts_without_names: concepts of MRREL rows (of the vocabulary, unsuppressed) that MRCONSO lacks, with the
        number of rows and some examples. unknown_relations: RELA values that are neither in the table nor one of its
        inverses, most rows first, with their inverse in MRDOC.
    """
    orphans = """SELECT cui FROM (SELECT head AS cui FROM rel UNION SELECT tail FROM rel) ANTI JOIN known USING (cui)"""
    missing = [row[0] for row in database.execute(f"{orphans} ORDER BY cui LIMIT 5").fetchall()]
    number = database.execute(f"SELECT count(*) FROM ({orphans})").fetchall()[0][0]
    rows = database.execute("SELECT coalesce(sum(n_rows), 0)::BIGINT FROM facts WHERE depth = 0").fetchall()[0][0]
    if number:
        logging.warning("%s concepts of MRREL are not in MRCONSO (%s rows): %s", number, rows, ", ".join(missing))
    names = [*inverses, *inverses.values()]
    database.register("table_names", pa.table({"relation": pa.array(names, pa.string())}))
    found = database.execute(
        """SELECT relation, sum(n_rows)::BIGINT AS n, coalesce(sum(n_rows) FILTER (depth >= 3), 0)::BIGINT,
            bool_or(in_class) FROM facts
        WHERE relation <> '' AND relation NOT IN (SELECT relation FROM table_names)
        GROUP BY relation ORDER BY n DESC, relation"""
    ).fetchall()
    unknown = [
        {"relation": name, "rows": n, "rows_between_kept_concepts": kept, "of_relation_class": in_class}
        | {"inverse": documented.get(name)}
        for name, n, kept, in_class in found
    ]
    if unknown:
        kept = [entry for entry in unknown if entry["rows_between_kept_concepts"]]
        logging.warning(
            "%d relations of the release are in neither column of the table of relations and left out; %d of them join "
            "kept concepts, most often %s (all: audit.json)",
            len(unknown),
            len(kept),
            ", ".join(f"{entry['relation']} ({entry['rows_between_kept_concepts']:,} rows)" for entry in kept[:5])
            or "-",
        )
    return {
        "concepts_without_names": {"concepts": number, "rows": rows, "examples": missing},
        "unknown_relations": unknown,
    }


def require_triples(steps, mrrel, vocabulary, mrconso):
    """Raise DataError, with the funnel in it, if no triple is left."""
    if steps[-1][1]:
        return
    lines = [
        f"{step:<16} {_number(rows):>14} rows {_number(triples):>12} triples {_number(relations):>6} relations "
        f"{_number(concepts):>11} concepts  {meaning}"
        for step, rows, triples, relations, concepts, meaning in steps
    ]
    empty = next(row for row in steps if 0 in row[1:5])
    raise DataError(
        mrrel,
        found="\n            ".join([f"no triple survives the filters: nothing is left after `{empty[0]}`", *lines]),
        expected="at least one triple",
        remedy=_remedy(empty[0], mrrel, mrconso, vocabulary),
    )


def _number(value):
    return "-" if value is None else f"{value:,}"


def _remedy(step, mrrel, mrconso, vocabulary):
    if step in ("mrconso", "mrrel"):
        return "the file is empty: copy it again from the release"
    if step in ("active_names", "vocabulary"):
        path, table = (mrconso, "MRCONSO") if step == "active_names" else (mrrel, "MRREL")
        there = _vocabularies(path, table)
        return f"umls.vocabulary is {vocabulary}; {table} has {', '.join(there) or 'no rows'}"
    return {
        "active_typed": "check kg.groups, kg.excluded_types and that MRSTY is of the same release",
        "unsuppressed": "every row of the vocabulary is suppressed: install the release with its active content",
        "known": "MRREL and MRCONSO are of different releases or subsets",
        "active": "MRREL and MRCONSO are of different releases or subsets, or umls.vocabulary has no preferred terms",
        "typed": "check kg.groups, kg.excluded_types and that MRSTY is of the same release",
        "frequent": "lower kg.min_relation_triples",
        "listed": "add the relations you want to the table kg.relations",
        "written": "check kg.relation_class",
    }.get(step, "check the release")


def _vocabularies(path, table):
    counts = {}
    with rrf.reading(path, table, ["SAB"]) as rows:
        for batch in rows:
            for entry in pc.value_counts(batch["SAB"]).to_pylist():
                counts[entry["values"]] = counts.get(entry["values"], 0) + entry["counts"]
    return [f"{name} ({n:,} rows)" for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]]
