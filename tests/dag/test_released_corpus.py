"""A run that starts from a released corpus: no UMLS release, no MEDLINE; what cannot be had is not planned."""

import json
import re
import subprocess
import sys

import pytest

FILES = "med_distant19_train.txt med_distant19_val.txt med_distant19_test.txt med_distant19_rel2id.json".split()


@pytest.fixture
def planned(repository, tmp_path):
    """A function: (rules that a dry run plans or None, its output), in an empty folder beside released files."""
    (tmp_path / "words.bin").touch()
    for name in ("experiments", "report", "schemas", "config.yaml"):
        (tmp_path / name).symlink_to(repository / name)
    overlay = {
        "name": "given",
        "seeds": [1],
        "start_from": "corpus",
        "embeddings": {"biowordvec": {"path": "words.bin"}, "glove": {"path": "words.bin"}},
        "experiments": {
            "tables": {
                "table7": {"corpus": "inductive", "models": ["cnn_sent"]},
                "table11": {"corpus": "inductive", "models": ["sent_sapbert"]},
            },
            "grid": {"file": "profiles/demo/grid.yaml"},
        },
    }

    def plan(files, *targets, figure5=(), corpora=("inductive",)):
        overlay["experiments"]["tables"]["figure5"] = {"corpus": "inductive", "models": list(figure5)}
        overlay["corpora"] = {corpus: {"import": "released"} for corpus in corpora}
        (tmp_path / "own.yaml").write_text(json.dumps(overlay))
        (tmp_path / "released").mkdir()
        for name in files:
            (tmp_path / "released" / name).touch()
        command = [sys.executable, "-m", "snakemake", "-n", *targets, "--cores", "1"]
        command += ["--snakefile", repository / "Snakefile", "--directory", tmp_path]
        command += ["--configfile", repository / "config.yaml", tmp_path / "own.yaml"]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        output = result.stdout + result.stderr
        rules = set(re.findall(r"^(\w+) +\d+$", output.rsplit("Job stats:", 1)[-1], re.M)) - {"total"}
        # which of the two rules it is depends on the file of weights
        rules = {name.removesuffix("_safetensors") for name in rules}
        return (rules if result.returncode == 0 else None), output

    return plan


MODELS = {"index_words", "train_run", "evaluate_sent_run", "compare_runs"}
ENCODERS = {"download_encoder", "index_wordpieces"}
SEARCH = {"train_cells", "choose_cells", "score_cells"}


def test_a_released_corpus_needs_no_release(planned):
    """Models, the encoders of Table 11 and the search of Table A.1 included."""
    rules, output = planned(FILES, "tables", "export", "verify")
    tables = {f"render_table{n}" for n in ("2", "6", "7", "9", "11", "_a1")} | {"audit_leakage", "verify_against_paper"}
    targets = {"tables", "export", "verify"}
    assert rules == {"import_corpus", "export_corpus"} | MODELS | ENCODERS | SEARCH | tables | targets, output


def test_two_released_corpora_are_compared(planned):
    rules, output = planned(FILES, "tables", corpora=("inductive", "transductive"))
    assert rules and "render_table10" in rules, output


def test_a_pretrained_encoder_is_fetched_there_too(planned):
    rules, output = planned(FILES, "models", figure5=["bert_sent"])
    assert rules == {"import_corpus", "index_words", "train_run", "models"} | ENCODERS, output


def test_without_the_files_the_run_stops(planned):
    rules, output = planned(FILES[1:], "corpus")
    assert rules is None
    assert "corpora.inductive.import: released holds no released corpus" in output and "remedy:" in output
