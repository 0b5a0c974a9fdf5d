"""Tables 1 and 4 from counts."""

import json

import pytest

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.catalogue import TABLE4
from workflow_scripts.reporting.property_rows import landscape_values, property_values
from workflow_scripts.reporting.table import build

COUNTS = {
    "links": {"n": 200, "below_one": 1, "before_share": 0.25},
    "na_sentences": {"n": 1000, "broken": 0},
    "inductive": {"n": 50, "broken": 3},
    "leakage": {"n": 50, "broken": 0},
    "na_types": {"n": 40, "broken": 0},
    "na_roles": {"n": 40, "broken": 40},
}


def written(path, value):
    path.write_text(json.dumps(value))
    return path


def test_table4(tmp_path, expected_of):
    values = property_values(written(tmp_path / "p.json", COUNTS), "inductive")
    table = build(TABLE4, values, expected_of("table4"))
    marks = {row.keys["property"]: row.cells["md19"].value for row in table.rows}
    assert list(marks.values()) == ["✓", "✓", "-", "-", "✓", "-"]
    measured = {row.keys["property"]: row.cells["measured"].value for row in table.rows}
    assert measured["approximate entity linking"] == "scores below 1: 25.0 % of all links, 0.5 % of those in the corpus"
    assert measured["inductive"].startswith("3 of 50 ")
    assert all(row.cells["prior"].paper in ("✓", "-") for row in table.rows)


def test_leakage_is_a_tick_where_it_is_found(tmp_path):
    leaking = COUNTS | {"leakage": {"n": 50, "broken": 2}}
    values = property_values(written(tmp_path / "p.json", leaking), "inductive")
    assert values[("triples leakage",)][0]["md19"].value == "✓"


def test_table1(tmp_path):
    properties = written(tmp_path / "p.json", COUNTS)
    statistics = written(tmp_path / "s.json", {"relations": 22})
    audit = {
        "benchmark": "UMLS.v2", "relations_with_na": 9, "overlap": True,
        "splits": {"test": {"triples": {"n": 40, "either": 10}}},
    }  # fmt: skip
    audits = [written(tmp_path / "a.json", audit)]
    values = landscape_values(properties, statistics, "inductive", audits)
    cells = {key[0]: {name: cell.value for name, cell in cells.items()} for key, (cells, _) in values.items()}
    assert cells == {
        "MedDistant19": {"relations": 22, "no_overlap": "✓", "overlap": 0.0},
        "UMLS.v2": {"relations": 9, "no_overlap": "-", "overlap": 25.0},
    }
    with pytest.raises(DataError, match="UMLS.v2 again"):
        landscape_values(properties, statistics, "inductive", audits * 2)
