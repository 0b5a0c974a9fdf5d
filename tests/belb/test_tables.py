"""Tables of BELB: the published numbers in the repository, values from metrics, order of rows, all three formats."""

import json

import pytest

from tests.belb.worlds import corpus_of, predictions_of
from workflow_scripts.belb.api import evaluate
from workflow_scripts.common.belb_corpora import REGISTRY
from workflow_scripts.common.belb_files import KB_FILES
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting import belb_resources, csv_format, page, render_belb_table, write_report
from workflow_scripts.reporting.belb_catalogue import BELB_TABLES
from workflow_scripts.reporting.belb_rows import CORPORA, corpus_values, label_values, row_order, table_values
from workflow_scripts.reporting.coverage import BELB as BELB_NEEDS
from workflow_scripts.reporting.expected import read_expected
from workflow_scripts.reporting.table import build


@pytest.fixture(scope="module")
def expected(repository):
    """Numbers of a table by key and metric."""

    def read(name):
        entries = read_expected(
            repository / f"experiments/expected/{name}.tsv", name, repository / "schemas/expected.schema.yaml"
        )
        convert = str if BELB_TABLES[name].cited else float
        return entries, {(*entry.keys, entry.metric): convert(entry.printed) for entry in entries}

    return read


def test_every_table_has_numbers_and_a_caption(expected, repository):
    counts = {}
    for name, spec in BELB_TABLES.items():
        entries, _ = expected(name)
        assert {entry.metric for entry in entries} <= {column.name for column in spec.columns if column.paper}
        assert all(len(entry.keys) == len(spec.keys) for entry in entries)
        assert all(entry.comparison == "reference" and entry.note for entry in entries), "shown, never judged"
        assert (
            (repository / f"report/{name}.rst").read_text(encoding="utf-8").startswith(("BELB", "Corpora", "Detected"))
        )
        counts[name] = len(entries)
    wanted = {"belb_table4": 40, "belb_table4_groups": 29, "belb_table14": 108, "belb_table15": 153}
    wanted |= {"belb_table7": 8, "belb_table8": 0, "belb_table9": 2, "belb_table11": 27}
    assert counts == wanted | {"belb_table5": 37, "belb_corpora": 86, "belb_end_to_end": 0, "belb_table10": 0}


def test_published_numbers_fit_each_other(expected):
    """Table 4 is Table 14's std with two decimals (its draw differs by at most .01); modes and ranks are in order."""
    four, fourteen, fifteen = (expected(name)[1] for name in ("belb_table4", "belb_table14", "belb_table15"))
    systems = {"taggerone", "gnormplus", "bc7t2w", "sr4gn", "fuzzysearch"}
    compared = 0
    for (corpus, system, metric), value in fourteen.items():
        printed = four.get((corpus, "rbes" if system in systems else system, "recall"))
        if metric == "std" and printed is not None:
            assert value / 100 == pytest.approx(printed, abs=0.0105), (corpus, system)
            compared += 1
    assert compared == 33
    for numbers in (fourteen, fifteen):
        for key, value in numbers.items():
            if key[2] == "strict" and (*key[:2], "std") in numbers:
                assert value <= numbers[*key[:2], "std"]
            if key[2] == "lenient":
                assert value >= numbers[*key[:2], "std"]
            if key[2].endswith("@5"):
                assert value >= numbers.get((*key[:2], key[2].removesuffix("@5")), 0)
    for (corpus, system, metric), value in fourteen.items():
        if metric == "mentions":
            assert value <= fifteen[corpus, system, "mentions"] == expected("belb_corpora")[1][corpus, "mentions_test"]


def test_known_numbers(expected):
    fifteen = expected("belb_table15")[1]
    assert fifteen["gnormplus", "genbioel", "lenient"] == 84.26 and fifteen["gnormplus", "genbioel", "strict"] == 6.80
    assert fifteen["ncbi_disease", "taggerone", "std"] == 76.77
    assert expected("belb_table4")[1]["ncbi_disease", "genbioel", "recall"] == 0.89
    assert expected("belb_table4_groups")[1]["zero_shot", "rbes", "recall"] == 0.65
    corpora = expected("belb_corpora")[1]
    assert [corpora["bc5cdr_chemical", f"mentions_{split}"] for split in ("train", "dev", "test")] == [5148, 5298, 5334]


def measured(tmp_path, name="ncbi_disease", system="exact", reference=False):
    """Metrics of a small world: two of four mentions right, three of them in the reference system."""
    mentions = [("train", "0", "a", ["A"]), *(("test", "1", text, [text.upper()]) for text in ("a", "b", "c", "d"))]
    corpus = corpus_of(mentions, name)
    candidates = [[["A"]], [["x"]], [["C", "D"], ["C"]], None]
    predictions = predictions_of(corpus, candidates)
    object.__setattr__(predictions, "system", system)
    others = predictions_of(corpus, [[["A"]], [["B"]], None, [["D"]]]) if reference else None
    if reference is True:
        object.__setattr__(others, "system", system)
    path = tmp_path / f"{name}.{system}.json"
    path.write_text(json.dumps(evaluate(corpus, predictions, reference=others)))
    return path


def shown(values, key):
    cells, runs = values[key]
    return {name: cell.value for name, cell in cells.items()}, runs


def test_values(tmp_path):
    path = measured(tmp_path, reference=True)
    key = ("ncbi_disease", "exact")
    four = table_values("belb_table4", [path])
    assert shown(four, key) == ({"recall": pytest.approx(1 / 3), "ours_full": 1.5 / 4}, ("ncbi_disease/exact",))
    assert four["ncbi_disease", "rbes"] == four[key], "the reference system stands for the entity-specific one"
    fourteen, _ = shown(table_values("belb_table14", [path]), key)
    assert fourteen == pytest.approx({"mentions": 3, "std": 100 / 3, "strict": 100 / 3, "lenient": 100 / 3})
    fifteen, _ = shown(table_values("belb_table15", [path]), key)
    assert fifteen == {
        **{"mentions": 4, "std": 37.5, "strict": 25.0, "lenient": 50.0, "strict@5": 50.0, "lenient@5": 50.0},
        **{"ambiguous": 1, "unanswered": 1},
    }
    assert shown(table_values("belb_table5", [path]), key)[0] == {"std": 37.5, "strict": 25.0}
    end, _ = shown(table_values("belb_end_to_end", [], [path]), key)
    assert (end["gold"], end["found"], end["detection_precision"]) == (4, 3, 100.0)


def test_without_a_reference_system_the_filtered_figures_are_empty(tmp_path):
    path = measured(tmp_path)
    assert shown(table_values("belb_table4", [path]), ("ncbi_disease", "exact"))[0]["recall"] is None
    assert set(shown(table_values("belb_table14", [path]), ("ncbi_disease", "exact"))[0].values()) == {None}


def test_groups_are_micro_averages_over_corpora(tmp_path):
    paths = [measured(tmp_path), measured(tmp_path, "bc5cdr_disease", reference=True)]
    values = table_values("belb_table4_groups", paths)
    cells, runs = shown(values, ("disease", "exact"))
    assert cells == {"recall": pytest.approx(1 / 3), "ours_full": 3 / 8, "ours_mentions": 8}
    assert runs == ("bc5cdr_disease/exact", "ncbi_disease/exact")
    cells, _ = shown(values, ("zero_shot", "exact"))
    assert cells["ours_mentions"] == 6 and cells["ours_full"] == pytest.approx(0.5 / 3)
    cells, _ = shown(values, ("stratified", "exact"))
    assert cells == {"recall": None, "ours_full": None, "ours_mentions": 0}
    assert shown(values, ("disease", "rbes"))[0]["ours_mentions"] == 4


def test_one_file_for_each_system_and_corpus(tmp_path):
    path = measured(tmp_path)
    with pytest.raises(DataError, match="metrics of exact on ncbi_disease again"):
        table_values("belb_table4", [path, path.rename(tmp_path / "b.json").with_name("b.json"), tmp_path / "b.json"])


def test_rows_stand_by_corpus_the_papers_systems_first(expected):
    entries, _ = expected("belb_table14")
    order = row_order({("ncbi_disease", "exact"): None, ("own", "exact"): None}, entries)
    assert list(dict.fromkeys(corpus for corpus, _ in order)) == [c for c in CORPORA if c in {k for k, _ in order}] + [
        "own"
    ]
    ncbi = [system for corpus, system in order if corpus == "ncbi_disease"]
    assert ncbi == ["arboel", "biosyn", "biosyn_ar", "genbioel", "genbioel_ar", "taggerone", "exact"]


PIPELINE = {"test": {"identifiers_replaced": 3, "identifiers_alternative": 4}}
STATISTICS = {
    "corpus": "ncbi_disease",
    "subsets": {"zero_shot": 3},
    "pipeline": PIPELINE,
    "knowledge_base_at_hand": True,
}


def test_labels_that_changed(tmp_path):
    path = tmp_path / "statistics.json"
    path.write_text(json.dumps(STATISTICS))
    cells, _ = shown(label_values([path]), ("ncbi_disease",))
    assert cells == {"replaced": 3, "removed": 0, "alternative": 4, "not_in_kb": 0}
    path.write_text(json.dumps(STATISTICS | {"knowledge_base_at_hand": False}))
    assert set(shown(label_values([path]), ("ncbi_disease",))[0].values()) == {None}


def test_the_report_has_a_section_for_the_tables(tmp_path):
    """Whatever order they are named in, they stand in the order of the catalogue, after the models."""
    values = table_values("belb_table15", [measured(tmp_path)])
    paths = [tmp_path / f"{name}.csv" for name in ("belb_table15", "belb_table4")]
    csv_format.write_csv(paths[0], build(BELB_TABLES["belb_table15"], values, []))
    csv_format.write_csv(paths[1], build(BELB_TABLES["belb_table4"], {}, []))
    tables = write_report.read_tables(paths, dict.fromkeys(("belb_table4", "belb_table15"), "caption"))
    assert list(tables) == ["belb_table4", "belb_table15"]
    blocks = write_report.numbered_blocks(tables, {"cells": []}, [], {})
    section = blocks.pop("linkers")
    assert "exact" in section and section.index('id="belb_table4"') < section.index('id="belb_table15"')
    assert not any(blocks.values())
    what = page.coverage_block(write_report.filled({"coverage": {}}, tables), write_report.titles(tables, []))
    assert all(tables[name].spec.title in what for name in tables) and BELB_NEEDS in what
    names = [name for name, _ in page.SECTIONS]
    assert names.index("models") < names.index("linkers") < names.index("provenance")


@pytest.mark.parametrize("name", BELB_TABLES)
def test_all_formats(tmp_path, repository, name):
    metrics = measured(tmp_path, reference=True)
    statistics = tmp_path / "statistics.json"
    splits = {split: {"documents": 1, "mentions": 2} for split in ("train", "dev", "test")}
    (tmp_path / "groups.json").write_text('{"corpus": "m", "mentions": 4, "groups": {"Physiology": 3}}')
    statistics.write_text(json.dumps(STATISTICS | {"splits": splits}))
    options = ["--table", name, "--metrics", metrics, "--found", metrics, "--corpora", statistics]
    options += [
        "--expected",
        repository / f"experiments/expected/{name}.tsv",
        "--caption",
        repository / f"report/{name}.rst",
    ]
    options += ["--schema", repository / "schemas/expected.schema.yaml", "--groups", tmp_path / "groups.json"]
    options += ["--registry", repository / REGISTRY, "--sources", repository / "experiments/sources.tsv"]
    for kind in ("csv", "md", "tex"):
        options += [f"--{kind}", tmp_path / f"table.{kind}"]
    render_belb_table.main(render_belb_table.arguments().parse_args(list(map(str, options))))
    table = csv_format.read_csv(tmp_path / "table.csv", BELB_TABLES[name])
    ours = [row for row in table.rows if row.runs]
    assert ours and {row.keys.get("corpus", "ncbi_disease") for row in ours} == {"ncbi_disease"}
    if BELB_TABLES[name].cited:
        assert all(cell.paper is None for row in ours for cell in row.cells.values())
        assert all(row.cells["source"].value for row in ours)
    assert BELB_TABLES[name].title in (tmp_path / "table.md").read_text(encoding="utf-8")
    latex = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert r"\begin{tabular}" in latex or r"\begin{longtable}" in latex  # a long one breaks over pages


def test_resources_are_those_of_the_registries(repository, tmp_path):
    sources = repository / "experiments/sources.tsv"
    values = belb_resources.resource_values(repository / REGISTRY, sources)
    kinds = [kind for kind, _ in values]
    assert len(values) == 13 + len(KB_FILES) and kinds.count("knowledge base") == len(KB_FILES)
    cells, names = values["disease", "NCBI Disease"]
    assert names == ("ncbi_disease_train", "ncbi_disease_develop", "ncbi_disease_test")
    assert len(cells["location"].value) == 3 and cells["access"].value == "yes"
    cells, names = values["gene", "NLM-Gene"]
    assert names == ("nlm_gene",) and cells["access"].value == "no" and "zenodo" in cells["location"].value[0]
    assert values["knowledge base", "umls"][0]["licence"].value.startswith("UMLS Metathesaurus License")
    lines = [line for line in sources.read_text(encoding="utf-8").splitlines() if not line.startswith("nlm_gene\t")]
    (tmp_path / "sources.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="no row nlm_gene"):
        belb_resources.resource_values(repository / REGISTRY, tmp_path / "sources.tsv")


def test_semantic_groups_in_a_table(tmp_path, expected):
    path = tmp_path / "medmentions.json"
    path.write_text('{"corpus": "m", "mentions": 4, "groups": {"Genes & Molecular Sequences": 1, "Physiology": 3}}')
    values = belb_resources.group_counts([path])
    assert next(iter(values)) == ("Physiology",), "most first"
    assert {key: shown(values, key)[0] for key in values} == {
        ("Physiology",): {"mentions": 3, "share": 75.0},
        ("Genes & Molecular Sequences",): {"mentions": 1, "share": 25.0},
    }
    table = build(BELB_TABLES["belb_table9"], values, expected("belb_table9")[0], order=list(values))
    assert [row.keys["group"].partition(" ")[0] for row in table.rows] == ["Physiology", "Genes", "general"]
    assert table.rows[1].cells["mentions"].paper == "0" and table.rows[2].cells["share"].paper == "47"
    with pytest.raises(DataError, match="Physiology again"):
        belb_resources.group_counts([path, path])


def test_counts_of_corpora(tmp_path):
    (tmp_path / "a").mkdir()
    splits = {split: {"documents": n, "mentions": 10 * n} for n, split in enumerate(("train", "dev", "test"), 1)}
    path = tmp_path / "a" / "statistics.json"
    path.write_text(json.dumps({"corpus": "s800", "splits": splits, "subsets": {"zero_shot": 5, "stratified": 6}}))
    cells, runs = shown(corpus_values([path]), ("s800",))
    assert cells["documents_dev"] == 2 and cells["mentions_test"] == 30 and cells["stratified"] == 6
    assert runs == ("s800",)
    path.write_text("{}")
    with pytest.raises(DataError, match="key splits"):
        corpus_values([path])
