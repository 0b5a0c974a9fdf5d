"""Figure 4."""

import re

import pytest

from tests.reporting.made_up import make_run
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting import figures
from workflow_scripts.reporting.catalogue import TABLE7, TABLE7_ROWS
from workflow_scripts.reporting.curve_rows import curves
from workflow_scripts.reporting.draw_figure4 import draw, label
from workflow_scripts.reporting.model_rows import model_values, read_models
from workflow_scripts.reporting.table import build

KEYS = [("BERT", "-", "AVG"), ("BERT", "-", "ONE"), ("BERT", "✓", "AVG")]


@pytest.fixture
def table7(finished, models_file):
    values = model_values(finished.glob("evaluation/*/*/metrics.json"), read_models(models_file), TABLE7.columns)
    return build(TABLE7, values, [], "", TABLE7_ROWS)


def test_curves_are_in_the_order_of_table7_and_of_the_seeds(finished, models_file):
    files = sorted(finished.glob("evaluation/*.bert_*/*/curve.parquet"))
    models = read_models(models_file)
    lines, again = curves(files, models), curves(files[::-1], models)
    assert list(lines) == list(again) == KEYS
    for key in KEYS:
        assert len(lines[key]) == 3
        for (recall, precision), (recall_2, precision_2) in zip(lines[key], again[key], strict=True):
            assert (recall == recall_2).all() and (precision == precision_2).all()
            assert recall[-1] == 1 and precision[0] == 1


def test_the_figure_has_a_line_per_seed_and_a_label_per_row(finished, models_file, table7):
    lines = curves(finished.glob("evaluation/*.bert_*/*/curve.parquet"), read_models(models_file))
    with figures.styled():
        axes = draw(lines, table7).axes[0]
    assert len(axes.lines) == 9
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[0] == "BERT+sent+AVG (AUC 40.0 ± 2.0)" and texts[2].startswith("BERT+bag+AVG (AUC 50.0")
    styles = {(line.get_color(), str(line.get_linestyle())) for line in axes.lines}
    assert len({color for color, _ in styles}) == 3


def test_more_rows_than_colours_look_different(table7):
    points = ((0.5, 1.0), (1.0, 0.5))
    with figures.styled():
        axes = draw({(f"BERT{i}", "-", "AVG"): [points] for i in range(13)}, table7).axes[0]
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in axes.lines}) == 13


def test_label_without_auc(table7):
    assert label(("BERT", "✓", "ATT"), None) == "BERT+bag+ATT"
    row = next(row for row in table7.rows if row.keys["model"] == "GRU")
    assert label(("GRU", "-", "AVG"), row) == "GRU+sent+AVG"


def test_files_have_embedded_fonts_and_no_dates(tmp_path, finished, models_file, table7):
    lines = curves(finished.glob("evaluation/*.bert_*/*/curve.parquet"), read_models(models_file))
    paths = [tmp_path / f"figure4.{kind}" for kind in ("pdf", "svg", "png")]
    with figures.styled():
        figures.save(draw(lines, table7), paths)
    pdf, svg, png = (path.read_bytes() for path in paths)
    assert pdf.startswith(b"%PDF") and b"/FontFile2" in pdf and b"Date" not in pdf
    assert b"<text" not in svg and b"dc:date" not in svg and not re.search(rb'href="(?!#)', svg)
    assert png.startswith(b"\x89PNG") and b"Software" not in png


def test_without_bert_the_figure_says_so(tmp_path, table7):
    with figures.styled():
        axes = draw({}, table7).axes[0]
    assert axes.texts[0].get_text() == "no BERT model in this configuration"


def test_a_broken_curve_is_named(tmp_path, models_file):
    root = make_run(tmp_path / "demo", seeds=(1,))
    path = root / "evaluation/inductive.bert_bag_avg.s1/avg/curve.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match="curve"):
        curves([path], read_models(models_file))
