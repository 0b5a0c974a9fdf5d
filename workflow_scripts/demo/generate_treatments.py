"""A second release of the embedded one: the same pairs of concepts, in a vocabulary and relations of its own (MED-RT).

Each row of SNOMED CT with a relation of the paper becomes a row of MED-RT, two thirds of the pairs `may_treat`, the
rest `may_prevent`, with its inverse, and each concept in them a preferred name in MED-RT. All other rows and files
stay. The text is that of the embedded release, so its sentences about these pairs are there. Invented, as all of it.
"""

import csv
import dataclasses
import pathlib
import shutil

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, atomic_path
from workflow_scripts.common.keyed_random import uniform

VOCABULARY = "MED-RT"
INVERSES = {"may_treat": "may_be_treated_by", "may_prevent": "may_be_prevented_by"}
UNCHANGED = ("MRSTY.RRF", "MRDEF.RRF", "MRDOC.RRF", "MRSAB.RRF", "SemGroups.txt")
CUI1, REL, CUI2, RELA, RUI, SAB = 0, 3, 4, 7, 8, 10
LAT, TS, STT, ISPREF, CONSO_SAB, TTY, SUPPRESS = 1, 2, 4, 6, 11, 12, 16


@dataclasses.dataclass(frozen=True)
class Params:
    """Seed of the choice between may_treat and may_prevent."""

    seed: int = 0


def main(args):
    """Write the tables of the second release."""
    settings = params.parse(Params, args.params)
    with open(args.relations, encoding="utf-8", newline="") as stream:
        inverse_of = {row["relation"]: row["inverse"] for row in csv.DictReader(stream, delimiter="\t")}
    relations, cuis = treated(rows_of(args.meta / "MRREL.RRF"), inverse_of, settings.seed)
    if not cuis:
        expected = f"the embedded release, with relations of {args.relations}"
        raise DataError(args.meta / "MRREL.RRF", found="no row to turn", expected=expected)
    _write(args.output / "MRREL.RRF", relations)
    _write(args.output / "MRCONSO.RRF", named(rows_of(args.meta / "MRCONSO.RRF"), cuis))
    for name in UNCHANGED:
        with atomic_path(args.output / name) as temporary:
            shutil.copyfile(args.meta / name, temporary)


def rows_of(path):
    """The rows of an RRF file as lists of fields, the empty one after the last bar among them."""
    with open(path, encoding="utf-8", newline="\n") as stream:
        return [line.rstrip("\n").split("|") for line in stream]


def treated(rows, inverse_of, seed):
    """The rows of MRREL with those of known relations turned into MED-RT's, and the concepts in these.

    Parameters
    ----------
    rows : list of lists of str
    inverse_of : dict of str
        Relation -> inverse.
    seed : int
    """
    made, cuis, inverses = [], set(), set(inverse_of.values())
    for row in rows:
        if row[SAB] == "SNOMEDCT_US" and row[REL] == "RO" and row[RELA] in inverses | set(inverse_of):
            forward = row[RELA] in inverse_of
            pair = (row[CUI2], row[CUI1]) if forward else (row[CUI1], row[CUI2])
            relation = "may_treat" if uniform(seed, "treatment", *pair) < 2 / 3 else "may_prevent"
            row = list(row)
            row[SAB] = row[SAB + 1] = VOCABULARY
            row[RELA] = relation if forward else INVERSES[relation]
            cuis.update(pair)
        made.append(row)
    return made, cuis


def named(rows, cuis):
    """The rows of MRCONSO, and for each of the concepts its preferred name once more, in MED-RT."""
    made = []
    for row in rows:
        made.append(row)
        preferred = (row[TS], row[STT], row[ISPREF], row[TTY], row[SUPPRESS]) == ("P", "PF", "Y", "PT", "N")
        if row[0] in cuis and preferred and row[CONSO_SAB] == "SNOMEDCT_US":
            own = list(row)
            own[CONSO_SAB], own[ISPREF] = VOCABULARY, "N"
            own[7] = "A" + own[7][1:-1] + "X"
            made.append(own)
    return made


def _write(path, rows):
    with atomic_open(path) as stream:
        stream.writelines("|".join(row) + "\n" for row in rows)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--meta", type=pathlib.Path, required=True, help="META folder of the embedded release")
    parser.add_argument("--relations", type=pathlib.Path, required=True, help="relations and inverses (experiments/)")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="META folder of the second release")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
