"""Cellosaurus: cellosaurus.txt and cellosaurus_deleted_ACs.txt.

An entry is a run of lines "XX   value" that ends with "//"; what stands before the first one describes the format.
The species of a cell line is its foreign entity; a hybrid has several, of which the first stands in the table of
names. Its attribute is its disease, of several the smallest, else its category. A secondary accession is that of an
entry that was merged into this one: it is history.
"""

import re

from workflow_scripts.belb import released_files
from workflow_scripts.belb.kb_raw import Rows
from workflow_scripts.belb.released_files import REMEDY
from workflow_scripts.common.errors import DataError

KINDS = {"identifier": 0, "synonym": 1}
ACCESSION = re.compile(r"CVCL_\w{4,}")
TAXON = re.compile(r"NCBI_TaxID=(\d+);")
PUBMED = re.compile(r"PubMed=(\d+)")
CODES = ("ID", "AC", "AS", "SY", "OX", "RX", "DI", "CA")


def load(files, raw, settings):
    """Fill the raw tables.

    Raises
    ------
    DataError
        If an entry has no name or no accession, has them twice, does not end, or a deleted accession is none.
    """
    (path,) = files["names"]
    tables = {name: Rows(raw, f"raw_{name}") for name in ("names", "entities", "other_foreign", "history", "citations")}
    for number, entry in entries(path):
        raw.counts["rows"] += 1
        _add(entry, number, path, tables, settings.history)
    if settings.history:
        for deleted in files["deleted"]:
            for accession in deleted_accessions(deleted):
                tables["history"].add(accession, None)
    for rows in tables.values():
        rows.flush()


def entries(path):
    """Yield (line, dict of the values of each line code) of every entry."""
    entry, begun = {}, None
    with released_files.opened(path) as stream:
        for first, block in released_files.lines(stream, path):
            for number, line in enumerate(block.decode("utf-8").split("\n")[:-1], start=first):
                code, value = line[:2], line[5:].strip()
                if line.startswith("ID   ") and line[5:6].strip():
                    if begun is not None:
                        raise _broken(path, begun, f"an entry that does not end before line {number}", "a line '//'")
                    entry, begun = {"ID": [value]}, number
                elif begun is not None and line.rstrip() == "//":
                    yield begun, entry
                    begun = None
                elif begun is not None and code in CODES:
                    entry.setdefault(code, []).append(value)
    if begun is not None:
        raise _broken(path, begun, "an entry at the end of the file that does not end", "a line '//'")


def deleted_accessions(path):
    """Yield the accessions of a list of deleted ones; its heading ends before the first, a rule of dashes ends it."""
    begun = False
    with released_files.opened(path) as stream:
        for first, block in released_files.lines(stream, path):
            for number, line in enumerate(block.decode("utf-8").split("\n")[:-1], start=first):
                text = line.strip()
                if ACCESSION.fullmatch(text):
                    begun = True
                    yield text
                elif begun and text.startswith("---"):
                    return
                elif begun and text:
                    raise _broken(path, number, repr(text[:100]), "an accession, CVCL_ and letters or digits")


def _add(entry, number, path, tables, history):
    """The rows of one entry."""
    accession = entry.get("AC", [])
    if len(accession) != 1 or not ACCESSION.fullmatch(accession[0]) or not entry["ID"][0]:
        raise _broken(
            path,
            number,
            f"accession {', '.join(accession) or '(none)'} of {entry['ID'][0]!r}",
            "one name, one accession",
        )
    (accession,) = accession
    tables["names"].add(accession, entry["ID"][0], 0)
    for name in _several(entry, "SY"):
        tables["names"].add(accession, name, 1)
    taxa = [taxon for value in entry.get("OX", []) for taxon in TAXON.findall(value)]
    diseases = [value.split("; ", 2)[-1] for value in entry.get("DI", [])]
    tables["entities"].add(accession, taxa[0] if taxa else None, min(diseases or entry.get("CA", []), default=None))
    for taxon in taxa[1:]:
        tables["other_foreign"].add(accession, taxon)
    for value in entry.get("RX", []):
        for pmid in PUBMED.findall(value):
            tables["citations"].add(accession, pmid)
    if history:
        for old in _several(entry, "AS"):
            tables["history"].add(old, accession)


def _several(entry, code):
    """The values of a line code that separates them by '; '."""
    return [part for value in entry.get(code, []) for part in value.removesuffix(";").split("; ") if part]


def _broken(path, line, found, expected):
    return DataError(path, line=line, found=found, expected=expected, remedy=REMEDY)
