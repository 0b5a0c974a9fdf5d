"""dbSNP: refsnp-*.json(.bz2), one JSON object a line (the paper's build is 156, of 700 GB).

The names of a variant are its HGVS expressions. Those on predicted (XM, XR, XP, YP) or other (GPC) sequences are left
out, as are those longer than 255 characters where a shorter one exists. Preferred is the smallest expression on the
sequence that dbSNP places the variant on. The genes that its annotations name are foreign entities. Identifiers are the
numbers, without "rs".
"""

import json

from workflow_scripts.belb import released_files
from workflow_scripts.belb.kb_raw import Rows
from workflow_scripts.belb.released_files import REMEDY
from workflow_scripts.common.errors import DataError

# Kinds by the letter before the position: NM_000546.6:c.215C>G
KINDS = {"preferred": 0, "g": 1, "c": 2, "n": 3, "p": 4, "m": 5, "other": 6}
LEFT_OUT = ("XM_", "XR_", "XP_", "GPC_", "YP_")
LONGEST = 255


def load(files, raw, settings):
    """Fill the raw tables; a merged variant has all those that it went into as new identifiers.

    Raises
    ------
    DataError
        If a line is no JSON object with a refsnp_id.
    """
    tables = {name: Rows(raw, f"raw_{name}") for name in ("names", "entities", "other_foreign", "history", "citations")}
    for path in files["names"]:
        with released_files.opened(path) as stream:
            for first, block in released_files.lines(stream, path):
                for number, line in enumerate(block.split(b"\n")[:-1], start=first):
                    raw.counts["rows"] += 1
                    _add(_record(line, path, number), tables, raw.counts, settings.history)
    for rows in tables.values():
        rows.flush()


def _record(line, path, number):
    try:
        record = json.loads(line)
        return str(int(record["refsnp_id"])), record
    except (ValueError, TypeError, KeyError):
        raise DataError(
            path,
            line=number,
            found=repr(line[:100].decode("utf-8", "replace")),
            expected="a JSON object with a number as refsnp_id",
            remedy=REMEDY,
        ) from None


def _add(record, tables, counts, history):
    """The rows of one variant: names where it has them, else what became of it."""
    identifier, record = record
    data = record.get("primary_snapshot_data")
    if data is None:
        if history:
            merged = record.get("merged_snapshot_data", {}).get("merged_into", [])
            for new in merged or [None]:
                tables["history"].add(identifier, new and str(new))
        return
    names = names_of(data)
    if not names:
        counts["variants without a name"] += 1
        return
    for name, kind in names:
        tables["names"].add(identifier, name, kind)
    genes = genes_of(data)
    tables["entities"].add(identifier, genes[0] if genes else None, None)
    for gene in genes[1:]:
        tables["other_foreign"].add(identifier, gene)
    for pmid in record.get("citations", []):
        tables["citations"].add(identifier, str(pmid))
    if history:
        for merge in record.get("dbsnp1_merges", []):
            tables["history"].add(str(merge["merged_rsid"]), identifier)


def names_of(data):
    """(name, kind) of a variant, the preferred name first."""
    placed, others = set(), set()
    for placement in data.get("placements_with_allele", []):
        for allele in placement.get("alleles", []):
            name = allele.get("hgvs")
            if name and not name.startswith(LEFT_OUT):
                (placed if placement.get("is_ptlp") else others).add(name)
    names = placed | others
    kept = {name for name in names if len(name) <= LONGEST} or names
    if not kept:
        return []
    preferred = min(placed & kept or kept)
    return [(preferred, 0)] + sorted((name, _kind(name)) for name in kept - {preferred})


def _kind(name):
    letter = name.partition(":")[2][:2].removesuffix(".")
    return KINDS.get(letter, KINDS["other"])


def genes_of(data):
    """Identifiers of the genes that the annotations name, ascending by number."""
    genes = {
        gene["id"]
        for annotation in data.get("allele_annotations", [])
        for assembly in annotation.get("assembly_annotation", [])
        for gene in assembly.get("genes", [])
    }
    return [str(gene) for gene in sorted(genes)]
