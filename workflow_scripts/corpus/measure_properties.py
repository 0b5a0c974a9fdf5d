"""Measure the six properties of Table 4 on a finished corpus, whatever it was built with.

Counts come from the files of the corpus, the splits of the graph and the linked mentions; no switch is looked at, so a
corpus without a constraint shows how far it is from keeping it.
"""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.duck import add_arguments, database, parquet
from workflow_scripts.common.files import read_json, write_json
from workflow_scripts.common.tables import check_schema

PARTS = ("train", "valid", "test")

# each gives the number of things looked at and the number of those that break the property, but for `links`: below 1
QUERIES = {
    "links": """SELECT count(*), count(*) FILTER (score < 1) FROM mentions JOIN links
        USING (sentence_id, start, "end", cui)""",
    "na_sentences": """SELECT count(*), count(*) FILTER (times > 1) FROM instances JOIN
        (SELECT sentence_id, count(*) AS times FROM instances GROUP BY sentence_id) USING (sentence_id)
        WHERE relation = 'NA'""",
    "inductive": """SELECT count(*), count(*) FILTER (head IN (SELECT cui FROM seen) AND tail IN (SELECT cui FROM seen))
        FROM facts WHERE split <> 'train'""",
    "leakage": """SELECT count(*), count(*) FILTER (EXISTS (SELECT 1 FROM facts t WHERE t.split = 'train'
        AND (t.head = f.head AND t.tail = f.tail OR t.head = f.tail AND t.tail = f.head)))
        FROM facts f WHERE f.split <> 'train'""",
    "na_types": """SELECT count(*), count(*) FILTER (NOT EXISTS (SELECT 1 FROM type_pairs t
        WHERE t.head_type = h.sty AND t.tail_type = g.sty))
        FROM na_pairs p LEFT JOIN concepts h ON h.cui = p.head LEFT JOIN concepts g ON g.cui = p.tail""",
    "na_roles": """SELECT count(*), count(*) FILTER (head NOT IN (SELECT head FROM graph)
        OR tail NOT IN (SELECT tail FROM graph)) FROM na_pairs""",
}


def main(args):
    """Run the command."""
    write_json(args.output, measure(args))


def measure(inputs):
    """The counts behind Table 4.

    Parameters
    ----------
    inputs : object
        Attributes instances, graph (three paths each, by split), mentions (paths), concepts, linking (paths), threads,
        memory_mb, temporary.

    Returns
    -------
    dict
        Property -> {"n", "broken"}: NA sentences that occur more than once; validation and test facts without a concept
        that no training fact has; such facts whose pair is related in training, in either direction; NA pairs without
        the types, or the roles, of a triple of the graph. `links`: those of the corpus, so after the alias filter,
        {"n", "below_one", "before_share"}, with the share below 1 of all linked mentions.
    """
    for path in inputs.instances:
        check_schema(path, INSTANCES)
    for path in inputs.mentions:
        check_schema(path, MENTIONS)
    check_schema(inputs.concepts, CONCEPTS)
    with database(inputs.threads, inputs.memory_mb, inputs.temporary) as connection:
        _open(connection, inputs)
        counts = {name: connection.sql(query).fetchall()[0] for name, query in QUERIES.items()}
    report = {name: {"n": n, "broken": broken} for name, (n, broken) in counts.items() if name != "links"}
    before = read_json(inputs.linking)["score_below_one_share"]
    n, below = counts["links"]
    return report | {"links": {"n": n, "below_one": below, "before_share": before}}


def _open(connection, inputs):
    parts = [
        f"SELECT '{split}' AS split, * FROM {parquet(path)}"
        for split, path in zip(PARTS, inputs.instances, strict=True)
    ]
    columns = "{'head': 'VARCHAR', 'relation': 'VARCHAR', 'tail': 'VARCHAR'}"
    files = ", ".join("'" + str(path).replace("'", "''") + "'" for path in inputs.graph)
    connection.sql(f"CREATE VIEW instances AS {' UNION ALL '.join(parts)}")
    connection.sql(f"CREATE VIEW mentions AS SELECT * FROM {parquet(inputs.mentions)} WHERE rank = 0")
    connection.sql(f"CREATE VIEW concepts AS SELECT * FROM {parquet(inputs.concepts)}")
    connection.sql(
        f"""CREATE TABLE graph AS SELECT DISTINCT head, tail FROM
            read_csv([{files}], delim='\\t', header=false, quote='', escape='', columns={columns})"""
    )
    connection.sql(
        """CREATE TABLE links AS
           SELECT sentence_id, head_start AS start, head_end AS "end", head AS cui FROM instances
           UNION SELECT sentence_id, tail_start, tail_end, tail FROM instances"""
    )
    connection.sql(
        "CREATE TABLE facts AS SELECT DISTINCT split, head, relation, tail FROM instances WHERE relation <> 'NA'"
    )
    connection.sql("CREATE TABLE na_pairs AS SELECT DISTINCT split, head, tail FROM instances WHERE relation = 'NA'")
    train = "FROM facts WHERE split = 'train'"
    connection.sql(f"CREATE TABLE seen AS SELECT head AS cui {train} UNION SELECT tail {train}")
    connection.sql(
        """CREATE TABLE type_pairs AS SELECT DISTINCT h.sty AS head_type, t.sty AS tail_type
           FROM graph JOIN concepts h ON h.cui = graph.head JOIN concepts t ON t.cui = graph.tail"""
    )


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--instances", type=path, nargs=3, required=True, help="train, valid and test (Parquet)")
    parser.add_argument("--graph", type=path, nargs=3, required=True, help="train, valid and test triples (tsv)")
    parser.add_argument("--mentions", type=path, nargs="+", required=True, help="linked mentions (Parquet)")
    parser.add_argument("--concepts", type=path, required=True, help="concepts of the graph (Parquet)")
    parser.add_argument("--linking", type=path, required=True, help="statistics.json of the linking")
    parser.add_argument("--output", type=path, required=True, help="the counts (JSON)")
    add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
