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
    candidates : (int64 array, uint8 array)
        NA candidates and their splits, as `candidate_pairs` gives them.
    type_constraint, role_constraint : bool
        Tests of NA pairs.
    turn_for_roles : bool
        An NA pair whose roles fit only the other way round is turned, its types are not tested again
        (the published behaviour).
    seed : int
    """

    graph: Graph
    candidates: tuple
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

    def __getitem__(self, mask):
        return _Pairs(*(column[mask] for column in self))

    def without(self, sentences):
        """The pairs outside the given sentences (bool array over sentences)."""
        return self[~sentences[self.sentence]]


def align_block(mentions, rules):
    """Align the sentences of a block.

    Parameters
    ----------
    mentions : pyarrow.Table
        sentence_id, start, end, surface, cui of the best concept of each mention that is long enough;
        sentences contiguous and whole.
    rules : Rules

    Returns
    -------
    aligned : pyarrow.Table
        Columns of the contract ALIGNED, in the order of the sentences.
    counts : dict of int
        How many mentions and sentences met which fate (keys COUNTS).
    """
    mentions = mentions.combine_chunks()
    counts = dict.fromkeys(COUNTS, 0)
    sentence, starts = sentence_runs(mentions["sentence_id"].combine_chunks())
    counts["mentions"], counts["sentences"] = mentions.num_rows, len(starts)
    repeated = _repeated(sentence, len(starts), mentions["cui"])
    entity = pc.fill_null(pc.index_in(mentions["cui"], rules.graph.entities), -1).to_numpy().astype(np.int64)
    counts["mentions_in_graph"] = int((entity >= 0).sum())
    counts["sentences_repeated_concept"] = int(repeated.sum())
    rows = np.flatnonzero((entity >= 0) & ~repeated[sentence])
    pairs = _ordered_pairs(sentence[rows], entity[rows], rows, rules.graph)
    keys = draw_keys(mentions["sentence_id"].take(pa.array(starts)), rules.seed, "pair of a sentence")
    chosen, masks = _choose(pairs, ~repeated, keys, rules, counts)
    counts["sentences_aligned"] = len(chosen.sentence)
    return _table(mentions, chosen, masks, rules.graph), counts


def sentence_runs(ids):
    """Number of the sentence of each mention, and the first mention of each sentence (ids: an Arrow array)."""
    if not len(ids):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    differs = pc.not_equal(ids.slice(1), ids.slice(0, len(ids) - 1))
    new = np.concatenate([[True], differs.to_numpy(zero_copy_only=False)])
    return np.cumsum(new) - 1, np.flatnonzero(new)


def _repeated(sentence, n_sentences, cuis):
    """bool array over sentences: some concept, of the graph or not, occurs twice."""
    repeated = np.zeros(n_sentences, dtype=bool)
    codes = cuis.combine_chunks().dictionary_encode()
    keys = sentence * max(len(codes.dictionary), 1) + codes.indices.to_numpy()
    keys.sort()
    twice = keys[1:][keys[1:] == keys[:-1]]
    repeated[twice // max(len(codes.dictionary), 1)] = True
    return repeated


def _ordered_pairs(sentence, entity, rows, graph):
    """All ordered pairs of entities that share a sentence, but for the inverses of facts."""
    order = np.lexsort((entity, sentence))
    sentence, entity, rows = sentence[order], entity[order], rows[order]
    first = np.searchsorted(sentence, sentence, side="left")
    partners = np.searchsorted(sentence, sentence, side="right") - first - 1
    left = np.repeat(np.arange(len(rows)), partners)
    right = np.arange(len(left)) - np.repeat(np.cumsum(partners) - partners, partners) + first[left]
    right += right >= left
    code = entity[left] * graph.n + entity[right]
    pairs = _Pairs(sentence[left], code, rows[left], rows[right])
    return pairs[~contained(code, graph.inverses)]


def _choose(pairs, open_sentences, keys, rules, counts):
    """The one pair of each sentence, and for each chosen pair its split's bit, negative for NA."""
    n = len(open_sentences)
    with_pair = np.zeros(n, dtype=bool)
    with_pair[pairs.sentence] = True
    counts["sentences_without_pair"] = int((open_sentences & ~with_pair).sum())

    fact_masks = looked_up(pairs.code, *rules.graph.positives)
    positive = np.zeros(n, dtype=bool)
    positive[pairs.sentence[fact_masks > 0]] = True
    shared = _with_shared(pairs, fact_masks, n)
    counts["sentences_fact_of_two_splits"] = int(shared.sum())
    facts = pairs[fact_masks > 0].without(shared)
    facts, fact_splits = _draw(facts, looked_up(facts.code, *rules.graph.positives), n, keys)

    others = _allowed(pairs.without(positive), rules)
    masks = looked_up(others.code, *rules.candidates)
    others, masks = others[masks > 0], masks[masks > 0]
    candidate = np.zeros(n, dtype=bool)
    candidate[others.sentence] = True
    shared = _with_shared(others, masks, n)
    counts["sentences_without_candidate"] = int((with_pair & ~positive & ~candidate).sum())
    counts["sentences_candidate_of_two_splits"] = int(shared.sum())
    others, masks = others.without(shared), masks[~shared[others.sentence]]
    others, other_splits = _draw(others, masks, n, keys)

    chosen = _joined(facts, others)
    order = np.argsort(chosen.sentence, kind="stable")
    masks = np.concatenate([fact_splits.astype(np.int8), -other_splits.astype(np.int8)])
    return chosen[order], masks[order]


def _allowed(pairs, rules):
    """The pairs whose types and roles an NA pair may have, each once for a sentence."""
    graph = rules.graph
    if rules.type_constraint:
        types = graph.type_of[pairs.code // graph.n], graph.type_of[pairs.code % graph.n]
        pairs = pairs[graph.type_pairs[types]]
    if not rules.role_constraint:
        return pairs
    is_head, is_tail = (np.zeros(graph.n, dtype=bool) for _ in range(2))
    is_head[graph.heads], is_tail[graph.tails] = True, True
    head, tail = pairs.code // graph.n, pairs.code % graph.n
    straight = is_head[head] & is_tail[tail]
    if not rules.turn_for_roles:
        return pairs[straight]
    other = pairs[~straight & is_tail[head] & is_head[tail]]
    turned = _Pairs(other.sentence, graph.turn(other.code), other.tail, other.head)
    return _distinct(_joined(pairs[straight], turned))


def _joined(*parts):
    return _Pairs(*map(np.concatenate, zip(*parts, strict=True)))


def _distinct(pairs):
    pairs = pairs[np.lexsort((pairs.code, pairs.sentence))]
    if not len(pairs.code):
        return pairs
    new = (pairs.sentence[1:] != pairs.sentence[:-1]) | (pairs.code[1:] != pairs.code[:-1])
    return pairs[np.concatenate([[True], new])]


def _with_shared(pairs, masks, n_sentences):
    """bool array over sentences: one of the pairs belongs to two splits."""
    shared = np.zeros(n_sentences, dtype=bool)
    shared[pairs.sentence[(masks & (masks - 1)) > 0]] = True
    return shared


def _draw(pairs, masks, n_sentences, keys):
    """Of each sentence one pair of its highest split, drawn by the sentence's key from the sorted pairs."""
    best = np.zeros(n_sentences, dtype=np.uint8)
    np.maximum.at(best, pairs.sentence, masks)
    eligible = masks == best[pairs.sentence]
    pairs, masks = pairs[eligible], masks[eligible]
    sentences, first, number = np.unique(pairs.sentence, return_index=True, return_counts=True)
    places = first + (keys[sentences] % number.astype(np.uint64)).astype(np.int64)
    return pairs[places], masks[places]


def _table(mentions, chosen, masks, graph):
    """Rows of the contract ALIGNED."""
    names = pa.array([*SPLITS])
    places = np.searchsorted(np.array(BITS), np.abs(masks))
    head, tail = graph.cuis(chosen.code)
    columns = {
        "sentence_id": mentions["sentence_id"].take(pa.array(chosen.head)),
        "split": names.take(pa.array(places)),
        "positive": pa.array(masks > 0),
        "head": head,
        "tail": tail,
    }
    for role, rows in (("head", chosen.head), ("tail", chosen.tail)):
        part = mentions.select(["surface", "start", "end"]).take(pa.array(rows))
        columns |= {f"{role}_name": part["surface"], f"{role}_start": part["start"], f"{role}_end": part["end"]}
    return pa.table(columns)
