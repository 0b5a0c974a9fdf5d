"""One reading of a sentence that was read at several places.

Where a model reads sentences in their context, equal sentences may get different mentions. The reading with the most
mentions counts, of these the one whose spans come first. So the choice does not depend on which places were seen
together: choosing within batches and then between them is choosing at once.
"""


def choose_readings(database, source, out):
    """Make the table `out` (sentence_id, start, end, surface) of the chosen readings; no rows are sorted.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    source : str
        Table or view with the columns of DETECTED and `reading`, which tells the readings of a sentence apart. A
        reading has no row twice.
    out : str
        Name of the table.
    """
    database.execute(
        f"""CREATE OR REPLACE TABLE {out} AS
        WITH several AS (
            SELECT sentence_id FROM {source} GROUP BY sentence_id HAVING min(reading) <> max(reading)
        ), readings AS (
            SELECT sentence_id, reading, count(*) AS mentions, list([start, "end"] ORDER BY start, "end") AS places
            FROM {source} SEMI JOIN several USING (sentence_id) GROUP BY sentence_id, reading
        ), chosen AS (
            SELECT sentence_id, reading AS choice FROM readings
            QUALIFY row_number() OVER (PARTITION BY sentence_id ORDER BY mentions DESC, places, reading) = 1
        )
        SELECT sentence_id, start, "end", surface FROM {source} LEFT JOIN chosen USING (sentence_id)
        WHERE choice IS NULL OR reading = choice"""
    )
