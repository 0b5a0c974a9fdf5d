"""The demo from end to end: what comes out, that it repeats, and that only what changed runs again."""

import csv
import hashlib
import json
import re
import subprocess
import sys

import pytest

from tests.e2e.conftest import WHOLE_DEMO_SECONDS, snakemake
from tests.slurm.cluster import why_not

RELATIONS = 21
TABLES = [f"table{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)] + [f"table_a{n}" for n in (1, 2, 3, 4)]


def digests(folder, *patterns):
    """SHA-256 of the files of a results tree that match, by relative path."""
    root = folder / "results" / "demo"
    paths = sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()})
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


CORPUS_FILES = ["corpus/*/*", "kg/*/*.tsv", "kg/*.parquet", "kg/*.csv", "text/sentences/*", "linking/mentions/*"]
# In the environment of a run that must give the same bytes.
OTHER_PLACE = {"PYTHONHASHSEED": "4711", "LC_ALL": "C", "LANG": "C", "TZ": "Asia/Tokyo"}
TABLE_FILES = ["tables/*", "figures/*", "deviations.md"]


def planned(folder, *arguments):
    """Rules that a dry-run plans, with their number of jobs."""
    output = snakemake(folder, "-n", *arguments).stdout
    if "Nothing to be done" in output:
        return {}
    table = output.rsplit("Job stats:", 1)[1].split("total", 1)[0]
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, re.M)}


def test_every_table_and_figure_is_there(finished_demo):
    root = finished_demo / "results" / "demo"
    for table in TABLES:
        for suffix in ("csv", "md", "tex"):
            assert (root / "tables" / f"{table}.{suffix}").stat().st_size > 100
    for figure in ("figure1", "figure2", "figure3", "figure4", "figure5", "figure_a1"):
        for suffix in ("pdf", "svg", "png"):
            assert (root / "figures" / f"{figure}.{suffix}").stat().st_size > 1000
    assert "<html" in (root / "report.html").read_text(encoding="utf-8")
    assert "role_flip" in (root / "deviations.md").read_text(encoding="utf-8")
    verdicts = json.loads((root / "verify.json").read_text(encoding="utf-8"))
    assert {cell["status"] for cell in verdicts["cells"]} == {"not comparable"}


def test_a_run_writes_only_where_the_readme_says(finished_demo, repository):
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=repository, text=True).splitlines())
    own = {name.split("/")[0] for name in tracked}
    left = {path.name for path in finished_demo.iterdir()} - own
    assert left <= {"resources", "results", "logs", ".snakemake", ".git", ".venv"}


def test_the_report_has_the_options_of_the_run(finished_demo):
    page = (finished_demo / "results/demo/report.html").read_text(encoding="utf-8")
    assert '"options":"--profile profiles/demo"' in page
    assert "snakemake --profile profiles/demo --forcerun results/demo/runs/" in page


def test_table_7_has_all_rows_each_from_runs_of_this_demo(finished_demo):
    root = finished_demo / "results" / "demo"
    with open(root / "tables" / "table7.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 20
    assert len({(row["model"], row["bag"], row["strategy"]) for row in rows}) == 20
    assert sum(row["auc_paper"] != "" for row in rows) == 17
    for row in rows:
        assert 0 < float(row["auc"]) <= 100
        for run in row["run_ids"].replace(";", " ").replace(",", " ").split():
            assert (root / "runs" / run.split("/")[0] / "model.safetensors").is_file()


def test_all_relations_of_the_paper_survive(finished_demo):
    for corpus in ("inductive", "transductive"):
        folder = finished_demo / "results" / "demo" / "corpus" / corpus
        rel2id = json.loads((folder / "rel2id.json").read_text(encoding="utf-8"))
        assert len(rel2id) == RELATIONS + 1 and rel2id["NA"] == 0
        names = [name for name in rel2id if name != "NA"]
        assert names == sorted(names) and [rel2id[name] for name in names] == list(range(1, RELATIONS + 1))


def test_leakage_is_found_where_it_is_and_nowhere_else(finished_demo):
    folder = finished_demo / "results" / "demo" / "leakage"
    audits = [path for path in folder.glob("*.json") if not path.stem.endswith(".planted")]
    overlap = {path.stem: json.loads(path.read_text())["overlap"] for path in audits}
    clean = dict.fromkeys(("inductive", "transductive", "umls_v2_clean", "umls_v3_clean"), False)
    assert overlap == clean | {"umls_v2": True, "umls_v3": True}
    for corpus in ("umls_v2_clean", "umls_v3_clean"):
        proof = json.loads((folder / f"{corpus}.planted.json").read_text())
        assert proof["exact"] and set(proof["planted"].values()) == {20} and proof["after"]["either"] == 60


def test_the_second_run_does_nothing(finished_demo):
    assert planned(finished_demo) == {}


def learning_control(repository, folder, runs):
    """The output of the benchmark that trains runs of a demo on shuffled labels; it must end well."""
    command = [sys.executable, repository / "benchmarks" / "learning_control.py", folder / "results" / "demo"]
    result = subprocess.run(
        [*map(str, command), "--runs", *runs],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=WHOLE_DEMO_SECONDS,
    )
    assert result.returncode == 0, result.stdout[-4000:]
    return result.stdout


def test_models_learn_what_shuffled_labels_do_not_teach(finished_demo, repository):
    """The quickest of both levels and both kinds of input; `make soak` has all."""
    runs = [f"inductive.{name}.s1" for name in ("pcnn_bag_one", "bert_sent_ct")]
    said = learning_control(repository, finished_demo, runs)
    assert len(re.findall(r"^\w+\.\w+\.s1 ", said, re.M)) == 3, "the model on sentences with AVG and with ONE"


@pytest.mark.soak
def test_every_model_learns_what_its_own_control_does_not(finished_demo, repository):
    # no promise of the demo: what the models of prior works learn in few epochs, on corpora of their own, and what
    # invented names alone (encoding OM) tell of concepts that training has not seen
    names = sorted(path.name for path in (finished_demo / "results" / "demo" / "runs").iterdir())
    runs = [name for name in names if not name.startswith("umls_") and ".bert_sent_om." not in name]
    said = learning_control(repository, finished_demo, runs)
    assert len(re.findall(r"^\w+\.\w+\.s1 ", said, re.M)) >= 20


def test_every_job_left_a_record_with_the_digest_of_its_script(finished_demo):
    records = list((finished_demo / "results" / "demo" / "provenance").rglob("*.json"))
    assert len(records) > 50
    for path in records:
        record = json.loads(path.read_text(encoding="utf-8"))
        for name, digest in record["code"].items():
            assert hashlib.sha256((finished_demo / name).read_bytes()).hexdigest() == digest, (path, name)


@pytest.mark.skipif(why_not() is None, reason="the run of tests/slurm/test_pipeline.py shows it")
def test_other_cores_hash_seed_locale_and_batches_give_the_same_bytes(finished_demo, checkout):
    other = checkout("other")
    (other / "other.yaml").write_text("medline: {files_per_job: 1}\n")
    result = snakemake(
        other, "--cores", 1, "--configfile", "profiles/demo/config.yaml", "other.yaml",
        environment=OTHER_PLACE, timeout=WHOLE_DEMO_SECONDS,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:]
    for patterns in (CORPUS_FILES, TABLE_FILES):
        first = digests(finished_demo, *patterns)
        assert len(first) > 10
        assert digests(other, *patterns) == first


@pytest.mark.parametrize(
    "overlay, words",
    [
        ("kg: {min_relation_triple: 3}", ["kg.min_relation_triple", "did you mean min_relation_triples?", "own.yaml"]),
        ("construction: {preset: publishd}", ["construction.preset", '"publishd"', '"mended", "published"']),
        ("umls: {meta_dir: /nowhere}", ["/nowhere/MR", "is missing", "umls.meta_dir"]),
    ],
)
def test_a_wrong_config_stops_before_any_job(finished_demo, tmp_path, overlay, words):
    (tmp_path / "own.yaml").write_text(overlay + "\n")
    result = snakemake(finished_demo, "-n", "--configfile", "profiles/demo/config.yaml", tmp_path / "own.yaml")
    assert result.returncode != 0
    for word in words:
        assert word in result.stdout
