"""Invented names: stems of made-up syllables in the patterns of a semantic type."""

import dataclasses

from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.semantic_types import TYPES

_ONSETS = "b br c cl d dr f fl g gl gr h k kl l m n p pl pr qu r s sk sp st t tr v z th w j zw".split()
_VOWELS = "a e i o u ae ei o a e".split()
_MIDDLES = "l n r s t m x nd rk lt sk v b d g p lm rn th".split()
_ENDS = "l n r v m rd lk t nt rth z".split()
_ADJECTIVES = ("al", "ic", "ar", "oid")
ACCENTS = str.maketrans({"e": "é", "o": "ö", "a": "å", "u": "ü"})


@dataclasses.dataclass
class Naming:
    """Names of one concept.

    `names[0]` is the preferred name. `acronym` is "" for most concepts.
    """

    names: list
    acronym: str = ""


class Namer:
    """Gives every concept names that no other concept has.

    Parameters
    ----------
    seed : int
        Seed of the release.
    reserved : set of str
        Lower-cased words of the running text, which no one-word name may equal.
    """

    def __init__(self, seed, reserved):
        self._seed = seed
        self._reserved = reserved
        self._stems = set()
        self._acronyms = set()

    def name(self, number, tui):
        """A `Naming` for concept `number` of a semantic type."""
        dice = Dice("name", self._seed, number)
        stem = self._stem(dice)
        patterns = dice.shuffled(TYPES[tui].patterns)[: dice.integer(1, 3)]
        adjective = stem + dice.choose(_ADJECTIVES)
        names = [pattern.format(s=stem, a=adjective) for pattern in patterns]
        if dice.chance(0.25):
            names.append(f"{dice.choose(('primary', 'common', 'simple', 'true'))} {names[0]}")
        acronym = self._acronym(dice) if dice.chance(0.08) else ""
        if dice.chance(0.04):
            names[0] = stem.translate(ACCENTS).join(names[0].split(stem))
        return Naming(names, acronym)

    def _stem(self, dice):
        while True:
            stem = dice.choose(_ONSETS) + dice.choose(_VOWELS) + dice.choose(_MIDDLES)
            if dice.chance(0.6):
                stem += dice.choose(_VOWELS) + dice.choose(_MIDDLES)
            stem += dice.choose(_VOWELS) + dice.choose(_ENDS)
            if stem not in self._stems and stem not in self._reserved:
                self._stems.add(stem)
                return stem

    def _acronym(self, dice):
        while True:
            letters = "".join(dice.choose("BCDFGHKLMPQRTVXZ") for _ in range(dice.integer(3, 5)))
            if letters not in self._acronyms and letters.lower() not in self._reserved:
                self._acronyms.add(letters)
                return letters
