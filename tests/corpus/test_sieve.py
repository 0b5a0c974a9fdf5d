"""The bitmap in front of a search, and the spill of pairs."""

import numpy as np
import pyarrow as pa
import pytest

from workflow_scripts.corpus.alignment import PAIRS
from workflow_scripts.corpus.graph import Graph
from workflow_scripts.corpus.pair_spill import PairSpill
from workflow_scripts.corpus.sieve import Sieve, sorted_distinct


@pytest.mark.parametrize("number", [0, 1, 2, 1000, 50_000])
def test_no_member_is_refused_and_few_others_pass(number):
    codes = np.random.default_rng(number).integers(0, 1 << 40, number)
    sieve = Sieve(codes)
    assert sieve.lets_through(codes).all()
    others = np.random.default_rng(99).integers(1 << 41, 1 << 42, 20_000)
    assert sieve.lets_through(others).mean() < 0.06


@pytest.mark.parametrize("other", ["C0000009", "C1", "", "Cé00001", "a longer one"])
def test_numbers_of_concepts_are_their_places_whatever_their_form(other):
    entities = pa.array(sorted(["C0000001", "C0000004", "C9999999", other]))
    for own in (entities, entities.slice(1), pa.array(["C0000004"])):
        graph = Graph(own, [], (), [], np.empty(0, dtype=np.int64))
        asked = pa.array(["none", "C0000004", "C0000001", other, "C0000000", "Z9999999", "C9999999"])
        for cuis in (asked, asked.slice(1, 2), asked.slice(4), asked.slice(0, 0)):
            expected = [own.to_pylist().index(cui) if cui in own.to_pylist() else -1 for cui in cuis.to_pylist()]
            assert graph.numbers_of(cuis).tolist() == expected


def test_sorted_distinct_is_unique():
    for values in ([], [3], [5, 1, 5, -2, 1]):
        assert sorted_distinct(np.array(values, dtype=np.int64)).tolist() == sorted(set(values))


def test_a_spill_gives_back_what_it_got_and_the_codes_that_are_no_facts(tmp_path):
    spill, blocks, codes = PairSpill(tmp_path), [], set()
    for number in range(4):
        rows = [(0, code, 0, 1, fact) for code, fact in ((7 * number, 0), (number, 2), (1, 0))] if number != 2 else []
        columns = zip(*rows, strict=True) if rows else [[]] * 5
        arrays = [pa.array(column, field.type) for column, field in zip(columns, PAIRS, strict=True)]
        pairs = pa.table(arrays, schema=PAIRS)
        names = [f"name {number}", "other"][: len(rows)]
        named = pa.table({"surface": pa.array(names, pa.string())})
        spill.add(pairs, named)
        blocks.append((pairs, named))
        codes |= {code for _, code, _, _, fact in rows if not fact}
    assert spill.close().tolist() == sorted(codes)
    assert [tuple(tables) for tables in spill] == blocks
    empty = PairSpill(tmp_path)
    assert len(empty.close()) == 0 and list(empty) == []
