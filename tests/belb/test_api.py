"""The benchmark from Python and from the shell, as the README shows it."""

import contextlib
import io
import re

import pytest

from tests.belb.worlds import corpus_of, predictions_of, stored, stored_names
from workflow_scripts.belb import api
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json

MENTIONS = [("train", "0", "Fever", ["D:1"]), *(("test", "1", text, [f"D:{n}"]) for n, text in enumerate("abcd"))]


def example(repository):
    """The Python lines of the README's section."""
    text = (repository / "README.md").read_text(encoding="utf-8")
    section = text.partition("## I want to measure an entity linker\n")[2].partition("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.S)
    return code


def test_the_example_of_the_readme_has_at_most_ten_lines_and_works(repository, tmp_path, monkeypatch, run_command):
    code = example(repository)
    assert len([line for line in code.splitlines() if line]) <= 10
    stored(corpus_of(MENTIONS, "ncbi_disease"), tmp_path / "resources/belb/corpora/ncbi_disease")
    (tmp_path / "medic_06Jul2012.txt").write_text("D0||a|b\nD1||b\n")
    folder = tmp_path / "resources/belb/kbs/medic"
    options = ("--files", tmp_path / "medic_06Jul2012.txt", "--folder", folder)
    done = run_command("belb/build_belb_kb.py", *options, "--params", '{"format":"medic_2012","kb":"medic"}')
    assert done.returncode == 0, done.stderr
    options = ("--names", folder / "names.parquet", "--kb", "medic", "--sqlite", folder / "kb.db")
    done = run_command("belb/load_belb_kb.py", *options)
    assert done.returncode == 0, done.stderr
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "README.md", "exec"), {})
    # identifiers of this world are not those of MEDIC: nothing is right, which is what it says
    assert printed.getvalue() == "std: 0.0000\nstrict: 0.0000\nlenient: 0.0000\n"
    found = api.read_predictions("mine.jsonl", "ncbi_disease")
    assert [row.candidates for row in found.rows] == [(("MESH:D0",),), (("MESH:D0", "MESH:D1"),), (), ()]


def test_evaluate_from_the_shell(tmp_path, run_command):
    corpus = corpus_of(MENTIONS)
    folder = stored(corpus, tmp_path / "corpus")
    api.write_predictions(
        tmp_path / "p.jsonl", predictions_of(corpus, [[["D:0"]], [["D:1", "D:0"]], [["x"], ["D:2"]], None])
    )
    options = ("--corpus", folder, "--predictions", tmp_path / "p.jsonl", "--metrics", tmp_path / "m.json")
    done = run_command("belb/evaluate_predictions.py", *options)
    assert done.returncode == 0, done.stderr
    assert re.search(r"full +4 recall@1 +37\.50 +25\.00 +50\.00\n", done.stdout)
    assert re.search(r"full +4 recall@5 +62\.50 +50\.00 +75\.00\n", done.stdout)
    assert read_json(tmp_path / "m.json") == api.evaluate(api.load_corpus(folder), tmp_path / "p.jsonl")
    done = run_command("belb/evaluate_predictions.py", *options[:2], "--predictions", tmp_path / "none.jsonl")
    assert done.returncode == 3 and "none.jsonl" in done.stderr and "Traceback" not in done.stderr


def test_texts_and_gold_of_a_split():
    corpus = corpus_of(MENTIONS)
    assert corpus.texts("train") == {"0": "Fever "} and list(corpus.texts()) == ["1"]
    assert len(corpus.gold("train")) == 1 and len(corpus.gold()) == 4
    assert corpus.subsets("train") == {}


def test_other_splits_have_no_subsets():
    corpus = corpus_of(MENTIONS)
    assert api.evaluate(corpus, predictions_of(corpus, [[["D:1"]]], "train"), split="train")["subsets"] == {}


def test_foreign_mentions_are_not_scored():
    corpus = corpus_of(MENTIONS)
    rows = corpus.mentions.to_pylist()
    rows[0]["foreign"] = True
    mentions = type(corpus.mentions).from_pylist(rows, schema=corpus.mentions.schema)
    assert len(api.Corpus("made_up", corpus.documents, mentions).gold()) == 3


def test_a_folder_of_two_corpora(tmp_path):
    stored(corpus_of(MENTIONS), tmp_path)
    other = stored(corpus_of(MENTIONS, "other"), tmp_path / "other")
    (other / "mentions.parquet").replace(tmp_path / "mentions.parquet")
    with pytest.raises(DataError, match="made_up, other"):
        api.load_corpus(tmp_path)


def test_a_folder_without_a_corpus(tmp_path):
    with pytest.raises(DataError, match="documents.parquet"):
        api.load_corpus(tmp_path)
    stored_names(tmp_path / "documents.parquet", [("a", "b")])
    with pytest.raises(DataError, match="belb/corpora"):
        api.load_corpus(tmp_path)
