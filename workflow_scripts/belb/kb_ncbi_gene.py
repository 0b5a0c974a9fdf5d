"""NCBI Gene: gene_info and gene_history.

The heading of gene_info is tab separated today and was a sentence ("#Format: tax_id GeneID ... (tab is used as ...)")
until 2016, when the last column, Feature_type, did not exist. The species of a gene is its foreign entity; its
attribute says where it lies, which tells genes of one species with one name apart.
"""

from workflow_scripts.belb import released_files
from workflow_scripts.belb.released_files import REMEDY, Layout
from workflow_scripts.common.errors import DataError

# Columns with names; those with several separate them by '|'.
KINDS = {
    "Symbol": 0,
    "Symbol_from_nomenclature_authority": 1,
    "Full_name_from_nomenclature_authority": 2,
    "description": 3,
    "Synonyms": 4,
    "Other_designations": 5,
}
SEVERAL = ("Synonyms", "Other_designations")
ATTRIBUTES = ("map_location", "LocusTag", "chromosome", "type_of_gene")
COLUMNS = (
    "tax_id GeneID Symbol LocusTag Synonyms dbXrefs chromosome map_location description type_of_gene "
    "Symbol_from_nomenclature_authority Full_name_from_nomenclature_authority Nomenclature_status Other_designations "
    "Modification_date Feature_type"
).split()
HISTORY = ("tax_id", "GeneID", "Discontinued_GeneID", "Discontinued_Symbol", "Discontinue_Date")
# A gene that exists only so that sentences about it can be submitted.
PLACEHOLDER = "NEWENTRY"
PLACEHOLDER_TEXT = "Record to support submission"


def load(files, raw, settings):
    """Fill the raw tables; genes of other species than `settings.taxa` are counted and left out.

    Raises
    ------
    DataError
        If a file lacks a column, or a line has another number of columns than its heading.
    """
    wanted = ["tax_id", "GeneID", *KINDS, *ATTRIBUTES[:3], "type_of_gene"]
    taxa = "true" if settings.taxa is None else "tax_id IN (SELECT unnest($taxa))"
    parameters = {} if settings.taxa is None else {"taxa": [str(taxon) for taxon in settings.taxa]}
    attribute = ", ".join(f"nullif({column}, '-')" for column in ATTRIBUTES)
    for path in files["names"]:
        for batch in released_files.tables(path, Layout(_columns(path), comments=True), wanted):
            raw.counts["rows"] += batch.num_rows
            raw.count(batch, "placeholder genes", f"SELECT count(*) FROM batch WHERE Symbol = '{PLACEHOLDER}'")
            raw.count(batch, "genes of other species", f"SELECT count(*) FROM batch WHERE NOT ({taxa})", parameters)
            kept = f"Symbol <> '{PLACEHOLDER}' AND {taxa}"
            raw.insert("raw_names", batch, _names(kept), parameters)
            raw.insert(
                "raw_entities",
                batch,
                f"SELECT GeneID, nullif(tax_id, '-'), coalesce({attribute}) FROM batch WHERE {kept}",
                parameters,
            )
    if settings.history:
        for path in files["history"]:
            for batch in released_files.tables(path, Layout(HISTORY, comments=True)):
                raw.insert(
                    "raw_history",
                    batch,
                    f"SELECT Discontinued_GeneID, nullif(GeneID, '-') FROM batch WHERE {taxa}",
                    parameters,
                )


def _names(kept):
    """The query of all names of the genes that are kept."""
    parts = []
    for column, kind in KINDS.items():
        value = f"unnest(string_split({column}, '|'))" if column in SEVERAL else column
        parts.append(f"SELECT GeneID, {value} AS name, {kind} FROM batch WHERE {column} <> '-' AND {kept}")
    return f"FROM ({' UNION ALL '.join(parts)}) WHERE name <> '-' AND name NOT LIKE '{PLACEHOLDER_TEXT}%'"


def _columns(path):
    """The columns that the heading of gene_info names, in the form of today or of before 2016."""
    heading = released_files.heading(path)
    line = heading[0] if heading else ""
    columns = tuple(line.removeprefix("Format: ").partition(" (")[0].split("\t" if "\t" in line else None))
    missing = [column for column in COLUMNS[:15] if column not in columns]
    if missing:
        raise DataError(
            path,
            line=1,
            found=f"a heading without {', '.join(missing[:6])}: {line[:200]!r}",
            expected=f"#{' '.join(COLUMNS)}",
            remedy=REMEDY,
        )
    return columns
