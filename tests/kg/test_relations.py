"""The table of relations: facts, schema, and what MRDOC says."""

import pytest

from tests.kg.releases import write_rrf
from workflow_scripts.kg.relations import documented_inverses, inverse_conflicts, read_relations


def test_the_table_holds_the_published_pairs(repository, shared_data):
    lines = (shared_data / "umls" / "reciprocal_relations.tsv").read_text().splitlines()[1:]
    found = read_relations(repository / "experiments" / "relations.tsv")
    assert list(found.items()) == sorted(tuple(line.split("\t")) for line in lines)
    assert len(found) == 88


def test_the_paper_s_relations_are_in_the_table(repository):
    found = read_relations(repository / "experiments" / "relations.tsv")
    assert found["finding_site_of"] == "has_finding_site" and found["isa"] == "inverse_isa"
    symmetric = {"same_as", "possibly_equivalent_to", "associated_with", "temporally_related_to"}
    assert not symmetric & (set(found) | set(found.values()))


def test_each_row_obeys_the_schema(repository):
    jsonschema, yaml = pytest.importorskip("jsonschema"), pytest.importorskip("yaml")
    schema = yaml.safe_load((repository / "schemas" / "relations.schema.yaml").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for relation, inverse in read_relations(repository / "experiments" / "relations.tsv").items():
        validator.validate({"relation": relation, "inverse": inverse})
    assert not validator.is_valid({"relation": "cause of", "inverse": "due_to"})


def test_inverses_of_mrdoc(tmp_path):
    rows = [
        ("RELA", "cause_of", "rela_inverse", "due_to"),
        ("RELA", "isa", "rela_inverse", "z_isa"),
        ("RELA", "isa", "rela_inverse", "b_isa"),
        ("RELA", "isa", "expanded_form", "is a"),
        ("REL", "RO", "rela_inverse", "RO"),
    ]
    for order in (rows, rows[::-1]):
        write_rrf(tmp_path / "MRDOC.RRF", order)
        documented = documented_inverses(tmp_path / "MRDOC.RRF")
        assert documented == {"cause_of": "due_to", "isa": "b_isa"}
    table = {"isa": "inverse_isa", "cause_of": "due_to", "not_in_mrdoc": "x"}
    assert inverse_conflicts(table, documented) == [
        {"relation": "isa", "inverse": "inverse_isa", "documented": "b_isa"}
    ]
