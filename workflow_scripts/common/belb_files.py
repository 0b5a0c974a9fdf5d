"""Released files of BELB's knowledge bases: how they are called, and which of them a rule downloads.

A part of the plan that the Snakefile makes of the configuration; the command that builds a knowledge base reads the
names of its files here, too.
"""

import fnmatch
import pathlib

from workflow_scripts.common.errors import UsageError

DOWNLOADS = "belb/downloads"
# By format and role: patterns of file names, of which the first that a folder has is meant; whether several may be.
KB_FILES = {
    "ctd_diseases": {"names": (["CTD_diseases.tsv*"], False)},
    "ctd_chemicals": {"names": (["CTD_chemicals.tsv*"], False)},
    "medic_2012": {"names": (["medic_*.txt*"], False)},
    "ncbi_taxonomy": {
        "names": (["*taxdump*.tar*", "names.dmp*"], False),
        "merged": (["*taxdump*.tar*", "merged.dmp*"], False),
        "deleted": (["*taxdump*.tar*", "delnodes.dmp*"], False),
    },
    "ncbi_gene": {"names": (["*gene_info*"], True), "history": (["gene_history*"], False)},
    "cellosaurus": {"names": (["cellosaurus.txt*"], False), "deleted": (["cellosaurus_deleted_ACs.txt*"], False)},
    "dbsnp": {"names": (["refsnp-*.json*"], True)},
    "umls": {"names": (["MRCONSO.RRF"], False), "history": (["MRCUI.RRF"], False)},
}
# Rows of experiments/sources.tsv by format, with the name that the file gets.
KB_SOURCES = {
    "ctd_diseases": {"ctd_diseases": "CTD_diseases.tsv.gz"},
    "ctd_chemicals": {"ctd_chemicals": "CTD_chemicals.tsv.gz"},
    "medic_2012": {"medic_2012": "medic_06Jul2012.txt"},
    "ncbi_taxonomy": {"ncbi_taxonomy": "taxdump.tar.gz"},
    "ncbi_gene": {"ncbi_gene": "gene_info.gz", "ncbi_gene_history": "gene_history.gz"},
    "cellosaurus": {"cellosaurus": "cellosaurus.txt", "cellosaurus_deleted": "cellosaurus_deleted_ACs.txt"},
}
KB_DEFAULTS = {
    "folder": None,
    "foreign": None,
    "database": None,
    "taxa": None,
    "remove_quotes": False,
    "history": True,
    "drop_suppressed": False,
    "max_orphan_share": 0.05,
}


def files_by_role(kind, paths, history=True):
    """The paths of a knowledge base's files by role.

    Parameters
    ----------
    kind : str
        Its format.
    paths : sequence of Path
        What a folder holds, or what a command was given; files of no role are left aside.
    history : bool
        Whether the files of the history are needed; else only those of the names.

    Raises
    ------
    UsageError
        If a role has no file, or several where there may be one.
    """
    found = {}
    for role, (patterns, several) in KB_FILES[kind].items():
        if role != "names" and not history:
            continue
        groups = ([path for path in paths if fnmatch.fnmatch(path.name, pattern)] for pattern in patterns)
        found[role] = sorted(next((group for group in groups if group), []))
        if not found[role] or (len(found[role]) > 1 and not several):
            raise UsageError(
                f"the files of a knowledge base of format {kind}\n"
                f"  found:    {', '.join(map(str, found[role] or paths[:12])) or 'nothing'}\n"
                f"  expected: {'one file or more' if several else 'one file'} {' or '.join(patterns)} ({role})\n"
                "  remedy:   put the released files there under the names that they are released by, or set history to "
                "false where only those of the history are missing"
            )
    return found


class BelbFiles:
    """Methods of `configuration.Plan` for section belb; need its attribute `config`."""

    def belb_kb(self, kb):
        """The settings of a knowledge base with all defaults."""
        return KB_DEFAULTS | self.config["belb"]["kbs"][kb]

    def belb_kb_files(self, kb):
        """Paths of the released files that a knowledge base is built from.

        Raises
        ------
        UsageError
            If its folder lacks one, or its format is not downloaded and it names no folder.
        """
        settings = self.belb_kb(kb)
        kind, folder = settings["format"], settings["folder"]
        if folder is None:
            if kind not in KB_SOURCES:
                raise UsageError(
                    f"belb.kbs.{kb}.folder is empty\n  found:    format {kind}, whose files are not downloaded\n"
                    "  expected: the folder that they are in\n"
                    "  remedy:   get them (experiments/sources.tsv says where from), and name the folder"
                )
            sources = KB_SOURCES[kind].items()
            paths = [pathlib.Path("resources", DOWNLOADS, name) for _, name in sources]
        else:
            paths = sorted(pathlib.Path(folder).glob("*")) if pathlib.Path(folder).is_dir() else []
        try:
            roles = files_by_role(kind, paths, settings["history"])
        except UsageError as error:
            raise UsageError(f"belb.kbs.{kb}.folder {folder}: {error}") from None
        return sorted({str(path) for found in roles.values() for path in found})

    def belb_foreign(self, kb):
        """The id of the knowledge base that the foreign identifiers of another one belong to, or None.

        Raises
        ------
        UsageError
            If there is none of this id, or it depends on the one that asks.
        """
        kbs, seen, foreign = self.config["belb"]["kbs"], [kb], self.belb_kb(kb)["foreign"]
        step = foreign
        while step is not None:
            if step not in kbs or step in seen:
                raise UsageError(
                    f"belb.kbs.{seen[-1]}.foreign is {step}\n"
                    f"  expected: another one of {', '.join(sorted(kbs))} that does not depend on it\n"
                    "  remedy:   correct the id"
                )
            seen.append(step)
            step = self.belb_kb(step)["foreign"]
        return foreign

    def belb_downloads(self):
        """Sources of experiments/sources.tsv that the knowledge bases need: row by path below resources/."""
        return {
            f"{DOWNLOADS}/{name}": source
            for kb in self.config["belb"]["kbs"]
            if self.belb_kb(kb)["folder"] is None
            for source, name in KB_SOURCES.get(self.belb_kb(kb)["format"], {}).items()
        }
