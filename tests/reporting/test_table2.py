"""Table 2: shares of the audits beside the printed ones; what is not at hand says so."""

import pytest

from tests.reporting.made_up import write_audit
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting import markdown
from workflow_scripts.reporting.catalogue import TABLE2
from workflow_scripts.reporting.leakage_rows import leakage_values
from workflow_scripts.reporting.table import build


def test_rows_of_the_paper_and_ours(tmp_path, expected_of):
    audits = [write_audit(tmp_path / "umls_v2.json", "UMLS.v2-style: umls_v2", (3, 2, 4))]
    audits.append(write_audit(tmp_path / "inductive.json", "MedDistant19: inductive", (0, 0, 0)))
    table = build(TABLE2, leakage_values(audits, TABLE2), expected_of("table2"))
    assert [row.keys["benchmark"] for row in table.rows] == [
        "UMLS.v2", "BioRel", "UMLS.v3", "MedDistant19: inductive", "UMLS.v2-style: umls_v2"
    ]  # fmt: skip
    ours = {name: cell.value for name, cell in table.rows[4].cells.items()}
    assert (ours["train"], ours["test"], ours["test_direct"]) == (1234, 40, 7.5)
    assert (ours["valid_inverse"], ours["valid_pairs"]) == (5.0, 10.0)
    assert table.rows[3].cells["test_direct"].value == 0
    assert table.rows[1].cells["valid_direct"].paper == "86.17" and table.rows[1].cells["valid_direct"].value is None
    text = markdown.render(table)
    assert "not at hand" in text and "211,789" in text and "26.5" in text


def test_a_split_without_facts_has_no_share(tmp_path):
    path = write_audit(tmp_path / "x.json", "x", (0, 0, 0), n=0)
    ((cells, _),) = leakage_values([path], TABLE2).values()
    assert cells["test"].value == 0 and cells["test_direct"].value is None


def test_two_audits_of_a_benchmark_are_an_error(tmp_path):
    paths = [write_audit(tmp_path / f"{name}.json", "x") for name in "ab"]
    with pytest.raises(DataError, match="another audit of x"):
        leakage_values(paths, TABLE2)
