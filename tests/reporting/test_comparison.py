"""Verdicts against the paper, and when there are none."""

import copy

import pytest
import yaml

from workflow_scripts.common import configuration
from workflow_scripts.reporting import comparison
from workflow_scripts.reporting.catalogue import TABLE6, TABLE7, TABLE7_ROWS
from workflow_scripts.reporting.expected import Expected
from workflow_scripts.reporting.table import Cell, build
from workflow_scripts.reporting.verify_against_paper import released, render


def entry(printed, kind, tolerance=None):
    return Expected(("x",), "m", printed, kind, tolerance, "", 2)


@pytest.mark.parametrize(
    "value, printed, kind, tolerance, verdict",
    [
        (30.0, "27.0", "absolute", 3.0, "green"),
        (24.0, "27.0", "absolute", 3.0, "green"),
        (30.001, "27.0", "absolute", 3.0, "amber"),
        (33.0, "27.0", "absolute", 3.0, "amber"),
        (20.9, "27.0", "absolute", 3.0, "red"),
        (102, "100", "relative", 0.02, "green"),
        (103, "100", "relative", 0.02, "amber"),
        (95, "100", "relative", 0.02, "red"),
        ("due_to", "due_to", "exact", None, "green"),
        ("due", "due_to", "exact", None, "red"),
        (("ct", "liver"), ("CT", "liver"), "names", None, "green"),
        (("liver",), ("CT", "liver"), "names", None, "red"),
        (("ct", "liver", "x"), ("CT", "liver"), "names", None, "red"),
        (5.0, "6.0", "reference", None, "reference"),
        (None, "6.0", "absolute", 1.0, "missing"),
        (None, "6.0", "reference", None, "missing"),
    ],
)
def test_status(value, printed, kind, tolerance, verdict):
    assert comparison.status(value, entry(printed, kind, tolerance)) == verdict


@pytest.fixture
def paper(repository):
    return yaml.safe_load((repository / "config.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def run(paper, repository, tmp_path):
    """The paper's configuration with a 2019AB release, as the workflow sees it: with defaults."""
    settings = copy.deepcopy(paper)
    configuration.validate(settings, repository / "schemas/config.schema.yaml")
    settings["umls"]["meta_dir"] = str(tmp_path)
    (tmp_path / "release.dat").write_text("umls.release.name = 2019AB\numls.release.date=20191104\n")
    return settings


def test_the_papers_configuration_is_comparable(run, paper):
    of = comparison.obstacles(run, paper, "inductive")
    assert [of(name) for name in ("table5", "table6", "table7")] == [[], [], []]


@pytest.mark.parametrize(
    "path, value, tables",
    [
        ("kg.min_relation_triples", 20, {"table5", "table6", "table7"}),
        ("umls.vocabulary", "MSH", {"table5", "table6", "table7"}),
        ("medline.files", ["pubmed19n0001.xml.gz"], {"table6", "table7"}),
        ("linking.threshold", 0.8, {"table6", "table7"}),
        ("text.max_tokens", 100, {"table6", "table7"}),
        ("corpus.positive_sample", 1.0, {"table6", "table7"}),
        ("corpora.inductive.max_mention_freq", 1000, {"table6", "table7"}),
        ("corpora.inductive.split", "transductive", {"table6", "table7"}),
        ("training.overrides", {"bert": {"epochs": 1}}, {"table7"}),
        ("training.max_length", 64, {"table7"}),
        ("medline.files_per_job", 3, set()),
        ("text.partitions", 2, set()),
        ("linking.model", "/elsewhere/en_core_sci_lg", set()),
        ("linking.kb.meta_dir", "/umls/2020AA/META", set()),
        ("linking.kb.release", "2020AA", set()),
        ("linking.shards", 8, set()),
        ("linking.environment", "linking", set()),
        ("medline.baseline_dir", "/data", set()),
    ],
)
def test_what_makes_numbers_incomparable(run, paper, path, value, tables):
    place = run
    *parents, last = path.split(".")
    for key in parents:
        place = place[key]
    place[last] = value
    of = comparison.obstacles(run, paper, "inductive")
    assert {name for name in ("table5", "table6", "table7") if of(name)} == tables
    if tables:
        assert any(last in reason for reason in of("table7"))


def test_a_rebuilt_benchmark_is_never_the_published_one(run, paper):
    own = {"table3": ["umls_v2", "umls_v2_clean"], "table10": ["inductive", "transductive"]}
    of = comparison.obstacles(run, paper, "inductive", own_corpora=own)
    assert [reason.split()[0] for reason in of("table3")] == ["umls_v2", "umls_v2_clean"]
    assert of("table10") == []


def test_the_release_is_read_from_the_folder(tmp_path):
    assert comparison.umls_release(tmp_path) is None
    (tmp_path / "release.dat").write_text("x=1\numls.release.name=2024AB\n")
    assert comparison.umls_release(tmp_path) == "2024AB"
    rows = [
        ["C1", "C2", f"S_{i}", "S", "name", "S", "1", "", "", name, "", "0"]
        for i, name in enumerate(("2019AB", "2017AA"))
    ]
    (tmp_path / "MRSAB.RRF").write_text("".join("|".join(row) + "|\n" for row in rows))
    assert comparison.umls_release(tmp_path) == "2019AB"


def test_another_release_is_never_comparable(run, paper, tmp_path):
    (tmp_path / "release.dat").write_text("umls.release.name=2024AB\n")
    of = comparison.obstacles(run, paper, "inductive")
    assert of("table5") == ["the UMLS release is 2024AB, the paper's 2019AB"]
    assert comparison.obstacles(run, paper, "inductive", released=True)("table7") == []
    assert comparison.obstacles(run, paper, "inductive", released=True)("table5") != []


def counts(change=None):
    values = {}
    for split, numbers in {
        "train": (450071, 5455, 88861),
        "valid": (39434, 842, 10475),
        "test": (91568, 1663, 22606),
    }.items():
        cells = {name: Cell(n) for name, n in zip(("instances", "facts", "bags"), numbers, strict=True)}
        values[(split,)] = (cells, ("inductive",))
    if change:
        values[("test",)][0]["facts"] = Cell(change)
    return values


def test_the_released_corpus_is_known_by_its_counts(expected_of):
    assert released(build(TABLE6, counts(), expected_of("table6")))
    assert not released(build(TABLE6, counts(1662), expected_of("table6")))
    assert not released(build(TABLE6, {}, expected_of("table6")))
    assert not released(None)


def test_every_printed_cell_is_compared(expected_of):
    expected = expected_of("table7")
    values = {("CNN", "-", "AVG"): ({"auc": Cell(29.0, 1.2), "p@100": Cell(70.0)}, ("r",))}
    table = build(TABLE7, values, expected, "", TABLE7_ROWS)
    cells = comparison.compare(table, expected, True)
    assert len(cells) == 136
    first = cells[0]
    assert (first.row, first.metric, first.ours, first.sd, first.paper) == ("CNN - AVG", "auc", "29.0", "1.2", "27.3")
    assert (first.difference, first.tolerance, first.status) == ("+1.7", 3.0, "green")
    by_status = [cell.status for cell in cells]
    assert by_status.count("missing") == 134 and cells[3].status == "red"
    assert {cell.status for cell in comparison.compare(table, expected, False)} == {"not comparable"}
    assert all(cell.paper for cell in cells)


def test_the_page_says_why(expected_of):
    expected = expected_of("table7")
    table = build(TABLE7, {}, expected, "", TABLE7_ROWS)
    cells = comparison.compare(table, expected, False)
    text = render(
        "demo",
        {"table7": ["the files are invented"]},
        {"not comparable": len(cells)} | dict.fromkeys(comparison.STATUSES[:-1], 0),
        cells,
    )
    assert "**Not comparable with the paper**" in text and "- the files are invented" in text
    assert text.count("\n| BERT ") == 40
