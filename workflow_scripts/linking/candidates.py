"""Which concepts a surface may mean: candidate generators behind one interface, and the rule that decides.

A generator takes surfaces with their search keys and gives, for each, its concepts with scores, best first.
`make_generator` builds the one that the configuration names.
"""

import dataclasses
from typing import Protocol

import numpy as np
import pyarrow.compute as pc

from workflow_scripts.common.errors import UsageError
from workflow_scripts.linking.forms import literal_form
from workflow_scripts.linking.ngram_index import NgramSpace, Postings

DECIMALS = 5


@dataclasses.dataclass(frozen=True)
class Rule:
    """When a concept is a candidate (scispaCy's linker; paper, section 3.1).

    A concept with a definition must score above `threshold`, one without also at least `no_definition_threshold`. Only
    the `k` nearest names count, and at most `max_candidates` concepts are given.
    """

    threshold: float
    no_definition_threshold: float
    k: int
    max_candidates: int


class CandidateGenerator(Protocol):
    """Finds the concepts of surfaces."""

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface: scores descending, then concepts ascending."""


class KnowledgeBase:
    """Names and concepts as arrays.

    Parameters
    ----------
    aliases : pyarrow.Table
        Columns cui, name and defined of contract ALIASES, sorted by cui and name.

    Attributes
    ----------
    cuis : list of str
        Concepts, sorted; a concept is its position here.
    defined : numpy.ndarray of bool, (n_cuis,)
    names : list of str
        Distinct names, ordered by their smallest concept and then by code point.
    concepts : numpy.ndarray of int32
        Concepts of all names, name by name, ascending within a name.
    offsets : numpy.ndarray of int64, (n_names + 1,)
        Where the concepts of each name begin.
    """

    def __init__(self, aliases):
        encoded = pc.dictionary_encode(aliases["cui"].combine_chunks())
        # The rows are sorted by concept, so the dictionary is sorted too.
        self.cuis = encoded.dictionary.to_pylist()
        concept = encoded.indices.to_numpy().astype(np.int32)
        self.defined = np.zeros(len(self.cuis), dtype=bool)
        self.defined[concept] = aliases["defined"].to_numpy()
        names = pc.dictionary_encode(aliases["name"].combine_chunks())
        # First seen in the order of (cui, name): the order that is promised above.
        self.names = names.dictionary.to_pylist()
        name = names.indices.to_numpy().astype(np.int64)
        order = np.argsort(name, kind="stable")
        self.concepts = concept[order]
        self.offsets = np.concatenate(([0], np.cumsum(np.bincount(name, minlength=len(self.names))))).astype(np.int64)


class LiteralGenerator:
    """The concepts that have the surface as a name, both in their literal form (`forms`), each with score 1."""

    def __init__(self, knowledge_base, max_candidates):
        self._cuis, self._max = knowledge_base.cuis, max_candidates
        self._by_name = {}
        for index, name in enumerate(knowledge_base.names):
            first, last = knowledge_base.offsets[index : index + 2]
            self._by_name.setdefault(literal_form(name), []).extend(knowledge_base.concepts[first:last].tolist())

    def concepts(self, surface):
        """Concepts of a surface, all of them, ascending."""
        return [self._cuis[concept] for concept in sorted(set(self._by_name.get(literal_form(surface), ())))]

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface: scores descending, then concepts ascending."""
        return [[(cui, 1.0) for cui in self.concepts(surface)[: self._max]] for surface in surfaces]


class TfidfGenerator:
    """Concepts by cosine of character 3-grams, exactly, with the rule of scispaCy's linker.

    Scores are rounded to DECIMALS before they are compared. Among equal scores at the limit of the k nearest names,
    those with the smallest concept stay.

    Parameters
    ----------
    knowledge_base : KnowledgeBase
    rule : Rule
    min_df : int
        A gram must occur in at least this many names.
    """

    def __init__(self, knowledge_base, rule, min_df):
        self._base, self._rule = knowledge_base, rule
        self._space = NgramSpace(knowledge_base.names, min_df)
        counts = np.diff(knowledge_base.offsets)
        known = np.add.reduceat(knowledge_base.defined[knowledge_base.concepts], knowledge_base.offsets[:-1]) > 0
        used = np.diff(self._space.vectors.indptr) > 0
        self._counts = counts
        self._defined = Postings(self._space.vectors, np.flatnonzero(used & known))
        self._undefined = Postings(self._space.vectors, np.flatnonzero(used & ~known))

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface: scores descending, then concepts ascending."""
        if not keys:
            return []
        distinct = list(dict.fromkeys(keys))
        found = dict(zip(distinct, self._search(distinct), strict=True))
        return [found[key] for key in keys]

    def _search(self, keys):
        query, name, units = self._nearest_names(self._space.transform(keys))
        query, concept, units = self._concepts(query, name, units)
        result = [[] for _ in keys]
        cuis, scale = self._base.cuis, 10**DECIMALS
        for q, c, u in zip(query.tolist(), concept.tolist(), units.tolist(), strict=True):
            if len(result[q]) < self._rule.max_candidates:
                result[q].append((cuis[c], u / scale))
        return result

    def _nearest_names(self, queries):
        """The k nearest names of each query as far as they can matter: (query, name, score in units of 1e-5).

        Names of defined concepts matter above the threshold, others only above the higher one. The names in between
        can still push a defined concept out of the k nearest, so they are looked up for the queries with such concepts.
        """
        rule = self._rule
        high = max(rule.threshold, rule.no_definition_threshold)
        pairs = [self._defined.search(queries, rule.threshold), self._undefined.search(queries, high)]
        query, name, units = _rounded(pairs)
        unsure = np.unique(query[units < high * 10**DECIMALS])
        if unsure.size:
            row, other, score = self._undefined.search(queries[unsure], rule.threshold)
            sure = ~np.isin(pairs[1][0], unsure)
            pairs[1] = tuple(part[sure] for part in pairs[1])
            query, name, units = _rounded([*pairs, (unsure[row], other, score)])
        order = np.lexsort((name, -units, query))
        query, name, units = query[order], name[order], units[order]
        kept = _place_in_group(query) < rule.k
        return query[kept], name[kept], units[kept]

    def _concepts(self, query, name, units):
        """Concepts that pass the rule, each with its best name, sorted by query, score descending, concept."""
        counts = self._counts[name]
        source = np.repeat(np.arange(name.size), counts)
        concept = self._base.concepts[self._base.offsets[name][source] + _place_in_group(source)]
        query, units = query[source], units[source]
        score = units / 10**DECIMALS
        good = score > self._rule.threshold
        good &= self._base.defined[concept] | (score >= self._rule.no_definition_threshold)
        query, concept, units = query[good], concept[good], units[good]
        order = np.lexsort((concept, -units, query))
        query, concept, units = query[order], concept[order], units[order]
        # The first of each (query, concept) is its best name.
        _, first = np.unique(query * len(self._base.cuis) + concept, return_index=True)
        first.sort()
        return query[first], concept[first], units[first]


class PreferLiteral:
    """Another generator's candidates, but the concepts that have the surface as a name come first, with score 1."""

    def __init__(self, generator, literal, max_candidates):
        self._generator, self._literal, self._max = generator, literal, max_candidates

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface: those of equal names first, ascending, then the others."""
        result = []
        for surface, found in zip(surfaces, self._generator.candidates(keys, surfaces), strict=True):
            equal = self._literal.concepts(surface)
            others = [pair for pair in found if pair[0] not in equal]
            result.append([*((cui, 1.0) for cui in equal), *others][: self._max])
        return result


def make_generator(candidates, mode, aliases, rule, min_df):
    """The candidate generator of a configuration.

    Parameters
    ----------
    candidates : str
        "literal" or "tfidf".
    mode : str
        "faithful" or "prefer_literal".
    aliases : pyarrow.Table
        Columns cui, name and defined of contract ALIASES.
    rule : Rule
    min_df : int
    """
    base = KnowledgeBase(aliases)
    if candidates == "literal":
        return LiteralGenerator(base, rule.max_candidates)
    if candidates != "tfidf":
        raise UsageError(f"linking.candidates: {candidates}; known: literal, tfidf")
    generator = TfidfGenerator(base, rule, min_df)
    if mode == "prefer_literal":
        return PreferLiteral(generator, LiteralGenerator(base, rule.max_candidates), rule.max_candidates)
    return generator


def _rounded(pairs):
    query, name, score = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return query, name, np.rint(score * 10**DECIMALS).astype(np.int64)


def _place_in_group(group):
    """Position of each element within its run of equal values, from 0."""
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1]))) if group.size else np.empty(0, np.int64)
    return np.arange(group.size) - np.repeat(starts, np.diff(np.append(starts, group.size)))
