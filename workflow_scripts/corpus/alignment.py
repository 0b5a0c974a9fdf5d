"""One pair for each sentence: distant supervision over blocks of linked sentences (paper, section 3.1).

Everything is vectorised over the mentions of a block; sentences never look at one another, so the cut into
blocks does not matter.
"""

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.corpus.graph import Graph, contained, looked_up
from workflow_scripts.corpus.sentence_keys import draw_keys
from workflow_scripts.corpus.sieve import Sieve
from workflow_scripts.corpus.splits import BITS, SPLITS

COUNTS = (
    "mentions",
    "mentions_in_graph",
    "sentences",
    "sentences_repeated_concept",
    "sentences_without_pair",
    "sentences_fact_of_two_splits",
    "sentences_without_candidate",
    "sentences_candidate_of_two_splits",
    "sentences_aligned",
)


@dataclasses.dataclass(frozen=True)
class Rules:
    """What decides which pair a sentence gets.

    Attributes
    ----------
    graph : Graph
    type_constraint, role_constraint : bool
        Tests of NA pairs.
    turn_for_roles : bool
        An NA pair whose roles fit only the other way round is turned, its types are not tested again
        (the published behaviour).
    seed : int
    """

    graph: Graph
    type_constraint: bool
    role_constraint: bool
    turn_for_roles: bool
    seed: int


@dataclasses.dataclass(frozen=True)
class _Pairs:
    """Ordered pairs of mentions: sentence number, pair code, positions of the two mentions; sorted by the first two."""

    sentence: np.ndarray
    code: np.ndarray
    head: np.ndarray
    tail: np.ndarray

    def __iter__(self):
        return iter((self.sentence, self.code, self.head, self.tail))

    def __getitem__(self, places):
        return _Pairs(*(column[places] for column in self))


def _entities_of_graph(mentions, kept, graph, counts):
    """Mentions whose concept is in the graph, of sentences that name no concept twice; counts what it leaves out.

    Returns
    -------
    sentence, entity, rows : int64 arrays
        Number of the sentence, number of the concept and row of `mentions`; sorted by sentence and concept.
    repeated : bool array
        Of each sentence, whether it names a concept twice.
    """
    sentence = _numbered(sentence_runs(mentions["sentence_id"].combine_chunks())[0][kept])
    n = counts["sentences"] = int(sentence[-1]) + 1 if len(sentence) else 0
    counts["mentions"] = len(kept)
    concept = _concepts(mentions["cui"].combine_chunks(), graph)[kept]
    counts["mentions_in_graph"] = int((concept < graph.n).sum())
    order = np.argsort(sentence * (int(concept.max(initial=0)) + 1) + concept)
    sentence, concept, rows = sentence[order], concept[order], kept[order]
    repeated = np.zeros(n, dtype=bool)
    repeated[sentence[1:][(sentence[1:] == sentence[:-1]) & (concept[1:] == concept[:-1])]] = True
    counts["sentences_repeated_concept"] = int(repeated.sum())
    own = np.flatnonzero((concept < graph.n) & ~repeated[sentence])
    return sentence[own], concept[own], rows[own], repeated


def pairs_of_block(mentions, kept, rules):
    """The pairs that the sentences of a block may get: facts, else what the rules allow as NA.

    Parameters
    ----------
    mentions : pyarrow.Table
        sentence_id, start, end, surface, cui (a dictionary) of a block; sentences contiguous and whole.
    kept : int64 array
        Rows of the mentions that count: of the best concept, long enough.
    rules : Rules

    Returns
    -------
    pairs : pyarrow.Table
        Columns PAIRS: number of the sentence, code of the pair, rows of its mentions in `named`, mask of the
        splits of a fact (0: no fact); sorted by sentence and code.
    named : pyarrow.Table
        sentence_id, surface, start, end of the mentions that the pairs name.
    counts : dict of int
        How many mentions and sentences met which fate (keys COUNTS), as far as facts decide it.
    """
    mentions, graph = mentions.combine_chunks(), rules.graph
    counts = dict.fromkeys(COUNTS, 0)
    sentence, entity, rows, repeated = _entities_of_graph(mentions, kept, graph, counts)
    n = len(repeated)

    left, right, code = _ordered_pairs(sentence, entity, graph)
    places, masks, inverse = _facts(code, graph)
    of_fact = sentence[left[places]]
    with_pair, positive, shared = (np.zeros(n, dtype=bool) for _ in range(3))
    mentioned = np.bincount(sentence, minlength=n)
    with_pair = mentioned * (mentioned - 1) > np.bincount(of_fact[inverse], minlength=n)
    stated = (masks > 0) & ~inverse
    positive[of_fact[stated]] = True
    shared[of_fact[stated & ((masks & (masks - 1)) > 0)]] = True
    counts["sentences_without_pair"] = int((~repeated & ~with_pair).sum())
    counts["sentences_fact_of_two_splits"] = int(shared.sum())
    chosen = stated & ~shared[of_fact]
    facts, fact_masks = places[chosen], masks[chosen]

    open_pairs = np.ones(len(code), dtype=bool)
    if len(facts) or shared.any():
        open_pairs = ~positive[sentence][left]
    open_pairs[places[inverse]] = False
    others, turned = _allowed(open_pairs, left, right, entity, rules)
    candidate = np.zeros(n, dtype=bool)
    candidate[sentence[left[others]]] = candidate[sentence[left[turned]]] = True
    counts["sentences_without_candidate"] = int((with_pair & ~positive & ~candidate).sum())

    every = np.concatenate([facts, others])
    masks = np.concatenate([fact_masks, np.zeros(len(others), dtype=np.uint8)])
    order = np.argsort(every, kind="stable")
    every, masks = every[order], masks[order]
    pairs = _Pairs(sentence[left[every]], code[every], rows[left[every]], rows[right[every]])
    if len(turned):
        codes = entity[right[turned]] * graph.n + entity[left[turned]]
        pairs, masks = _distinct(
            pairs, masks, _Pairs(sentence[left[turned]], codes, rows[right[turned]], rows[left[turned]])
        )
    return *_spillable(pairs, masks, mentions), counts


PAIRS = pa.schema(
    [
        ("sentence", pa.int32()),
        ("code", pa.int64()),
        ("head", pa.int32()),
        ("tail", pa.int32()),
        ("fact", pa.uint8()),
    ]
)
NAMED = ["sentence_id", "surface", "start", "end"]


def _spillable(pairs, masks, mentions):
    """The pairs as a table PAIRS over the few mentions that they name, and these."""
    used = np.zeros(mentions.num_rows, dtype=bool)
    used[pairs.head] = used[pairs.tail] = True
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    columns = [pairs.sentence.astype(np.int32), pairs.code, place[pairs.head], place[pairs.tail], masks]
    table = pa.table([pa.array(column) for column in columns], schema=PAIRS)
    return table, mentions.select(NAMED).filter(pa.array(used))


def choose(pairs, named, candidates, rules):
    """One pair for each sentence of a block.

    Parameters
    ----------
    pairs, named : pyarrow.Table
        As of `pairs_of_block`.
    candidates : Candidates
    rules : Rules

    Returns
    -------
    aligned : pyarrow.Table
        Columns of the contract ALIGNED, in the order of the sentences.
    counts : dict of int
        The fates of the sentences that candidates decide (some of COUNTS).
    """
    *columns, fact = (column.to_numpy() for column in pairs.columns)
    pairs = _Pairs(*columns)
    own = np.maximum(fact, candidates.masks_of(pairs.code))
    hit = np.flatnonzero(own)
    sentences, chosen = len(_runs(pairs.sentence)), pairs[hit]
    own, fact = own[hit], fact[hit]
    n = int(pairs.sentence.max(initial=-1)) + 1
    shared = np.zeros(n, dtype=bool)
    shared[chosen.sentence[(own & (own - 1)) > 0]] = True
    counts = {
        "sentences_without_candidate": sentences - len(_runs(chosen.sentence)),
        "sentences_candidate_of_two_splits": int(shared.sum()),
    }
    kept = np.flatnonzero(~shared[chosen.sentence])
    chosen, own, fact = chosen[kept], own[kept], fact[kept]
    places = _draw(chosen, own, n, named["sentence_id"], rules.seed)
    counts["sentences_aligned"] = len(places)
    return _table(named, chosen[places], own[places], fact[places] > 0, rules.graph), counts


class Candidates:
    """The NA candidates among the pairs of the text.

    Parameters
    ----------
    codes : int64 array
        Sorted distinct codes of pairs.
    masks : uint8 array
        The splits that have each of them as a candidate; 0 where none has.
    """

    def __init__(self, codes, masks):
        self.codes, self.masks = codes[masks > 0], masks[masks > 0]
        self.sieve = Sieve(self.codes)

    def masks_of(self, codes):
        """uint8 array: the splits that have each of `codes` as a candidate."""
        masks = np.zeros(len(codes), dtype=np.uint8)
        places = np.flatnonzero(self.sieve.lets_through(codes))
        masks[places] = looked_up(codes[places], self.codes, self.masks)
        return masks


def sentence_runs(ids):
    """Number of the sentence of each mention, and the first mention of each sentence (ids: an Arrow array)."""
    if not len(ids):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    differs = pc.not_equal(ids.slice(1), ids.slice(0, len(ids) - 1))
    new = np.concatenate([[True], differs.to_numpy(zero_copy_only=False)])
    return np.cumsum(new) - 1, np.flatnonzero(new)


def _runs(numbers):
    """Places where a new number begins."""
    return np.flatnonzero(np.concatenate([[len(numbers) > 0], numbers[1:] != numbers[:-1]]))


def _numbered(sentence):
    """Sentence numbers that leave none out."""
    return np.cumsum(np.diff(sentence, prepend=sentence[:1]) != 0)


def _concepts(cuis, graph):
    """int64 array: the number of each concept, from graph.n on for those that the graph lacks."""
    numbers = graph.numbers_of(cuis.dictionary)
    numbers = np.where(numbers >= 0, numbers, graph.n + np.arange(len(numbers)))
    return numbers[cuis.indices.to_numpy()]


def _ordered_pairs(sentence, entity, graph):
    """Places of the first and the second mention of all ordered pairs of a sentence, and their codes; sorted."""
    starts = _runs(sentence)
    sizes = np.diff(np.append(starts, len(sentence)))
    partners = np.repeat(sizes - 1, sizes)
    left = np.repeat(np.arange(len(sentence)), partners)
    right = np.arange(len(left)) - np.repeat(np.cumsum(partners) - partners - np.repeat(starts, sizes), partners)
    right += right >= left
    return left, right, (entity * graph.n)[left] + entity[right]


def _facts(codes, graph):
    """Places of the pairs that are facts or the inverses of facts, their masks as facts, and which are inverses."""
    places = np.flatnonzero(graph.fact_sieve.lets_through(codes))
    masks, inverse = looked_up(codes[places], *graph.positives), contained(codes[places], graph.inverses)
    known = (masks > 0) | inverse
    return places[known], masks[known], inverse[known]


def _allowed(pairs, left, right, entity, rules):
    """Of pairs (a bool array) those whose types and roles an NA pair may have, and those that it may have turned."""
    graph, turned = rules.graph, np.empty(0, dtype=np.int64)
    if rules.type_constraint:
        types = graph.type_of[entity]
        pairs = pairs & graph.type_pairs.ravel().take((types * len(graph.types))[left] + types[right])
    if rules.role_constraint:
        is_head, is_tail = graph.is_head[entity], graph.is_tail[entity]
        straight = is_head[left] & is_tail[right]
        if rules.turn_for_roles:
            turned = np.flatnonzero(pairs & ~straight & is_tail[left] & is_head[right])
        pairs = pairs & straight
    return np.flatnonzero(pairs), turned


def _distinct(pairs, masks, turned):
    """Pairs with others that were turned, each once for a sentence, and the masks as facts."""
    pairs = _Pairs(*map(np.concatenate, zip(pairs, turned, strict=True)))
    masks = np.append(masks, np.zeros(len(turned.code), dtype=np.uint8))
    order = np.lexsort((pairs.code, pairs.sentence))
    pairs, masks = pairs[order], masks[order]
    new = np.diff(pairs.sentence, prepend=-1) | np.diff(pairs.code, prepend=-1)
    return pairs[new != 0], masks[new != 0]


def _draw(pairs, masks, n_sentences, ids, seed):
    """Places of one pair for each sentence: of its highest split, drawn by the sentence's key from the sorted pairs."""
    best = np.zeros(n_sentences, dtype=np.uint8)
    np.maximum.at(best, pairs.sentence, masks)
    eligible = np.flatnonzero(masks == best[pairs.sentence])
    _, first, number = np.unique(pairs.sentence[eligible], return_index=True, return_counts=True)
    keys = draw_keys(ids.take(pa.array(pairs.head[eligible[first]])), seed, "pair of a sentence")
    return eligible[first + (keys % number.astype(np.uint64)).astype(np.int64)]


def _table(named, chosen, masks, positive, graph):
    """Rows of the contract ALIGNED."""
    names = pa.array([*SPLITS])
    places = np.searchsorted(np.array(BITS), masks)
    head, tail = graph.cuis(chosen.code)
    columns = {
        "sentence_id": named["sentence_id"].take(pa.array(chosen.head)),
        "split": names.take(pa.array(places)),
        "positive": pa.array(positive),
        "head": head,
        "tail": tail,
    }
    for role, rows in (("head", chosen.head), ("tail", chosen.tail)):
        part = named.select(["surface", "start", "end"]).take(pa.array(rows))
        columns |= {f"{role}_name": part["surface"], f"{role}_start": part["start"], f"{role}_end": part["end"]}
    return pa.table(columns)
