"""Rows of the RRF files of the release, in the column order of the UMLS Reference Manual, chapter 3."""

import hashlib

from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.oddities import unwanted_pairs
from workflow_scripts.demo.relations import RELATIONS
from workflow_scripts.demo.semantic_types import TYPES

# Vocabulary -> (source restriction level, language).
VOCABULARIES = {
    "SNOMEDCT_US": (9, "ENG"),
    "MSH": (0, "ENG"),
    "NCI": (0, "ENG"),
    "MTH": (0, "ENG"),
    "ICD10CM": (4, "ENG"),
    "SCTSPA": (9, "SPA"),
    "MSHFRE": (3, "FRE"),
}
INVERSE = {relation.name: relation.inverse for relation in RELATIONS} | {
    "isa": "inverse_isa",
    "same_as": "same_as",
    "pathological_process_of": "has_pathological_process",
    "characterizes": "characterized_by",
    "measured_beside": "beside_measured",
    "mapped_to": "mapped_from",
    "": "",
}
INVERSE_CLASS = {"RO": "RO", "CHD": "PAR", "RN": "RB", "RQ": "RQ", "SY": "SY", "SIB": "SIB"}
TAGS = {
    "site": "body structure", "disease": "disorder", "morphology": "morphologic abnormality", "finding": "finding",
    "chemical": "substance", "drug": "clinical drug", "device": "physical object", "function": "observable entity",
    "procedure": "procedure", "test": "procedure", "action": "qualifier value",
}  # fmt: skip


def _number(prefix, width, *parts):
    """An identifier that depends on what it names alone."""
    digest = hashlib.blake2b("|".join(parts).encode(), digest_size=8).digest()
    return f"{prefix}{int.from_bytes(digest, 'big') % 10**width:0{width}d}"


def _name_row(cui, vocabulary, term_type, name, *, ts="S", stt="PF", preferred="N", suppress="N"):
    level, language = VOCABULARIES[vocabulary]
    code = _number("", 8, cui, vocabulary)
    term, string = _number("L", 7, name.lower(), language), _number("S", 7, name, language)
    return (
        cui, language, ts, term, stt, string, preferred, "", "", code, "", vocabulary, term_type, code, name,
        str(level), suppress, "",
    )  # fmt: skip


def _snomed_rows(concept, dice):
    """Rows of an active concept: its SNOMED CT names, and what other vocabularies say."""
    cui, (name, *others) = concept.cui, concept.names
    rows = [
        _name_row(cui, "SNOMEDCT_US", "PT", name, ts="P", preferred="Y"),
        _name_row(cui, "SNOMEDCT_US", "FN", f"{name} ({TAGS[concept.kind]})"),
    ]
    for other in others:
        vocabulary, kind = dice.choose((("SNOMEDCT_US", "SY"), ("SNOMEDCT_US", "SY"), ("MSH", "ET"), ("NCI", "SY")))
        rows.append(_name_row(cui, vocabulary, kind, other))
    if concept.acronym:
        rows.append(_name_row(cui, "NCI", "AB", concept.acronym))
    if dice.chance(0.4):
        rows.append(_name_row(cui, "MSH", "MH", name, ts="P"))
    if dice.chance(0.15):
        rows.append(_name_row(cui, "MTH", "PN", name, ts="P", stt="VC"))
    if dice.chance(0.15):
        rows.append(_name_row(cui, "ICD10CM", "PT", f"{name}, unspecified"))
    if dice.chance(0.15):
        rows.append(_name_row(cui, "SCTSPA", "PT", f"{name} (español)"))
    if dice.chance(0.1):
        rows.append(_name_row(cui, "MSHFRE", "MH", f"{name} avéré"))
    if dice.chance(0.1):
        rows.append(_name_row(cui, "SNOMEDCT_US", "IS", f"{name} NOS", suppress=dice.choose("OEY")))
    if dice.chance(0.05):
        rows.append(_name_row(cui, "SNOMEDCT_US", "OAP", f"old {name}", suppress="O"))
    return rows


def _outside_rows(concept):
    cui, (name, *others) = concept.cui, concept.names
    vocabulary, kind = ("MSH", "MH") if concept.kind == "foreign" else ("SNOMEDCT_US", "PT")
    suppress = "O" if concept.kind == "obsolete" else "N"
    form = "VO" if concept.kind == "variant" else "PF"
    rows = [_name_row(cui, vocabulary, kind, name, ts="P", stt=form, preferred="Y", suppress=suppress)]
    return rows + [_name_row(cui, vocabulary, "SY", other, suppress=suppress) for other in others]


def mrconso(seed, graph, outside):
    """Rows of MRCONSO: 18 columns, sorted by CUI."""
    rows = []
    for concept in graph.concepts.values():
        rows += _snomed_rows(concept, Dice("mrconso", seed, concept.cui))
    for concepts in outside.values():
        for concept in concepts:
            rows += _outside_rows(concept)
    rows = sorted(dict.fromkeys(rows), key=lambda row: row[0])
    return [(*row[:7], f"A{1_000_000 + 13 * index:08d}", *row[8:]) for index, row in enumerate(rows)]


def atoms_of(rows):
    """The first atom of each concept in each vocabulary and, under "", in any: {(cui, vocabulary): AUI}."""
    atoms = {}
    for row in rows:
        atoms.setdefault((row[0], row[11]), row[7])
        atoms.setdefault((row[0], ""), row[7])
    return atoms


def mrsty(graph, outside):
    """Rows of MRSTY: 6 columns; the types of a concept stand in no order of their identifiers."""
    concepts = [*graph.concepts.values(), *(concept for group in outside.values() for concept in group)]
    return [
        (concept.cui, tui, TYPES[tui].tree, TYPES[tui].name, _number("AT", 8, concept.cui, tui), "256")
        for concept in sorted(concepts, key=lambda concept: concept.cui)
        for tui in concept.tuis
    ]


def mrdef(seed, graph, atoms):
    """Rows of MRDEF: 8 columns; about three concepts in ten have a definition, some of them a suppressed one too."""
    rows = []
    for cui in sorted(graph.concepts):
        dice, concept = Dice("mrdef", seed, cui), graph.concepts[cui]
        if dice.chance(0.3):
            sense = TYPES[concept.tuis[0]].name.lower()
            text = f"An invented {sense}, also told as {concept.names[-1]}; it exists in this release alone."
            identifier = _number("AT", 8, cui, "definition")
            rows.append((cui, atoms[cui, ""], identifier, "", "NCI", text, "N", ""))
            if dice.chance(0.1):
                rows.append((cui, atoms[cui, ""], f"{identifier}0", "", "MSH", "Old text.", "O", ""))
    return rows


def mrsab():
    """Rows of MRSAB: 25 columns. The release bears no name of a real one, so nothing is compared with the paper."""
    return [
        ("", f"C6{i:06d}", f"{name}_2019", name, f"Invented {name}", name, "2019", "", "", "DEMO", "", "Nobody;",
         "Nobody;", str(level), "0", "0", "", "PT,SY", "", language, "UTF-8", "Y", "Y", name, ";;;;;;;;")
        for i, (name, (level, language)) in enumerate(VOCABULARIES.items())
    ]  # fmt: skip


def mrdoc():
    """Rows of MRDOC: 4 columns; full names and inverses of the relations, also of one that no table knows."""
    rows = [("RELA", "", "expanded_form", "Empty relation attribute")]
    for name, inverse in INVERSE.items():
        if name:
            rows.append(("RELA", name, "expanded_form", name.replace("_", " ").capitalize()))
            rows.append(("RELA", inverse, "expanded_form", inverse.replace("_", " ").capitalize()))
            rows.append(("RELA", name, "rela_inverse", inverse))
            rows.append(("RELA", inverse, "rela_inverse", name))
    rows += [("REL", name, "rel_inverse", inverse) for name, inverse in INVERSE_CLASS.items()]
    return sorted(set(rows))


class _Relations:
    """Collects MRREL rows, each statement in both directions."""

    def __init__(self, atoms):
        self.atoms, self.rows = atoms, []

    def say(self, head, relation, tail, *, rel="RO", vocabulary="SNOMEDCT_US", suppress="N", group="0"):
        """State `head relation tail`: UMLS writes it as CUI1 = tail, CUI2 = head, and once more the other way round."""
        source = _number("", 10, head, relation, tail, vocabulary, group)
        for cui1, cui2, kind, name, direction in (
            (tail, head, rel, relation, "N"),
            (head, tail, INVERSE_CLASS[rel], INVERSE[relation], "Y"),
        ):
            atom1, atom2 = (self.atoms.get((cui, vocabulary), "") for cui in (cui1, cui2))
            self.rows.append(
                (cui1, atom1, "SCUI", kind, cui2, atom2, "SCUI", name, "", source, vocabulary, vocabulary, group,
                 direction, suppress, "")
            )  # fmt: skip


def mrrel(seed, graph, outside, atoms):
    """Rows of MRREL: 16 columns, sorted by CUI1, CUI2, REL and RELA."""
    relations = _Relations(atoms)
    dice = Dice("mrrel", seed)
    for head, relation, tail in graph.facts:
        relations.say(head, relation, tail)
        if dice.chance(0.03):
            relations.say(head, relation, tail, group="1")
    _add_lookalikes(seed, graph, outside, relations)
    _add_hierarchy(seed, graph, relations)
    rows = sorted(set(relations.rows), key=lambda row: (row[0], row[4], row[3], row[7], row))
    return [(*row[:8], f"R{100_000_000 + 37 * index:09d}", *row[9:]) for index, row in enumerate(rows)]


def _add_lookalikes(seed, graph, outside, relations):
    """Rows that name a kept relation but are no facts, each for its own reason."""
    for head, relation, tail in unwanted_pairs(seed, graph, "suppressed", 200):
        relations.say(head, relation, tail, suppress="O")
    for head, relation, tail in unwanted_pairs(seed, graph, "vocabulary", 100):
        relations.say(head, relation, tail, vocabulary="NCI")
    dropped = [concept for concepts in outside.values() for concept in concepts]
    for index, (head, relation, tail) in enumerate(unwanted_pairs(seed, graph, "outside", 240)):
        other = dropped[index % len(dropped)].cui
        relations.say(*((other, relation, tail) if index % 2 else (head, relation, other)))
    for index, (head, relation, _) in enumerate(unwanted_pairs(seed, graph, "no name", 12)):
        relations.say(head, relation, f"C69999{index:02d}")
    # Rows of another class under a kept relation. They stand before the last row of the relation, which has
    # class RO, so a test of the relation as a whole keeps them and a test of each row drops them.
    last = max(tail for _, relation, tail in graph.facts if relation == "finding_site_of")
    early = [item for item in unwanted_pairs(seed, graph, "narrower", 400) if item[1] == "finding_site_of"]
    for head, relation, tail in [item for item in early if max(item[0], item[2]) < last][:12]:
        relations.say(head, relation, tail, rel="RN")
    twice = [fact for fact in graph.facts if fact[1] == "finding_site_of" and max(fact[0], fact[2]) < last]
    for head, relation, tail in twice[:8]:
        relations.say(head, relation, tail, rel="RN")


def _add_hierarchy(seed, graph, relations):
    """Hierarchy, synonymy, siblings, relations outside the table, too rare ones, another class, and loops."""
    pairs = unwanted_pairs(seed, graph, "hierarchy", 1200)
    for (head, _, tail), (rel, relation) in zip(
        pairs,
        [("CHD", "isa")] * 800 + [("SY", "same_as")] * 80 + [("SIB", "")] * 120 + [("RO", "measured_beside")] * 60
        + [("RO", "mapped_to")] * 40 + [("RO", "pathological_process_of")] * 12 + [("RQ", "characterizes")] * 40
        + [("RO", "")] * 48,
        strict=True,
    ):  # fmt: skip
        relations.say(head, relation, tail, rel=rel)
    for head, relation, _ in graph.facts[:3]:
        relations.say(head, relation, head)
