"""The commands as the rules call them: outputs, records, equal bytes, exit codes."""

import hashlib
import json

from tests.reporting.made_up import make_run, metrics, write_json

TABLES = [f"table{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)] + [f"table_a{n}" for n in (1, 2, 3, 4)]


def digests(root):
    """SHA-256 of every file that the stage wrote."""
    paths = [
        *root.glob("tables/*"),
        *root.glob("figures/*"),
        *root.glob("verify.*"),
        *root.glob("*.md"),
        *root.glob("*.html"),
    ]
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(paths)}


def test_all_commands_give_the_same_bytes_again(tmp_path, make_everything):
    """Another hash seed, another order of files, another locale."""
    first, second = make_run(tmp_path / "a/demo"), make_run(tmp_path / "b/demo")
    make_everything(first, {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"})
    make_everything(second, {"PYTHONHASHSEED": "4711", "LC_ALL": "C", "PYTHONUTF8": "0"}, shuffle=5)
    ours = digests(first)
    assert len(ours) == 45 + 12 + 2 + 1 + 1
    assert digests(second) == ours
    assert not list(first.rglob(".*.tmp"))
    record = json.loads((first / "records/table7.json").read_text())
    assert "workflow_scripts/reporting/model_rows.py" in record["code"]
    assert any(path.endswith("cnn_bag_one.s2/one/metrics.json") for path in record["files"])


def test_a_changed_metric_changes_table_and_report(tmp_path, make_everything):
    root = make_run(tmp_path / "demo", seeds=(1,))
    make_everything(root)
    before = digests(root)
    write_json(root / "evaluation/inductive.bert_sent.s1/one/metrics.json", metrics(0.5555))
    make_everything(root)
    after = digests(root)
    changed = {name for name in before if before[name] != after[name]}
    assert {"tables/table7.csv", "tables/table7.md", "tables/table7.tex", "report.html", "verify.json"} <= changed
    assert "tables/table5.csv" not in changed
    assert "55.5" in (root / "tables/table7.md").read_text(encoding="utf-8")


def test_unknown_relation_stops_the_command(tmp_path, repository, run_command):
    root = make_run(tmp_path / "demo", seeds=(1,))
    expected = tmp_path / "table_a3.tsv"
    text = (repository / "experiments/expected/table_a3.tsv").read_text(encoding="utf-8")
    expected.write_text(text.replace("\nfocus_of\t", "\nfokus_of\t"), encoding="utf-8")
    done = run_command(
        "reporting/render_table_a3.py", "--expected", expected, "--schema", repository / "schemas/expected.schema.yaml",
        "--caption", repository / "report/table_a3.rst", "--graph", root / "kg/statistics.json",
        "--corpus", root / "corpus/inductive/statistics.json", "--relations", repository / "experiments/relations.tsv",
        "--csv", tmp_path / "t.csv", "--md", tmp_path / "t.md", "--tex", tmp_path / "t.tex",
    )  # fmt: skip
    assert done.returncode == 3
    assert f"{expected}, line 16" in done.stderr and "'fokus_of'" in done.stderr and "one of " in done.stderr
    assert not (tmp_path / "t.csv").exists()


def test_table7_without_any_run_still_shows_the_paper(tmp_path, repository, run_command, models_file):
    done = run_command(
        "reporting/render_table7.py", "--expected", repository / "experiments/expected/table7.tsv",
        "--schema", repository / "schemas/expected.schema.yaml", "--caption", repository / "report/table7.rst",
        "--models", models_file, "--metrics",
        "--csv", tmp_path / "t.csv", "--md", tmp_path / "t.md", "--tex", tmp_path / "t.tex",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "t.md").read_text(encoding="utf-8")
    assert text.count("| BERT |") == 5 and "(79.8)" in text and "no run of this model" in text
