"""Small UMLS releases for the tests of this stage: rows as tuples of what matters, written as RRF files."""

import argparse
import contextlib
import gzip
import json

from workflow_scripts.common import duck
from workflow_scripts.kg.build_kg import Params, load_graph

SEMGROUPS = [
    ("ANAT", "Anatomy", "T023", "Body Part, Organ, or Organ Component"),
    ("ANAT", "Anatomy", "T025", "Cell"),
    ("CHEM", "Chemicals & Drugs", "T121", "Pharmacologic Substance"),
    ("CONC", "Concepts & Ideas", "T078", "Idea or Concept"),
    ("DISO", "Disorders", "T047", "Disease or Syndrome"),
    ("DISO", "Disorders", "T191", "Neoplastic Process"),
]
STY = {tui: sty for _, _, tui, sty in SEMGROUPS}
RELATIONS = {"finding_site_of": "has_finding_site", "cause_of": "due_to", "isa": "inverse_isa"}
SETTINGS = {
    "vocabulary": "SNOMEDCT_US",
    "groups": ["ANAT", "CHEM", "DISO"],
    "excluded_types": ["Cell"],
    "relation_class": "RO",
    "min_relation_triples": 0,
    "seed": 0,
    "preset": "mended",
    "one_type_per_cui": "mended",
    "ro_per_row": "mended",
    "csv_quotes": "mended",
    "repeated_rel": "mended",
}
SWITCHES = ("one_type_per_cui", "ro_per_row", "csv_quotes", "repeated_rel")


def conso(cui, name="a name", sab="SNOMEDCT_US", tty="PT", stt="PF", suppress="N", ts="P", ispref="Y"):
    """A row of MRCONSO."""
    return (cui, "ENG", ts, "L1", stt, "S1", ispref, "A1", "", "", "", sab, tty, "1", name, "9", suppress, "")


def rel(head, rela, tail, rel="RO", sab="SNOMEDCT_US", suppress="N", rui="R1"):
    """A row of MRREL that reads head rela tail: CUI2 is the head."""
    return (tail, "", "SCUI", rel, head, "", "SCUI", rela, rui, "", sab, sab, "", "Y", suppress, "")


def sty(cui, tui="T047"):
    """A row of MRSTY."""
    return (cui, tui, "B2", STY.get(tui, "Some Type"), "AT1", "")


def write_rrf(path, rows, closing="|"):
    path.write_text("".join("|".join(row) + closing + "\n" for row in rows), encoding="utf-8")


def write_release(folder, conso_rows, rel_rows, sty_rows, doc_rows=(), relations=RELATIONS, semgroups=SEMGROUPS):
    """Write a release; gives the paths by the option names of build_kg."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name.upper()}.RRF" for name in ("mrconso", "mrrel", "mrsty", "mrdoc")}
    for name, rows in zip(paths, (conso_rows, rel_rows, sty_rows, doc_rows), strict=True):
        write_rrf(paths[name], rows)
    paths["semgroups"], paths["relations"] = folder / "SemGroups.txt", folder / "relations.tsv"
    write_rrf(paths["semgroups"], semgroups, closing="")
    paths["relations"].write_text(
        "relation\tinverse\n" + "".join(f"{name}\t{inverse}\n" for name, inverse in relations.items())
    )
    return paths


@contextlib.contextmanager
def graph(paths, threads=1, **settings):
    """Yield (database with the tables of build_kg, funnel, audit) for the files of a release."""
    chosen = Params(**(SETTINGS | settings))
    with duck.database(threads, 1000, paths["mrrel"].parent) as database:
        yield database, *load_graph(database, argparse.Namespace(**paths), chosen)


def rows(database, query):
    """All rows of a query, as a list of tuples."""
    return database.sql(query).fetchall()


def published(**settings):
    """Settings with every switch on the published side."""
    return {"preset": "published"} | dict.fromkeys(SWITCHES, "published") | settings


def command_arguments(paths, out, **settings):
    """The command line of build_kg, and the paths of its outputs by name."""
    names = {"concepts": "parquet", "triples": "parquet", "order": "tsv", "funnel": "csv", "audit": "json"}
    outputs = {name: out / f"{name}.{suffix}" for name, suffix in names.items()}
    options = [text for name, path in (paths | outputs).items() for text in (f"--{name}", path)]
    return [*options, "--params", json.dumps(SETTINGS | settings)], outputs


def unzip(source, target):
    """Unpack a .gz file."""
    target.write_bytes(gzip.decompress(source.read_bytes()))
    return target


def zipped_lines(path):
    """Lines of a text file or .gz file, without their line feeds."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return text.split("\n")[:-1]
