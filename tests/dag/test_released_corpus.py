"""Table 7 from a corpus that came from elsewhere: no UMLS release, no MEDLINE."""

import json
import re
import subprocess
import sys

import pytest

CORPUS = "train.jsonl valid.jsonl test.jsonl train.parquet valid.parquet test.parquet rel2id.json check.json".split()


@pytest.fixture
def planned(repository, tmp_path):
    """A function: the rules that a dry run for Table 7 plans in an empty folder with these files of a corpus."""
    (tmp_path / "words.bin").touch()
    for folder in ("experiments", "report", "schemas"):
        (tmp_path / folder).symlink_to(repository / folder)
    overlay = {
        "name": "given",
        "seeds": [1],
        "embeddings": {"biowordvec": {"path": "words.bin"}},
        "experiments": {"tables": {"table7": {"corpus": "inductive", "models": ["cnn_sent"]}}},
    }
    (tmp_path / "own.yaml").write_text(json.dumps(overlay))

    def plan(files):
        for name in files:
            path = tmp_path / "results/given" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        command = [sys.executable, "-m", "snakemake", "-n", "results/given/tables/table7.csv", "--cores", "1"]
        command += ["--snakefile", repository / "Snakefile", "--directory", tmp_path]
        command += ["--configfile", repository / "config.yaml", tmp_path / "own.yaml"]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        output = result.stdout + result.stderr
        rules = set(re.findall(r"^(\w+) +\d+$", output.rsplit("Job stats:", 1)[-1], re.M)) - {"total"}
        return (rules if result.returncode == 0 else None), output

    return plan


def test_a_given_corpus_needs_no_release(planned):
    rules, output = planned([f"corpus/inductive/{name}" for name in CORPUS])
    assert rules == {"index_words", "train_run", "evaluate_sent_run", "render_table7"}, output


@pytest.mark.parametrize("files", [[], [*(f"corpus/inductive/{name}" for name in CORPUS), "kg/concepts.parquet"]])
def test_without_a_corpus_or_with_a_graph_a_missing_release_stops_the_run(planned, files):
    rules, output = planned(files)
    assert rules is None
    assert "MRCONSO.RRF is missing" in output and "remedy:   set" in output
