"""The benchmarks UMLS.v2 (Amin et al. 2020a) and UMLS.v3 (Hogan et al. 2021), rebuilt by their published parameters.

Entities are surface forms, not concepts, and triples of surface forms are what is split: that is what leaks. Draws are
keyed by what is drawn (MD5 of seed and item), so they depend on no order of rows. Not rebuilt: bags filled up to their
size by repetition (the training does it), and the sentence splitter (sentences are those of stage text).
"""

from workflow_scripts.common import duck
from workflow_scripts.common.errors import DataError

NA = "NA"


def draw(*parts):
    """An SQL expression that is a keyed random text; parts are SQL expressions."""
    return f"md5(concat_ws(chr(31), getvariable('seed'), {', '.join(parts)}))"


def align(database, matches, names, facts, fold):
    """Table `positives` (sentence_id, head, relation, tail) and what negatives need: `pairs`, `surface_facts`.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    matches : list of paths
        MATCHES of all partitions.
    names, facts : path
    fold : bool
        Names are compared lower-cased.
    """
    name = "lower(name)" if fold else "name"
    database.execute(f"CREATE TABLE names AS SELECT DISTINCT {name} AS name, cui FROM {duck.parquet(names)}")
    database.execute(f"CREATE VIEW matches AS FROM {duck.parquet(matches)}")
    database.execute(
        """CREATE TABLE pairs AS SELECT sentence_id, a.name AS head, b.name AS tail
        FROM matches a JOIN matches b USING (sentence_id) WHERE a.name != b.name"""
    )
    database.execute(
        f"""CREATE TABLE surface_facts AS SELECT DISTINCT p.head, f.relation, p.tail
        FROM (SELECT DISTINCT head, tail FROM pairs) p
        JOIN names h ON h.name = p.head JOIN names t ON t.name = p.tail
        JOIN {duck.parquet(facts)} f ON f.head = h.cui AND f.tail = t.cui"""
    )
    database.execute(
        """CREATE TABLE aligned AS
        SELECT sentence_id, head, relation, tail FROM pairs JOIN surface_facts USING (head, tail)"""
    )


def choose_relations(database, fewest, most):
    """Table `positives`: relations with `fewest` to `most` distinct surface pairs."""
    database.execute(
        """CREATE TABLE positives AS FROM aligned WHERE relation IN (
            SELECT relation FROM (SELECT DISTINCT head, relation, tail FROM aligned)
            GROUP BY relation HAVING count(*) BETWEEN ? AND ?)""",
        [fewest, most],
    )
    if not database.execute("SELECT count(*) FROM positives").fetchone()[0]:
        raise DataError(
            "the aligned sentences",
            found="no relation with enough surface pairs",
            expected=f"relations with {fewest} to {most} pairs",
            remedy="lower leakage.min_pairs, or set leakage.lose_first_span: false where sentences have few names",
        )


def draw_negatives(database, style, share):
    """Table `instances` (sentence_id, head, relation, tail): positives and NA.

    An NA pair comes from the sentence of a positive one, with one side exchanged for another name of the sentence; it
    is no fact in either direction, both names occur in positives, and a sentence gives at most as many as it has
    positives. As many NA pairs are kept as `share` of the positive pairs (UMLS.v2), or of the pairs of the largest
    relation (UMLS.v3).
    """
    database.execute(
        f"""CREATE TABLE candidates AS
        WITH ends AS (SELECT head AS name FROM positives UNION SELECT tail FROM positives),
        corrupted AS (
            SELECT DISTINCT p.sentence_id, p.head, p.tail FROM pairs p JOIN positives q
            ON p.sentence_id = q.sentence_id AND (p.head = q.head OR p.tail = q.tail)
            WHERE p.head IN (FROM ends) AND p.tail IN (FROM ends)),
        facts AS (SELECT head, tail FROM surface_facts UNION SELECT tail, head FROM surface_facts),
        numbered AS (
            SELECT *, row_number() OVER (
                PARTITION BY sentence_id ORDER BY {draw("sentence_id", "head", "tail")}) AS place
            FROM corrupted ANTI JOIN facts USING (head, tail))
        SELECT n.sentence_id, head, tail FROM numbered n
        JOIN (SELECT sentence_id, count(*) AS n FROM positives GROUP BY sentence_id) c USING (sentence_id)
        WHERE place <= c.n"""
    )
    sizes = "SELECT count(*) AS n FROM (SELECT DISTINCT head, relation, tail FROM positives)"
    sizes += " GROUP BY relation" if style == "umls_v3" else ""
    (largest,) = database.execute(f"SELECT max(n) FROM ({sizes})").fetchone()
    database.execute(
        f"""CREATE TABLE instances AS FROM positives UNION ALL
        SELECT sentence_id, head, '{NA}', tail FROM candidates SEMI JOIN (
            SELECT head, tail FROM (SELECT DISTINCT head, tail FROM candidates)
            ORDER BY {draw("head", "tail")}, head, tail LIMIT {int(largest * share)}) USING (head, tail)"""
    )


def split(database, test_share, valid_share, max_bag_size):
    """Table `split_instances` (split, sentence_id, head, relation, tail).

    Of each relation's surface triples (NA too) `test_share` go to test, then `valid_share` of the others to valid; a
    bag keeps at most `max_bag_size` sentences; training loses the sentences of valid and test.
    """
    database.execute(
        f"""CREATE TABLE split_triples AS
        WITH triples AS (SELECT DISTINCT head, relation, tail FROM instances),
        numbered AS (
            SELECT *, count(*) OVER (PARTITION BY relation) AS n, row_number() OVER (
                PARTITION BY relation ORDER BY {draw("head", "relation", "tail")}, head, tail) AS place FROM triples),
        sized AS (SELECT *, round(n * {test_share}) AS n_test FROM numbered)
        SELECT head, relation, tail, CASE WHEN place <= n_test THEN 'test'
            WHEN place <= n_test + round((n - n_test) * {valid_share}) THEN 'valid' ELSE 'train' END AS split
        FROM sized"""
    )
    database.execute(
        f"""CREATE TABLE bags AS SELECT split, sentence_id, head, relation, tail FROM (
            SELECT *, row_number() OVER (PARTITION BY head, relation, tail
                ORDER BY {draw("sentence_id", "head", "relation", "tail")}) AS place
            FROM instances JOIN split_triples USING (head, relation, tail))
        WHERE place <= {int(max_bag_size)}"""
    )
    database.execute(
        """CREATE TABLE split_instances AS FROM bags
        WHERE split != 'train' OR sentence_id NOT IN (SELECT sentence_id FROM bags WHERE split != 'train')"""
    )


def rows(split_name):
    """A query for the instances of a split, with the columns and the order of INSTANCES. Needs view `sentences`."""
    return f"""SELECT s.text, head, substring(s.text, a.start + 1, a."end" - a.start) AS head_name,
            a.start AS head_start, a."end" AS head_end, tail,
            substring(s.text, b.start + 1, b."end" - b.start) AS tail_name,
            b.start AS tail_start, b."end" AS tail_end, relation, sentence_id, NULL::VARCHAR AS rui
        FROM split_instances i
        JOIN matches a ON a.sentence_id = i.sentence_id AND a.name = i.head
        JOIN matches b ON b.sentence_id = i.sentence_id AND b.name = i.tail
        JOIN sentences s ON s.sentence_id = i.sentence_id
        WHERE split = '{split_name}' ORDER BY head, tail, relation, i.sentence_id""".replace(
        "relation, sentence_id,", "relation, i.sentence_id AS sentence_id,"
    )
