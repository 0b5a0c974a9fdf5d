"""Values, rows and formats of the tables."""

import csv
import random
import re

import pytest

from tests.reporting.made_up import SEEDS, auc, corpus_statistics, graph_statistics, metrics, write_json
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting import csv_format, markdown
from workflow_scripts.reporting.catalogue import TABLE5, TABLE6, TABLE7, TABLE7_ROWS, TABLE_A2, TABLE_A3, TABLE_A4
from workflow_scripts.reporting.cells import cell_text
from workflow_scripts.reporting.corpus_rows import pruned_values, summary_values, type_values
from workflow_scripts.reporting.graph_rows import relation_values, split_values
from workflow_scripts.reporting.model_rows import model_values, read_models
from workflow_scripts.reporting.table import Cell, Column, build


@pytest.fixture
def table7(finished, models_file, expected_of):
    files = sorted(finished.glob("evaluation/*/*/metrics.json"))
    values = model_values(files, read_models(models_file), TABLE7.columns)
    return build(TABLE7, values, expected_of("table7"), "Numbers in %, of rows_a & rows_b.", TABLE7_ROWS)


@pytest.fixture
def tables(finished, table7, expected_of):
    graph, corpus = finished / "kg/statistics.json", finished / "corpus/inductive/statistics.json"
    return [
        build(TABLE5, split_values(graph), expected_of("table5")),
        build(TABLE6, summary_values(corpus, "inductive"), expected_of("table6")),
        table7,
        build(TABLE_A2, pruned_values(corpus, "inductive"), expected_of("table_a2")),
        build(TABLE_A3, relation_values(graph, corpus, "inductive"), expected_of("table_a3")),
        build(TABLE_A4, type_values(corpus, "inductive"), expected_of("table_a4")),
    ]


def row_of(table, *keys):
    return next(row for row in table.rows if tuple(row.keys.values()) == keys)


def test_table7_has_twenty_rows_in_order(table7):
    assert [tuple(row.keys.values()) for row in table7.rows] == TABLE7_ROWS
    assert len(TABLE7_ROWS) == 20
    assert TABLE7_ROWS[:6] == [
        ("CNN", "-", "AVG"), ("CNN", "-", "ONE"), ("CNN", "✓", "AVG"), ("CNN", "✓", "ONE"), ("CNN", "✓", "ATT"),
        ("PCNN", "-", "AVG"),
    ]  # fmt: skip


def test_means_and_sds_over_seeds_in_percent(table7):
    cell = row_of(table7, "CNN", "-", "ONE").cells["auc"]
    assert (cell.value, cell.sd, cell.paper) == (pytest.approx(11.0), pytest.approx(2.0), "30.4")
    row = row_of(table7, "BERT", "✓", "AVG")
    assert row.cells["auc"].value == pytest.approx(100 * auc("bert_bag_avg", "avg", 2))
    assert row.cells["max_micro_f1"].sd == pytest.approx(1.0)
    assert row.cells["max_macro_f1"].value == pytest.approx(row.cells["auc"].value / 4)
    assert row.runs == tuple(f"inductive.bert_bag_avg.s{seed}" for seed in SEEDS)


def test_uneven_values_have_the_sample_deviation(tmp_path, models_file):
    for seed, value in ((1, 0.1), (7, 0.2), (10, 0.6)):
        write_json(tmp_path / f"evaluation/c.cnn_bag_one.s{seed}/one/metrics.json", metrics(value))
    (cells, runs) = model_values(tmp_path.glob("*/*/*/*.json"), read_models(models_file), TABLE7.columns)[
        "CNN", "✓", "ONE"
    ]
    assert cells["auc"].value == pytest.approx(30.0)
    # squared deviations 400 + 100 + 900 over n - 1 = 2
    assert cells["auc"].sd == pytest.approx(700**0.5)
    assert len(runs) == 3


def test_one_seed_has_no_deviation(tmp_path, models_file):
    write_json(tmp_path / "evaluation/c.cnn_bag_one.s4/one/metrics.json", metrics(0.25))
    cells, runs = model_values(tmp_path.glob("*/*/*/*.json"), read_models(models_file), TABLE7.columns)[
        "CNN", "✓", "ONE"
    ]
    assert cells["auc"] == Cell(25.0, None)
    assert runs == ("c.cnn_bag_one.s4",)


def test_order_of_files_does_not_matter(finished, models_file):
    files = sorted(finished.glob("evaluation/*/*/metrics.json"))
    models = read_models(models_file)
    first = model_values(files, models, TABLE7.columns)
    for seed in range(5):
        mixed = random.Random(seed).sample(files, len(files))
        assert model_values(mixed, models, TABLE7.columns) == first


def test_what_is_missing(table7):
    undefined, absent = row_of(table7, "CNN", "✓", "ONE"), row_of(table7, "GRU", "✓", "AVG")
    assert undefined.cells["p@2000"].value is None and undefined.state(TABLE7.column("p@2000")) == "undefined"
    assert undefined.state(TABLE7.column("auc")) is None
    assert absent.state(TABLE7.column("auc")) == "absent" and absent.cells["auc"].paper == "28.6"
    assert not row_of(table7, "CNN", "✓", "ATT").in_paper and row_of(table7, "BERT", "✓", "ATT").in_paper


def test_a_metric_that_one_seed_lacks_has_no_mean(tmp_path, models_file):
    for seed, missing in ((1, ()), (2, (1000,))):
        write_json(tmp_path / f"evaluation/c.cnn_bag_one.s{seed}/one/metrics.json", metrics(0.2, missing))
    cells, _ = model_values(tmp_path.glob("*/*/*/*.json"), read_models(models_file), TABLE7.columns)["CNN", "✓", "ONE"]
    assert cells["p@1000"] == Cell() and cells["p@300"].value == pytest.approx(30.0)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"auc": 27.3}, ["auc 27.3", "in [0, 1]"]),
        ({"auc": "0.3"}, ["auc '0.3'"]),
        ({"auc": True}, ["auc True"]),
        ({"auc": float("nan")}, ["auc nan"]),
        ({"auc": ...}, ["expected: key auc", "max_micro_f1"]),
    ],
)
def test_bad_metrics_are_named(tmp_path, models_file, change, words):
    value = metrics(0.2) | change
    value = {key: number for key, number in value.items() if number is not ...}
    path = write_json(tmp_path / "evaluation/c.cnn_bag_one.s1/one/metrics.json", value)
    with pytest.raises(DataError) as error:
        model_values([path], read_models(models_file), TABLE7.columns)
    for word in [str(path), *words]:
        assert word in str(error.value)


def test_broken_json_unknown_models_and_odd_folders_are_named(tmp_path, models_file):
    models = read_models(models_file)
    broken = tmp_path / "evaluation/c.cnn_bag_one.s1/one/metrics.json"
    write_json(broken, 1).write_text("{")
    with pytest.raises(DataError, match="a JSON file"):
        model_values([broken], models, TABLE7.columns)
    unknown = write_json(tmp_path / "evaluation/c.lstm.s1/one/metrics.json", metrics(0.2))
    with pytest.raises(DataError, match="model lstm"):
        model_values([unknown], models, TABLE7.columns)
    odd = write_json(tmp_path / "evaluation/c.cnn_sent/one/metrics.json", metrics(0.2))
    with pytest.raises(DataError, match="<corpus>.<model>.s<seed>"):
        model_values([odd], models, TABLE7.columns)


def test_two_models_in_one_row_are_an_error(tmp_path, models_file):
    path = tmp_path / "models.tsv"
    path.write_text(models_file.read_text() + "cnn_new\tCNN\ttable7\tcnn\tbag\tone\n")
    files = [
        write_json(tmp_path / f"evaluation/c.{model}.s1/one/metrics.json", metrics(0.2))
        for model in ("cnn_new", "cnn_bag_one")
    ]
    with pytest.raises(DataError, match="cnn_bag_one, c.cnn_new all fill row CNN ✓ ONE"):
        model_values(files, read_models(path), TABLE7.columns)


def test_a_new_model_gets_its_own_row_after_the_others(tmp_path, models_file, expected_of):
    path = tmp_path / "models.tsv"
    path.write_text(models_file.read_text() + "mine\tMine\ttable7\tcnn\tbag\tone\n")
    file = write_json(tmp_path / "evaluation/c.mine.s1/one/metrics.json", metrics(0.2))
    table = build(
        TABLE7, model_values([file], read_models(path), TABLE7.columns), expected_of("table7"), "", TABLE7_ROWS
    )
    assert len(table.rows) == 21 and table.rows[-1].keys == {"model": "Mine", "bag": "✓", "strategy": "ONE"}


def test_tables_5_and_6(tables):
    five, six = tables[0], tables[1]
    cell = row_of(five, "inductive").cells["valid"]
    assert (cell.value, cell.paper) == (340, "48641")
    assert row_of(six, "all").cells["type_pairs"] == Cell(7, None, "343")
    assert row_of(six, "test").cells["na_share"] == Cell(90.0, None, "91.1")
    assert row_of(six, "train").cells["instances"] == Cell(20000, None, "450071")


def test_a2_keeps_the_highest_bin_and_the_papers_types(tables):
    table = tables[3]
    row = row_of(table, "Disease or Syndrome")
    assert row.cells[">=3x"].value == ("disease",) and row.cells["1-2x"].value == ()
    assert row_of(table, "Diagnostic Procedure").cells["1-2x"].value == ("a_b & <c> %", "us")
    assert row_of(table, "Finding").cells["1-2x"].value is None
    # "us" and the paper's "US" are one name
    text = cell_text(TABLE_A2.column("1-2x"), row_of(table, "Diagnostic Procedure").cells["1-2x"])
    assert text.difference == "+ a_b & <c> %; − biopsy, ultrasound"


def test_a2_rejects_unknown_bins(tmp_path):
    statistics = corpus_statistics()
    statistics["pruned_mentions"][0]["bin"] = "4x"
    path = write_json(tmp_path / "inductive/statistics.json", statistics)
    with pytest.raises(DataError, match="'4x'"):
        pruned_values(path, "inductive")


def test_a3_and_a4(tables):
    three, four = tables[4], tables[5]
    assert [row.keys["relation"] for row in three.rows][-1] == "access_of" and len(three.rows) == 22
    row = row_of(three, "cause_of")
    assert row.cells["inverse"] == Cell("caused_by", None, "due_to")
    assert (row.cells["triples"].value, row.cells["instances"].value) == (1000, 700)
    assert row_of(three, "interprets").cells["inverse"].value is None, "it has no instance in the corpus"
    assert len(four.rows) == 52 and four.rows[-1].keys["tui"] == "T203"
    assert row_of(four, "T023").cells["group"] == Cell("DISO", None, "ANAT")


@pytest.mark.parametrize("keys", [("splits", "inductive", "valid", "triples"), ("splits",)])
def test_a_statistic_that_is_missing_is_named(tmp_path, keys):
    statistics = graph_statistics()
    place = statistics
    for key in keys[:-1]:
        place = place[key]
    del place[keys[-1]]
    path = write_json(tmp_path / "statistics.json", statistics)
    with pytest.raises(DataError) as error:
        split_values(path)
    assert f"key {keys[-1]}" in str(error.value) and str(path) in str(error.value)


def test_csv_columns_and_round_trip(tmp_path, tables):
    for table in tables:
        path = tmp_path / f"{table.spec.name}.csv"
        csv_format.write_csv(path, table)
        with open(path, encoding="utf-8", newline="") as stream:
            header = next(csv.reader(stream))
        assert header[-1] == "run_ids" and header[: len(table.spec.keys)] == [key.name for key in table.spec.keys]
        again = csv_format.read_csv(path, table.spec, table.caption)
        csv_format.write_csv(tmp_path / "again.csv", again)
        assert (tmp_path / "again.csv").read_bytes() == path.read_bytes()
        for old, new in zip(table.rows, again.rows, strict=True):
            assert old.keys == new.keys and old.runs == new.runs
            for name, cell in old.cells.items():
                value = cell.value if not isinstance(cell.value, float) else pytest.approx(cell.value, abs=1e-6)
                assert new.cells[name].value == value and new.cells[name].paper == cell.paper


def test_csv_of_table7_says_what_the_interface_says(tmp_path, table7):
    csv_format.write_csv(tmp_path / "t.csv", table7)
    with open(tmp_path / "t.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0])[:6] == ["model", "bag", "strategy", "auc", "auc_sd", "auc_paper"]
    assert rows[1]["auc"] == "11" and rows[1]["auc_sd"] == "2" and rows[1]["auc_paper"] == "30.4"
    assert rows[1]["p@2000"] == "" and rows[1]["p@2000_paper"] == "34.4"
    assert rows[1]["run_ids"] == "inductive.cnn_sent.s1|inductive.cnn_sent.s2|inductive.cnn_sent.s3"


def test_csv_of_another_table_is_refused(tmp_path, tables):
    csv_format.write_csv(tmp_path / "t.csv", tables[0])
    with pytest.raises(DataError, match="line 1"):
        csv_format.read_csv(tmp_path / "t.csv", TABLE6)


@pytest.mark.parametrize(
    "column, cell, shown",
    [
        (Column("x", "X"), Cell(27.04, 0.049, "27.3"), ("27.0", "0.0", "27.3", "−0.3")),
        (Column("x", "X"), Cell(27.35, None, "27.3"), ("27.4", "", "27.3", "+0.1")),
        (Column("x", "X"), Cell(27.3, None, "27.3"), ("27.3", "", "27.3", "0.0")),
        (Column("x", "X"), Cell(99.96, None, None), ("100.0", "", "", "")),
        (Column("x", "X", decimals=2), Cell(5.0, None, "5.06"), ("5.00", "", "5.06", "−0.06")),
        (Column("x", "X", "count"), Cell(1234567, None, "450071"), ("1,234,567", "", "450,071", "+784,496")),
        (Column("x", "X"), Cell(None, None, "1.0"), ("—", "", "1.0", "")),
    ],
)
def test_texts_of_numbers(column, cell, shown):
    text = cell_text(column, cell)
    assert (text.ours, text.sd, text.paper, text.difference) == shown


def test_markdown_tables_are_rectangular_and_escaped(tables):
    for table in tables:
        blocks = re.findall(r"(?:^\|.*\n)+", markdown.render(table), re.M)
        assert len(blocks) == len(table.spec.parts())
        for block in blocks:
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(widths) == 1
    text = markdown.render(tables[2])
    assert "| CNN | - | ONE | 11.0 ± 2.0 (30.4, −19.4) |" in text
    assert "rows\\_a & rows\\_b" in text
    assert "<sup>a</sup> fewer predictions than k, so P@k does not exist" in text
    assert r"a\_b & \<c\> %" in markdown.render(tables[3])
    assert r"caused\_by (due\_to)" in markdown.render(tables[4])


def test_mean_ignores_hash_order(tmp_path, models_file):
    """Sums of floats depend on their order; the mean must not depend on the order of the files."""
    values = [0.1, 0.7, 0.2, 0.30000000000000004, 0.6, 0.123456789]
    files = [
        write_json(tmp_path / f"evaluation/c.cnn_bag_one.s{seed}/one/metrics.json", metrics(value))
        for seed, value in enumerate(values)
    ]
    models = read_models(models_file)
    seen = set()
    for seed in range(20):
        mixed = random.Random(seed).sample(files, len(files))
        cell = model_values(mixed, models, TABLE7.columns)["CNN", "✓", "ONE"][0]["auc"]
        seen.add((cell.value, cell.sd))
    assert len(seen) == 1


def test_models_file_must_say_name_and_level(tmp_path):
    path = tmp_path / "models.tsv"
    path.write_text("model\tname\tlevel\na\tCNN\t\n")
    with pytest.raises(DataError, match="column level"):
        read_models(path)
