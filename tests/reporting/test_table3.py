"""Table 3: runs on a benchmark as it was and without its overlap, beside the printed numbers."""

import csv

import pytest

from tests.reporting.made_up import metrics, write_json
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.catalogue import TABLE3
from workflow_scripts.reporting.prior_rows import prior_values
from workflow_scripts.reporting.table import build

FILTERED = {"umls_v2_clean"}


@pytest.fixture
def models(tmp_path):
    with open(tmp_path / "models.tsv", "w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream, delimiter="\t")
        rows.writerows([("model", "name", "level"), ("amin_2020", "Amin et al. (2020a)", "bag"), ("x", "X", "bag")])
    return tmp_path / "models.tsv"


def evaluation(root, run, value):
    ranks = {f"mean_p@{k}": value for k in (100, 200)} | {"mean_p@300": None}
    return write_json(root / "evaluation" / run / "att" / "metrics.json", metrics(value) | ranks)


def test_each_version_of_the_benchmark_has_its_columns(tmp_path, models, expected_of):
    paths = [evaluation(tmp_path, f"umls_v2.amin_2020.s{seed}", 0.6 + seed / 10) for seed in (1, 2)]
    paths.append(evaluation(tmp_path, "umls_v2_clean.amin_2020.s1", 0.3))
    table = build(TABLE3, prior_values(paths[::-1], models, FILTERED, TABLE3), expected_of("table3"))
    assert [row.keys["model"] for row in table.rows] == ["Amin et al. (2020a)", "Hogan et al. (2021)"]
    cells = table.rows[0].cells
    assert (cells["auc_original"].value, cells["auc_original"].paper) == (pytest.approx(75), "68.4")
    assert (cells["auc_filtered"].value, cells["auc_filtered"].sd) == (pytest.approx(30), None)
    assert cells["mean_p@100_original"].value == pytest.approx(75) and cells["mean_p@300_filtered"].value is None
    assert table.rows[1].cells["max_micro_f1_filtered"].paper == "19.8"
    assert set(table.rows[0].runs) == {path.parent.parent.name for path in paths}


def test_two_corpora_of_one_version_are_an_error(tmp_path, models):
    paths = [evaluation(tmp_path, f"{corpus}.x.s1", 0.5) for corpus in ("umls_v2", "umls_v3")]
    with pytest.raises(DataError, match="all fill row X"):
        prior_values(paths, models, FILTERED, TABLE3)
