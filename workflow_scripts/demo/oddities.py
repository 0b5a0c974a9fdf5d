"""What a release holds besides clean concepts and facts: everything that the filters must see through."""

from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.graph import Concept, cui_of
from workflow_scripts.demo.names import Namer
from workflow_scripts.demo.relations import RELATIONS

MISSING_LOOKING = ("NA", "None", "null", "N/A")

# Concepts outside the graph: status -> (how many, semantic types). "foreign": only in other vocabularies;
# "obsolete": suppressed in SNOMED CT; "variant": its SNOMED CT name is no preferred form; "mistyped": a type or
# group that the paper excludes.
OUTSIDE = {
    "foreign": (70, ("T047", "T121", "T033", "T061")),
    "obsolete": (40, ("T047", "T023", "T061", "T109")),
    "variant": (15, ("T047", "T074")),
    "mistyped": (
        60,
        (
            "T025",
            "T026",
            "T018",
            "T043",
            "T044",
            "T045",
            "T050",
            "T089",
            "T104",
            "T120",
            "T122",
            "T007",
            "T034",
            "T079",
            "T082",
        ),
    ),
}


def outside_concepts(seed, reserved, first_number):
    """Concepts that the filters drop, as {status: [Concept, ...]}; numbered from `first_number`."""
    namer = Namer(seed, reserved)
    concepts, number = {}, first_number
    for status, (count, tuis) in OUTSIDE.items():
        concepts[status] = []
        for index in range(count):
            tui = tuis[index % len(tuis)]
            naming = namer.name(number, tui)
            names = [f"extrinsic {name}" for name in naming.names]
            concepts[status].append(Concept(cui_of(number), status, [tui], names))
            number += 1
    return concepts


def give_odd_names(seed, graph):
    """Quotes, names that look like missing values, an ampersand, and names that two concepts share; in place."""
    dice = Dice("odd names", seed)
    ordered = sorted(graph.concepts)
    start = dice.integer(200, 400)
    opened, closed = graph.concepts[ordered[start]], graph.concepts[ordered[start + 4]]
    opened.names.insert(0, f'"{opened.names[0]} variant')
    closed.names.insert(0, f'{closed.names[0]} 5" form')
    balanced = graph.concepts[ordered[start + 50]]
    balanced.names.insert(0, f'"{balanced.names[0]}" proper')
    for name, index in zip(MISSING_LOOKING, range(start + 100, start + 500, 100), strict=True):
        graph.concepts[ordered[index]].names.insert(0, name)
    marked = graph.concepts[ordered[start + 60]]
    marked.names.append(f"{marked.names[0]} & annex")
    cuis = dice.shuffled(graph.concepts)
    for giver, taker in zip(cuis[:60], cuis[60:120], strict=True):
        names = graph.concepts[giver].names
        graph.concepts[taker].names.append(graph.concepts[giver].acronym or names[-1])


def unwanted_pairs(seed, graph, name, count):
    """(head, relation, tail) that look like facts but are none: the pair is no fact in either direction."""
    known = {(head, tail) for head, _, tail in graph.facts}
    members = {}
    for concept in graph.concepts.values():
        members.setdefault(concept.kind, []).append(concept.cui)
    dice, found = Dice("unwanted", seed, name), []
    while len(found) < count:
        relation = dice.choose(RELATIONS)
        head = dice.choose(members[dice.choose(relation.head)])
        tail = dice.choose(members[dice.choose(relation.tail)])
        if head != tail and (head, tail) not in known and (tail, head) not in known:
            known.add((head, tail))
            found.append((head, relation.name, tail))
    return found
