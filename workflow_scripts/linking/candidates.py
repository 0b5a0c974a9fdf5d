"""Which concepts a surface may mean: candidate generators behind one interface (`links.CandidateGenerator`).

A generator takes surfaces with their search keys and gives, for each, its concepts with scores, best first.
`make_generator` builds the one that the configuration names.
"""

import numpy as np

from workflow_scripts.common.errors import UsageError
from workflow_scripts.linking.grams import Rows
from workflow_scripts.linking.links import DECIMALS
from workflow_scripts.linking.nearest_names import NameSearch


class LiteralGenerator:
    """The concepts that have the surface as a name, both in their literal form (`forms`), each with score 1.

    Parameters
    ----------
    index : NameIndex
    max_candidates : int
    """

    def __init__(self, index, max_candidates):
        self._index, self._max = index, max_candidates

    def concepts(self, surfaces):
        """Concepts of each surface, all of them, ascending."""
        return [list(map(self._index.cui, found)) for found in self._index.literal_concepts(surfaces)]

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface: scores descending, then concepts ascending."""
        return [[(cui, 1.0) for cui in found[: self._max]] for found in self.concepts(surfaces)]


class TfidfGenerator:
    """Concepts by cosine of character 3-grams, exactly, with the rule of scispaCy's linker.

    Scores are rounded to DECIMALS before they are compared. Among equal scores at the limit of the k nearest names,
    those with the smallest concept stay.

    Parameters
    ----------
    index : NameIndex
    rule : Rule
    """

    def __init__(self, index, rule):
        self._index, self._rule, self._names = index, rule, NameSearch(index)

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface: scores descending, then concepts ascending."""
        if not keys:
            return []
        distinct = list(dict.fromkeys(keys))
        found = dict(zip(distinct, self._search(distinct), strict=True))
        return [found[key] for key in keys]

    def _search(self, keys):
        query, name, units = self._nearest_names(self._index.vocabulary.transform(keys))
        query, concept, units = self._concepts(query, name, units)
        kept = _place_in_group(query) < self._rule.max_candidates
        result = [[] for _ in keys]
        for q, c, u in zip(query[kept].tolist(), concept[kept].tolist(), units[kept].tolist(), strict=True):
            result[q].append((self._index.cui(c), u / 10**DECIMALS))
        return result

    def _nearest_names(self, queries):
        """The k nearest names of each query as far as they can matter: (query, name, score in units of 1e-5).

        Names of defined concepts matter above the threshold, others only above the higher one. The names in between
        can still push a defined concept out of the k nearest, so they are looked up for the queries with such concepts:
        from the last candidate on, for what scores less comes after it whether it counts or not.
        """
        rule = self._rule
        high = max(rule.threshold, rule.no_definition_threshold)
        pairs = [self._names.search(0, queries, rule.threshold), self._names.search(1, queries, high)]
        query, name, units = _rounded(pairs)
        lowest = self._last_candidates(query, name, units, len(queries.offsets) - 1)
        unsure = np.flatnonzero(lowest < high * 10**DECIMALS)
        if unsure.size:
            row, other, score = self._names.search(1, _chosen(queries, unsure), lowest[unsure] / 10**DECIMALS)
            sure = ~np.isin(pairs[1][0], unsure)
            pairs[1] = tuple(part[sure] for part in pairs[1])
            query, name, units = _rounded([*pairs, (unsure[row], other, score)])
        order = np.lexsort((name, -units, query))
        query, name, units = query[order], name[order], units[order]
        kept = _place_in_group(query) < rule.k
        return query[kept], name[kept], units[kept]

    def _last_candidates(self, query, name, units, queries):
        """Score of the last candidate of each query if no name is pushed out, in units; without one, too much."""
        lowest = np.full(queries, 10**DECIMALS + 1)
        query, _, units = self._concepts(query, name, units)
        kept = _place_in_group(query) < self._rule.max_candidates
        np.minimum.at(lowest, query[kept], units[kept])
        return lowest

    def _concepts(self, query, name, units):
        """Concepts that pass the rule, each with its best name, sorted by query, score descending, concept."""
        index = self._index
        first = index.concept_offsets[name]
        source = np.repeat(np.arange(name.size), index.concept_offsets[name + 1] - first)
        concept = index.concepts[first[source] + _place_in_group(source)]
        query, units = query[source], units[source]
        score = units / 10**DECIMALS
        good = score > self._rule.threshold
        good &= index.defined[concept] | (score >= self._rule.no_definition_threshold)
        query, concept, units = query[good], concept[good], units[good]
        order = np.lexsort((concept, -units, query))
        query, concept, units = query[order], concept[order], units[order]
        # The first of each (query, concept) is its best name.
        _, first = np.unique(query * len(index.defined) + concept, return_index=True)
        first.sort()
        return query[first], concept[first], units[first]


class PreferLiteral:
    """Another generator's candidates, but the concepts that have the surface as a name come first, with score 1."""

    def __init__(self, generator, literal, max_candidates):
        self._generator, self._literal, self._max = generator, literal, max_candidates

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface: those of equal names first, ascending, then the others."""
        result, literal = [], self._literal.concepts(surfaces)
        for equal, found in zip(literal, self._generator.candidates(keys, surfaces), strict=True):
            others = [pair for pair in found if pair[0] not in equal]
            result.append([*((cui, 1.0) for cui in equal), *others][: self._max])
        return result


def make_generator(candidates, mode, index, rule):
    """The candidate generator of a configuration.

    Parameters
    ----------
    candidates : str
        "literal" or "tfidf".
    mode : str
        "faithful" or "prefer_literal".
    index : NameIndex
    rule : Rule
    """
    literal = LiteralGenerator(index, rule.max_candidates)
    if candidates == "literal":
        return literal
    if candidates != "tfidf":
        raise UsageError(f"linking.candidates: {candidates}; known: literal, tfidf")
    generator = TfidfGenerator(index, rule)
    return PreferLiteral(generator, literal, rule.max_candidates) if mode == "prefer_literal" else generator


def _chosen(rows, wanted):
    """Some of the rows, in the order wanted."""
    counts = np.diff(rows.offsets)[wanted]
    source = np.repeat(rows.offsets[:-1][wanted], counts) + _place_in_group(np.repeat(np.arange(wanted.size), counts))
    return Rows(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), rows.grams[source], rows.weights[source])


def _rounded(pairs):
    query, name, score = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return query, name, np.rint(score * 10**DECIMALS).astype(np.int64)


def _place_in_group(group):
    """Position of each element within its run of equal values, from 0."""
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1]))) if group.size else np.empty(0, np.int64)
    return np.arange(group.size) - np.repeat(starts, np.diff(np.append(starts, group.size)))
