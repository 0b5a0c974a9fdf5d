"""The benchmark against scispaCy's linker: why a decision differs, and parts of the names with all that are linked."""

import random

import pyarrow as pa
import pytest

from benchmarks.linking_names import part_of
from benchmarks.linking_speed import compare, reason

CASES = [
    ([], [], "same"),
    ([("C1", 0.8)], [("C1", 0.8003), ("C2", 0.75)], "same"),
    ([("C1", 0.8)], [], "the graph misses the name: no link"),
    ([("C1", 1.0)], [("C2", 0.96)], "the graph misses the name: another concept"),
    # The same score as another name, which is not found.
    ([("C1", 1.0), ("C2", 1.0)], [("C2", 1.0)], "the graph misses the name: another concept"),
    ([("C1", 0.9501)], [], "rounding at a threshold"),
    ([("C1", 0.7002)], [], "rounding at a threshold"),
    ([], [("C1", 0.7003)], "scispaCy alone links: rounding at a threshold"),
    ([], [("C1", 0.8)], "scispaCy alone links: unexplained"),
    ([("C1", 0.8), ("C2", 0.8)], [("C2", 0.8001), ("C1", 0.8)], "rounding of nearly equal scores"),
    ([("C1", 0.8)], [("C2", 0.81), ("C1", 0.8)], "another concept: unexplained"),
]


@pytest.mark.parametrize(("ours", "theirs", "wanted"), CASES)
def test_a_difference_has_a_reason(ours, theirs, wanted):
    assert reason(ours, theirs) == wanted


def test_every_difference_is_counted_once():
    sides = [{"decisions": {str(i): case[side] for i, case in enumerate(CASES)}} for side in (0, 1)]
    result = compare(*sides)
    assert sum(result["decisions"].values()) == len(CASES) and result["decisions"]["same"] == 2
    assert len(result["examples"]) == len(CASES) - 2 and result["linked"] == [8, 7]


@pytest.mark.parametrize("number", [1, 30, 1000])
def test_a_part_has_all_names_of_the_linked_concepts(number):
    rows = [(f"C{i // 3:02d}", f"name {i}") for i in range(60)] + [("C07", "name 3")]
    table = pa.table({"cui": [r[0] for r in rows], "name": [r[1] for r in rows]}).sort_by([("cui", "ascending")])
    part = part_of(table, {"C03", "C07"}, number, random.Random(0))
    assert part.equals(part_of(table, {"C07", "C03"}, number, random.Random(0)))
    counts = dict(zip(*(column.to_pylist() for column in part["cui"].value_counts().flatten()), strict=True))
    assert counts["C03"] == 3 and counts["C07"] == 4 and all(n == 3 for cui, n in counts.items() if cui != "C07")
    distinct = len(set(part["name"].to_pylist()))
    assert distinct == 60 if number == 1000 else max(number, 7) <= distinct < max(number, 7) + 3
