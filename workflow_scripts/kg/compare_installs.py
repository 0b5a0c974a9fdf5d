"""Count the tables of a full install and of a SNOMED CT subset of one UMLS release, side by side.

MetamorphoSys computes term status and preferred forms anew for a subset, so the filters of the knowledge graph keep
other rows of it than of the full release: these are the numbers.
"""

import dataclasses
from pathlib import Path

import pyarrow.compute as pc

from workflow_scripts.common import command, params, rrf
from workflow_scripts.common.files import write_delimited

WHAT = {
    "MRCONSO rows": "all names",
    "MRCONSO rows of the vocabulary": "SAB",
    "concepts of the vocabulary": "distinct CUI of SAB",
    "active names": "SAB, STT=PF, TTY=PT, SUPPRESS=N",
    "active concepts": "distinct CUI of active names",
    "MRREL rows": "all relations",
    "active relations": "SAB, SUPPRESS=N",
    "MRSTY rows": "all semantic types of concepts",
    "MRDEF rows": "all definitions",
}


@dataclasses.dataclass(frozen=True)
class Params:
    """The vocabulary, such as SNOMEDCT_US."""

    vocabulary: str


def count_install(folder, vocabulary):
    """Counts of an install, by the keys of WHAT; memory grows with the concepts of the vocabulary only."""
    counts, concepts, active = dict.fromkeys(WHAT, 0), set(), set()
    with rrf.reading(folder / "MRCONSO.RRF", "MRCONSO", ["CUI", "STT", "SAB", "TTY", "SUPPRESS"]) as rows:
        for batch in rows:
            counts["MRCONSO rows"] += batch.num_rows
            own = batch.filter(pc.equal(batch["SAB"], vocabulary))
            counts["MRCONSO rows of the vocabulary"] += own.num_rows
            concepts.update(own["CUI"].to_pylist())
            for column, value in (("STT", "PF"), ("TTY", "PT"), ("SUPPRESS", "N")):
                own = own.filter(pc.equal(own[column], value))
            counts["active names"] += own.num_rows
            active.update(own["CUI"].to_pylist())
    counts["concepts of the vocabulary"], counts["active concepts"] = len(concepts), len(active)
    with rrf.reading(folder / "MRREL.RRF", "MRREL", ["SAB", "SUPPRESS"]) as rows:
        for batch in rows:
            counts["MRREL rows"] += batch.num_rows
            own = pc.and_(pc.equal(batch["SAB"], vocabulary), pc.equal(batch["SUPPRESS"], "N"))
            counts["active relations"] += pc.sum(own).as_py() or 0
    for table in ("MRSTY", "MRDEF"):
        with rrf.reading(folder / f"{table}.RRF", table, ["CUI"]) as rows:
            counts[f"{table} rows"] = sum(batch.num_rows for batch in rows)
    return counts


def main(args):
    """Write the table."""
    vocabulary = params.parse(Params, args.params).vocabulary
    full, subset = (count_install(folder, vocabulary) for folder in (args.full, args.subset))
    header = ["count", "meaning", "full", "snomed_subset", "difference"]
    rows = [[name, text, full[name], subset[name], subset[name] - full[name]] for name, text in WHAT.items()]
    write_delimited(args.table, header, rows)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--full", type=Path, required=True, help="META folder of the full install")
    parser.add_argument("--subset", type=Path, required=True, help="META folder of the subset")
    parser.add_argument("--table", type=Path, required=True, help="output: the counts (CSV)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
