"""The paired bootstrap on the page."""

import pytest

from tests.reporting.made_up import DIFFERENCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.differences import HEADER, read_differences
from workflow_scripts.reporting.model_rows import read_models
from workflow_scripts.reporting.page import differences_block

EXPECTED = [
    ["BERT+bag+AVG", "BERT+sent+AVG", "21.6", "35.2", "−13.6", "−17.9 to −8.4", "yes"],
    ["BERT+bag+AVG", "BERT+sent+ONE", "21.6", "21.0", "+0.6", "−1.7 to 2.8", "no"],
    ["BERT+sent+AVG", "BERT+sent+ONE", "—", "21.0", "—", "—", "—"],
]


@pytest.fixture
def models(models_file):
    return read_models(models_file)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "differences.csv"
    path.write_text(DIFFERENCES)
    return path


def test_rows_are_named_as_in_the_paper_and_in_percent(table, models):
    rows, resamples = read_differences(table, models)
    assert (rows, resamples) == (EXPECTED, "100")
    assert all(len(row) == len(HEADER) for row in rows)


def test_the_section_counts_those_that_differ(models):
    text = differences_block(EXPECTED, "100")
    assert "<summary>1 of 3 comparisons differ</summary>" in text and "drawn again 100 times" in text
    assert text.count("<tr>") == 4 and 'href="evaluation/differences.csv"' in text


def test_no_models_no_rows(table, models):
    table.write_text(DIFFERENCES.splitlines()[0] + "\n")
    assert read_differences(table, models) == ([], None)


@pytest.mark.parametrize(
    "old, new, line, said",
    [
        ("lower", "low", 1, "column lower"),
        ("0.351561", "much", 2, "could not convert"),
        (",no,", ",perhaps,", 3, "perhaps"),
        ("bert_bag_avg.avg,bert_sent.one", "other.att,bert_sent.one", None, "model other"),
        (",-0.178781,-0.084335,0.000000,yes,100,2,2", "", 2, "yes or no"),
    ],
    ids=["column", "number", "verdict", "model", "short"],
)
def test_what_compare_runs_does_not_write_is_an_error(table, models, old, new, line, said):
    table.write_text(DIFFERENCES.replace(old, new, 1))
    with pytest.raises(DataError, match=said) as caught:
        read_differences(table, models)
    assert line is None or f"line {line}" in str(caught.value)
