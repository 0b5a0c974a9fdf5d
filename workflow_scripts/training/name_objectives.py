"""Of what the batches of an encoder of names consist: pairs of synonyms, or mentions with candidates.

An objective has `begin(vectors_of)` (called before each epoch and after the last one; gives metrics of the validation
mentions, or None), `n_steps()` of the epoch begun, `loss(epoch, step, encode)`, and `state()` and `restore(state)`,
tensors by name.
"""

import numpy as np
import torch

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.keyed_random import key64, key64_array, permutation
from workflow_scripts.training.name_losses import marginal_likelihood_loss, multi_similarity_loss
from workflow_scripts.training.name_search import nearest_rows

PAIRS_OF_ENTITY = 50


def synonym_pairs(names, seed, limit=PAIRS_OF_ENTITY):
    """Pairs of sequences that stand for one entity, for each entity all of them or `limit` drawn ones.

    Parameters
    ----------
    names : Names
    seed : int
        Draws depend on it and on the place of the entity among all.
    limit : int
        As SapBERT limits the pairs of a concept.

    Returns
    -------
    int64 array of shape (n_pairs, 2)
        A pair that several entities have stands there once for each.
    """
    rows = np.repeat(np.arange(len(names)), np.diff(names.starts))
    order = np.lexsort((rows, names.codes))
    rows, sizes = rows[order], np.bincount(names.codes, minlength=len(names.entities))
    starts = np.cumsum(sizes) - sizes
    found = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        entities = np.flatnonzero(sizes == size)
        if size * (size - 1) // 2 <= limit:
            pairs = np.stack(np.triu_indices(size, 1), axis=1)
            found.append((starts[entities, None, None] + pairs).reshape(-1, 2))
        else:
            found += [starts[entity] + _drawn_pairs(size, limit, seed, int(entity)) for entity in entities]
    return rows[np.concatenate(found)] if found else np.empty((0, 2), np.int64)


def _drawn_pairs(size, limit, seed, entity):
    """`limit` distinct pairs of range(size), of which there are more, smaller place first."""
    found, attempt = np.empty((0, 2), np.int64), 0
    while len(found) < limit:
        draws = key64_array(key64(seed, "synonyms", entity, attempt), np.arange(4 * limit))
        one = (draws >> np.uint64(32)) % np.uint64(size)
        step = (draws & np.uint64(0xFFFFFFFF)) % np.uint64(size - 1) + np.uint64(1)
        pairs = np.sort(np.stack([one, (one + step) % np.uint64(size)], axis=1).astype(np.int64), axis=1)
        found = np.concatenate([found, pairs])
        found = found[np.sort(np.unique(found, axis=0, return_index=True)[1])]
        attempt += 1
    return found[:limit]


class Synonyms:
    """Pairs of names of one entity against all other names of the batch (SapBERT).

    Two names are synonyms if they share an entity; those that share none are no synonyms. A name with several entities
    thus is never pushed from the names of one of them.

    Parameters
    ----------
    names : Names
    batch_size : int
        Names of a batch, two for each pair.
    seed : int
    source : str or Path
        Names the knowledge base in errors.

    Raises
    ------
    DataError
        If no entity has two names that the encoder can tell apart.
    """

    def __init__(self, names, batch_size, seed, source="the knowledge base"):
        self.names, self.seed = names, seed
        self.pairs = synonym_pairs(names, seed)
        self.size = max(1, batch_size // 2)
        self._order = None, None
        if not len(self.pairs):
            expected = "at least one entity with two names that the encoder tells apart"
            remedy = "leave the corpora of this knowledge base out: belb.systems.<name>.corpora"
            found = f"none among {len(names.entities)} entities"
            raise DataError(source, found=found, expected=expected, remedy=remedy)

    def begin(self, vectors_of):
        """Nothing is chosen by, and nothing renewed."""

    def n_steps(self):
        """Steps of an epoch, each over other pairs."""
        return -(-len(self.pairs) // self.size)

    def loss(self, epoch, step, encode):
        """Loss of one batch."""
        if self._order[0] != epoch:
            self._order = epoch, permutation(key64(self.seed, "synonyms", epoch), len(self.pairs))
        rows = np.unique(self.pairs[self._order[1][step * self.size : (step + 1) * self.size]])
        vectors = encode(self.names.texts.sequences, rows)
        synonyms = torch.from_numpy(self._shared(rows)).to(vectors.device)
        others = ~synonyms
        synonyms.fill_diagonal_(False)
        return multi_similarity_loss(vectors, synonyms, others)

    def _shared(self, rows):
        """Whether two rows share an entity, bool (n, n); true on the diagonal."""
        codes = [self.names.entities_of(row) for row in rows]
        flat, place = np.concatenate(codes), np.repeat(np.arange(len(rows)), [len(own) for own in codes])
        _, column, counts = np.unique(flat, return_inverse=True, return_counts=True)
        several = counts[column] > 1
        column = np.unique(column[several], return_inverse=True)[1]
        has = np.zeros((len(rows), column.max(initial=0) + 1), np.float32)
        has[place[several], column] = 1
        return (has @ has.T > 0) | np.eye(len(rows), dtype=bool)

    def state(self):
        """Nothing but what the constructor makes again."""
        return {}

    def restore(self, state):
        """Nothing to restore."""


class Candidates:
    """Mentions with their nearest names, renewed before each epoch (BioSyn).

    A mention none of whose candidates is right teaches nothing in that epoch. Candidates are those of the encoder alone
    (BioSyn takes half of them from sparse vectors, and adds their score).

    Parameters
    ----------
    names : Names
    mentions : dict
        "train" and "dev" -> (Texts, list of int64 arrays: codes of the right entities of each text of `Texts`).
    batch_size, k : int
        Mentions of a batch, candidates of each.
    temperature : float
        Cosines are divided by it.
    seed : int

    Raises
    ------
    DataError
        By `begin`, if no mention of split train has a right candidate.
    """

    def __init__(self, names, mentions, batch_size, k, temperature, seed):
        self.names, self.mentions, self.size, self.k = names, mentions, batch_size, k
        self.temperature, self.seed = temperature, seed
        self.candidates = self.right = np.empty((0, 0))

    def begin(self, vectors_of):
        """Renew the candidates; share of the dev mentions whose nearest name is one of a right entity."""
        vectors = vectors_of(self.names.texts.sequences)
        self.candidates, self.right = self._nearest("train", vectors, vectors_of, self.k)
        if not self.right.any():
            raise DataError(
                "training",
                found=f"no mention of split train that has a right one among its {self.k} nearest names",
                expected="some mentions to learn from",
                remedy="is it the knowledge base of the corpus? Else raise training_candidates of the system",
            )
        _, first = self._nearest("dev", vectors, vectors_of, 1)
        learned = float(self.right.any(axis=1).mean())
        return {"recall@1": float(first.mean()), "train_with_right_candidate": learned}

    def _nearest(self, split, vectors, vectors_of, k):
        texts, gold = self.mentions[split]
        rows, _ = nearest_rows(vectors_of(texts.sequences), vectors, k, vectors_of.device)
        rows = rows[texts.row_of_text]
        right = [
            [not set(own).isdisjoint(self.names.entities_of(row).tolist()) for row in candidates]
            for candidates, own in zip(rows.tolist(), map(np.ndarray.tolist, gold), strict=True)
        ]
        return rows, np.array(right, bool).reshape(rows.shape)

    def n_steps(self):
        """Steps of the epoch begun, each over other mentions."""
        return -(-int(self.right.any(axis=1).sum()) // self.size)

    def loss(self, epoch, step, encode):
        """Loss of one batch."""
        useful = np.flatnonzero(self.right.any(axis=1))
        order = permutation(key64(self.seed, "mentions", epoch), len(useful))
        chosen = useful[order[step * self.size : (step + 1) * self.size]]
        texts, _ = self.mentions["train"]
        queries, query = np.unique(texts.row_of_text[chosen], return_inverse=True)
        rows, row = np.unique(self.candidates[chosen], return_inverse=True)
        asked = encode(texts.sequences, queries)[torch.from_numpy(query)]
        offered = encode(self.names.texts.sequences, rows)[torch.from_numpy(row.reshape(len(chosen), -1))]
        scores = torch.einsum("nd,nkd->nk", asked, offered) / self.temperature
        right = torch.from_numpy(self.right[chosen]).to(scores.device)
        return marginal_likelihood_loss(scores, right)

    def state(self):
        """The candidates of the epoch."""
        return {"candidates": torch.from_numpy(self.candidates), "right": torch.from_numpy(self.right)}

    def restore(self, state):
        """Go on with saved candidates."""
        self.candidates, self.right = (state[name].numpy() for name in ("candidates", "right"))
