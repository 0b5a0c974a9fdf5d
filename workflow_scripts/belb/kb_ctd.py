"""CTD Diseases (MEDIC) and CTD Chemicals, and MEDIC of July 2012 as BioSyn distributes it.

The first two are tab separated under '#' lines, one of which names the columns: CTD has added columns over the years.
The third is `id|alternative id...||name|synonym...` with identifiers that lack their vocabulary.
"""

import pyarrow as pa

from workflow_scripts.belb import released_files
from workflow_scripts.belb.released_files import REMEDY, Layout
from workflow_scripts.common.errors import DataError

KINDS = {"symbol": 0, "synonym": 1}
# Entries that stand for all diseases or all chemicals.
ROOTS = {"ctd_diseases": "MESH:C", "ctd_chemicals": "MESH:D013749"}
MEDIC_ROOT = "C"
COLUMNS = {
    "ctd_diseases": (
        "DiseaseName DiseaseID AltDiseaseIDs Definition ParentIDs TreeNumbers ParentTreeNumbers Synonyms SlimMappings"
    ).split(),
    "ctd_chemicals": (
        "ChemicalName ChemicalID CasRN Definition ParentIDs TreeNumbers ParentTreeNumbers Synonyms"
    ).split(),
}


def load(files, raw, settings):
    """Fill the raw tables from CTD_diseases.tsv or CTD_chemicals.tsv.

    Raises
    ------
    DataError
        If the file lacks a column, or a line has another number of columns than its heading.
    """
    (path,) = files["names"]
    columns = _columns(path, settings.format)
    name, identifier = COLUMNS[settings.format][:2]
    root = ROOTS[settings.format]
    wanted = [name, identifier, "Synonyms"] + ["AltDiseaseIDs"] * (settings.format == "ctd_diseases")
    for batch in released_files.tables(path, Layout(tuple(columns), comments=True), wanted):
        raw.counts["rows"] += batch.num_rows
        raw.count(batch, "rows of the root", f"SELECT count(*) FROM batch WHERE {identifier} = ?", [root])
        raw.insert(
            "raw_names",
            batch,
            f"""SELECT {identifier}, {name}, 0 FROM batch WHERE {identifier} <> $root
            UNION ALL SELECT {identifier}, unnest(string_split(Synonyms, '|')), 1 FROM batch
            WHERE {identifier} <> $root AND Synonyms <> ''""",
            {"root": root},
        )
        if "AltDiseaseIDs" in wanted:
            raw.insert(
                "raw_alternatives",
                batch,
                f"""SELECT alternative, {identifier} FROM
                (SELECT unnest(string_split(AltDiseaseIDs, '|')) AS alternative, {identifier} FROM batch)
                WHERE {identifier} <> ? AND alternative <> ''""",
                [root],
            )


def _columns(path, kind):
    """The columns that the heading of a file names; those of CTD's documentation where it names none."""
    needed = {*COLUMNS[kind][:2], "Synonyms", *(["AltDiseaseIDs"] if kind == "ctd_diseases" else [])}
    for line in released_files.heading(path):
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) > 1 and COLUMNS[kind][1] in columns:
            missing = sorted(needed - set(columns))
            if missing:
                raise DataError(
                    path,
                    found=f"a heading without {', '.join(missing)}: {', '.join(columns)}",
                    expected=", ".join(COLUMNS[kind]),
                    remedy=REMEDY,
                )
            return columns
    return COLUMNS[kind]


def load_medic_2012(files, raw, settings):
    """Fill the raw tables from medic_06Jul2012.txt.

    Raises
    ------
    DataError
        If a line is not of the form `id|...||name|...`, or an identifier is neither of MeSH nor of OMIM.
    """
    (path,) = files["names"]
    names, alternatives = [], []
    with released_files.opened(path) as stream:
        for number, block in released_files.lines(stream, path):
            for offset, line in enumerate(block.decode("utf-8").split("\n")[:-1]):
                raw.counts["rows"] += 1
                if line.startswith(f"{MEDIC_ROOT}|"):
                    raw.counts["rows of the root"] += 1
                    continue
                (identifier, *others), line_names = _medic_line(line, path, number + offset)
                names += [(identifier, name, int(rank > 0)) for rank, name in enumerate(line_names)]
                alternatives += [(other, identifier) for other in others]
            raw.insert("raw_names", _table(names, ["identifier", "name", "kind"]))
            raw.insert("raw_alternatives", _table(alternatives, ["alternative_identifier", "identifier"]))
            names, alternatives = [], []


def _table(rows, columns):
    return pa.table({column: [row[place] for row in rows] for place, column in enumerate(columns)})


def _medic_line(line, path, number):
    identifiers, separator, names = line.partition("||")
    if not separator or not identifiers or not names:
        raise DataError(
            path, line=number, found=repr(line[:120]), expected="id|alternative id...||name|synonym...", remedy=REMEDY
        )
    return [_prefixed(identifier, path, number) for identifier in identifiers.split("|")], names.split("|")


def _prefixed(identifier, path, number):
    """The identifier with its vocabulary: D and C with digits are MeSH, digits are OMIM."""
    if identifier.isdecimal():
        return f"OMIM:{identifier}"
    if identifier[:1] in "CD" and identifier[1:].isdecimal():
        return f"MESH:{identifier}"
    raise DataError(
        path, line=number, found=f"identifier {identifier!r}", expected="D or C with digits, or digits", remedy=REMEDY
    )
