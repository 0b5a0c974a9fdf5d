"""Check every promise of a corpus from its written files, and fail with the first violations.

Reads the files of the corpus, the split files, the concepts and the names of the linker's knowledge base; nothing
of what builds a corpus is used.
"""

import csv
import dataclasses
import itertools
import json
import logging
import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json, write_json
from workflow_scripts.common.tables import check_file, check_schema
from workflow_scripts.corpus.promises import promises

PARTS = ("train", "valid", "test")
SHOWN = 5


@dataclasses.dataclass(frozen=True)
class Params:
    """What the corpus was built with; meanings in schemas/config.schema.yaml (corpora, corpus, construction)."""

    split: str
    min_surface_chars: int
    alias_filter: bool
    type_constraint: bool
    role_constraint: bool
    mention_overlap_filter: bool
    max_mention_freq: int
    min_relation_freq: int
    max_bag_size: int | None
    strict_inductive: bool
    inductive_negatives: bool
    multi_label: bool
    role_flip: str
    bag_pruning: str


def main(args):
    """Check all promises and write the result."""
    settings = params.parse(Params, args.params)
    report = check(args.folder, args, settings)
    write_json(args.output, report)
    broken = [promise for promise in report["promises"] if promise["violations"]]
    if broken:
        lines = [
            f"    {promise['name']}: {promise['promise']}: {promise['violations']} violations, the first:\n"
            + "\n".join(f"      {json.dumps(row, ensure_ascii=False)}" for row in promise["first"])
            for promise in broken
        ]
        raise DataError(
            args.folder,
            found=f"{len(broken)} of {len(report['promises'])} promises broken\n" + "\n".join(lines),
            expected="a corpus that keeps its promises",
            remedy="run build_corpus again; if the promise stays broken, the stage has a fault: report it",
        )


def check(folder, inputs, settings):
    """Check the corpus in `folder`.

    Parameters
    ----------
    folder : Path
    inputs : object
        With attributes train, valid, test, concepts, aliases (paths), threads, memory_mb, tmp.
    settings : Params

    Returns
    -------
    dict
        promises: list of {name, promise, switch, checked, violations, first}; kept: bool; instances: int.
    """
    found = {
        "tables_in_order": ("the tables have their columns, types and order", list(_broken_tables(folder))),
    }
    if not found["tables_in_order"][1]:
        found["lines_equal_rows"] = ("line i of the JSON lines is row i of the table", _unequal_lines(folder))
    results = [_result(name, text, rows) for name, (text, rows) in found.items()]
    if not any(result["violations"] for result in results):
        with tempfile.TemporaryDirectory(dir=inputs.tmp) as spill:
            tables = open_tables(folder, inputs, spill)
            results += [ask(tables, promise) for promise in promises(settings)]
            wrong = _wrong_numbers(tables, folder)
            results.append(_result("relation_numbers", "rel2id.json: NA is 0, then the relations by name", wrong))
            wrong = _wrong_counts(tables, folder)
            results.append(_result("counts_true", "statistics.json and funnel.csv count these files", wrong))
            tables.close()
    return {"promises": results, "kept": not any(result["violations"] for result in results)}


def _result(name, text, rows, violations=None, checked=True, switch=""):
    violations = len(rows) if violations is None else violations
    logging.info("%s: %s", name, f"{violations} violations" if checked else f"not promised ({switch})")
    return {
        "name": name,
        "promise": text,
        "switch": switch,
        "checked": checked,
        "violations": violations,
        "first": rows[:SHOWN],
    }


def ask(tables, promise):
    """Count the violations of a promise on a connection of `open_tables` (or `open_instances`)."""
    if not promise.active:
        return _result(promise.name, promise.text, [], 0, False, promise.switch)
    ((number,),) = _rows(tables, f"SELECT count(*) FROM ({promise.query})")
    rows = []
    if number:
        answer = tables.execute(f"SELECT * FROM ({promise.query}) ORDER BY ALL LIMIT {SHOWN}")
        names = [field[0] for field in answer.description]
        rows = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    return _result(promise.name, promise.text, rows, number, True, promise.switch)


def _rows(tables, query):
    return tables.execute(query).fetchall()


def _broken_tables(folder):
    for part in PARTS:
        try:
            check_file(folder / f"{part}.parquet", INSTANCES)
        except DataError as error:
            yield {"file": f"{part}.parquet", "error": str(error)}


def _unequal_lines(folder):
    """Lines that differ from their row, with both; a missing or surplus line counts."""
    wrong = []
    for part in PARTS:
        with (
            open(folder / f"{part}.jsonl", encoding="utf-8", newline="\n") as lines,
            pq.ParquetFile(folder / f"{part}.parquet") as file,
        ):
            rows = itertools.chain.from_iterable(batch.to_pylist() for batch in file.iter_batches())
            for number, (line, row) in enumerate(itertools.zip_longest(lines, rows)):
                if line is None or row is None or _flat(line) != _wanted(row):
                    wrong.append(
                        {"split": part, "line": number, "json": line, "row": None if row is None else str(row)}
                    )
    return wrong


def _flat(line):
    """The fields of a line in their order, None if it is no OpenNRE line."""
    try:
        record = json.loads(line)
        if [*record] != ["text", "h", "t", "relation"] or not line.endswith("\n"):
            return None
        sides = [record["h"], record["t"]]
        if any([*side] != ["id", "pos", "name"] for side in sides):
            return None
        return [record["text"], *(part for side in sides for part in side.values()), record["relation"]]
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _wanted(row):
    head = [row["head"], [row["head_start"], row["head_end"]], row["head_name"]]
    return [row["text"], *head, row["tail"], [row["tail_start"], row["tail_end"]], row["tail_name"], row["relation"]]


def open_instances(folder, threads, memory_mb, spill):
    """A DuckDB connection with the tables that come from the instances alone.

    instances (split, line, and the columns of INSTANCES), mentions (one row per head and per tail), pairs
    (distinct split, head, tail, relation), name_pairs, positive_entities.
    """
    tables = duckdb.connect()
    # DuckDB counts only its own buffers: the rest of the job's memory is for the interpreter and Arrow.
    tables.execute(f"SET threads = {threads}; SET memory_limit = '{memory_mb * 6 // 10}MB'")
    tables.execute(f"SET temp_directory = {_quoted(spill)}; SET enable_progress_bar = false")
    parts = [
        f"SELECT '{part}' AS split, file_row_number AS line, * EXCLUDE (file_row_number) "
        f"FROM read_parquet({_quoted(folder / f'{part}.parquet')}, file_row_number = true)"
        for part in PARTS
    ]
    tables.execute(f"CREATE TABLE instances AS {' UNION ALL '.join(parts)}")
    tables.execute(_FROM_INSTANCES)
    return tables


def open_tables(folder, inputs, spill):
    """A DuckDB connection with all tables that the promises speak of.

    Those of `open_instances`, and facts, concepts, type_pairs, lowered, alias_names.
    """
    check_schema(inputs.concepts, CONCEPTS)
    check_schema(inputs.aliases, ALIASES)
    tables = open_instances(folder, inputs.threads, inputs.memory_mb, spill)
    facts = [
        f"SELECT '{part}' AS split, * FROM read_csv({_quoted(getattr(inputs, part))}, delim = '\t', header = false, "
        "quote = '', escape = '', auto_detect = false, "
        "columns = {'head': 'VARCHAR', 'relation': 'VARCHAR', 'tail': 'VARCHAR'})"
        for part in PARTS
    ]
    tables.execute(f"CREATE TABLE all_facts AS {' UNION ALL '.join(facts)}")
    tables.execute(f"CREATE TABLE concepts AS SELECT cui, sty FROM read_parquet({_quoted(inputs.concepts)})")
    tables.execute(_FROM_GRAPH)
    _lowered(tables, "lowered", "SELECT DISTINCT name FROM mentions")
    known = "cui IN (SELECT cui FROM mentions)"
    _lowered(tables, "alias_names", f"SELECT cui, name FROM read_parquet({_quoted(inputs.aliases)}) WHERE {known}")
    return tables


_FROM_INSTANCES = """
CREATE TABLE pairs AS SELECT DISTINCT split, head, tail, relation FROM instances;
CREATE TABLE name_pairs AS SELECT DISTINCT split, head_name, tail_name FROM instances;
CREATE TABLE positive_entities AS SELECT split, head AS cui FROM pairs WHERE relation <> 'NA'
  UNION SELECT split, tail FROM pairs WHERE relation <> 'NA';
CREATE VIEW mentions AS
  SELECT split, line, text, 'head' AS role, head AS cui, head_name AS name, head_start AS start, head_end AS "end"
  FROM instances UNION ALL
  SELECT split, line, text, 'tail', tail, tail_name, tail_start, tail_end FROM instances;
"""

_FROM_GRAPH = """
CREATE TABLE facts AS SELECT DISTINCT * FROM all_facts
  WHERE head IN (SELECT cui FROM concepts) AND tail IN (SELECT cui FROM concepts);
CREATE TABLE type_pairs AS SELECT DISTINCT h.sty AS head_type, t.sty AS tail_type
  FROM facts JOIN concepts h ON h.cui = head JOIN concepts t ON t.cui = tail;
"""


def _quoted(path):
    return "'" + str(path).replace("'", "''") + "'"


def _lowered(tables, name, query):
    """A table of a query's rows and the lower-cased `name` by Python's rules, which DuckDB does not share."""
    rows = tables.sql(query).to_arrow_table()
    lower = pa.array([text.lower() for text in rows["name"].to_pylist()], pa.string())
    tables.register("rows_with_lower", rows.append_column("lower_name", lower))
    tables.execute(f"CREATE TABLE {name} AS SELECT * FROM rows_with_lower")
    tables.unregister("rows_with_lower")


def _wrong_numbers(tables, folder):
    present = [row[0] for row in _rows(tables, "SELECT DISTINCT relation FROM instances WHERE relation <> 'NA'")]
    wanted = [("NA", 0), *zip(sorted(present), itertools.count(1))]
    found = list(read_json(folder / "rel2id.json").items())
    return [] if found == wanted else [{"found": dict(found), "expected": dict(wanted)}]


def _wrong_counts(tables, folder):
    """Numbers of statistics.json and the last step of funnel.csv that differ from a recount."""
    statistics = read_json(folder / "statistics.json")
    with open(folder / "funnel.csv", encoding="utf-8", newline="") as stream:
        last = {row["split"]: row for row in csv.DictReader(stream) if row["split"] in PARTS}
    wrong = []

    def compare(where, found, expected):
        if found != expected:
            wrong.append({"where": where, "found": found, "counted": expected})

    for part in PARTS:
        counts = _recount(tables, part)
        for name, number in counts.items():
            compare(f"statistics.json splits.{part}.{name}", statistics["splits"][part].get(name), number)
        for name in ("instances", "positives", "na", "facts"):
            compare(f"funnel.csv {part}.{name}_after", last[part][f"{name}_after"], str(counts[name]))
        query = f"SELECT relation, count(*) FROM instances WHERE split = '{part}' GROUP BY ALL"
        found = statistics["instances_by_relation"][part]
        compare(f"statistics.json instances_by_relation.{part}", found, dict(_rows(tables, query)))
    (whole,) = _rows(
        tables,
        """SELECT count(DISTINCT cui), count(DISTINCT sty), (SELECT count(DISTINCT relation) FROM instances),
           (SELECT count(DISTINCT (h.sty, t.sty))
            FROM pairs JOIN concepts h ON h.cui = head JOIN concepts t ON t.cui = tail)
           FROM mentions JOIN concepts USING (cui)""",
    )
    for name, number in zip(("entities", "types", "relations", "type_pairs"), whole, strict=True):
        compare(f"statistics.json {name}", statistics[name], number)
    return wrong


def _recount(tables, part):
    (row,) = _rows(
        tables,
        f"""SELECT count(*), count(*) FILTER (relation <> 'NA'), count(*) FILTER (relation = 'NA'),
            (SELECT count(*) FROM pairs WHERE split = '{part}' AND relation <> 'NA'),
            (SELECT count(DISTINCT (head, tail)) FROM pairs WHERE split = '{part}'),
            (SELECT count(DISTINCT cui) FROM mentions WHERE split = '{part}')
            FROM instances WHERE split = '{part}'""",
    )
    return dict(zip(("instances", "positives", "na", "facts", "bags", "entities"), row, strict=True))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="folder of the corpus")
    for part in PARTS:
        parser.add_argument(f"--{part}", type=Path, required=True, help=f"{part} facts: head, relation, tail (TSV)")
    parser.add_argument("--concepts", type=Path, required=True, help="kg/concepts.parquet")
    parser.add_argument("--aliases", type=Path, required=True, help="linking/kb/aliases.parquet")
    parser.add_argument("--threads", type=int, default=1, help="threads of DuckDB")
    parser.add_argument("--memory-mb", type=int, default=4000, help="memory of the whole job, MB")
    parser.add_argument("--tmp", type=Path, default=None, help="folder to spill to (default: the system's)")
    parser.add_argument("--output", type=Path, required=True, help="check.json")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
