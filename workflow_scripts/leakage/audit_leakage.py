"""Count the facts and pairs of a benchmark's training split that come back in validation and test (paper, Table 2).

Input: --triples FILE with columns split, head, relation, tail (train, valid or dev, test), or one file per split with
head, relation, tail. Files are tab-separated under a header (.tsv), Parquet (.parquet) or OpenNRE lines (.jsonl, .txt).
Head and tail are concept identifiers (--identifiers cui), or surface forms that --names (columns name or surface, and
cui; .tsv or .parquet) turns into all concepts that they denote. A relation's inverse is taken from --inverses (.tsv
with columns relation and inverse); a relation that is not there is taken to be its own.
"""

import dataclasses
import logging
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import write_json
from workflow_scripts.leakage import audit
from workflow_scripts.leakage.triple_files import SPLITS, Reader
from workflow_scripts.leakage.tsv import read_columns


@dataclasses.dataclass(frozen=True)
class Params:
    """How names and bad records are treated."""

    fold_case: bool = False
    na: str = audit.NA
    max_bad_records: int = 0


def audit_files(database, files, settings, benchmark="", names=None, inverses=None):
    """The audit of one benchmark.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    files : list of (path, split or None)
    settings : Params
    benchmark : str
    names : path or None
        Concepts of surface forms; None: heads and tails are concepts.
    inverses : path or None

    Returns
    -------
    dict
        See `audit.report`.
    """
    surfaces = names is not None
    sources = Reader(surfaces, settings.max_bad_records)
    audit.load(database, sources, files, settings.na)
    if surfaces:
        audit.load_names(database, _names(database, names), settings.fold_case)
    pairs = read_columns(inverses, ("relation", "inverse")) if inverses else []
    audit.load_inverses(database, pairs)
    unknown = audit.expand(database, surfaces, settings.fold_case)
    return audit.report(database, benchmark, "surface" if surfaces else "cui", sources, unknown)


def _names(database, path):
    """A query for the columns name and cui of a table of names."""
    path = pathlib.Path(path)
    if path.suffix == ".parquet":
        try:
            columns = pq.read_schema(path).names
        except (OSError, pa.ArrowInvalid) as error:
            raise DataError(path, found=str(error).split("\n")[0], expected="a Parquet file") from None
        name = "name" if "name" in columns else "surface"
        if not {name, "cui"} <= set(columns):
            raise DataError(path, found=f"columns {', '.join(columns)}", expected="name (or surface) and cui")
        return f"SELECT {name} AS name, cui FROM {duck.parquet(path)}"
    rows = read_columns(path, (("name", "surface"), "cui"))
    names, cuis = zip(*rows, strict=True) if rows else ((), ())
    database.register("name_rows", pa.table({"name": pa.array(names, pa.string()), "cui": pa.array(cuis, pa.string())}))
    return "FROM name_rows"


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    own = [(getattr(args, split), split) for split in SPLITS]
    files = [(args.triples, None)] if args.triples else own
    if args.triples and any(path for path, _ in own) or not all(path for path, _ in files):
        raise UsageError("give --triples, or each of --train, --valid and --test")
    if (args.identifiers == "surface") != (args.names is not None):
        raise UsageError("--identifiers surface needs --names, and --names is for surface forms only")
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        result = audit_files(database, files, settings, args.benchmark, args.names, args.inverses)
    write_json(args.output, result)
    for split in SPLITS[1:]:
        logging.info("%s of %s: %s", split, args.benchmark, result["splits"][split]["triples"])


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--benchmark", default="", help="what is audited, a name for the report")
    parser.add_argument("--triples", type=pathlib.Path, help="all splits in one file, with a column split")
    for split in SPLITS:
        parser.add_argument(f"--{split}", type=pathlib.Path, help=f"the triples of {split}")
    parser.add_argument("--identifiers", choices=("cui", "surface"), default="cui", help="what heads and tails are")
    parser.add_argument("--names", type=pathlib.Path, help="concepts of the surface forms")
    parser.add_argument("--inverses", type=pathlib.Path, help="relations and their inverses (tsv)")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="the counts (JSON)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
