"""Bags of the test split with what a model makes of their sentences: read, and one chosen as the example."""

import dataclasses

from workflow_scripts.common.contracts.bags import BAGS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table

READABLE = range(3, 7)


@dataclasses.dataclass(frozen=True)
class Bag:
    """A pair with its labels in the corpus (none: NA), the model's best relation with its score, and sentences.

    `sentences` are rows of BAGS, the weightiest first; `n_sentences` counts those left out too.
    """

    pair: tuple
    labels: tuple
    relation: str
    score: float
    n_sentences: int
    sentences: tuple

    @property
    def votes(self):
        """Whether the model finds `relation` in each sentence shown."""
        return [sentence["predicted"] == self.relation for sentence in self.sentences]


def read_bags(path):
    """The bags of a file (BAGS), by pair, in its order."""
    rows = {}
    for row in read_table(path, BAGS).to_pylist():
        rows.setdefault((row["head"], row["tail"]), []).append(row)
    return {
        pair: Bag(
            pair,
            () if own[0]["labels"] == "NA" else tuple(own[0]["labels"].split("|")),
            own[0]["relation"],
            own[0]["score"],
            own[0]["n_sentences"],
            tuple(own),
        )
        for pair, own in rows.items()
    }


def example(bags, pair=None):
    """The bag of Figure 1: of the pair asked for, else of one that shows what distant supervision does.

    That is the bag of three to six sentences, all shown, whose relation the model finds as the corpus has it, in some
    of the sentences but not in all, the evenest first, then the longest, then the surest, then by CUI; where there is
    no such bag, the surest of a fact, else the surest of all. None without any bag.

    Raises
    ------
    DataError
        If the pair asked for is not among the bags.
    """
    if pair:
        if tuple(pair) not in bags:
            raise DataError("experiments.bags.example", found=", ".join(pair), expected="a pair of the sample of bags")
        return bags[tuple(pair)]
    return min(bags.values(), key=_rank, default=None)


def _rank(bag):
    found, shown = sum(bag.votes), len(bag.sentences)
    right = bag.relation in bag.labels
    mixed = right and 0 < found < shown and shown in READABLE and shown == bag.n_sentences
    uneven = abs(2 * found - shown) // 2 if mixed else 0
    return not mixed, not right, uneven, -shown if mixed else 0, -bag.score, bag.pair
