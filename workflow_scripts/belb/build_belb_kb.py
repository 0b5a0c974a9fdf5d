"""Build a knowledge base of BELB from its released files: names, history, alternative identifiers, homonyms.

Formats: ctd_diseases, ctd_chemicals, medic_2012, ncbi_taxonomy, ncbi_gene, cellosaurus, dbsnp, umls. Identifiers stay
as they are released. All is done in a database that spills to a temporary folder: NCBI Gene has 42 million entities.
The folder gets Parquet files (contracts in belb/contracts.py), kinds.json (code: kind of name) and report.json: what
was read, left out and found (paper, Listing 10).
"""

import logging
from pathlib import Path

from workflow_scripts.belb import (
    kb_cellosaurus,
    kb_ctd,
    kb_dbsnp,
    kb_ncbi_gene,
    kb_ncbi_taxonomy,
    kb_store,
    kb_umls,
)
from workflow_scripts.belb.kb_foreign import make_foreign
from workflow_scripts.belb.kb_history import make_alternatives, make_history
from workflow_scripts.belb.kb_homonyms import make_homonyms
from workflow_scripts.belb.kb_names import make_names
from workflow_scripts.belb.kb_raw import FURTHER_PREFERRED, FURTHER_PREFERRED_NAME, Raw, Settings
from workflow_scripts.common import command, duck, params
from workflow_scripts.common.belb_files import files_by_role
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.files import write_json

# How a format is read, and its kinds of names where they do not depend on the release.
PARSERS = {
    "ctd_diseases": (kb_ctd.load, kb_ctd.KINDS),
    "ctd_chemicals": (kb_ctd.load, kb_ctd.KINDS),
    "medic_2012": (kb_ctd.load_medic_2012, kb_ctd.KINDS),
    "ncbi_taxonomy": (kb_ncbi_taxonomy.load, kb_ncbi_taxonomy.KINDS),
    "ncbi_gene": (kb_ncbi_gene.load, kb_ncbi_gene.KINDS),
    "cellosaurus": (kb_cellosaurus.load, kb_cellosaurus.KINDS),
    "dbsnp": (kb_dbsnp.load, kb_dbsnp.KINDS),
    "umls": (kb_umls.load, None),
}


def build(paths, settings, database, folder, foreign=None):
    """Write the files of a knowledge base.

    Parameters
    ----------
    paths : list of Path
        Released files, told apart by their names (common.belb_files.KB_FILES).
    settings : Settings
    database : duckdb.DuckDBPyConnection
    folder : Path
        Where the files go.
    foreign : Path, optional
        Folder of the built knowledge base of the foreign entities.

    Returns
    -------
    dict
        The report.

    Raises
    ------
    DataError
        If a file is damaged, or breaks what `make_names`, `make_history` or `make_foreign` promise.
    UsageError
        If a file is missing.
    """
    files = files_by_role(settings.format, paths, settings.history)
    path = files["names"][0]
    raw = Raw(database)
    load, kinds = PARSERS[settings.format]
    kinds = load(files, raw, settings) or kinds
    logging.info("%s rows are read", f"{raw.counts['rows']:,}")
    make_names(raw, path, settings, promote=settings.format == "umls")
    orphans = make_foreign(raw, path, foreign, settings.max_orphan_share)
    make_history(raw, next((files[role][0] for role in ("history", "merged", "deleted") if role in files), path))
    make_alternatives(raw)
    logging.info("names and history are made; homonyms follow")
    make_homonyms(database)
    report = {
        "kb": settings.kb,
        "format": settings.format,
        "files": {file.name: f"sha256:{file_digest(file)}" for file in paths},
        "read": dict(sorted(raw.counts.items())),
        "orphan_foreign_identifiers": orphans,
    } | _statistics(database)
    report["rows"] = kb_store.write_files(database, folder)
    codes = {str(code): name for name, code in kinds.items()} | {str(FURTHER_PREFERRED): FURTHER_PREFERRED_NAME}
    write_json(folder / "kinds.json", codes)
    write_json(folder / "report.json", report)
    return report


def _statistics(database):
    """Entities, names and homonyms as the follow-up papers count them; shares are of the names."""
    names, entities = database.execute("SELECT count(*), count(*) FILTER (kind = 0) FROM names").fetchall()[0]
    homonyms, preferred = database.execute(
        """SELECT count(*), count(*) FILTER (kind = 0) FROM names SEMI JOIN
        (SELECT name, identifier FROM name_homonyms UNION SELECT name, identifier FROM foreign_name_homonyms)
        USING (name, identifier)"""
    ).fetchall()[0]
    (within,) = database.execute("SELECT count(*) FROM name_homonyms").fetchall()[0]
    (removed,) = database.execute("SELECT count(*) FROM history WHERE new_identifier IS NULL").fetchall()[0]
    return {
        "entities": entities,
        "names": names,
        "names_per_entity": names / entities,
        "homonyms": homonyms / names,
        "homonyms_within_foreign_entity": within / names,
        "preferred_homonyms": preferred / names,
        "removed_identifiers": removed,
    }


def main(args):
    """Run the command."""
    settings = params.parse(Settings, args.params)
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        report = build(args.files, settings, database, args.folder, args.foreign)
    for what, number in (report["read"] | report["rows"]).items():
        logging.info("%s: %s", what, f"{number:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=Path, nargs="+", required=True, help="released files, under their own names")
    parser.add_argument("--foreign", type=Path, help="folder of the knowledge base of the foreign entities, once built")
    parser.add_argument("--folder", type=Path, required=True, help="where the files of the knowledge base go")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
