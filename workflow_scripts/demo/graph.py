"""Concepts and facts of the release."""

import collections
import dataclasses

from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.names import Namer
from workflow_scripts.demo.relations import CLASSES, RELATIONS

MIN_NEIGHBOURS = 3
BOTH_WAYS = 6  # pairs with a fact in each direction: the aligner must use neither


@dataclasses.dataclass
class Concept:
    """A concept: CUI, class, semantic types (the names follow the first) and names (the first is preferred)."""

    cui: str
    kind: str
    tuis: list
    names: list
    acronym: str = ""


@dataclasses.dataclass
class Graph:
    """Concepts by CUI, and facts (head, relation, tail) in a fixed order."""

    concepts: dict
    facts: list


def cui_of(number):
    """CUI number `number`: spread over C7000000..C7999999, so that order of CUIs and order of making differ."""
    return f"C7{(number * 618_033 + 271_828) % 1_000_000:06d}"


def build_graph(seed, reserved):
    """Concepts of all classes and the facts between them.

    Parameters
    ----------
    seed : int
        Seed of the release.
    reserved : set of str
        Lower-cased words of the running text.
    """
    namer = Namer(seed, reserved)
    concepts = {}
    for kind, (count, types) in CLASSES.items():
        for _ in range(count):
            number = len(concepts)
            dice = Dice("concept", seed, number)
            tui = dice.weighted(list(types), types.values())
            tuis = [tui]
            if dice.chance(0.05):
                tuis.append(dice.choose([other for other in types if other != tui] or ["T081"]))
            if dice.chance(0.02):
                tuis.append(dice.choose(("T025", "T081", "T120")))
            naming = namer.name(number, tui)
            concepts[cui_of(number)] = Concept(cui_of(number), kind, tuis, naming.names, naming.acronym)
    return Graph(concepts, _facts(seed, concepts))


class _Pool:
    """Concepts of some classes: every second draw goes round all of them, the others prefer a few."""

    def __init__(self, seed, cuis, kinds):
        self.dice = Dice("pool", seed, *kinds)
        self.cuis = self.dice.shuffled(cuis)
        self.next = 0

    def draw(self, dice):
        if dice.chance(0.5):
            self.next += 1
            return self.cuis[self.next % len(self.cuis)]
        return self.cuis[int(len(self.cuis) * dice.uniform() ** 2)]


def _facts(seed, concepts):
    """Facts of all relations: few pairs in both directions, few pairs with two relations, no loop."""
    members = collections.defaultdict(list)
    for concept in concepts.values():
        members[concept.kind].append(concept.cui)
    pools = {}
    for relation in RELATIONS:
        for kinds in (relation.head, relation.tail):
            pools.setdefault(kinds, _Pool(seed, [cui for kind in kinds for cui in members[kind]], kinds))
    facts, pairs = [], {}
    for relation in RELATIONS:
        dice = Dice("facts", seed, relation.name)
        done = 0
        while done < relation.facts:
            head, tail = pools[relation.head].draw(dice), pools[relation.tail].draw(dice)
            if _acceptable(head, relation.name, tail, pairs, dice):
                pairs.setdefault((head, tail), []).append(relation.name)
                facts.append((head, relation.name, tail))
                done += 1
    facts += _top_up(seed, concepts, members, facts, pairs)
    caused = [fact for fact in facts if fact[1] == "cause_of"]
    return facts + [(tail, "occurs_after", head) for head, _, tail in caused[:BOTH_WAYS]]


def _acceptable(head, relation, tail, pairs, dice):
    """Whether a triple may become a fact; a second relation of a pair is let through now and then."""
    if head == tail or (tail, head) in pairs:
        return False
    known = pairs.get((head, tail), [])
    return not known or (len(known) == 1 and relation not in known and dice.chance(0.5))


def _top_up(seed, concepts, members, facts, pairs):
    """Facts that give every concept at least `MIN_NEIGHBOURS` neighbours: the inductive split may drop it then."""
    neighbours = collections.defaultdict(set)
    for head, _, tail in facts:
        neighbours[head].add(tail)
        neighbours[tail].add(head)
    new = []
    for cui, concept in concepts.items():
        dice = Dice("top up", seed, cui)
        while len(neighbours[cui]) < MIN_NEIGHBOURS:
            relation = dice.choose([r for r in RELATIONS if concept.kind in r.head + r.tail])
            as_head = concept.kind in relation.head and (concept.kind not in relation.tail or dice.chance(0.5))
            other = dice.choose(members[dice.choose(relation.tail if as_head else relation.head)])
            head, tail = (cui, other) if as_head else (other, cui)
            if head != tail and (head, tail) not in pairs and (tail, head) not in pairs:
                pairs[head, tail] = [relation.name]
                new.append((head, relation.name, tail))
                neighbours[head].add(tail)
                neighbours[tail].add(head)
    return new
