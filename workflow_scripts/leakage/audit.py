"""Facts and pairs of the training split that come back in validation and test (paper, section 2 and Table 2).

What is compared are concepts. Where a benchmark names surface forms, each triple of names stands for the triples of all
concepts that the two names can denote.
"""

import pyarrow as pa

from workflow_scripts.common.errors import DataError
from workflow_scripts.leakage.triple_files import SPLITS

NA = "NA"
EXAMPLES = 5


def load(database, sources, files, na=NA):
    """Table `given` (split, head, relation, tail): the distinct triples of a benchmark, with those of NA.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    sources : Reader
    files : list of (path, split or None)
    na : str
        The name of the relation that says "none".

    Raises
    ------
    DataError
        Of the reader.
    """
    database.execute("SET VARIABLE na = ?", [na])
    with sources.reading(files) as batches:
        database.register("batches", batches)
        database.execute("CREATE TABLE given AS SELECT DISTINCT split, head, relation, tail FROM batches")
    database.unregister("batches")


def load_names(database, names, fold_case):
    """Table `names` (name, cui) from a query with columns name and cui; folded to lower case if wanted."""
    name = "lower(name)" if fold_case else "name"
    database.execute(f"CREATE TABLE names AS SELECT DISTINCT {name} AS name, cui FROM ({names})")


def expand(database, surfaces, fold_case=False):
    """Tables `triples` (split, head, relation, tail) and `pairs` (split, head, tail, fact) of concepts, distinct.

    `fact` tells whether a relation other than NA stands in the pair. Needs table `names` where `surfaces` is true.

    Returns
    -------
    dict
        Names without a concept: their number and some of them; their triples are compared with nothing.
    """
    unknown = {"surfaces": 0, "examples": [], "triples": 0}
    if surfaces:
        head, tail = ("lower(g.head)", "lower(g.tail)") if fold_case else ("g.head", "g.tail")
        database.execute(
            f"""CREATE TABLE expanded AS SELECT DISTINCT g.split, h.cui AS head, g.relation, t.cui AS tail
            FROM given g JOIN names h ON h.name = {head} JOIN names t ON t.name = {tail}"""
        )
        missing = database.execute(
            f"""SELECT DISTINCT surface FROM (SELECT {head} AS surface FROM given g UNION SELECT {tail} FROM given g)
            WHERE surface NOT IN (SELECT name FROM names) ORDER BY surface"""
        ).fetchall()
        unknown["surfaces"], unknown["examples"] = len(missing), [name for (name,) in missing[:EXAMPLES]]
        unknown["triples"] = database.execute(
            f"""SELECT count(*) FROM given g
            WHERE NOT ({head} IN (SELECT name FROM names) AND {tail} IN (SELECT name FROM names))"""
        ).fetchone()[0]
    else:
        database.execute("CREATE TABLE expanded AS FROM given")
    database.execute("CREATE TABLE triples AS FROM expanded WHERE relation != getvariable('na')")
    database.execute(
        """CREATE TABLE pairs AS
        SELECT split, head, tail, bool_or(relation != getvariable('na')) AS fact FROM expanded GROUP BY ALL"""
    )
    return unknown


def load_inverses(database, pairs):
    """Table `inverses` (relation, inverse), with an entry for both of each pair.

    Parameters
    ----------
    pairs : iterable of (relation, inverse)

    Raises
    ------
    DataError
        If a relation has two inverses.
    """
    table = {}
    for pair in pairs:
        for relation, inverse in (pair, pair[::-1]):
            if table.setdefault(relation, inverse) != inverse:
                raise DataError(
                    "the table of inverse relations",
                    record=relation,
                    found=f"inverses {table[relation]} and {inverse}",
                    expected="one inverse of a relation",
                )
    rows = {"relation": pa.array(table, pa.string()), "inverse": pa.array(table.values(), pa.string())}
    database.register("inverse_rows", pa.table(rows))
    database.execute("CREATE TABLE inverses AS FROM inverse_rows")


def count(database):
    """Sizes of the splits and what of validation and test is known from training.

    A triple (h, r, t) leaks directly if it is a training triple, inversely if (t, s, h) is one, s being the inverse of
    r, or r itself where no inverse of r is known. A pair leaks directly or inversely if (h, t) or (t, h) is a training
    pair; pairs of facts are compared with pairs of facts, `pairs_with_na` with all. `surface_triples` are compared as
    they are written.

    Returns
    -------
    dict from split to dict
        For each kind `n`; for validation and test also `direct`, `inverse`, `either` (numbers).
    """
    triple, pair = ("head", "relation", "tail"), ("head", "tail")
    kinds = {
        "surface_triples": ("(FROM given WHERE relation != getvariable('na'))", triple),
        "triples": ("triples", triple),
        "pairs": ("(FROM pairs WHERE fact)", pair),
        "pairs_with_na": ("pairs", pair),
    }
    result = {split: {kind: {"n": 0} for kind in kinds} for split in SPLITS}
    for kind, (source, columns) in kinds.items():
        for split, numbers in _count(database, source, columns):
            result[split][kind] = numbers
        for split in SPLITS[1:]:
            result[split][kind] = {"direct": 0, "inverse": 0, "either": 0} | result[split][kind]
    return result


def _count(database, source, columns):
    own = ", ".join(columns)
    turned = {"head": "x.tail", "tail": "x.head", "relation": "coalesce(i.inverse, x.relation)"}
    join = "LEFT JOIN inverses i USING (relation)" if "relation" in columns else ""
    rows = database.execute(
        f"""WITH known AS (SELECT ({own}) AS item FROM {source} WHERE split = 'train'),
        compared AS (
            SELECT split, ({own}) AS item, ({", ".join(turned[name] for name in columns)}) AS turned
            FROM {source} x {join})
        SELECT split, count(*), count(*) FILTER (d), count(*) FILTER (i), count(*) FILTER (d OR i) FROM (
            SELECT split, item IN (SELECT item FROM known) AS d, turned IN (SELECT item FROM known) AS i FROM compared)
        GROUP BY split ORDER BY split"""
    ).fetchall()
    for split, n, direct, inverse, either in rows:
        leaked = {} if split == "train" else {"direct": direct, "inverse": inverse, "either": either}
        yield split, {"n": n} | leaked


def report(database, benchmark, kind, sources, unknown):
    """The whole audit as JSON: see `count`; `overlap` is what Table 1 asks for.

    Parameters
    ----------
    benchmark : str
    kind : {"cui", "surface"}
    sources : Reader
    unknown : dict
        Of `expand`.
    """
    splits = count(database)
    leaked = {split: splits[split]["triples"]["either"] for split in SPLITS[1:]}
    (relations,) = database.execute("SELECT count(DISTINCT relation) FROM triples").fetchone()
    (has_na,) = database.execute("SELECT count(*) > 0 FROM given WHERE relation = getvariable('na')").fetchone()
    return {
        "benchmark": benchmark,
        "identifiers": kind,
        "overlap": any(leaked.values()),
        "relations": relations,
        "relations_with_na": relations + bool(has_na),
        "rows": sources.rows,
        "bad_records": sources.bad_records,
        "unknown": unknown,
        "splits": splits,
    }
