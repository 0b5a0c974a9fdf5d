"""Plant leakage of known size in a benchmark and show that the audit finds exactly that (paper, Table 2).

Facts between concepts that the benchmark never pairs are put into training, and into test as well: as they are, under
another name of the head, or turned around with the inverse relation. Only names of one concept are used, so each adds
exactly one triple of concepts to either split. A number that differs from what was planted stops the job.
"""

import dataclasses
import logging
import pathlib
import tempfile

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_json
from workflow_scripts.leakage.audit_leakage import Params as AuditParams
from workflow_scripts.leakage.audit_leakage import audit_files
from workflow_scripts.leakage.triple_files import SPLITS
from workflow_scripts.leakage.tsv import read_columns

KINDS = ("copied", "renamed", "turned")


@dataclasses.dataclass(frozen=True)
class Params:
    """How names are compared, and how many facts of each kind are planted at most."""

    fold_case: bool
    planted: int


def plant(database, relation, inverse, at_most):
    """Triples to add to training and to test, by kind.

    Needs the tables of an audit of the benchmark by surface forms. Concepts are taken in the order of their names.

    Returns
    -------
    dict from kind to list of (training triple, test triple), each (head, relation, tail)
    """
    concepts = database.execute(
        """WITH plain AS (SELECT name, any_value(cui) AS cui FROM names GROUP BY name HAVING count(*) = 1)
        SELECT cui, min(name) AS name, max(name) AS other FROM plain
        WHERE cui IN (SELECT head FROM pairs UNION SELECT tail FROM pairs) GROUP BY cui ORDER BY name"""
    ).fetchall()
    paired = set(database.execute("SELECT head, tail FROM pairs UNION SELECT tail, head FROM pairs").fetchall())
    planted, free = {kind: [] for kind in KINDS}, list(concepts)
    while free and min(map(len, planted.values())) < at_most:
        cui, head, other = free.pop(0)
        place = next((i for i, (far, _, _) in enumerate(free) if (cui, far) not in paired), None)
        if place is None:
            continue
        _, tail, _ = free.pop(place)
        tests = {"copied": (head, relation, tail), "turned": (tail, inverse, head)}
        tests |= {"renamed": (other, relation, tail)} if other != head else {}
        kind = min(sorted(tests), key=lambda kind: len(planted[kind]))
        if len(planted[kind]) < at_most:
            planted[kind].append(((head, relation, tail), tests[kind]))
    return planted


def expected(before, planted):
    """The counts of test triples after planting, from those before."""
    copied, renamed, turned = (len(planted[kind]) for kind in KINDS)
    added = {"n": copied + renamed + turned, "direct": copied + renamed, "inverse": turned}
    added["either"] = added["n"]
    return {key: before[key] + added[key] for key in added}


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    inverses = read_columns(args.inverses, ("relation", "inverse"))
    files = [(getattr(args, split), split) for split in SPLITS]
    audited = AuditParams(fold_case=settings.fold_case)

    def run(given, more=None):
        with duck.database(args.threads, args.memory_mb, args.temporary) as database:
            result = audit_files(database, given, audited, "", args.names, args.inverses)
            return result["splits"]["test"]["triples"], more(database) if more else None

    before, planted = run(files, lambda database: plant(database, *inverses[0], settings.planted))
    missing = [kind for kind in KINDS if not planted[kind]]
    if missing:
        raise DataError(args.train, found=f"no fact that can be {missing[0]}", expected="names of one concept only")
    with tempfile.TemporaryDirectory(dir=args.temporary, prefix="planted.") as folder:
        path = pathlib.Path(folder) / "planted.tsv"
        both = [pair for kind in KINDS for pair in planted[kind]]
        rows = [(split, *triple) for pair in both for split, triple in zip(("train", "test"), pair, strict=True)]
        lines = ["\t".join(row) + "\n" for row in [("split", "head", "relation", "tail"), *rows]]
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
        after, _ = run([*files, (path, None)])
    if after != expected(before, planted):
        raise DataError(args.test, found=f"{after} after planting", expected=f"{expected(before, planted)}")
    sizes = {kind: len(planted[kind]) for kind in KINDS}
    logging.info("planted %s, all found", sizes)
    write_json(args.output, {"before": before, "planted": sizes, "after": after, "exact": True})


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    for split in SPLITS:
        parser.add_argument(f"--{split}", type=pathlib.Path, required=True, help=f"instances of {split} (Parquet)")
    parser.add_argument("--names", type=pathlib.Path, required=True, help="leakage/kb/names")
    parser.add_argument("--inverses", type=pathlib.Path, required=True, help="relations and their inverses (tsv)")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="what was planted and found (JSON)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
