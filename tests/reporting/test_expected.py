"""The paper's numbers: the files in the repository, and what is said about wrong ones."""

import pytest

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.catalogue import TABLE7_ROWS, TABLES
from workflow_scripts.reporting.expected import read_expected, read_relations


def schema(repository):
    return repository / "schemas/expected.schema.yaml"


def printed(entries):
    return {(*entry.keys, entry.metric): entry.printed for entry in entries}


def test_every_table_has_its_numbers(expected_of, repository):
    relations = read_relations(repository / "experiments/relations.tsv")
    counts = {}
    for name, spec in TABLES.items():
        path = repository / f"experiments/expected/{name}.tsv"
        entries = read_expected(path, name, schema(repository), relations)
        assert {entry.metric for entry in entries} <= {column.name for column in spec.columns}
        assert all(len(entry.keys) == len(spec.keys) for entry in entries)
        counts[name] = len(entries)
    models = {"table1": 28, "table2": 15, "table4": 12, "table7": 136, "table8": 9, "table9": 18, "table10": 6}
    models |= {"table3": 8, "table_a1": 45, "table11": 60}
    assert counts == {"table5": 6, "table6": 20, "table_a2": 63, "table_a3": 21, "table_a4": 102} | models


def test_table7_has_the_seventeen_rows_of_the_paper_in_its_order(expected_of):
    entries = expected_of("table7")
    rows = list(dict.fromkeys(entry.keys for entry in entries))
    assert len(rows) == 17
    assert [row for row in TABLE7_ROWS if row in rows] == rows
    assert [row for row in TABLE7_ROWS if row not in rows] == [(m, "✓", "ATT") for m in ("CNN", "PCNN", "GRU")]
    values = printed(entries)
    assert values["CNN", "-", "AVG", "auc"] == "27.3"
    assert values["PCNN", "✓", "AVG", "p@1000"] == "47.0"
    assert values["GRU", "-", "ONE", "max_macro_f1"] == "29.2"
    assert values["BERT", "-", "AVG", "p@2000"] == "67.2"
    assert values["BERT", "✓", "ATT", "max_micro_f1"] == "56.4"


def test_numbers_fit_each_other(expected_of):
    """Relations between printed numbers that hold in the paper: a slip of the pen in the files would break some."""
    six = {key: float(value) for key, value in printed(expected_of("table6")).items()}
    for split in ("train", "valid", "test"):
        assert six[split, "instances"] / six[split, "bags"] == pytest.approx(six[split, "instances_per_bag"], abs=0.006)
    five = printed(expected_of("table5"))
    assert sum(int(five["inductive", split]) for split in ("train", "valid", "test")) == 408_299
    assert len({entry.keys for entry in expected_of("table_a4")}) == six["all", "types"]
    assert len(expected_of("table_a3")) + 1 == six["all", "relations"]
    seven = printed(expected_of("table7"))
    for row in {key[:3] for key in seven}:
        # P@k falls in steps of 1 / k
        for k in (100, 200, 1000):
            assert float(seven[(*row, f"p@{k}")]) * k / 100 == pytest.approx(
                round(float(seven[(*row, f"p@{k}")]) * k / 100)
            )


def test_names_of_a2(expected_of):
    values = printed(expected_of("table_a2"))
    assert values["Disease or Syndrome", ">=3x"] == ("disease", "infection", "condition", "hypertension")
    assert values["Body System", "1-2x"] == ()
    procedures = values["Therapeutic or Preventive Procedure", "1-2x"]
    assert len(procedures) == 12 and "surgical treatment" in procedures and "application" in procedures


HEAD7 = "model\tbag\tstrategy\tmetric\tvalue\tcomparison\ttolerance\tnote"
GOOD7 = "CNN\t-\tAVG\tauc\t27.3\tabsolute\t3\t"
BAD7 = [
    ("CMM\t-\tAVG\tauc\t27.3\tabsolute\t3\t", ["line 3", "'CMM'", "CNN, PCNN, GRU, BERT"]),
    ("CNN\t-\tAVG\tap\t27.3\tabsolute\t3\t", ["line 3", "metric 'ap'", "auc, max_micro_f1"]),
    ("CNN\tx\tAVG\tauc\t27.3\tabsolute\t3\t", ["bag 'x'", "-, ✓"]),
    ("CNN\t-\tONE\tauc\t27,3\tabsolute\t3\t", ["value '27,3'", "[0-9]"]),
    ("CNN\t-\tONE\tauc\t27.3\tclose\t3\t", ["comparison 'close'", "absolute, relative"]),
    ("CNN\t-\tONE\tauc\t27.3\tnames\t\t", ["comparison 'names'", "absolute, relative"]),
    ("CNN\t-\tONE\tauc\t27.3\tabsolute\t\t", ["tolerance ''", "a tolerance for absolute"]),
    ("CNN\t-\tONE\tauc\t27.3\treference\t3\t", ["tolerance '3'", "none for the others"]),
    ("CNN\t-\tONE\tauc\t27.3\tabsolute\t3", ["line 3", "7 columns", "8 columns"]),
    (GOOD7, ["line 3", "again (first in line 2)", "each cell once"]),
]


@pytest.mark.parametrize("row, words", BAD7)
def test_a_wrong_row_is_named(tmp_path, repository, row, words):
    path = tmp_path / "table7.tsv"
    path.write_text(f"{HEAD7}\n{GOOD7}\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_expected(path, "table7", schema(repository))
    assert str(path) in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_a_wrong_header_is_named(tmp_path, repository):
    path = tmp_path / "table7.tsv"
    path.write_text("model\tmetric\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1"):
        read_expected(path, "table7", schema(repository))


def test_an_unknown_relation_is_named(tmp_path, repository):
    path = tmp_path / "table_a3.tsv"
    head = "relation\tmetric\tvalue\tcomparison\ttolerance\tnote"
    path.write_text(
        f"{head}\ncause_of\tinverse\tdue_to\texact\t\t\nkause_of\tinverse\tx\texact\t\t\n", encoding="utf-8"
    )
    assert len(read_expected(path, "table_a3", schema(repository))) == 2
    with pytest.raises(DataError) as error:
        read_expected(path, "table_a3", schema(repository), ["cause_of", "focus_of"])
    text = str(error.value)
    assert "line 3" in text and "'kause_of'" in text and "cause_of, focus_of" in text and "remedy" in text


def test_values_that_are_compared_as_numbers_must_be_numbers(tmp_path, repository):
    path = tmp_path / "table_a3.tsv"
    head = "relation\tmetric\tvalue\tcomparison\ttolerance\tnote"
    path.write_text(f"{head}\ncause_of\tinverse\tdue_to\tabsolute\t1\t\n", encoding="utf-8")
    with pytest.raises(DataError, match="a number, to compare absolute"):
        read_expected(path, "table_a3", schema(repository))


def test_cells_of_names_are_compared_as_names(tmp_path, repository):
    head = "type\tmetric\tvalue\tcomparison\ttolerance\tnote"
    path = tmp_path / "table_a2.tsv"
    path.write_text(head + "\nTissue\t1-2x\ttissue, tissues\treference\t\t\n")
    with pytest.raises(DataError, match="comparison 'reference'\n.*one of names"):
        read_expected(path, "table_a2", repository / "schemas/expected.schema.yaml")


def test_relations_file_needs_its_column(tmp_path):
    path = tmp_path / "relations.tsv"
    path.write_text("rel\tinverse\na\tb\n", encoding="utf-8")
    with pytest.raises(DataError, match="a column named relation"):
        read_relations(path)
