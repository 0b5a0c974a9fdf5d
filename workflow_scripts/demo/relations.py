"""The 21 relations of Table A.3 in the release: what they join, how many facts, how they are told."""

import dataclasses

# Classes of concepts, each with the semantic types it is drawn from (weights) and its number of concepts.
CLASSES = {
    "site": (230, {"T023": 10, "T024": 3, "T029": 3, "T030": 2, "T031": 2, "T022": 1, "T017": 1, "T021": 1}),
    "disease": (480, {"T047": 14, "T191": 7, "T037": 5, "T019": 2, "T048": 2, "T046": 2}),
    "morphology": (130, {"T190": 4, "T020": 3, "T049": 3, "T046": 3}),
    "finding": (150, {"T033": 6, "T184": 4}),
    "chemical": (
        330,
        {
            "T121": 9, "T109": 5, "T116": 4, "T123": 3, "T125": 2, "T126": 3, "T127": 1, "T129": 2, "T130": 1,
            "T131": 2, "T192": 1, "T195": 2, "T196": 1, "T197": 1, "T114": 1, "T103": 1,
        },
    ),
    "drug": (70, {"T200": 1}),
    "device": (90, {"T074": 6, "T075": 1, "T203": 2}),
    "function": (80, {"T201": 4, "T039": 2, "T042": 2, "T040": 1, "T041": 1, "T032": 1}),
    "procedure": (380, {"T061": 1}),
    "test": (90, {"T059": 3, "T060": 3}),
    "action": (70, {"T058": 3, "T062": 1, "T063": 1, "T065": 1}),
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Relation:
    """One relation: name and inverse in UMLS, classes of head and tail, facts in the graph and in the text."""

    name: str
    inverse: str
    head: tuple
    tail: tuple
    facts: int
    told: int


_ROWS = """
finding_site_of|has_finding_site|site|disease|560|86
associated_morphology_of|has_associated_morphology|morphology|disease|430|62
method_of|has_method|action|procedure|300|46
interprets|is_interpreted_by|finding|function|330|51
direct_procedure_site_of|has_direct_procedure_site|site|procedure|330|51
causative_agent_of|has_causative_agent|chemical|disease|310|46
active_ingredient_of|has_active_ingredient|chemical|drug|260|42
interpretation_of|has_interpretation|finding|disease|260|43
component_of|has_component|chemical|test|280|46
indirect_procedure_site_of|has_indirect_procedure_site|site|procedure|260|42
direct_morphology_of|has_direct_morphology|morphology|procedure|260|42
cause_of|due_to|disease|disease|290|46
direct_substance_of|has_direct_substance|chemical|procedure|280|46
uses_device|device_used_by|procedure|device|260|42
focus_of|has_focus|disease|procedure|270|43
direct_device_of|has_direct_device|device|procedure|260|42
procedure_site_of|has_procedure_site|site|procedure,test|270|43
uses_substance|substance_used_by|procedure|chemical|260|42
associated_finding_of|has_associated_finding|finding|disease|260|42
occurs_after|occurs_before|disease|disease|260|42
is_modification_of|has_modification|chemical|chemical|260|42
"""


def _read(rows):
    relations = []
    for row in rows.strip().split("\n"):
        name, inverse, head, tail, facts, told = row.split("|")
        relations.append(Relation(name, inverse, tuple(head.split(",")), tuple(tail.split(",")), int(facts), int(told)))
    return tuple(relations)


RELATIONS = _read(_ROWS)
