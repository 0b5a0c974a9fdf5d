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

    def __getitem__(self, mask):
        return _Pairs(*(column[mask] for column in self))


def pairs_of_block(mentions, rules):
    """The pairs that the sentences of a block may get: facts, else what the rules allow as NA.

    Parameters
    ----------
    mentions : pyarrow.Table
        sentence_id, start, end, surface, cui of the best concept of each mention that is long enough;
        sentences contiguous and whole.
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
    mentions = mentions.combine_chunks()
    counts = dict.fromkeys(COUNTS, 0)
    sentence, starts = sentence_runs(mentions["sentence_id"].combine_chunks())
    n = counts["sentences"] = len(starts)
    counts["mentions"] = mentions.num_rows
    repeated = _repeated(sentence, n, mentions["cui"])
    entity = pc.fill_null(pc.index_in(mentions["cui"], rules.graph.entities), -1).to_numpy().astype(np.int64)
    counts["mentions_in_graph"] = int((entity >= 0).sum())
    counts["sentences_repeated_concept"] = int(repeated.sum())
    rows = np.flatnonzero((entity >= 0) & ~repeated[sentence])
    pairs, masks = _ordered_pairs(sentence[rows], entity[rows], rows, rules.graph)
    with_pair, positive, shared = (np.zeros(n, dtype=bool) for _ in range(3))
    with_pair[pairs.sentence] = True
    positive[pairs.sentence[masks > 0]] = True
    shared[pairs.sentence[(masks & (masks - 1)) > 0]] = True
    counts["sentences_without_pair"] = int((~repeated & ~with_pair).sum())
    counts["sentences_fact_of_two_splits"] = int(shared.sum())
    chosen = (masks > 0) & ~shared[pairs.sentence]
    facts, fact_masks = pairs[chosen], masks[chosen]
    others = _allowed(pairs[~positive[pairs.sentence]], rules)
    candidate = np.zeros(n, dtype=bool)
    candidate[others.sentence] = True
    counts["sentences_without_candidate"] = int((with_pair & ~positive & ~candidate).sum())
    masks = np.concatenate([fact_masks, np.zeros(len(others.code), dtype=np.uint8)])
    return *_spillable(_joined(facts, others), masks, mentions), counts


PAIRS = pa.schema(
    [
        ("sentence", pa.int64()),
        ("code", pa.int64()),
        ("head", pa.int64()),
        ("tail", pa.int64()),
        ("fact", pa.uint8()),
    ]
)
NAMED = ["sentence_id", "surface", "start", "end"]


def _spillable(pairs, masks, mentions):
    """The pairs as a table PAIRS over the few mentions that they name, and these."""
    order = np.argsort(pairs.sentence, kind="stable")
    pairs, masks = pairs[order], masks[order]
    used = np.zeros(mentions.num_rows, dtype=bool)
    used[pairs.head] = used[pairs.tail] = True
    place = np.cumsum(used) - 1
    columns = [pairs.sentence, pairs.code, place[pairs.head], place[pairs.tail], masks]
    table = pa.table([pa.array(column) for column in columns], schema=PAIRS)
    return table, mentions.select(NAMED).filter(pa.array(used))


def choose(pairs, named, codes, masks, rules):
    """One pair for each sentence of a block.

    Parameters
    ----------
    pairs, named : pyarrow.Table
        As of `pairs_of_block`.
    codes : int64 array
        Sorted codes that hold all NA pairs of the block.
    masks : uint8 array
        The splits that have each code as a candidate.
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
    own = np.where(fact > 0, fact, looked_up(pairs.code, codes, masks)) if len(codes) else fact
    n = int(pairs.sentence.max(initial=-1)) + 1
    present, found, shared = (np.zeros(n, dtype=bool) for _ in range(3))
    present[pairs.sentence] = True
    found[pairs.sentence[own > 0]] = True
    shared[pairs.sentence[(own & (own - 1)) > 0]] = True
    counts = {
        "sentences_without_candidate": int((present & ~found).sum()),
        "sentences_candidate_of_two_splits": int(shared.sum()),
    }
    kept = (own > 0) & ~shared[pairs.sentence]
    pairs, own, fact = pairs[kept], own[kept], fact[kept]
    places = _draw(pairs, own, n, named["sentence_id"], rules.seed)
    pairs = pairs[places]
    counts["sentences_aligned"] = len(places)
    return _table(named, pairs, own[places], fact[places] > 0, rules.graph), counts


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
    """All ordered pairs of entities that share a sentence, but for the inverses of facts; and their masks as facts."""
    order = np.argsort(sentence * graph.n + entity)
    entity, rows = entity[order], rows[order]
    starts = np.flatnonzero(np.concatenate([[True], sentence[1:] != sentence[:-1]])) if len(sentence) else sentence
    sizes = np.diff(np.append(starts, len(sentence)))
    partners = np.repeat(sizes - 1, sizes)
    left = np.repeat(np.arange(len(rows)), partners)
    right = np.arange(len(left)) - np.repeat(np.cumsum(partners) - partners - np.repeat(starts, sizes), partners)
    right += right >= left
    code = entity[left] * graph.n + entity[right]
    masks, kept = np.zeros(len(code), dtype=np.uint8), np.ones(len(code), dtype=bool)
    places = np.flatnonzero(graph.fact_sieve.lets_through(code))
    masks[places] = looked_up(code[places], *graph.positives)
    kept[places] = ~contained(code[places], graph.inverses)
    pairs = _Pairs(sentence[left], code, rows[left], rows[right])
    return pairs[kept], masks[kept]


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
