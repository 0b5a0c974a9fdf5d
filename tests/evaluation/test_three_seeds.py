"""When a gap exceeds the spread over seeds."""

import csv

import pytest

from benchmarks.three_seeds import claims, gap, verdict


@pytest.mark.parametrize(
    ("higher", "lower", "exceeds", "said"),
    [
        ([0.30, 0.31, 0.32], [0.10, 0.11, 0.12], True, "shows"),
        ([0.10, 0.11, 0.12], [0.30, 0.31, 0.32], False, "the other way round"),
        ([0.30, 0.31, 0.32], [0.30, 0.31, 0.32], False, "within the spread"),
        # the ranges do not meet, but the means are closer than both deviations together
        ([0.20, 0.30, 0.45], [0.00, 0.10, 0.19], False, "within the spread"),
        # far apart in the mean, but one seed lies among the others
        ([0.30] * 9 + [0.10], [0.11] * 10, False, "within the spread"),
        ([0.5, 0.5], [0.4, 0.4], True, "shows"),
    ],
)
def test_a_gap_beside_the_spread(higher, lower, exceeds, said):
    found = gap(higher, lower)
    assert found.exceeds is exceeds and verdict(higher, lower) == said
    assert gap(higher[::-1], lower[::-1]).exceeds is exceeds
    assert found.mean == pytest.approx(sum(higher) / len(higher) - sum(lower) / len(lower))


def test_claims_are_about_rows_that_are_trained(repository):
    with open(repository / "experiments/models.tsv", encoding="utf-8", newline="") as stream:
        rows = {row["model"]: row for row in csv.DictReader(stream, delimiter="\t")}
    for claim in claims():
        for name, pooling in (claim.higher, claim.lower):
            row = rows[name.partition(".")[2]]
            assert pooling in ([row["pooling"]] if row["level"] == "bag" else ["avg", "one"]), claim
    assert len({(claim.higher, claim.lower) for claim in claims()}) == len(claims()) == 14
