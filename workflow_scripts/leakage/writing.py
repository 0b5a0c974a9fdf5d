"""The files of a rebuilt benchmark: Parquet, OpenNRE lines, relation numbers, and its check."""

import json

from workflow_scripts.common import duck
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, write_json
from workflow_scripts.common.tables import open_writer
from workflow_scripts.leakage.prior_corpus import NA
from workflow_scripts.leakage.triple_files import SPLITS


def write_splits(database, folder, query):
    """Write <split>.parquet and <split>.jsonl of all splits.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    folder : Path
    query : function
        Split -> query for its rows, columns and order of INSTANCES.
    """
    for split in SPLITS:
        with (
            open_writer(folder / f"{split}.parquet", INSTANCES) as write,
            atomic_open(folder / f"{split}.jsonl") as lines,
        ):
            for table in duck.stream(database, query(split)):
                write(table)
                lines.writelines(json.dumps(_open_nre(row), ensure_ascii=False) + "\n" for row in table.to_pylist())


def _open_nre(row):
    sides = {
        key: {"id": row[role], "pos": [row[f"{role}_start"], row[f"{role}_end"]], "name": row[f"{role}_name"]}
        for key, role in (("h", "head"), ("t", "tail"))
    }
    return {"text": row["text"], **sides, "relation": row["relation"]}


def check(database, folder, max_bag_size):
    """Check the written files, write rel2id.json and check.json; other stages read only corpora with a check.json.

    Raises
    ------
    DataError
        If a promise is broken: names stand at their offsets, no surface triple is in two splits, training shares no
        sentence with the others, bags are not too large, training and test have facts.
    """
    files = {split: duck.parquet(folder / f"{split}.parquet") for split in SPLITS}
    everything = " UNION ALL ".join(f"SELECT '{split}' AS split, * FROM {file}" for split, file in files.items())
    database.execute(f"CREATE OR REPLACE TABLE written AS {everything}")
    broken = {
        "names that do not stand at their offsets": """SELECT count(*) FROM written
            WHERE substring(text, head_start + 1, head_end - head_start) != head_name
            OR substring(text, tail_start + 1, tail_end - tail_start) != tail_name""",
        "surface triples in two splits": """SELECT count(*) FROM (
            SELECT 1 FROM written GROUP BY head, relation, tail HAVING count(DISTINCT split) > 1)""",
        "training sentences of valid or test": """SELECT count(*) FROM written WHERE split = 'train'
            AND sentence_id IN (SELECT sentence_id FROM written WHERE split != 'train')""",
        "bags that are too large": f"""SELECT count(*) FROM (
            SELECT 1 FROM written GROUP BY head, relation, tail HAVING count(*) > {int(max_bag_size)})""",
    }
    for what, query in broken.items():
        (number,) = database.execute(query).fetchone()
        if number:
            raise DataError(folder, found=f"{number} {what}", expected="none")
    sizes = {split: _sizes(database, split) for split in SPLITS}
    without = [split for split in SPLITS if not sizes[split]["facts"]]
    if without:
        raise DataError(
            folder,
            found=f"no fact in {', '.join(without)}",
            expected="facts in each split",
            remedy="the text is too small for this corpus, or leakage.min_pairs and max_pairs do not suit it",
        )
    names = database.execute("SELECT DISTINCT relation FROM written ORDER BY relation").fetchall()
    relations = sorted({name for (name,) in names} - {NA})
    with atomic_open(folder / "rel2id.json") as stream:
        json.dump({NA: 0} | {name: i for i, name in enumerate(relations, 1)}, stream, indent=2, ensure_ascii=False)
        stream.write("\n")
    write_json(folder / "check.json", {"promises": sorted(broken), "relations": len(relations), "splits": sizes})


def _sizes(database, split):
    row = database.execute(
        f"""SELECT count(*), count(*) FILTER (relation = '{NA}'), count(DISTINCT (head, tail)),
            count(DISTINCT (head, relation, tail)) FILTER (relation != '{NA}') FROM written WHERE split = ?""",
        [split],
    ).fetchone()
    return dict(zip(("instances", "na", "pairs", "facts"), row, strict=True))
