"""Import a released corpus: OpenNRE files or the hub's Parquet become the corpus files of this workflow.

Every row is checked (offsets, relations, types of the fields); the promises that need nothing but the instances are
counted in check.json, kept or not: a corpus from elsewhere is taken as it is. import.json says what cannot be had
without the release that the corpus was made from.
"""

import logging
import tempfile
from pathlib import Path

import pyarrow.compute as pc

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_json
from workflow_scripts.common.tables import read_table
from workflow_scripts.corpus.check_corpus import Params as CheckParams
from workflow_scripts.corpus.check_corpus import ask, open_instances
from workflow_scripts.corpus.promises import alone
from workflow_scripts.corpus.released_files import read_hub_table, read_lines, relation_numbers
from workflow_scripts.corpus.splits import SPLITS
from workflow_scripts.corpus.writing import write_instances, write_relation_numbers

UNAVAILABLE = {
    "Tables 1 and 4": "the linked sentences and the split knowledge graph",
    "Table 3": "the release and the sentences, to rebuild the benchmarks of prior works",
    "Table 5": "the split knowledge graph",
    "Table 6, numbers of semantic types, groups and pairs of types": "the semantic types of the concepts",
    "Table 8": "the split knowledge graph and the semantic types of the concepts",
    "Table A.2": "the names that were pruned",
    "Table A.3": "the knowledge graph",
    "Table A.4": "the semantic types of the concepts",
    "Figures 2, 3 and A.1": "the semantic types of the concepts",
    "deviations.md, report.html, funnel.csv, datasheet.md": "the steps that made the corpus",
    "text/occurrences (PubMed ids)": "the abstracts",
    "training inputs with semantic types (CT, OT)": "the semantic types of the concepts",
}
"""What a run that starts from a corpus lacks, and what it would need for it."""


def main(args):
    """Read, check and write all files of the corpus."""
    names, form = relation_numbers(args.files)
    relations = set()
    for split in SPLITS:
        table = read_split(args.files, split, names)
        write_instances(args.output / split, table)
        relations.update(pc.unique(table["relation"]).to_pylist())
        logging.info("%s: %d instances", split, table.num_rows)
    if [name for name in names if name in relations or name == "NA"] != ["NA", *sorted(relations - {"NA"})]:
        raise DataError(
            args.files[0].parent,
            found=f"relations numbered {', '.join(names)}",
            expected="NA as 0, then the relations of the instances by name",
            remedy="number the relations again: models trained here take the alphabetical order",
        )
    write_relation_numbers(args.output / "rel2id.json", relations)
    counted = statistics({split: read_table(args.output / f"{split}.parquet", INSTANCES) for split in SPLITS})
    write_json(args.output / "statistics.json", counted)
    write_json(args.output / "check.json", check(args))
    sources = {path.name: file_digest(path) for path in args.files}
    write_json(args.output / "import.json", {"form": form, "files": sources, "unavailable": UNAVAILABLE})
    for what, needs in UNAVAILABLE.items():
        logging.info("not at hand: %s (needs %s)", what, needs)


def read_split(files, split, names):
    """The instances of one split, contract INSTANCES, sorted.

    Raises
    ------
    DataError
        Names file and line (row) of what is wrong.
    """
    path = released_file(files, split)
    table = read_hub_table(path, names) if path.suffix == ".parquet" else read_lines(path, names)
    table = table.select(INSTANCES.schema.names).cast(INSTANCES.schema)
    return table.sort_by([(name, "ascending") for name in INSTANCES.sort_by])


def released_file(files, split):
    """The file of a split among the released files."""
    ends = {"train": ("_train", "train"), "valid": ("_val", "validation"), "test": ("_test", "test")}[split]
    found = [path for path in files if path.suffix != ".json" and path.stem.split("-0")[0].endswith(ends)]
    if len(found) != 1:
        raise DataError(
            files[0].parent, found=", ".join(path.name for path in files), expected=f"one file of the {split} split"
        )
    return found[0]


def statistics(tables):
    """What can be counted without the graph; null where it cannot.

    Parameters
    ----------
    tables : dict
        Split -> pyarrow.Table, contract INSTANCES.
    """
    splits = {split: _counts(table) for split, table in tables.items()}
    by_relation = {
        split: {entry["values"]: entry["counts"] for entry in pc.value_counts(table["relation"]).to_pylist()}
        for split, table in tables.items()
    }
    entities = set().union(*(_entities(table) for table in tables.values()))
    unknown = dict.fromkeys(("types", "groups", "type_pairs"))
    return {
        "splits": splits,
        "entities": len(entities),
        "relations": len(set().union(*by_relation.values())),
        "instances_by_relation": by_relation,
    } | unknown


def _counts(table):
    instances = table.num_rows
    positive = table.filter(pc.not_equal(table["relation"], "NA"))
    bags = table.group_by(["head", "tail"]).aggregate([]).num_rows
    na = instances - positive.num_rows
    return {
        "instances": instances,
        "positives": positive.num_rows,
        "na": na,
        "na_share": na / instances if instances else None,
        "facts": positive.group_by(["head", "relation", "tail"]).aggregate([]).num_rows,
        "bags": bags,
        "instances_per_bag": instances / bags if bags else None,
        "entities": len(_entities(table)),
    }


def _entities(table):
    return set(pc.unique(table["head"]).to_pylist()) | set(pc.unique(table["tail"]).to_pylist())


def check(args):
    """The promises that need only the instances, counted; `kept` says whether all are kept."""
    settings = params.parse(CheckParams, args.params)
    with tempfile.TemporaryDirectory(dir=args.tmp) as spill:
        tables = open_instances(args.output, args.threads, args.memory_mb, spill)
        results = [ask(tables, promise) for promise in alone(settings)]
        tables.close()
    for result in results:
        if result["violations"]:
            logging.warning("%s: %d violations: %s", result["name"], result["violations"], result["promise"])
    return {"promises": results, "kept": not any(result["violations"] for result in results)}


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=Path, nargs="+", required=True, help="the released files of the three splits")
    parser.add_argument("--threads", type=int, default=1, help="threads of DuckDB")
    parser.add_argument("--memory-mb", type=int, default=4000, help="memory of the whole job, MB")
    parser.add_argument("--tmp", type=Path, default=None, help="folder to spill to (default: the system's)")
    parser.add_argument("--output", type=Path, required=True, help="folder of the corpus")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
