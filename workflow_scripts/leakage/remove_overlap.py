"""Take from validation and test what training knows (paper, Table 3, "Filtered").

An instance of validation or test is left out if its names can denote two concepts that some names of a training pair
can denote, in either direction, NA pairs included. Training stays as it is.
"""

import dataclasses
import logging
import pathlib

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.files import read_json
from workflow_scripts.common.tables import check_schema
from workflow_scripts.leakage import writing
from workflow_scripts.leakage.match_names import FOLDED
from workflow_scripts.leakage.triple_files import SPLITS


@dataclasses.dataclass(frozen=True)
class Params:
    """How the benchmark compares names, and the largest bag it may have."""

    style: str
    max_bag_size: int


def remove(database, source, names, folder, settings):
    """Write the corpus without the overlap.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    source : dict from split to path
    names : path
    folder : Path
    settings : Params
    """
    name = "lower(name)" if FOLDED[settings.style] else "name"
    database.execute(f"CREATE TABLE names AS SELECT DISTINCT {name} AS name, cui FROM {duck.parquet(names)}")
    for split, path in source.items():
        check_schema(path, INSTANCES)
        database.execute(
            f"""CREATE TABLE {split}_pairs AS SELECT DISTINCT i.head, i.tail, h.cui AS h, t.cui AS t
            FROM (SELECT DISTINCT head, tail FROM {duck.parquet(path)}) i
            JOIN names h ON h.name = i.head JOIN names t ON t.name = i.tail"""
        )
    database.execute("CREATE TABLE known AS SELECT h, t FROM train_pairs UNION SELECT t, h FROM train_pairs")

    def query(split):
        known = f"SELECT p.head, p.tail FROM {split}_pairs p SEMI JOIN known USING (h, t)"
        join = "" if split == "train" else f"ANTI JOIN ({known}) k USING (head, tail)"
        columns = ", ".join(f'"{name}"' for name in INSTANCES.schema.names)
        order = ", ".join(INSTANCES.sort_by)
        return f"SELECT {columns} FROM {duck.parquet(source[split])} i {join} ORDER BY {order}"

    writing.write_splits(database, folder, query)
    writing.check(database, folder, settings.max_bag_size)


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    source = {split: getattr(args, split) for split in SPLITS}
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        remove(database, source, args.names, args.folder, settings)
    logging.info("%s", read_json(args.folder / "check.json")["splits"])


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    for split in SPLITS:
        parser.add_argument(f"--{split}", type=pathlib.Path, required=True, help=f"instances of {split} (Parquet)")
    parser.add_argument("--names", type=pathlib.Path, required=True, help="leakage/kb/names")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="folder for the corpus")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
