"""Which citations live, and their distinct sentences: the relational part of `unique_sentences`, in DuckDB.

A deletion removes the version of a citation that it names from all files up to its own. Of what is left of a PMID the
highest version lives; of equal versions the one of the last file, and in a file the last record.
"""

import pathlib
import tempfile

from workflow_scripts.common import duck
from workflow_scripts.common.contracts.sentences import OCCURRENCES, SENTENCES
from workflow_scripts.common.tables import open_writer

BLOCK = 100_000  # abstracts after which the published code wrote its sentences down; there was no last writing
_HEX = "'0123456789abcdef'"


def find_live(database, citations):
    """Make table `live` (pmid, version, file_rank, texts, allowed) and give the counts behind it.

    Parameters
    ----------
    database : duckdb connection
    citations : list of Path
        Files of CITATIONS.

    Returns
    -------
    dict of str to int
    """
    database.execute(f"CREATE VIEW records AS FROM {duck.parquet(citations)}")
    database.execute(
        """
        CREATE TABLE left_over AS
        SELECT c.* FROM records c
        WHERE NOT c.deletion AND NOT EXISTS (
            SELECT 1 FROM records d
            WHERE d.deletion AND d.pmid = c.pmid AND d.version = c.version
              AND (d.file_rank > c.file_rank OR (d.file_rank = c.file_rank AND d.record > c.record)))
        """
    )
    database.execute(
        """
        CREATE TABLE live AS
        SELECT *, texts AS allowed FROM left_over
        QUALIFY row_number() OVER (PARTITION BY pmid ORDER BY version DESC, file_rank DESC, record DESC) = 1
        """
    )
    query = "SELECT count(*) FILTER (NOT deletion), sum(texts), count(*) FILTER (deletion) FROM records"
    read, texts_read, deletions = (int(value or 0) for value in _row(database, query))
    (left,) = _row(database, "SELECT count(*) FROM left_over")
    database.execute("DROP TABLE left_over")
    names = "citations abstracts abstract_texts characters published other_abstract_texts other_abstract_characters"
    query = (
        "SELECT count(*), count(*) FILTER (texts > 0), sum(texts), sum(characters), sum(published_characters), "
        "sum(other_texts), sum(other_characters) FROM live"
    )
    counts = dict(zip(names.split(), (int(value or 0) for value in _row(database, query)), strict=True))
    counts["characters_lost_by_published_reading"] = counts["characters"] - counts.pop("published")
    return counts | {
        "citations_read": read,
        "abstract_texts_read": texts_read,
        "deletions_read": deletions,
        "deleted": read - left,
        "superseded": left - counts["citations"],
    }


def lose_tail(database, split, block=BLOCK):
    """Copy the published loss: sentences of the abstracts after the last writing are gone.

    Abstracts are the sections of all records in file order, numbered from 0; the published code wrote down what it had
    whenever it met a number that `block` divides, so at most `block` abstracts at the end are lost, and all of them
    where there are no more than `block`.

    Returns
    -------
    int
        Number of abstracts lost.
    """
    (total,) = _row(database, "SELECT coalesce(sum(texts), 0)::BIGINT FROM records")
    kept = max(total - 1, 0) // block * block
    database.execute(
        f"""
        UPDATE live SET allowed = least(texts, greatest({kept} - counted.before, 0))
        FROM (SELECT pmid, version, file_rank, record,
                     (sum(texts) OVER (ORDER BY file_rank, record) - texts)::BIGINT AS before FROM records
              WHERE NOT deletion) counted
        WHERE live.pmid = counted.pmid AND live.version = counted.version
          AND live.file_rank = counted.file_rank AND live.record = counted.record
        """
    )
    database.execute(
        f"""
        CREATE TABLE cut AS
        SELECT pmid, version, file_rank, field
        FROM (SELECT DISTINCT pmid, version, file_rank, field, allowed
              FROM {duck.parquet(split)} JOIN live USING (pmid, version, file_rank)
              WHERE allowed > 0 AND allowed < texts)
        QUALIFY row_number() OVER (PARTITION BY pmid, version, file_rank ORDER BY field::INTEGER) > any_value(allowed)
            OVER (PARTITION BY pmid, version, file_rank)
        """
    )
    database.execute("DELETE FROM live WHERE allowed = 0 AND texts > 0")
    return total - kept


def count_lengths(database, split, shortest, longest):
    """Sentences of live citations: all, with fewer tokens than `shortest`, with more than `longest`."""
    query = (
        f"SELECT count(*), count(*) FILTER (n_tokens < {shortest}), count(*) FILTER (n_tokens > {longest}) "
        f"FROM {_live_sentences(split)}"
    )
    return dict(zip(("sentences", "too_short", "too_long"), _row(database, query), strict=True))


def scatter(database, split, folder, partitions, shortest, longest):
    """Write the live sentences of a fit length to `folder`/part=<p>/, by the first two digits of their hash."""
    byte = f"16 * (strpos({_HEX}, sentence_id[1]) - 1) + strpos({_HEX}, sentence_id[2]) - 1"
    query = (
        'SELECT sentence_id, text, n_tokens, pmid, field, start, "end", '
        f"(({byte}) * {partitions}) // 256 AS part FROM {_live_sentences(split)} "
        f"WHERE n_tokens BETWEEN {shortest} AND {longest}"
    )
    target = str(folder).replace("'", "''")
    database.execute(f"COPY ({query}) TO '{target}' (FORMAT parquet, PARTITION_BY (part), COMPRESSION zstd)")


def gather(database, files, sentences, occurrences):
    """Write the unique sentences and all occurrences of one partition; gives the numbers of both.

    Parameters
    ----------
    database : duckdb connection
    files : list of Path
        What `scatter` wrote for the partition; may be empty.
    sentences, occurrences : Path
        Files of SENTENCES and OCCURRENCES. The place of a sentence is that of its first occurrence: the smallest
        (pmid, field as a number, start).
    """
    source = duck.parquet(files) if files else None
    first = (
        f"SELECT {_names(SENTENCES)} FROM {source} QUALIFY row_number() OVER "
        '(PARTITION BY sentence_id ORDER BY pmid, field::INTEGER, start, "end") = 1 ORDER BY sentence_id'
    )
    every = f"SELECT {_names(OCCURRENCES)} FROM {source} ORDER BY {', '.join(map(_quoted, OCCURRENCES.sort_by))}"
    return [
        _write(database, query if files else None, path, contract)
        for query, path, contract in ((first, sentences, SENTENCES), (every, occurrences, OCCURRENCES))
    ]


def spill_folder(temporary):
    """A folder for `scatter` that goes when its block ends."""
    return tempfile.TemporaryDirectory(dir=temporary, prefix="sentences.", ignore_cleanup_errors=True)


def partition_files(folder, partition):
    """The files that `scatter` wrote for a partition, sorted."""
    return sorted(pathlib.Path(folder, f"part={partition}").glob("*.parquet"))


def _live_sentences(split):
    return (
        f"{duck.parquet(split)} SEMI JOIN live USING (pmid, version, file_rank) "
        "ANTI JOIN cut USING (pmid, version, file_rank, field)"
    )


def no_cut(database):
    """Make the empty table of sections that a lost tail cuts off."""
    database.execute("CREATE TABLE cut (pmid BIGINT, version INTEGER, file_rank INTEGER, field VARCHAR)")


def _write(database, query, path, contract):
    rows = 0
    with open_writer(path, contract) as write:
        for table in duck.stream(database, query) if query else ():
            write(table.combine_chunks())
            rows += table.num_rows
    return rows


def _names(contract):
    return ", ".join(map(_quoted, contract.schema.names))


def _quoted(name):
    return f'"{name}"'


def _row(database, query):
    return database.execute(query).fetchone()
