"""report.html, funnels, and the table in the terminal."""

import html.parser
import re

import pytest

from tests.reporting.made_up import make_run, write_json
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.reporting import csv_format, html_table, page, provenance, write_report
from workflow_scripts.reporting.catalogue import TABLE6, TABLE7, TABLE7_ROWS, TABLE_A2
from workflow_scripts.reporting.corpus_rows import pruned_values, summary_values
from workflow_scripts.reporting.drawings import Drawing, title
from workflow_scripts.reporting.funnels import corpus_funnel, graph_funnel
from workflow_scripts.reporting.model_rows import model_values, read_models
from workflow_scripts.reporting.show_table import paths, terminal_lines, verdict
from workflow_scripts.reporting.switches import ALWAYS_MENDED, SWITCHES
from workflow_scripts.reporting.table import Cell, Column, Key, Spec, build

VOID = {"meta", "link", "br", "path", "use", "rect"}


class Checker(html.parser.HTMLParser):
    """Fails on tags that do not nest; collects ids and links."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.tables = [], [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        self.links += [values[name] for name in ("href", "src") if name in values]
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append(0)
        if tag in ("td", "th"):
            self.tables[-1][-1] += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def table7_of(root, models_file, expected=()):
    values = model_values(root.glob("evaluation/*/*/metrics.json"), read_models(models_file), TABLE7.columns)
    return build(TABLE7, values, expected, "AUC in %.", TABLE7_ROWS)


@pytest.fixture
def whole_page(finished, models_file, expected_of):
    table7 = table7_of(finished, models_file, expected_of("table7"))
    a2 = build(
        TABLE_A2, pruned_values(finished / "corpus/inductive/statistics.json", "inductive"), expected_of("table_a2")
    )
    rows = [(name, switch, "mended", "not measured") for name, switch in SWITCHES.items()]
    verification = {"reasons": {"table7": ["<invented> & small"]}, "cells": [{"table": "table7", "status": "red"}]}
    sections = dict.fromkeys((name for name, _ in page.SECTIONS), "") | {
        "summary": page.notice(verification["reasons"]) + page.cards([("AUC", "71.0", "a < b")]),
        "models": page.table_block(table7, {("CNN - AVG", "auc"): "amber"}),
        "lists": page.table_block(a2),
        "verdicts": page.verdict_block(verification, {"table7": "Table 7"}),
        "construction": page.construction_block(rows, ALWAYS_MENDED),
        "provenance": page.provenance_block(
            {"name": "x<y"}, "d" * 64, None, {"numpy": ["1", "2"]}, [("c.m.s1", "CNN")], "--configfile 'a & b.yaml'"
        ),
    }
    data = {"name": "</script><script>alert(1)"}
    return page.page("MedDistant19: demo & co", "lead", sections, data)


def test_the_page_is_whole_and_loads_nothing(whole_page):
    checker = Checker()
    checker.feed(whole_page)
    assert not checker.open
    assert len(checker.ids) == len(set(checker.ids))
    assert not [link for link in checker.links if re.match(r"[a-z]+:|//", link) and link != "data:,"]
    assert all(link[1:] in checker.ids for link in checker.links if link.startswith("#"))
    assert "@import" not in whole_page and "url(" not in whole_page and " src=" not in whole_page
    assert whole_page.count("<script") == whole_page.count("</script") == 2, "data and script, whatever the data say"
    assert all(len(set(widths)) == 1 for widths in checker.tables), "rows of a table differ in their number of cells"


def test_the_page_escapes_what_it_shows(whole_page):
    assert "demo &amp; co" in whole_page and "&lt;invented&gt; &amp; small" in whole_page
    assert "a_b &amp; &lt;c&gt; %" in whole_page and "&quot;x&lt;y&quot;" in whole_page


def test_a_run_is_done_again_with_the_options_of_the_run(whole_page):
    model = "results/x&lt;y/runs/c.m.s1/model.safetensors"
    assert f"snakemake --configfile &#x27;a &amp; b.yaml&#x27; --forcerun {model} -- {model}" in whole_page


def test_cells_show_ours_the_papers_and_the_difference(whole_page):
    cell = next(line for line in whole_page.split("<td") if 'title="inductive.cnn_sent.s1' in line)
    assert 'class="n amber"' in cell and ">10.0 " in cell and "±2.0" in cell
    assert all(text in cell for text in ('data-v="10"', 'data-sd="2"', 'data-paper="27.3"', 'data-verdict="amber"'))
    assert "27.3" in cell and "−17.3" in cell
    assert whole_page.count('<tr class="group" data-row=') == 3
    assert 'data-row="CNN - AVG" data-runs="inductive.cnn_sent.s1|inductive.cnn_sent.s2|' in whole_page


def test_a_comparable_run_is_said_to_be_one():
    assert "Comparable with the paper" in page.notice({"table5": [], "table7": []})


def test_text_that_agrees_has_a_tick(finished, expected_of):
    table = build(
        TABLE6, summary_values(finished / "corpus/inductive/statistics.json", "inductive"), expected_of("table6")
    )
    assert html_table.render(table).count('<table data-table="table6">') == 2


def test_funnels(finished, tmp_path):
    header, rows = graph_funnel(finished / "kg/funnel.csv")
    assert header == ["step", "rows", "triples", "meaning"] and rows[0] == [
        "mrconso",
        "90,000",
        "",
        "rows <of> MRCONSO",
    ]
    (_, sentences), (names, steps) = corpus_funnel(finished / "corpus/inductive/funnel.csv")
    assert sentences == [["linked", "90,000"]]
    assert names[:4] == ["Step", "train", "train lost", "train facts"]
    assert steps[0] == ["aligned", "2,000", "50.0 %", "8", "250", "50.0 %", "8", "450", "50.0 %", "8"]
    (tmp_path / "f.csv").write_text("step,split\n")
    with pytest.raises(DataError, match="instances_before"):
        corpus_funnel(tmp_path / "f.csv")
    (tmp_path / "f.csv").write_text("")
    with pytest.raises(DataError, match="an empty file"):
        graph_funnel(tmp_path / "f.csv")


def test_versions_and_digests(tmp_path):
    code = {"workflow_scripts/a.py": "1"}
    first = write_json(tmp_path / "1.json", {"python": "3.11.7", "versions": {"numpy": "2.4.6"}, "code": code})
    second = write_json(tmp_path / "2.json", {"python": "3.11.9", "versions": {"torch": "2.13.0"}, "code": code})
    assert provenance.versions([second, first]) == {
        "numpy": ["2.4.6"], "python": ["3.11.7", "3.11.9"], "torch": ["2.13.0"],
    }  # fmt: skip
    assert provenance.code_digest([first]) == provenance.code_digest([second, first])
    write_json(tmp_path / "2.json", {"python": "3.11.9", "versions": {}, "code": {"workflow_scripts/a.py": "2"}})
    assert provenance.code_digest([first]) != provenance.code_digest([second])
    assert provenance.code_digest([]) is None
    assert provenance.config_digest({"a": 1, "b": 2}) == provenance.config_digest({"b": 2, "a": 1})
    assert provenance.config_digest({"a": 1}) != provenance.config_digest({"a": 2})


def test_terminal_table_fits_and_shows_the_papers_auc(tmp_path, models_file, expected_of):
    root = make_run(tmp_path / "demo", seeds=(1,))
    table = table7_of(root, models_file, expected_of("table7"))
    lines = terminal_lines(table, 110)
    assert max(map(len, lines)) <= 110
    assert lines[1].split()[:5] == ["Model", "Bag", "Strategy", "AUC", "paper"]
    assert lines[3].split()[:5] == ["CNN", "-", "AVG", "8.0", "27.3"]
    assert "P@2k" in lines[1] and sum(line.startswith(("CNN ", "PCNN ", "GRU ", "BERT ")) for line in lines) == 20
    narrow = terminal_lines(table, 80)
    assert max(len(line) for line in narrow if "(" not in line) <= 80
    assert any(line.startswith("  too narrow for") and "P@2k" in line for line in narrow)


def test_show_table_prints_paths_and_the_verdict(tmp_path, models_file, expected_of, run_command):
    root = make_run(tmp_path / "demo", seeds=(1,))
    (root / "tables").mkdir()
    csv_format.write_csv(root / "tables/table7.csv", table7_of(root, models_file, expected_of("table7")))
    write_json(root / "verify.json", {"reasons": {"table7": ["the release is invented", "second"]}})
    done = run_command("reporting/show_table.py", root / "tables")
    assert done.returncode == 0, done.stderr
    assert str(root / "tables/table7.{csv}") in done.stdout and "Table 5" not in done.stdout
    assert "Not comparable with the paper: the release is invented (and 1 more" in done.stdout.replace("\n", " ")
    assert paths(root / "tables")[0] == "Tables:" and verdict(tmp_path / "none.json", "table7") == [""]
    assert run_command("reporting/show_table.py", tmp_path / "nowhere").returncode == 1


def test_tables_and_figures_stand_in_their_section_in_the_papers_order(monkeypatch, tmp_path):
    """A table or figure that is only added to its catalogue gets its place."""
    made = [Spec(name, title(name), (Key("k", "Key"),), (Column("x", "X"),), "", section="lists")
            for name in ("table_a10", "table12", "table_a9")]  # fmt: skip
    monkeypatch.setattr(write_report, "TABLES", {spec.name: spec for spec in made})
    monkeypatch.setattr(write_report, "FIGURES", {"figure_a7": Drawing("figure_a7", "lists")})
    files = [tmp_path / f"{spec.name}.csv" for spec in made]
    for path, spec in zip(files, made, strict=True):
        csv_format.write_csv(path, build(spec, {("a",): ({"x": Cell(1.5)}, ())}, []))
    captions = dict.fromkeys(["figure_a7", *(spec.name for spec in made)], "what it is")
    (tmp_path / "figure_a7.png").write_bytes(b"\x89PNG")
    tables = write_report.read_tables(files, captions)
    assert list(tables) == ["table12", "table_a9", "table_a10"]
    blocks = write_report.numbered_blocks(tables, {"cells": []}, [tmp_path / "figure_a7.png"], captions)
    assert re.findall('<h3 id="(.*?)">(.*?)<', blocks.pop("lists")) == [
        ("table12", "Table 12"), ("table_a9", "Table A.9"), ("table_a10", "Table A.10"), ("figure_a7", "Figure A.7"),
    ]  # fmt: skip
    assert not any(blocks.values())
    with pytest.raises(UsageError, match="table12"):
        write_report.read_tables(files, {})


def test_the_orderings_stand_below_figure_5(tmp_path):
    values = {"CM": 67.04, "OM": None}
    orderings = [{"claim": "CM < all", "values": values, "holds": None, "status": "missing"}]
    path = tmp_path / "figure5.svg"
    path.write_text("<svg/>")
    shown = write_report.numbered_blocks({}, {"cells": [], "orderings": orderings}, [path], {"figure5": "Curves."})
    figure, below = shown["models"].split("</figure>")
    assert "Curves." in figure and "<td>CM &lt; all</td><td>CM 67.0, OM —</td><td>—</td><td>missing</td>" in below
    without = write_report.numbered_blocks({}, {"cells": [], "orderings": []}, [path], {"figure5": "Curves."})
    assert "Ordering" not in without["models"]


@pytest.mark.parametrize("name", ["tables7", "table", "table_b1", "figure_4", "table7.csv"])
def test_other_names_are_none_of_the_papers(name):
    with pytest.raises(ValueError, match="such as table7"):
        title(name)
