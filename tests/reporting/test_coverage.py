"""Which cells a run filled, and why the others are empty."""

import dataclasses
import json

import pytest

from workflow_scripts.reporting import coverage
from workflow_scripts.reporting.belb_catalogue import BELB_TABLES
from workflow_scripts.reporting.catalogue import TABLE11, TABLES
from workflow_scripts.reporting.drawings import FIGURES
from workflow_scripts.reporting.table import Cell, Column, Key, Panel, Spec, build

SPEC = Spec(
    "table6",
    "Table 6",
    (Key("k", "Key"),),
    (Column("x", "X", undefined="no x"), Column("y", "Y", "text", undefined="no y")),
    absent="nothing ran",
)


@pytest.mark.parametrize(
    ("values", "filled", "empty"),
    [
        ({}, 0, {}),
        ({("a",): ({"x": Cell(0.0), "y": Cell("b")}, ("run",))}, 2, {}),
        ({("a",): ({}, ())}, 0, {"nothing ran": 2}),
        ({("a",): ({"x": Cell(1.0)}, ("run",)), ("b",): ({}, ())}, 1, {"nothing ran": 2, "no y": 1}),
        ({("a",): ({}, ("run",)), ("b",): ({"y": Cell("t")}, ("run",))}, 1, {"no x": 2, "no y": 1}),
    ],
)
def test_every_cell_is_counted_once(values, filled, empty):
    found = coverage.coverage(build(SPEC, values, []))
    assert found["filled"] == filled and found["needs"] == ["licensed data (UMLS 2019AB, MEDLINE 2019)"]
    assert [(entry["reason"], entry["cells"]) for entry in found["empty"]] == list(empty.items())


def test_cells_that_no_panel_shows_are_not_counted():
    panels = (Panel(("x",), rows=("a",)), Panel(("y",), rows=("b", "c")))
    values = {("a",): ({"x": Cell(1.0)}, ("run",)), ("b",): ({}, ("run",)), ("c",): ({}, ())}
    found = coverage.coverage(build(dataclasses.replace(SPEC, panels=panels), values, []))
    assert found["filled"] == 1
    assert {entry["reason"]: entry["cells"] for entry in found["empty"]} == {"no y": 1, "nothing ran": 1}


def test_a_table_that_says_how_a_row_stands_is_believed():
    """Table 11 says of each encoder why it was not trained."""
    known = {name: Cell("-") for name in ("biomedical", "clinical", "type", "triples", "synonyms")}
    gone = known | {"state": Cell("not at hand: its download failed, HTTP 404")}
    there = known | {"state": Cell("trained"), "auc": Cell(60.0)}
    table = build(TABLE11, {("A",): (gone, ("registry",)), ("B",): (there, ("run",))}, [])
    found = coverage.coverage(table)
    assert found["filled"] == 6 + 7 and found["empty"] == [
        {"reason": "not at hand: its download failed, HTTP 404", "cells": 1}
    ]


def test_every_table_and_figure_says_what_it_needs():
    assert set(coverage.NEEDS) == set(TABLES) | set(FIGURES) | set(BELB_TABLES)
    titles = {name: spec.title for name, spec in TABLES.items()} | {"figure5": "Figure 5"}
    lines = coverage.rows({"table6": {"filled": 3, "empty": [{"reason": "none", "cells": 2}], "needs": []}}, titles)
    by_title = {line[0]: line for line in lines}
    assert all(len(line) == len(coverage.HEADER) for line in lines)
    assert by_title["Table 6"][1:4] == ["3", "2", "2: none"] and by_title["Figure 5"][1] == "drawn"


def test_verify_and_the_report_say_what_is_filled(made_report):
    found = json.loads((made_report / "verify.json").read_text())["coverage"]
    assert list(found) == sorted(found) and set(found) == set(TABLES)
    table7 = found["table7"]
    assert table7["filled"] > 0 and sum(entry["cells"] for entry in table7["empty"]) == 20 * 8 - table7["filled"]
    assert "## What is filled" in (made_report / "verify.md").read_text()
    assert 'id="coverage"' in (made_report / "report.html").read_text()
