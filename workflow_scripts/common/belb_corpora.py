"""Released files of BELB's corpora: the registry experiments/belb_corpora.tsv, and the files that a row names.

A part of the plan that the Snakefile makes of the configuration; the command that builds a corpus reads it, too.
"""

import csv
import dataclasses
import pathlib

from workflow_scripts.common.errors import DataError, UsageError

REGISTRY = "experiments/belb_corpora.tsv"
DOWNLOADS = "belb/downloads"
DRAW = "draw:"
OWN_LISTS = "experiments/"
# Rows of experiments/sources.tsv by format, with the name that the file gets below the folder of downloads.
CORPUS_SOURCES = {
    "ncbi_disease": {f"ncbi_disease_{part}": f"NCBI{part}set_corpus.txt" for part in ("train", "develop", "test")},
    "osiris": {"osiris": "osiris_corpus.xml"},
    "tmvar": {"tmvar": "tmVar3Corpus.txt"},
    "medmentions": {
        "medmentions": "MedMentions/st21pv/data/corpus_pubtator.txt.gz",
        **{
            f"medmentions_{part}": f"MedMentions/full/data/corpus_pubtator_pmids_{part}.txt"
            for part in ("trng", "dev", "test")
        },
    },
}
for _type in ("disease", "chemical"):
    CORPUS_SOURCES[f"bc5cdr_{_type}"] = {
        f"bc5cdr_{part.lower()}": f"CDR_{part}Set.PubTator.txt" for part in ("Training", "Development", "Test")
    }
WITH_TYPES = "medmentions"
CORPUS_DEFAULTS = {
    "folder": None,
    "release": "original",
    "kb": None,
    "in_kb": True,
    "splits": None,
    "not_in_kb": None,
    "foreign": None,
    "separate_words": True,
    "max_mentions": None,
    "sentences": False,
    "markers": False,
    "max_lost_share": 0.01,
}
STEPS = ("in_kb", "separate_words", "max_mentions", "sentences", "markers", "max_lost_share")


@dataclasses.dataclass(frozen=True)
class Corpus:
    """A row of the registry; schemas/belb_corpora.schema.yaml says what each column is."""

    corpus: str
    release: str
    name: str
    entity_type: str
    kb: str
    format: str
    documents: str
    train: str
    dev: str
    test: str
    types: str
    identifiers: str
    licence: str

    def keeps(self, kind):
        """Whether annotations of a type are mentions of this corpus: `types` lists these, or with "-" the others."""
        kinds = self.types.split()
        if kinds[0].startswith("-"):
            return f"-{kind.strip()}" not in kinds
        return kind.strip() in kinds

    def patterns(self, own=False):
        """Patterns of its files that `find_files` knows, without draws: those of the release, or our own lists."""
        cells = [cell for cell in (self.documents, self.train, self.dev, self.test) if not cell.startswith(DRAW)]
        return " ".join(cell for cell in cells if cell.startswith(OWN_LISTS) == own)


def read_registry(path):
    """All rows of the registry by (corpus, release)."""
    columns = [field.name for field in dataclasses.fields(Corpus)]
    return {(row["corpus"], row["release"]): Corpus(**row) for _, row in numbered_rows(path, columns)}


def numbered_rows(path, columns):
    """Yield (line, dict) for the rows of a table with tabs between; DataError for other columns or cells too many."""
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t")
        if reader.fieldnames != columns:
            raise DataError(path, line=1, found=str(reader.fieldnames), expected=f"columns {', '.join(columns)}")
        for row in reader:
            if None in row or None in row.values():
                found = f"other than {len(columns)} columns"
                raise DataError(path, line=reader.line_num, found=found, expected=", ".join(columns))
            yield reader.line_num, row


def choose(rows, corpus, release):
    """One row of the registry; UsageError names what there is."""
    if (corpus, release) not in rows:
        there = ", ".join(f"{name} ({kind})" for name, kind in rows)
        raise UsageError(f"no corpus {corpus} ({release}) in {REGISTRY}; there is {there}")
    return rows[corpus, release]


def find_files(folder, patterns):
    """The files of a folder that a cell of the registry names, in its order.

    Parameters
    ----------
    folder : str or Path
    patterns : str
        Glob patterns, a blank between; each must match exactly one file or folder. Hidden ones are passed over.

    Raises
    ------
    DataError
        If a pattern matches none or several.
    """
    found = []
    for pattern in patterns.split():
        matches = sorted(path for path in pathlib.Path(folder).glob(pattern) if not path.name.startswith("."))
        if len(matches) != 1:
            there = ", ".join(path.name for path in matches) or "none"
            raise DataError(
                folder,
                found=f"{there} for {pattern}",
                expected="exactly one file of this name",
                remedy=f"put the released file there ({REGISTRY} names the files of each corpus)",
            )
        found += matches
    return found


class BelbCorpora:
    """Methods of `configuration.Plan` for the corpora of section belb; need its attributes `config` and `root`."""

    def belb_corpus(self, corpus):
        """The settings of a corpus with all defaults."""
        return CORPUS_DEFAULTS | self.config["belb"]["corpora"][corpus]

    def belb_corpora_with_types(self):
        """Ids of the corpora whose annotations are of UMLS semantic types."""
        return [corpus for corpus, entry in self.config["belb"]["corpora"].items() if entry["format"] == WITH_TYPES]

    def belb_corpus_folder(self, corpus):
        """The folder of its released files: its own, or that of downloads."""
        return self.belb_corpus(corpus)["folder"] or str(pathlib.Path("resources", DOWNLOADS))

    def belb_corpus_files(self, corpus):
        """Paths of all files that a corpus is built from; folders as the files in them.

        Raises
        ------
        UsageError
            If its folder lacks one, or it names no folder and is not downloaded.
        """
        settings = self.belb_corpus(corpus)
        kind, folder = settings["format"], settings["folder"]
        try:
            row = choose(read_registry(self.root / REGISTRY), kind, settings["release"])
            own = [path.relative_to(self.root) for path in find_files(self.root, row.patterns(own=True))]
            if folder is None:
                released = [pathlib.Path("resources", name) for name in self._belb_downloads(corpus)]
            else:
                released = find_files(folder, row.patterns())
        except (DataError, UsageError) as error:
            raise UsageError(f"belb.corpora.{corpus}: {error}") from None
        extra = [pathlib.Path(settings[name]) for name in ("splits", "not_in_kb", "foreign") if settings[name]]
        files = [file for path in released for file in (_inside(path) if path.is_dir() else [path])]
        return list(dict.fromkeys(str(path) for path in [*files, *own, *extra]))

    def _belb_downloads(self, corpus):
        settings = self.belb_corpus(corpus)
        if settings["folder"] is not None:
            return {}
        if settings["format"] not in CORPUS_SOURCES or settings["release"] != "original":
            raise UsageError(
                f"belb.corpora.{corpus}.folder is empty\n"
                f"  found:    {settings['format']} ({settings['release']}), which is not downloaded\n"
                "  expected: the folder of its released files\n  remedy:   get and unpack them, and name the folder"
            )
        return {f"{DOWNLOADS}/{name}": source for source, name in CORPUS_SOURCES[settings["format"]].items()}

    def belb_corpus_downloads(self):
        """Sources of experiments/sources.tsv that the corpora need: row by path below resources/."""
        return {
            path: source
            for corpus in self.config["belb"]["corpora"]
            for path, source in self._belb_downloads(corpus).items()
        }


def _inside(folder):
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
