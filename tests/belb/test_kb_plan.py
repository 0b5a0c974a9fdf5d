"""Which files a knowledge base is made of, by the configuration."""

import csv
import pathlib

import pytest

from workflow_scripts.common.belb_files import KB_DEFAULTS, KB_FILES, KB_SOURCES, BelbFiles, files_by_role
from workflow_scripts.common.configuration import read_yaml
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.raw_files import RawFiles


def planned(**kbs):
    plan = BelbFiles()
    plan.config = {"belb": {"kbs": kbs}}
    return plan


def test_downloads_are_rows_of_the_table_of_sources(repository):
    with open(repository / "experiments/sources.tsv", encoding="utf-8", newline="") as stream:
        rows = {row["name"] for row in csv.DictReader(stream, delimiter="\t")}
    plan = planned(**{kind: {"format": kind} for kind in KB_SOURCES})
    assert set(plan.belb_downloads().values()) <= rows
    for kind in KB_SOURCES:
        files = plan.belb_kb_files(kind)
        assert files and {path.removeprefix("resources/") for path in files} <= set(plan.belb_downloads())
    assert planned(x={"format": "ncbi_gene", "folder": "here"}).belb_downloads() == {}


def test_settings_have_the_defaults_of_the_schema(repository):
    schema = read_yaml(repository / "schemas/config.schema.yaml")["properties"]["belb"]["properties"]["kbs"]
    properties = schema["additionalProperties"]["properties"]
    assert set(properties["format"]["enum"]) == set(KB_FILES)
    assert {name: entry["default"] for name, entry in properties.items() if name != "format"} == KB_DEFAULTS


def test_files_of_a_folder(tmp_path):
    for name in ("Mus.gene_info.gz", "Homo.gene_info.gz", "gene_history.gz", "notes.txt"):
        (tmp_path / name).touch()
    plan = planned(g={"format": "ncbi_gene", "folder": str(tmp_path)}, u={"format": "umls", "folder": str(tmp_path)})
    assert [pathlib.Path(path).name for path in plan.belb_kb_files("g")] == [
        "Homo.gene_info.gz", "Mus.gene_info.gz", "gene_history.gz"
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"belb.kbs.u.folder(.|\n)*one file MRCONSO.RRF \(names\)"):
        plan.belb_kb_files("u")
    with pytest.raises(UsageError, match="belb.kbs.d.folder is empty(.|\n)*dbsnp"):
        planned(d={"format": "dbsnp"}).belb_kb_files("d")
    two = [pathlib.Path("CTD_diseases.tsv"), pathlib.Path("CTD_diseases.tsv.gz")]
    with pytest.raises(UsageError, match="found:    CTD_diseases.tsv, CTD_diseases.tsv.gz\n"):
        files_by_role("ctd_diseases", two)


@pytest.mark.parametrize("named", [None, "mine.txt"])
def test_semantic_groups_are_fetched_for_medmentions_alone(repository, named):
    plan = RawFiles()
    corpora = {"m": {"format": "medmentions", "folder": "x"}, "n": {"format": "ncbi_disease", "folder": "x"}}
    kb = {"meta_dir": None, "release": None}
    config = {"downloads": {"embeddings": False}, "linking": {"kb": kb}, "belb": {"kbs": {}, "corpora": corpora}}
    plan.config = config | {"umls": {"source": "local", "install": "full", "semantic_groups": named}}
    plan.root = repository
    assert plan.belb_corpora_with_types() == ["m"]
    assert plan.downloads() == ({} if named else {"umls/SemGroups.txt": "semantic_groups"})
    assert plan.belb_semantic_groups() == (named or "resources/umls/SemGroups.txt")
    del corpora["m"]
    assert plan.downloads() == {}


def test_foreign_knowledge_bases():
    taxonomy = {"format": "ncbi_taxonomy"}
    plan = planned(g={"format": "ncbi_gene", "foreign": "t"}, t=taxonomy)
    assert plan.belb_foreign("g") == "t" and plan.belb_foreign("t") is None
    with pytest.raises(UsageError, match="belb.kbs.g.foreign is x"):
        planned(g={"format": "ncbi_gene", "foreign": "x"}, t=taxonomy).belb_foreign("g")
    with pytest.raises(UsageError, match="belb.kbs.t.foreign is g"):
        planned(g={"format": "ncbi_gene", "foreign": "t"}, t=taxonomy | {"foreign": "g"}).belb_foreign("g")
