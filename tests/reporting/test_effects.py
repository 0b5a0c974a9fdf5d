"""The measured effects of switches: the turned configuration, the copied run, the page."""

import pytest

from tests.reporting.made_up import corpus_statistics, graph_statistics, write_json
from workflow_scripts.reporting import measure_effect
from workflow_scripts.reporting.effects import headline


def test_one_switch_is_turned_and_nothing_else():
    config = {"name": "x", "construction": {"preset": "mended", "switches": {"csv_quotes": "published"}}}
    found, side = measure_effect.turned(config, "role_flip")
    assert side == "published"
    assert found["construction"]["switches"] == {"csv_quotes": "published", "role_flip": "published"}
    found, side = measure_effect.turned(config, "csv_quotes")
    assert side == "mended" and found["construction"]["switches"] == {"csv_quotes": "mended"}
    assert config["construction"]["switches"] == {"csv_quotes": "published"}


def test_a_run_is_copied_up_to_the_corpora_and_the_rest_is_linked(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    names = (
        "results/x/corpus/inductive/a",
        "results/x/runs/r/b",
        "results/y/kg/c",
        ".snakemake/metadata/m",
        "rules/r.smk",
    )
    for name in (*names, ".snakemake/metadata/m"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    (source / "Snakefile").write_text("")
    target.mkdir()
    measure_effect.copy_run(source, target, "results/x")
    (target / "results/x/corpus/inductive/a").write_text("changed")
    assert (source / "results/x/corpus/inductive/a").read_text() == "results/x/corpus/inductive/a"
    assert not (target / "results/x/runs").exists() and not (target / "results/y").exists()
    assert (target / ".snakemake/metadata/m").is_file() and not (target / ".snakemake").is_symlink()
    assert (target / "rules").is_symlink() and (target / "Snakefile").is_symlink()


@pytest.fixture
def page(tmp_path, run_command, finished):
    """A function: the page for what was measured, as lines."""

    def make(*measured):
        paths = [tmp_path / f"{found['switch']}.json" for found in measured]
        for path, found in zip(paths, measured, strict=True):
            write_json(path, found)
        done = run_command(
            "reporting/write_effects.py",
            *("--text", finished / "text/statistics.json", "--graph", finished / "kg/statistics.json"),
            *("--corpora", finished / "corpus/inductive/statistics.json", "--corpus", "inductive"),
            *("--effects", *paths, "--out", tmp_path / "effects.md"),
        )
        assert done.returncode == 0, done.stderr
        return (tmp_path / "effects.md").read_text(encoding="utf-8")

    return make


def test_differences_stand_in_their_column_and_equal_runs_show_none(page):
    same = headline({}, graph_statistics(), {"inductive": corpus_statistics()})
    other = same | {"inductive corpus: valid facts": same["inductive corpus: valid facts"] - 3}
    text = page(
        {"switch": "bag_pruning", "side": "published", "statistics": other, "error": None},
        {"switch": "csv_quotes", "side": "published", "statistics": same, "error": None},
    )
    rows = [line.strip("| ").split("|") for line in text.splitlines() if line.startswith("| ")]
    header = [cell.strip() for cell in rows[0]]
    cells = {row[0].strip().replace("\\", ""): [cell.strip() for cell in row] for row in rows}
    assert cells["bag_pruning"][header.index("valid facts")] == "-3" and cells["bag_pruning"][-1] == "1"
    assert set(cells["csv_quotes"][2:-1]) == {""} and cells["csv_quotes"][-1] == "0"
    assert "## `bag_pruning`: published" in text and "## `csv_quotes`" not in text


def test_a_side_that_builds_nothing_says_why(page):
    text = page({"switch": "stream_tails", "side": "published", "statistics": {}, "error": "no sentence\n  found: 0"})
    assert "no corpus: see below" in text
    assert "## `stream_tails`: published\n\nThe run stopped:\n\n    no sentence\n      found: 0" in text
