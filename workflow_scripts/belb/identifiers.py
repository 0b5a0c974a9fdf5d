"""From the identifier string of an annotation to identifiers, and on to those of a knowledge base (A1.6, steps 2-5)."""

import collections
import dataclasses
import re

import pyarrow.compute as pc
import pyarrow.dataset as ds

from workflow_scripts.common.belb_corpora import numbered_rows
from workflow_scripts.common.errors import DataError

NONE = frozenset(("", "-1", "-", "0", "No"))
_MESH = re.compile(r"(?:MESH:)?([CD]\d+)", re.IGNORECASE)
_OMIM = re.compile(r"OMIM:(\d+)", re.IGNORECASE)
_TAXON_OF_GENE = re.compile(r"\(tax:\d*\)", re.IGNORECASE)
_NUMBER = re.compile(r"[1-9]\d*")
_CELL_LINE = re.compile(r"CVCL_[A-Z0-9]{4}")
_VARIANT = re.compile(r"(?:\brs|RS#:|dbSNP:)(\d+)")
_CONCEPT = re.compile(r"(?:UMLS:)?(C\d{7})")


def _mesh(part):
    if found := _MESH.fullmatch(part):
        return f"MESH:{found[1].upper()}"
    found = _OMIM.fullmatch(part)
    return f"OMIM:{found[1]}" if found else None


def _number(part):
    return part if _NUMBER.fullmatch(part) else None


def _cell_line(part):
    return part if _CELL_LINE.fullmatch(part) else None


def _concept(part):
    found = _CONCEPT.fullmatch(part)
    return found[1] if found else None


@dataclasses.dataclass(frozen=True)
class Rule:
    """Signs between identifiers, what is cut out before, and the form that an identifier has (None: no identifier)."""

    separators: str
    form: object
    cut: object = None
    first_variant: bool = False
    other_databases: bool = False


RULES = {
    "mesh": Rule("[|+,;]", _mesh),
    "gene": Rule("[|,;]", _number, cut=_TAXON_OF_GENE),
    "taxon": Rule("[|,;]", _number),
    "cell_line": Rule("[|,;]", _cell_line, other_databases=True),
    "variant": Rule("[|,;]", _number, first_variant=True),
    "umls": Rule("[|,;]", _concept),
}


def parse_identifiers(text, rule):
    """The identifiers in an annotation's identifier string.

    Parameters
    ----------
    text : str
        As distributed.
    rule : str
        Key of RULES. mesh gives "MESH:D003924" and "OMIM:222100"; gene leaves out "(Tax:9606)"; variant gives the
        digits of the first dbSNP identifier alone; cell_line passes over identifiers of other databases.

    Returns
    -------
    (list of str, list of str)
        Identifiers in their order, each once; and the parts that have no form of the rule. The marks that stand for
        "no identifier" ("-1", "-", "0", "No") are in neither.
    """
    if RULES[rule].first_variant:
        return _first_variant(text)
    text = RULES[rule].cut.sub("", text) if RULES[rule].cut else text
    known, odd = {}, []
    for part in re.split(RULES[rule].separators, text):
        part = part.strip()
        if part in NONE:
            continue
        identifier = RULES[rule].form(part)
        if identifier:
            known[identifier] = None
        elif not RULES[rule].other_databases:
            odd.append(part)
    return list(known), odd


def _first_variant(text):
    found = _VARIANT.search(text)
    if found:
        return [found[1]], []
    text = text.strip()
    return ([text], []) if _NUMBER.fullmatch(text) else ([], [])


def read_mapping(path, corpus):
    """The hand-made mapping of identifiers that the knowledge base lacks: {identifier: replacement, None to remove}.

    Parameters
    ----------
    path : path
        Columns corpus, identifier, replacement (empty: removed), note, with tabs between
        (schemas/belb_not_in_kb.schema.yaml).
    corpus : str
        Rows of other corpora are passed over.
    """
    mapping = {}
    for line, row in numbered_rows(path, ["corpus", "identifier", "replacement", "note"]):
        if row["corpus"] == corpus:
            if row["identifier"] in mapping:
                found = f"{row['identifier']} of {corpus} again"
                raise DataError(path, line=line, found=found, expected="each identifier once")
            mapping[row["identifier"]] = row["replacement"] or None
    return mapping


@dataclasses.dataclass(frozen=True)
class KnownIdentifiers:
    """What a knowledge base knows of the identifiers of one corpus.

    current: those it has. alternatives: {identifier: tuple of the entities' own}. history: {identifier: tuple of those
    that took its place, empty where it was removed}.
    """

    current: frozenset
    alternatives: dict
    history: dict

    def resolve(self, identifier):
        """(identifiers in the knowledge base or as they were, what was done: kept, alternative, replaced, removed)."""
        if identifier in self.current:
            return [identifier], "kept"
        if identifier in self.alternatives:
            return list(self.alternatives[identifier]), "alternative"
        if identifier in self.history:
            new = self.history[identifier]
            return list(new), "replaced" if new else "removed"
        return [identifier], "kept"


def read_known(folder, wanted):
    """What the knowledge base of a folder says about the wanted identifiers (contracts NAMES, HISTORY, ALTERNATIVES).

    Only rows of these identifiers are kept, so a knowledge base of any size will do.
    """
    history = {}
    for row in _rows(folder / "history.parquet", "old_identifier", "new_identifier", wanted):
        history[row["old_identifier"]] = (
            tuple((row["new_identifier"] or "").split(";")) if row["new_identifier"] else ()
        )
    alternatives = collections.defaultdict(tuple)
    for row in _rows(folder / "alternatives.parquet", "alternative_identifier", "identifier", wanted):
        alternatives[row["alternative_identifier"]] += (row["identifier"],)
    reached = set(wanted).union(*alternatives.values(), *history.values())
    current = {row["identifier"] for row in _rows(folder / "names.parquet", "identifier", None, reached)}
    return KnownIdentifiers(frozenset(current), dict(alternatives), history)


def _rows(path, key, value, wanted):
    if not path.is_file():
        if path.name == "names.parquet":
            remedy = "build the knowledge base first (build_belb_kb)"
            raise DataError(path, found="no file", expected="the names of the knowledge base", remedy=remedy)
        return
    if not wanted:
        return
    columns = [key] if value is None else [key, value]
    scanner = ds.dataset(path).scanner(columns=columns, filter=pc.field(key).isin(sorted(wanted)))
    for batch in scanner.to_batches():
        yield from batch.to_pylist()
