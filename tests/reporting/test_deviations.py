"""deviations.md and the effects of switches."""

import json

import pytest

from tests.reporting.made_up import corpus_statistics, graph_statistics, write_json
from workflow_scripts.common.configuration import read_yaml
from workflow_scripts.reporting import effects
from workflow_scripts.reporting.switches import SWITCHES
from workflow_scripts.reporting.write_deviations import render

MENDED = {"preset": "mended", **dict.fromkeys(SWITCHES, "mended")}


def test_switches_are_those_of_the_schema(repository):
    schema = read_yaml(repository / "schemas/config.schema.yaml")
    assert set(SWITCHES) == set(schema["properties"]["construction"]["properties"]["switches"]["properties"])


def test_rules_pass_every_switch(repository):
    text = (repository / "rules/reporting.smk").read_text(encoding="utf-8")
    for name in ("preset", *SWITCHES):
        assert text.count(f'"construction.{name}"') == 2, name


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_the_side_in_force_is_bold(name):
    rows = effects.deviations(MENDED | {name: "published"}, {})
    text = render(rows, "mended", {}, None, None)
    line = next(line for line in text.splitlines() if line.startswith(f"| `{name}`"))
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    assert cells[2].startswith("**") and not cells[3].startswith("**") and cells[4] == "published"
    assert "published side: 1 of 12" in text
    assert text.count("not measured") == len(SWITCHES) + 1


def test_effects_counted_by_the_run_itself():
    text = {"characters": 1000, "characters_lost_by_published_reading": 25, "abstract_texts_lost_by_stream_tail": 0}
    found = {name: effect for name, _, _, effect in effects.deviations(MENDED, text)}
    assert found["inline_markup"] == "the published reading loses 25 of 1,000 characters (2.50 %)"
    assert found["stream_tails"] == "not measured"
    text["abstract_texts_lost_by_stream_tail"] = 1200
    assert effects.counted("stream_tails", text) == "1,200 abstract texts lost in the text stage"
    empty = {"characters": 0, "characters_lost_by_published_reading": 0}
    assert effects.counted("inline_markup", empty) == "the published reading loses 0 of 0 characters"


def other_run(folder, switches, triples):
    """A finished run with other switches and another number of training triples."""
    graph = graph_statistics()
    graph["splits"]["transductive"]["train"]["triples"] = triples
    write_json(folder / "kg/statistics.json", graph)
    write_json(folder / "corpus/inductive/statistics.json", corpus_statistics())
    write_json(folder / "provenance/reporting/write_deviations.json", {"options": {"params": json.dumps(switches)}})
    return folder


def test_effect_measured_against_a_run_that_differs_in_one_switch(tmp_path, run_command, finished):
    other = other_run(tmp_path / "other", MENDED | {"lost_train_labels": "published"}, 2300)
    arguments = [
        "--text", finished / "text/statistics.json", "--graph", finished / "kg/statistics.json",
        "--corpora", finished / "corpus/inductive/statistics.json", "--params", json.dumps(MENDED),
        "--out", tmp_path / "d.md", "--other", other,
    ]  # fmt: skip
    done = run_command("reporting/write_deviations.py", *arguments)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "d.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("| `lost_train_labels`"))
    assert "transductive graph: train triples: 2,380 here, 2,300 there" in line
    assert "| transductive graph: train triples | 2,380 | 2,300 | -80 |" in text
    assert "inductive graph: train triples |" not in text


def test_two_switches_measure_none(tmp_path):
    switches = MENDED | {"lost_train_labels": "published", "lost_entity": "published"}
    own = effects.headline({}, graph_statistics(), {"inductive": corpus_statistics()})
    other = effects.headline_of(other_run(tmp_path / "o", switches, 2300), ["inductive"])
    assert all(effect == "not measured" for *_, effect in effects.deviations(MENDED, {}, own, other, switches))
    assert effects.changes(own, other) == [("transductive graph: train triples", 2380, 2300)]


def test_a_folder_without_a_record_is_an_error(tmp_path, run_command, finished):
    done = run_command(
        "reporting/write_deviations.py", "--text", finished / "text/statistics.json",
        "--graph", finished / "kg/statistics.json", "--corpora", finished / "corpus/inductive/statistics.json",
        "--params", json.dumps(MENDED), "--out", tmp_path / "d.md", "--other", tmp_path,
    )  # fmt: skip
    assert done.returncode == 3 and "the folder of a finished run" in done.stderr
