"""Scores against gold mentions, on small texts and on the CDR corpus."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.linking import texts
from tests.linking.test_stage import ABSTRACTS, run_stage
from workflow_scripts.linking import score_linking

HEADER = "\t".join(score_linking.COLUMNS) + "\n"


def gold_rows(abstracts, mentions, part="Test"):
    """Rows of a gold file: (pmid, text, cui) by the first occurrence of the text."""
    rows = [(part, pmid, "title", 0, 7, "C1", "Aspirin") for pmid in abstracts]
    for pmid, text, cui in mentions:
        start = abstracts[pmid].index(text)
        rows.append((part, pmid, "abstract", start, start + len(text), cui, text))
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def score(run_command, tmp_path):
    """Link two abstracts and score them against a gold file."""

    def run(gold, part="Test"):
        run_stage(run_command, tmp_path, [{1: ABSTRACTS[1]}, {2: ABSTRACTS[2]}])
        (tmp_path / "gold.tsv").write_text(gold, encoding="utf-8")
        files = {name: sorted((tmp_path / name).iterdir()) for name in ("mentions", "occurrences", "split")}
        options = [word for name, paths in files.items() for word in (f"--{name}", *paths)]
        options += ["--gold", tmp_path / "gold.tsv", "--part", part, "--scores", tmp_path / "scores.json"]
        done = run_command("linking/score_linking.py", *options)
        return done, json.loads((tmp_path / "scores.json").read_text()) if not done.returncode else None

    return run


def test_spans_and_concepts_must_be_equal(score):
    mentions = [(1, "Aspirin", "C1"), (1, "renal", "C2"), (2, "aspirin", "C1"), (2, "kidney failure", "C3")]
    mentions += [(2, "\u0130tch", "C5"), (2, "N-acetyl (R)", "C4")]
    other = gold_rows(ABSTRACTS, [(4, "aspirin", "C1")], part="Training")
    done, result = score(HEADER + gold_rows({1: ABSTRACTS[1], 2: ABSTRACTS[2]}, mentions) + other)
    assert done.returncode == 0, done.stderr
    # Predicted: two in the first abstract, three and a repeated sentence of two in the second.
    assert (result["gold"], result["predicted"], result["right"]) == (6, 7, 3)
    assert result["precision"] == pytest.approx(3 / 7) and result["recall"] == pytest.approx(3 / 6)
    assert result["f1"] == pytest.approx(2 * 3 / 13)


def test_bad_gold_files_are_named(score):
    done, _ = score("pmid\tstart\n")
    assert done.returncode == 3 and "gold.tsv, line 1" in done.stderr
    done, _ = score(HEADER + "Test\t1\tabstract\tx\t3\tC1\ta\n")
    assert done.returncode == 3 and "gold.tsv, line 2" in done.stderr
    done, _ = score(HEADER + gold_rows(ABSTRACTS, [(1, "Aspirin", "C1")]), part="Dev")
    assert done.returncode == 3 and "part Dev" in done.stderr


@given(st.lists(st.text("ab(\U0001f600\u0130", min_size=1, max_size=4), min_size=1, max_size=6), st.randoms())
def test_spans_return_to_their_section(tokens, draw):
    own, starts = "", []
    for token in tokens:
        own += " " * draw.randint(0, 3)
        starts.append(len(own))
        own += token
    text = " ".join(tokens)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            if text[start] != " " and text[end - 1] != " ":
                first, last = score_linking.section_span(text, starts, start, end)
                assert own[first:last].replace(" ", "") == text[start:end].replace(" ", "")
                assert own[first] == text[start] and own[last - 1] == text[end - 1]


def test_scores_of_sets():
    assert score_linking.scores(set(), {1})["f1"] == score_linking.scores({1}, {2})["f1"] == 0
    assert score_linking.scores({1, 2, 3}, {2, 3, 4, 5}) == {
        "gold": 4,
        "predicted": 3,
        "right": 2,
        "precision": 2 / 3,
        "recall": 0.5,
        "f1": pytest.approx(4 / 7),
    }


def test_fixture_restores_tokens():
    rows = texts.split_rows(ABSTRACTS)
    assert rows
    for row in random.Random(0).sample(rows, len(rows)):
        for token, start in zip(row["text"].split(" "), row["token_starts"], strict=True):
            assert ABSTRACTS[row["pmid"]][start : start + len(token)] == token
