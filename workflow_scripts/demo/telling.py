"""Sentences of the release: which pairs are told, how often, and in which words."""

import collections
import dataclasses
import re

from workflow_scripts.demo import grammar
from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.oddities import MISSING_LOOKING
from workflow_scripts.demo.relations import RELATIONS
from workflow_scripts.demo.semantic_types import kept

EXPRESSING = 0.72  # share of sentences of a fact that tell it
MISLEADING = 0.025  # share of sentences of an unrelated pair in words that tell a relation of such pairs
DENYING = 0.015  # share of sentences of an unrelated pair that deny a relation of such pairs
SENTENCES_PER_FACT, MOST_PER_FACT = 1.8, 12
SENTENCES_PER_UNRELATED, MOST_PER_UNRELATED = 2.0, 8
UNRELATED_SENTENCES = 31_500
SINGLES, FILLERS, TWICE = 1500, 2500, 60
HUBS, HUB_SHARE = 10, 0.08  # concepts that much of the text names beside others: mention pruning removes their names
OPEN, CLOSE = "\x01", "\x02"  # stand around a mention until the text is finished
_MARKUP = re.compile(r"</?(?:i|b|sub|sup)>")
_WITH_ARTICLE = {"site": 0.8, "device": 0.7, "function": 0.5, "finding": 0.2, "drug": 0.4}


@dataclasses.dataclass(frozen=True)
class Sentence:
    """One sentence as tokens joined by one space.

    `marked` holds the text with markup tags and with OPEN and CLOSE around each mention.
    """

    marked: str

    def plain(self):
        """The text without markup, and the (start, end) of its mentions in it, in code points."""
        spans, parts, length = [], [], 0
        for piece in re.split(f"([{OPEN}{CLOSE}])", _MARKUP.sub("", self.marked)):
            if piece == OPEN:
                start = length
            elif piece == CLOSE:
                spans.append((start, length))
            else:
                parts.append(piece)
                length += len(piece)
        return "".join(parts), spans


class Teller:
    """Writes sentences about the concepts of a graph.

    Parameters
    ----------
    seed : int
        Seed of the release.
    graph : Graph
        Concepts and facts.
    outside : list of Concept
        Concepts that no filter keeps; now and then a sentence mentions one beside its pair.
    """

    def __init__(self, seed, graph, outside):
        self.seed, self.graph, self.outside = seed, graph, outside
        self.relations_of_kinds = collections.defaultdict(list)
        for relation in RELATIONS:
            for head in relation.head:
                for tail in relation.tail:
                    self.relations_of_kinds[head, tail].append(relation.name)
        self.cuis = list(graph.concepts)

    def fact(self, fact, number):
        """Sentence `number` of a fact: it tells the fact in most cases, else it only names both concepts."""
        dice = Dice("told", self.seed, *fact, number)
        head, relation, tail = fact
        if dice.chance(EXPRESSING):
            return self._sentence(dice, *self._clause(dice, relation, head, tail))
        return self._sentence(dice, *self._neutral(dice, head, tail))

    def unrelated(self, head, tail, number):
        """Sentence `number` of a pair without fact: neutral words in most cases, some mislead, some deny."""
        dice = Dice("unrelated", self.seed, head, tail, number)
        kinds = self.graph.concepts[head].kind, self.graph.concepts[tail].kind
        draw = dice.uniform()
        if draw < MISLEADING + DENYING:
            clause, first, second = self._clause(dice, dice.choose(self.relations_of_kinds[kinds]), head, tail)
            denial = f"{dice.choose(grammar.DENIALS)} " if draw < DENYING else ""
            return self._sentence(dice, clause, first, second, denial)
        return self._sentence(dice, *self._neutral(dice, head, tail))

    def single(self, number):
        """A sentence with one mention, of a concept inside or outside the graph."""
        dice = Dice("single", self.seed, number)
        concept = dice.choose(self.outside) if dice.chance(0.3) else self.graph.concepts[dice.choose(self.cuis)]
        return self._finish(dice, self._fill(dice, dice.choose(grammar.SINGLE), {"A": concept}))

    def twice(self, number):
        """A sentence that names one concept twice and another one once: the aligner must drop it."""
        dice = Dice("twice", self.seed, number)
        head, _, tail = dice.choose(self.graph.facts)
        named = {"A": self.graph.concepts[head], "B": self.graph.concepts[tail], "C": self.graph.concepts[head]}
        return self._finish(dice, self._fill(dice, f"{dice.choose(grammar.NEUTRAL)} {grammar.THIRD[0]} .", named))

    def filler(self, number):
        """A sentence without mention."""
        dice = Dice("filler", self.seed, number)
        return self._finish(dice, self._fill(dice, dice.choose(grammar.FILLERS), {}))

    def foreign(self, language, number):
        """A sentence of an abstract in another language; its mentions must not be read."""
        dice = Dice("foreign", self.seed, language, number)
        first, second = (self.graph.concepts[dice.choose(self.cuis)] for _ in range(2))
        return self._finish(dice, self._fill(dice, grammar.FOREIGN[language], {"A": first, "B": second}))

    def _clause(self, dice, relation, head, tail):
        clause, a_is_head = dice.choose(grammar.CLAUSES_OF[relation])
        return (clause, head, tail) if a_is_head else (clause, tail, head)

    def _neutral(self, dice, head, tail):
        first, second = (head, tail) if dice.chance(0.5) else (tail, head)
        return dice.choose(grammar.NEUTRAL), first, second

    def _sentence(self, dice, clause, first, second, opener=None):
        if opener is None:
            opener = f"{dice.choose(grammar.OPENERS)} " if dice.chance(0.5) else ""
        mentioned = {"A": self.graph.concepts[first], "B": self.graph.concepts[second]}
        text = self._fill(dice, opener, {}) + clause
        if dice.chance(0.05):
            text += f" {dice.choose(grammar.THIRD)}"
            third = dice.choose(self.outside) if dice.chance(0.5) else self.graph.concepts[dice.choose(self.cuis)]
            mentioned["C"] = third
        if dice.chance(0.45):
            text += self._fill(dice, f" {dice.choose(grammar.ENDINGS)}", {})
        return self._finish(dice, self._fill(dice, f"{text} .", mentioned))

    def _fill(self, dice, text, mentioned):
        n = dice.integer(3, 199)
        values = {name: self._mention(dice, concept) for name, concept in mentioned.items()}
        values |= {
            "n": str(n),
            "m": str(n + dice.integer(2, 99)),
            "pct": f"{dice.integer(1, 99)}.{dice.integer(0, 9)}",
            "frac": f"0.{dice.integer(1, 99):02d}",
            "adv": dice.choose(grammar.ADVERBS) if dice.chance(0.4) else "",
            "usual": dice.choose(grammar.USUAL),
        }
        return text.format(**values)

    def _mention(self, dice, concept):
        names = spoken_names(concept)
        name = names[0] if len(names) == 1 or dice.chance(0.7) else dice.choose(names[1:])
        if dice.chance(0.03):
            name = name.title() if name.islower() else name
        text = f"{OPEN}{name}{CLOSE}"
        if dice.chance(0.02):
            text = f"<i>{text}</i>"
        article = _WITH_ARTICLE.get(concept.kind, 0.1)
        return f"the {text}" if dice.chance(article) else text

    def _finish(self, dice, text):
        start = next(i for i, letter in enumerate(text) if letter not in f"{OPEN}{CLOSE}<>" and not _in_tag(text, i))
        return Sentence(text[:start] + text[start].upper() + text[start + 1 :])


def _in_tag(text, index):
    return text.rfind("<", 0, index + 1) > text.rfind(">", 0, index)


def spoken_names(concept):
    """Names of a concept that running text uses: no quotes, nothing that looks like a missing value."""
    names = [name for name in concept.names if '"' not in name and name not in MISSING_LOOKING]
    return names + ([concept.acronym] if concept.acronym else [])


def told_facts(seed, graph):
    """Facts that the text tells, with their numbers of sentences: {fact: sentences}."""
    of_relation = collections.defaultdict(list)
    for fact in graph.facts:
        of_relation[fact[1]].append(fact)
    told = {}
    for relation in RELATIONS:
        dice = Dice("telling", seed, relation.name)
        for fact in dice.shuffled(of_relation[relation.name])[: relation.told]:
            told[fact] = dice.bag_size(SENTENCES_PER_FACT, MOST_PER_FACT)
    pairs = {(head, tail) for head, _, tail in graph.facts}
    return told | {fact: 2 for fact in graph.facts if (fact[2], fact[0]) in pairs}


def unrelated_pairs(seed, graph):
    """Pairs that are no facts but could be by types and roles, with their numbers of sentences.

    Each is a fact with one side replaced by a concept of the same semantic type that has the same role in
    another fact (the constraints of the paper's section 3.1 on NA pairs).
    """
    facts_of, roles, related = collections.defaultdict(list), (set(), set()), set()
    for head, _, tail in graph.facts:
        facts_of[head].append((head, tail))
        facts_of[tail].append((head, tail))
        roles[0].add(head)
        roles[1].add(tail)
        related |= {(head, tail), (tail, head)}
    alike = collections.defaultdict(lambda: ([], []))
    for cui, concept in graph.concepts.items():
        if len(concept.tuis) == 1 and kept(concept.tuis[0]):
            for side in (0, 1):
                if cui in roles[side]:
                    alike[concept.tuis[0]][side].append(cui)
    dice, cuis, pairs, total = Dice("unrelated pairs", seed), list(graph.concepts), {}, 0
    hubs = dice.shuffled([cui for cui in cuis if len(facts_of[cui]) < 5])[:HUBS]
    while total < UNRELATED_SENTENCES:
        anchor = dice.weighted(hubs, range(1, HUBS + 1)) if dice.chance(HUB_SHARE) else dice.choose(cuis)
        head, tail = dice.choose(facts_of[anchor])
        side = 1 if anchor == head else 0
        replaced = graph.concepts[(head, tail)[side]]
        options = alike[replaced.tuis[0]][side]
        if len(replaced.tuis) > 1 or not options:
            continue
        other = dice.choose(options)
        pair = (anchor, other) if side == 1 else (other, anchor)
        if anchor != other and pair not in related and pair not in pairs:
            pairs[pair] = dice.bag_size(SENTENCES_PER_UNRELATED, MOST_PER_UNRELATED)
            total += pairs[pair]
    return pairs


def write_sentences(seed, graph, outside):
    """All sentences of the release, each text once, in random order."""
    teller = Teller(seed, graph, outside)
    sentences = [
        teller.fact(fact, number) for fact, count in told_facts(seed, graph).items() for number in range(count)
    ]
    for (head, tail), count in unrelated_pairs(seed, graph).items():
        sentences += [teller.unrelated(head, tail, number) for number in range(count)]
    sentences += [teller.single(number) for number in range(SINGLES)]
    sentences += [teller.twice(number) for number in range(TWICE)]
    sentences += [teller.filler(number) for number in range(FILLERS)]
    distinct = {sentence.plain()[0]: sentence for sentence in sentences}
    return teller, Dice("order", seed).shuffled(distinct.values())
