"""Fixtures of the reporting tests."""

import json
import random

import pytest
import yaml

from tests.reporting.made_up import make_run, write_audit, write_graph, write_json, write_models
from tests.reporting.test_properties import COUNTS as PROPERTIES
from workflow_scripts.reporting.expected import read_expected
from workflow_scripts.reporting.switches import SWITCHES
from workflow_scripts.reporting.write_report import SECTIONS

TABLES = [f"table{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)] + [f"table_a{n}" for n in (1, 2, 3, 4)]

REGISTRY = {
    "biobert": {"name": "BioBERT", "missing": None, "biomedical": "yes"}
    | dict.fromkeys(("clinical", "type", "triples", "synonyms"), "no")
}
REGISTRY = ["--params", json.dumps({"encoders": REGISTRY})]


@pytest.fixture(scope="session")
def models_file(tmp_path_factory):
    """A models.tsv of the made-up run."""
    return write_models(tmp_path_factory.mktemp("models") / "models.tsv")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A results folder of three seeds; do not write into it."""
    return make_run(tmp_path_factory.mktemp("results") / "demo")


@pytest.fixture(scope="session")
def expected_of(repository):
    """Rows of experiments/expected of a table."""

    def read(table):
        path = repository / f"experiments/expected/{table}.tsv"
        return read_expected(path, table, repository / "schemas/expected.schema.yaml")

    return read


def draw_figures(run, files, root, models_file):
    """Figures 1, 3, 4 and A.1; what Figures 2 and 5 need, made-up runs do not have."""

    def draw(name, *arguments):
        outputs = [word for kind in ("pdf", "svg", "png") for word in (f"--{kind}", root / f"figures/{name}.{kind}")]
        run(f"draw_{name}", *arguments, *outputs)

    given = ["--curves", *files("evaluation/*.bert_*/*/curve.parquet"), "--models", models_file]
    draw("figure4", *given, "--table7", root / "tables/table7.csv")
    bags = files("evaluation/*/*/bags.parquet")
    draw("figure1", "--bags", *bags, "--models", models_file, "--params", '{"example": null}')
    for name in ("figure3", "figure_a1"):
        draw(name, "--corpus", root / "corpus/inductive/statistics.json")


def report_inputs(root, files, models_file):
    """Options of the report that name what its script shows."""
    return [
        "--figures", *files("figures/*.svg"), "--configs", *files("runs/*/config.json"),
        "--curves", *files("evaluation/*/*/curve.parquet"), "--models", models_file,
        "--bags", *files("evaluation/*/*/bags.parquet"), "--differences", root / "evaluation/differences.csv",
    ]  # fmt: skip


def table_inputs(root, files, models_file, relations):
    """Options of the command of each table that name what it reads."""
    graph, corpus = root / "kg/statistics.json", root / "corpus/inductive/statistics.json"
    shared = ["--properties", write_json(corpus.parent / "properties.json", PROPERTIES)]
    return {
        "table1": [*shared, "--statistics", corpus],
        "table2": ["--audits", write_audit(root / "leakage/inductive.json", "MedDistant19: inductive")],
        "table3": ["--metrics", "--models", models_file, "--filtered", "umls_v2_clean"],
        "table4": shared,
        "table5": ["--graph", graph],
        "table6": ["--corpus", corpus],
        "table7": ["--metrics", *files("evaluation/*/*/metrics.json"), "--models", models_file],
        "table8": [
            "--metrics",
            *files("evaluation/*bag*/*/metrics.json"),
            "--models",
            models_file,
            *write_graph(root),
        ],
        "table9": ["--metrics", *files("evaluation/*bert*/avg/metrics.json"), "--models", models_file],
        "table10": ["--metrics", *files("evaluation/*bert_sent*/avg/metrics.json")],
        "table11": [
            *("--metrics", *files("evaluation/*bert_sent.*/avg/metrics.json")),
            *("--models", models_file, *REGISTRY),
        ],
        "table_a1": [],
        "table_a2": ["--corpus", corpus],
        "table_a3": ["--corpus", corpus, "--graph", graph, "--relations", relations],
        "table_a4": ["--corpus", corpus],
    }


@pytest.fixture(scope="session")
def make_everything(repository, run_command, models_file):
    """Run every command of the stage on a results folder, in the order of the workflow."""
    sides = {"preset": "mended", **dict.fromkeys(SWITCHES, "mended"), "csv_quotes": "published"}

    def make(root, environment=None, shuffle=None):
        def files(pattern):
            found = sorted(root.glob(pattern))
            return random.Random(shuffle).sample(found, len(found)) if shuffle else found

        def run(script, *arguments):
            done = run_command(f"reporting/{script}.py", *arguments, environment=environment)
            assert done.returncode == 0, done.stderr

        graph, corpus = root / "kg/statistics.json", root / "corpus/inductive/statistics.json"
        relations = repository / "experiments/relations.tsv"
        own = table_inputs(root, files, models_file, relations)
        expected = {name: repository / f"experiments/expected/{name}.tsv" for name in TABLES}
        schema = repository / "schemas/expected.schema.yaml"
        for name in TABLES:
            outputs = [word for kind in ("csv", "md", "tex") for word in (f"--{kind}", root / f"tables/{name}.{kind}")]
            caption = repository / f"report/{name}.rst"
            shared = ["--expected", expected[name], "--schema", schema, "--caption", caption]
            run(f"render_{name}", *shared, *own[name], *outputs, "--record", root / f"records/{name}.json")
        draw_figures(run, files, root, models_file)
        tables = files("tables/*.csv")
        text = root / "text/statistics.json"
        run(
            "write_deviations", "--text", text, "--graph", graph, "--corpora", corpus,
            "--params", json.dumps(sides), "--out", root / "deviations.md",
        )  # fmt: skip
        config = yaml.safe_load((repository / "config.yaml").read_text(encoding="utf-8")) | {"name": "demo"}
        parts = "name umls medline text linking kg corpus corpora training".split()
        run(
            "verify_against_paper", "--tables", *tables, "--expected", *expected.values(), "--schema", schema,
            "--relations", relations, "--paper", repository / "config.yaml", "--corpus", "inductive",
            "--params", json.dumps({key: config[key] for key in parts}),
            "--json", root / "verify.json", "--md", root / "verify.md",
        )  # fmt: skip
        captions = (repository / "report").glob("*.rst")
        run(
            "write_report", "--tables", *tables, *report_inputs(root, files, models_file),
            "--graph-funnel", root / "kg/funnel.csv", "--corpus-funnels", root / "corpus/inductive/funnel.csv",
            "--text", text, "--verification", root / "verify.json", "--captions", *captions,
            "--snakemake-options=--profile profiles/demo --configfile my.yaml",
            "--records", root / "provenance/kg/build_kg.json",
            "--params", json.dumps({key: config[key] for key in SECTIONS} | sides), "--out", root / "report.html",
        )  # fmt: skip

    return make


@pytest.fixture(scope="session")
def made_report(tmp_path_factory, make_everything):
    """A results folder of two seeds with everything that the stage writes; do not write into it."""
    root = make_run(tmp_path_factory.mktemp("report") / "demo", seeds=(1, 2))
    make_everything(root)
    return root
