"""What config section `belb` asks for: knowledge bases, corpora, systems and what is measured of them.

Only the Snakefile imports this module.
"""

from workflow_scripts.common.errors import UsageError

# How the engines of the linking stage are set where a system does not say otherwise: as scispaCy's linker is.
LINKING = {"candidates": "tfidf", "mode": "faithful", "threshold": 0.7, "k": 30, "max_candidates": 5}
BY_NAME = ("exact", "fuzzy")
# How encoders of names are trained where a system does not say otherwise: as SapBERT, and as BioSyn.
DENSE = {
    "none": {},
    "synonyms": {"epochs": 1, "batch_size": 512, "learning_rate": 2e-5},
    "corpus": {
        **{"epochs": 10, "batch_size": 16, "learning_rate": 1e-5},
        **{"training_candidates": 20, "temperature": 0.05},
    },
}
DENSE_TRAINED = {"seed": 1, "max_steps": None, "weight_decay": 0.01}
PRETRAINED = "pretrained"
GOLD, FOUND = "gold", "found"
FILTER = "species_filter"
# Formats of knowledge bases whose entities belong to a species.
WITH_SPECIES = ("ncbi_gene", "cellosaurus")
RELEASED, DISAMBIGUATED = "released", "disambiguated"
# What tools of others read and write, and how the file is called.
TOOL_FILES = {"pubtator": "pubtator", "bioc": "bioc.xml", "biocjson": "bioc.json", "predictions": "jsonl"}
TOOL_DEFAULTS = {"format": "pubtator", "types": None, "threads": 1, "mem_mb": 64000}


class BelbPlan:
    """The section, checked for what a schema cannot say.

    Parameters
    ----------
    section : dict
        Config section `belb`, validated.
    encoders : collection of str
        Ids of the pretrained encoders that a system may name.

    Attributes
    ----------
    kbs, corpora : list of str
        Their ids.
    systems : dict
        Systems that run here: name -> settings.
    predictions : dict
        Predictions made elsewhere: (system, corpus) -> file and identifiers.
    species : dict
        How species are found in texts.
    tools : dict
        Tools of others, run by a command of the user: name -> settings.

    Raises
    ------
    UsageError
        If a name is not that of a corpus, a knowledge base or a system, or a corpus has no knowledge base to link to.
    """

    def __init__(self, section, encoders=()):
        self.kbs, self.corpora = list(section["kbs"]), list(section["corpora"])
        self.systems = {name: entry for name, entry in section["systems"].items() if entry is not None}
        self.ranks = section["ranks"]
        self.predictions = {
            (system, corpus): entry
            for system, files in section["predictions"].items()
            for corpus, entry in files.items()
        }
        self._corpora, self.end_to_end = section["corpora"], section["end_to_end"]
        self._references, self.species = section["reference_systems"], section["species"]
        self.tools = {name: TOOL_DEFAULTS | entry for name, entry in section["tools"].items()}
        self._formats = {kb: entry["format"] for kb, entry in section["kbs"].items()}
        self._check(section)
        for name in self.by_engine("dense"):
            encoder = self.systems[name]["encoder"]
            what = "an encoder of the registry (experiments.encoders) or of config section encoders"
            _require(encoder in encoders, f"belb.systems.{name}.encoder", encoder, encoders, what)

    def _check(self, section):
        named = [(f"belb.predictions.{system}", corpus) for system, corpus in self.predictions]
        named += [
            (f"belb.systems.{name}.corpora", corpus)
            for name, entry in self.systems.items()
            for corpus in entry.get("corpora") or []
        ]
        named += [("belb.end_to_end", corpus) for corpus in self.end_to_end]
        named += [("belb.reference_systems", corpus) for corpus in self._references]
        named += [
            (f"belb.tools.{tool}.corpora", corpus) for tool, entry in self.tools.items() for corpus in entry["corpora"]
        ]
        for key, corpus in named:
            _require(corpus in self._corpora, key, corpus, self.corpora, "a corpus of belb.corpora")
        for corpus, entry in self._corpora.items():
            kb = entry.get("kb")
            if kb is not None or self.systems:
                _require(kb in self.kbs, f"belb.corpora.{corpus}.kb", kb, self.kbs, "a knowledge base of belb.kbs")
        for key, others in (("predictions", {*self.systems}), ("tools", {*self.systems, *section["predictions"]})):
            twice = sorted(others & set(section[key]))
            if twice:
                where = "belb.systems" if twice[0] in self.systems else "belb.predictions"
                raise UsageError(f"belb.{key}.{twice[0]}: {where} has one of this name\n  remedy: rename one")
        self._check_commands()
        self._check_species()
        for corpus, system in self._references.items():
            known = self.measured(GOLD, corpus)
            _require(system in known, f"belb.reference_systems.{corpus}", system, known, "a system that is measured")

    def _check_commands(self):
        for tool, entry in self.tools.items():
            for place in ("input", "output"):
                if not any(name in entry["command"] for name in (f"{{{place}}}", f"{{{place}_folder}}")):
                    raise UsageError(
                        f"belb.tools.{tool}.command: {entry['command']}\n"
                        f"  expected: {{{place}}} or {{{place}_folder}} in it, where the tool's {place} is to stand"
                    )

    def _check_species(self):
        kb, taxonomies = self.species["kb"], [kb for kb, kind in self._formats.items() if kind == "ncbi_taxonomy"]
        _require(kb is None or kb in taxonomies, "belb.species.kb", kb, taxonomies, "an NCBI Taxonomy of belb.kbs")
        known = [name for name, entry in self.systems.items() if entry["engine"] != FILTER]
        known += [*dict.fromkeys(system for system, _ in self.predictions), *self.tools]
        for name, entry in self.systems.items():
            if entry["engine"] == FILTER:
                _require(entry.get("of") in known, f"belb.systems.{name}.of", entry.get("of"), known, "another system")
            literal = entry["engine"] == "exact" or entry.get("candidates") == "literal"
            if self._names(name) == DISAMBIGUATED and (literal or entry["engine"] == FILTER):
                raise UsageError(
                    f"belb.systems.{name}.names: {DISAMBIGUATED}\n"
                    f"  expected: {RELEASED} for engine {entry['engine']}, as no text has the part in brackets\n"
                    "  remedy:   take an engine that compares similar names"
                )

    def _names(self, system):
        return self.systems.get(system, {}).get("names", RELEASED)

    def disambiguated(self, kb):
        """The id of the names of a knowledge base of which each is of one entity."""
        return f"{kb}.{DISAMBIGUATED}"

    def names_of(self, corpus, system=None):
        """The id of the names that a system sees (None: the detector of mentions): a knowledge base's, or those made
        of it."""
        kb = self.kb_of(corpus)
        return self.disambiguated(kb) if self._names(system) == DISAMBIGUATED else kb

    def kb_of(self, corpus):
        """The id of the knowledge base of a corpus; None without."""
        return self._corpora[corpus].get("kb")

    def measured(self, spans, corpus):
        """Names of the systems that are measured on the gold mentions of a corpus, or on the found ones."""
        elsewhere = [system for system, about in self.predictions if about == corpus]
        elsewhere += [tool for tool, entry in self.tools.items() if corpus in entry["corpora"]]
        elsewhere = elsewhere if spans == GOLD else []
        own = [system for system, entry in self.systems.items() if entry["engine"] != FILTER and links(entry, corpus)]
        with_species = self._formats.get(self.kb_of(corpus)) in WITH_SPECIES
        filters = [name for name in self.by_engine(FILTER) if with_species and links(self.systems[name], corpus)]
        filters = [name for name in filters if self.systems[name]["of"] in [*own, *elsewhere]]
        return [*own, *filters, *elsewhere] if spans == GOLD or corpus in self.end_to_end else []

    def reference_of(self, corpus):
        """The system that the filtered figures are restricted by; None without."""
        return self._references.get(corpus)

    def by_engine(self, *engines):
        """Names of the systems of some engines."""
        return [name for name, entry in self.systems.items() if entry["engine"] in engines]

    def linking_settings(self, system):
        """Params of the commands of the linking stage for a system.

        Nothing is known about definitions, and every entity counts as one that has a definition, so one threshold is
        all there is.
        """
        own = {name: self.systems[system].get(name, default) for name, default in LINKING.items()}
        return own | {"no_definition_threshold": own["threshold"]}

    def dense_settings(self, system):
        """What the training of a system of engine dense is set by."""
        entry = self.systems[system]
        training = entry.get("training", "none")
        defaults = DENSE[training] | (DENSE_TRAINED if training != "none" else {}) | {"max_length": 25}
        own = {name: entry.get(name, default) for name, default in defaults.items()}
        return own | {"system": system, "training": training}

    def trained_on(self, system, corpus):
        """What the encoder of a system of engine dense is trained on that links a corpus: the corpus, the names that
        it sees (`names_of`), or nothing (`PRETRAINED`)."""
        training = self.systems[system].get("training", "none")
        return {"none": PRETRAINED, "synonyms": self.names_of(corpus, system), "corpus": corpus}[training]

    def encoded_for(self, system, corpus):
        """For what a system of engine dense has vectors of names when it links a corpus: the corpus where its encoder
        is trained on that, else those names."""
        return corpus if self.systems[system].get("training") == "corpus" else self.names_of(corpus, system)

    def encoder_of(self, system, encoded):
        """What the encoder is trained on (`trained_on`) whose vectors are those of `encoded_for`."""
        return PRETRAINED if self.systems[system].get("training", "none") == "none" else encoded

    def names_of_dense(self, system, about):
        """The names behind what `trained_on` or `encoded_for` gives."""
        return self.names_of(about, system) if self.systems[system].get("training") == "corpus" else about

    def measures(self):
        """(spans, corpus, system) of all that is measured."""
        return [
            (spans, corpus, system)
            for spans in (GOLD, FOUND)
            for corpus in self.corpora
            for system in self.measured(spans, corpus)
        ]


def links(entry, corpus):
    """Whether a system of `belb.systems` is one for a corpus."""
    return entry.get("corpora") is None or corpus in entry["corpora"]


def _require(good, key, found, known, what):
    if not good:
        raise UsageError(
            f"{key}: {found} is not {what}\n  known:  {', '.join(known) or 'none'}\n  remedy: correct the name"
        )
