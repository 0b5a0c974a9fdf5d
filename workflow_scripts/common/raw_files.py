"""Where raw files are, and which of them a rule makes: RRF tables, semantic groups, word vectors, encoders.

A part of the plan that the Snakefile makes of the configuration; see configuration.py.
"""

import json
import pathlib
import re

from workflow_scripts.common.belb_corpora import BelbCorpora
from workflow_scripts.common.belb_files import BelbFiles
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.hub import absence_note

RESOURCES = pathlib.Path("resources")
MADE_BY_A_RULE = RESOURCES / "demo"
# The tokenizer as it is downloaded. A tokenizer_config.json that the hub lacks is written empty, so that the files of
# an encoder are the same before and after its download.
TOKENIZER_FILES = ("vocab.txt", "tokenizer_config.json")
ENCODER_FILES = (*TOKENIZER_FILES, "config.json")
# Slots of config section embeddings that are rows of experiments/sources.tsv.
DOWNLOADED_EMBEDDINGS = ("biowordvec", "biow2v", "glove")
SPACY_MODELS = RESOURCES / "spacy"
ADDRESS = re.compile(r"https?://")
ARCHIVE_ADDRESS = re.compile(r"https?://[^?#]+/([A-Za-z0-9][A-Za-z0-9._-]*)\.(?:tar\.gz|tgz)")
SEMANTIC_GROUPS = RESOURCES / "umls" / "SemGroups.txt"


def may_be_downloaded(path):
    """Whether a path is below resources/ and not of the embedded release: only there a download goes."""
    path = pathlib.Path(path)
    return RESOURCES in path.parents and ".." not in path.parts and MADE_BY_A_RULE not in [path, *path.parents]


class RawFiles(BelbFiles, BelbCorpora):
    """Methods of `configuration.Plan`; need its attributes `config` and `encoders`."""

    def release_id(self, release):
        """`kb` only where the linker's knowledge base is another folder than the release of the graph."""
        return "kb" if release == "kb" and self.meta_dir("kb") != self.meta_dir("umls") else "umls"

    def install_of(self, release):
        """(UMLS release, install) where a rule installs the tables of a release (umls or kb); None: a local folder.

        Install is `full` or `snomed_subset`. The linker's knowledge base is always a full one: it needs names of all
        vocabularies.
        """
        umls, kb = self.config["umls"], self.config["linking"]["kb"]
        if release == "kb" and kb["meta_dir"]:
            return None
        if release == "kb" and kb["release"]:
            return kb["release"], "full"
        return (umls["release"], umls["install"]) if umls["source"] == "download" else None

    def meta_dir(self, release):
        """The folder of RRF files of a release (umls or kb)."""
        install = self.install_of(release)
        if install:
            return str(RESOURCES / "umls" / install[0] / install[1] / "META")
        own = self.config["linking"]["kb"]["meta_dir"] if release == "kb" else None
        return own or self.config["umls"]["meta_dir"]

    def rrf(self, table, release):
        """Path of an RRF table, or of the table of semantic groups.

        Raises
        ------
        UsageError
            If the folder or the table is not there and no rule makes it.
        """
        folder = pathlib.Path(self.meta_dir(release))
        install = self.install_of(release)
        if table == "SemGroups":
            named = self.config["umls"]["semantic_groups"]
            found = [pathlib.Path(named)] if named else sorted(folder.glob("SemGroups*.txt"))
            path = found[0] if found else SEMANTIC_GROUPS if install else folder / "SemGroups.txt"
            made = path == SEMANTIC_GROUPS and install
        else:
            path, made = folder / f"{table}.RRF", install
        if not path.is_file() and not made and MADE_BY_A_RULE not in path.parents:
            key = "linking.kb.meta_dir" if self.release_id(release) == "kb" else "umls.meta_dir"
            there = ", ".join(sorted(p.name for p in folder.glob("*"))[:12]) if folder.is_dir() else "no such folder"
            raise UsageError(
                f"{path} is missing\n  found:    {there}\n"
                f"  expected: MRCONSO.RRF, MRREL.RRF, MRSTY.RRF, MRDEF.RRF, MRDOC.RRF and SemGroups*.txt in {folder}\n"
                f"  remedy:   set {key} to the META folder of an installed release, or umls.source: download (README, "
                "'I have a UMLS licence')"
            )
        return str(path)

    def belb_semantic_groups(self):
        """Path of the semantic groups for corpora of BELB, which need no release: a named file, or the download."""
        return self.config["umls"]["semantic_groups"] or str(SEMANTIC_GROUPS)

    def require_medline(self, paths):
        """Raise UsageError where MEDLINE files that no rule makes are not there."""
        medline = self.config["medline"]
        missing = [path for path in paths if not pathlib.Path(path).is_file()]
        if not missing or medline["source"] == "download" or MADE_BY_A_RULE in pathlib.Path(missing[0]).parents:
            return
        folder = pathlib.Path(medline["baseline_dir"])
        there = sorted(path.name for path in folder.glob("*.xml.gz")) if folder.is_dir() else None
        found = "no such folder" if there is None else f"{len(there)} files .xml.gz: {', '.join(there[:4])} ..."
        raise UsageError(
            f"{len(missing)} of {len(paths)} MEDLINE files of a batch are missing: {', '.join(missing[:3])}\n"
            f"  found:    {found} in {folder}\n"
            "  expected: the files that medline.files and medline.update_files name\n"
            "  remedy:   copy them there, correct the names (null: all files that are there), or set medline.source: "
            "download"
        )

    def downloads(self):
        """Sources of experiments/sources.tsv that a rule downloads: row by path below resources/.

        Word vectors whose slot is a row of the table and whose path is below resources/, where `downloads.embeddings`
        allows it; the semantic groups where a rule installs the release of the graph, or a corpus of BELB has semantic
        types; knowledge bases and corpora of BELB without a folder.
        """
        wanted = {}
        if self.config["downloads"]["embeddings"]:
            for slot, entry in self.config["embeddings"].items():
                if slot in DOWNLOADED_EMBEDDINGS and may_be_downloaded(entry["path"]):
                    wanted[str(pathlib.Path(entry["path"]).relative_to(RESOURCES))] = slot
        needed = self.install_of("umls") or self.belb_corpora_with_types()
        if needed and not self.config["umls"]["semantic_groups"]:
            wanted[str(SEMANTIC_GROUPS.relative_to(RESOURCES))] = "semantic_groups"
        return wanted | self.belb_downloads() | self.belb_corpus_downloads()

    @property
    def model_finds_mentions(self):
        """Whether a spaCy model finds the mentions, or some of them."""
        return bool({"ner", "noun_chunks"} & set(self.config["linking"]["detection"].split("+")))

    def spacy_model(self, section):
        """Path or package of the spaCy model of a section (text, linking); None where none is named.

        Where the configuration has the address of an archive, it is the folder below resources/spacy that a rule
        unpacks it to.

        Raises
        ------
        UsageError
            If the address is none of a .tar.gz.
        """
        model = self.config[section]["model"]
        if not model or not ADDRESS.match(model):
            return model
        named = ARCHIVE_ADDRESS.fullmatch(model)
        if not named:
            raise UsageError(
                f"{section}.model: {model}\n  expected: the address of a spaCy model's archive, .../<name>.tar.gz\n"
                "  remedy:   correct it; other models by path: unpack them and name the folder with config.cfg"
            )
        return str(SPACY_MODELS / named[1])

    def spacy_downloads(self):
        """Addresses of the spaCy models that are used and downloaded, by the name of their folder.

        Raises
        ------
        UsageError
            If an address is none of an archive, or two have the same name.
        """
        used = {"text": self.config["text"]["engine"] == "spacy", "linking": self.model_finds_mentions}
        wanted = {}
        for section in (section for section, is_used in used.items() if is_used):
            model = self.config[section]["model"]
            if model and ADDRESS.match(model):
                name = pathlib.Path(self.spacy_model(section)).name
                if wanted.setdefault(name, model) != model:
                    raise UsageError(
                        f"text.model, linking.model: two addresses of archives with one name, {name}\n"
                        f"  found:    {wanted[name]}\n            {model}\n"
                        "  remedy:   name the same one twice, or unpack one by hand"
                    )
        return wanted

    def downloaded_model_files(self, section):
        """meta.json of the spaCy model of a section, in a list, where the model is used and a rule downloads it."""
        model = self.spacy_model(section)
        return [f"{model}/meta.json"] if self.config[section]["model"] in self.spacy_downloads().values() else []

    def downloaded_encoders(self, weights=None):
        """Encoders that a rule gets from the hub, by the path of their folder below resources/; those with this file of
        weights, where one is named."""
        return {
            str(pathlib.Path(row["path"]).relative_to(RESOURCES)): name
            for name, row in self.encoders.items()
            if self.encoder_is_downloaded(name) and weights in (None, row["weights"])
        }

    def encoder_files(self, encoder, what):
        """Files of a pretrained encoder: `tokenizer` or `weights`, of the alternatives those that are there.

        Raises
        ------
        UsageError
            If none of the alternatives is there as a whole and no rule makes it.
        """
        folder = pathlib.Path(self.encoders[encoder]["path"])
        alternatives = {
            "tokenizer": [["tokenizer.json"], ["vocab.txt", "tokenizer_config.json"], ["vocab.txt"]],
            "weights": [["config.json", "model.safetensors"], ["config.json", "pytorch_model.bin"]],
        }[what]
        paths = [[folder / name for name in names] for names in alternatives]
        found = next((group for group in paths if all(path.is_file() for path in group)), None)
        if found is None and self.encoder_is_downloaded(encoder):
            return [
                str(path) for path in self.hub_files(encoder) if (path.name in TOKENIZER_FILES) == (what == "tokenizer")
            ]
        if found is None and MADE_BY_A_RULE not in paths[0][0].parents:
            there = ", ".join(sorted(p.name for p in folder.glob("*"))[:12]) if folder.is_dir() else "no such folder"
            raise UsageError(
                f"no {what} of encoder {encoder} in {folder}\n  found:    {there or 'nothing'}\n"
                f"  expected: {', or '.join(' and '.join(names) for names in alternatives)}\n"
                f"  remedy:   put the files there, set encoders.{encoder}.path to the folder of the model, or let them "
                "be fetched (downloads.encoders, and a hub_id in the registry)"
            )
        return [str(path) for path in found or paths[0]]

    def encoder_is_downloaded(self, encoder):
        """Whether a rule gets the encoder from the hub: its row has a hub id, its folder is below resources/ and
        `downloads.encoders` allows it. Does not depend on what is on the disk."""
        row = self.encoders[encoder]
        return bool(self.config["downloads"]["encoders"] and row["hub_id"] and may_be_downloaded(row["path"]))

    def hub_files(self, encoder):
        """Paths of the files that a download of an encoder gives."""
        row = self.encoders[encoder]
        return [pathlib.Path(row["path"]) / name for name in (*ENCODER_FILES, row["weights"])]

    def encoder_missing(self, encoder):
        """Why an encoder cannot be had, in one line; None where it is at hand, made by a rule or can be downloaded.

        At hand means that its folder holds a configuration, a vocabulary and weights. An encoder whose last download
        failed cannot be had, unless downloads.failed_encoders is `retry`. So an encoder that is not there stops only
        what needs it: ask before runs are planned.
        """
        row = self.encoders.get(encoder)
        if row is None:
            return f"{encoder} is neither in {self.config['experiments']['encoders']} nor in config section encoders"
        try:
            self.encoder_files(encoder, "tokenizer")
            self.encoder_files(encoder, "weights")
        except UsageError:
            if row["hub_id"] is None:
                why = "no hub id is known"
            elif not self.config["downloads"]["encoders"]:
                why = "downloads.encoders is false"
            else:
                why = "its folder is not below resources/, where downloads go"
            return f"not at hand: no whole encoder in {row['path']}, and {why} (set encoders.{encoder}.path)"
        return self.failed_download(encoder)

    def own_folder(self, encoder):
        """The folder that the configuration names for an encoder; None where it is the one of its download."""
        path = pathlib.Path(self.encoders[encoder]["path"])
        return None if path == RESOURCES / "encoders" / encoder else str(path)

    def absent_encoders(self):
        """Why the last download failed, by encoder: those that a run goes without."""
        reasons = {encoder: self.failed_download(encoder) for encoder in self.encoders}
        return {encoder: why for encoder, why in reasons.items() if why}

    def failed_download(self, encoder):
        """Why the last download of an encoder failed, in one line; None where it did not, where the encoder is at hand,
        where its row was mended since, and under downloads.failed_encoders: retry."""
        row, note = self.encoders[encoder], absence_note(self.encoders[encoder]["path"])
        if not self.encoder_is_downloaded(encoder) or self.config["downloads"]["failed_encoders"] == "retry":
            return None
        if not note.is_file() or all(path.is_file() for path in self.hub_files(encoder)):
            return None
        said = json.loads(note.read_text(encoding="utf-8"))
        if any(said.get(name) != row[name] for name in ("hub_id", "revision", "weights")):
            return None
        found = " ".join(str(said.get("found")).split())
        return f"not at hand: its download failed, {found[:200]} (remove {note} to try again)"
