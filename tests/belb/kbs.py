"""Small invented releases of knowledge bases, and the build of one as a dict of its tables."""

import contextlib
import gzip
import pathlib
import tempfile

import pyarrow.parquet as pq

from workflow_scripts.belb.build_belb_kb import build
from workflow_scripts.belb.kb_history import make_alternatives, make_history
from workflow_scripts.belb.kb_homonyms import make_homonyms
from workflow_scripts.belb.kb_names import make_names
from workflow_scripts.belb.kb_raw import Raw, Rows, Settings
from workflow_scripts.belb.kb_store import CONTRACTS
from workflow_scripts.common import duck
from workflow_scripts.common.tables import check_file

CTD_HEADING = (
    "# CTD\n#\n# Fields:\n# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers"
    "\tParentTreeNumbers\tSynonyms\tSlimMappings\n#\n"
)
GENE_COLUMNS = (
    "tax_id GeneID Symbol LocusTag Synonyms dbXrefs chromosome map_location description type_of_gene "
    "Symbol_from_nomenclature_authority Full_name_from_nomenclature_authority Nomenclature_status Other_designations "
    "Modification_date Feature_type"
).split()


def write(folder, **files):
    """Write files of text or bytes into a folder, packed where the name ends with .gz ('__' stands for '.'); paths."""
    paths = []
    for name, content in files.items():
        path = pathlib.Path(folder, name.replace("__", "."))
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
        paths.append(path)
    return paths


def disease(name, identifier, alternatives="", synonyms=""):
    """A line of CTD_diseases.tsv."""
    return "\t".join([name, identifier, alternatives, "", "", "", "", synonyms, ""]) + "\n"


def gene(identifier, symbol, taxon="9606", columns=GENE_COLUMNS, **values):
    """A line of gene_info; what is not named is '-'."""
    values = {"tax_id": taxon, "GeneID": identifier, "Symbol": symbol} | values
    return "\t".join(values.get(column, "-") for column in columns) + "\n"


def gene_info(*genes, columns=GENE_COLUMNS):
    """A gene_info file under the heading of today."""
    return "#" + "\t".join(columns) + "\n" + "".join(genes)


def dump(*rows):
    """A table of NCBI's taxonomy dump."""
    return "".join("\t|\t".join(row) + "\t|\n" for row in rows)


def built(kind, paths, folder=None, foreign=None, memory_mb=1000, threads=1, **settings):
    """Build a knowledge base; gives {table: list of rows as tuples} and the report under "report".

    All files are checked against their contracts.
    """
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(folder or temporary)
        with duck.database(threads, memory_mb, temporary) as database:
            report = build(paths, Settings(kind, "x", **settings), database, out, foreign)
        tables = {"report": report}
        for name, contract in CONTRACTS.items():
            check_file(out / f"{name}.parquet", contract)
            tables[name] = [tuple(row.values()) for row in pq.read_table(out / f"{name}.parquet").to_pylist()]
        return tables


def pairs(tables):
    """(identifier, name, kind) of the names."""
    return [row[:3] for row in tables["names"]]


@contextlib.contextmanager
def assembled(names, entities=(), history=(), alternatives=(), promote=False, threads=1):
    """Yield the raw tables after the steps of a build, out of raw rows, without any file."""
    with tempfile.TemporaryDirectory() as temporary, duck.database(threads, 500, temporary) as database:
        raw = Raw(database)
        for table, rows in (
            ("raw_names", names),
            ("raw_entities", entities),
            ("raw_history", history),
            ("raw_alternatives", alternatives),
        ):
            filled = Rows(raw, table)
            for row in rows:
                filled.add(*row)
            filled.flush()
        make_names(raw, "released", Settings("medic_2012", "x"), promote)
        make_history(raw, "released")
        make_alternatives(raw)
        make_homonyms(database)
        yield raw


def content(raw, table):
    """The rows of a table of a build, as a sorted list of tuples."""
    return sorted(raw.database.execute(f"FROM {table}").fetchall(), key=repr)
