"""The predictions file: round trip, equal bytes, and what is said about files that are wrong."""

import gzip
import json
import random

import pytest

from tests.belb.worlds import corpus_of, predictions_of, random_world
from workflow_scripts.belb.api import evaluate
from workflow_scripts.belb.predictions import Prediction, Predictions, read_predictions, write_predictions
from workflow_scripts.common.errors import DataError

HEADER = {"format": "belb-predictions/1", "corpus": "made_up", "kb": "k", "system": "s"}
ROW = {"document": "1", "start": 0, "end": 1, "hexdigest": "-", "candidates": [["A"]]}


@pytest.mark.parametrize("name", ["p.jsonl", "p.jsonl.gz"])
def test_round_trip_and_equal_bytes_in_any_order(tmp_path, name):
    _, predictions = random_world(1)
    write_predictions(tmp_path / name, predictions)
    first = (tmp_path / name).read_bytes()
    shuffled = random.Random(0).sample(predictions.rows, len(predictions.rows))
    write_predictions(tmp_path / name, Predictions("made_up", "made_up_kb", "made_up_system", shuffled))
    assert (tmp_path / name).read_bytes() == first
    found = read_predictions(tmp_path / name, "made_up")
    assert sorted(found.rows, key=repr) == sorted(predictions.rows, key=repr)
    assert (found.corpus, found.kb, found.system) == ("made_up", "made_up_kb", "made_up_system")


def test_names_beyond_ascii_are_kept(tmp_path):
    rows = [Prediction("PMC1", 0, 3, "-", (("é|ö", "A;B"), ("α+β,γ",)))]
    write_predictions(tmp_path / "p", Predictions("ü", "k", "s", rows))
    assert read_predictions(tmp_path / "p").rows == rows
    assert "é|ö" in (tmp_path / "p").read_text(encoding="utf-8")


def written(path, *lines):
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_mentions_of_the_header_are_optional(tmp_path):
    assert len(read_predictions(written(tmp_path / "p", HEADER, ROW)).rows) == 1
    assert read_predictions(written(tmp_path / "p", HEADER)).rows == []


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "an empty file"),
        (["[]"], r"line 1\n.*\[\]\n.*a JSON object"),
        (["hello"], "line 1.*\n.*hello"),
        ([{**HEADER, "corpus": "other"}], "line 1\n.*corpus other\n.*corpus made_up"),
        ([{**HEADER, "format": "belb-predictions/2"}], "format belb-predictions/2\n.*belb-predictions/1"),
        ([{k: v for k, v in HEADER.items() if k != "kb"}], "no text kb"),
        ([{**HEADER, "corpus": 3}], "no text corpus"),
        ([{**HEADER, "extra": 3}], "unknown key extra"),
        ([{**HEADER, "mentions": -1}], "mentions -1"),
        ([{**HEADER, "mentions": True}], "mentions True"),
        ([{**HEADER, "mentions": 2}, ROW], "1 mentions\n.*2, as the header says"),
        ([{**HEADER, "mentions": 0}, ROW], "1 mentions\n.*0, as the header says"),
        ([HEADER, ROW, ROW], "line 3\n.*1 0-1 again .first in line 2"),
        ([HEADER, "{"], "line 2\n.*{"),
        ([HEADER, ""], "line 2\n"),
        ([HEADER, {**ROW, "score": 1}], "line 2\n.*keys document, start, end, hexdigest, candidates, score"),
        ([HEADER, {k: v for k, v in ROW.items() if k != "end"}], "keys document, start, hexdigest"),
        ([HEADER, {**ROW, "document": 1}], "document 1\n"),
        ([HEADER, {**ROW, "hexdigest": ""}], "hexdigest ''"),
        ([HEADER, {**ROW, "start": 1}], "start 1, end 1"),
        ([HEADER, {**ROW, "start": -1}], "start -1"),
        ([HEADER, {**ROW, "end": 1.5}], "end 1.5"),
        ([HEADER, {**ROW, "start": False}], "start False"),
        ([HEADER, {**ROW, "candidates": ["A"]}], 'candidates ."A"'),
        ([HEADER, {**ROW, "candidates": [[]]}], r"candidates \[\[\]\]"),
        ([HEADER, {**ROW, "candidates": [[3]]}], r"candidates \[\[3\]\]"),
        ([HEADER, {**ROW, "candidates": [[""]]}], "candidates"),
        ([HEADER, {**ROW, "candidates": "A"}], "candidates"),
    ],
)
def test_wrong_files(tmp_path, lines, words):
    with pytest.raises(DataError, match=words):
        read_predictions(written(tmp_path / "p", *lines), "made_up")


def test_no_file_and_no_text(tmp_path):
    with pytest.raises(DataError, match="No such file"):
        read_predictions(tmp_path / "none")
    (tmp_path / "p").write_bytes(b"\xff\xfe\n")
    with pytest.raises(DataError, match="utf-8"):
        read_predictions(tmp_path / "p")


@pytest.mark.parametrize("name", ["p", "p.gz"])
def test_a_file_cut_off_anywhere_is_seen_to_be(tmp_path, name):
    _, predictions = random_world(2, mentions=10)
    write_predictions(tmp_path / name, predictions)
    whole = (tmp_path / name).read_bytes()
    for length in range(len(whole)):
        (tmp_path / name).write_bytes(whole[:length])
        with pytest.raises(DataError):
            read_predictions(tmp_path / name)


def test_damaged_gzip(tmp_path):
    path = tmp_path / "p.gz"
    path.write_bytes(gzip.compress(b"x" * 1000)[:-9] + b"123456789")
    with pytest.raises(DataError, match="damaged"):
        read_predictions(path)


@pytest.fixture
def corpus():
    return corpus_of(
        [
            ("train", "10", "a", ["A"]),
            ("test", "1", "a", ["A"]),
            ("test", "1", "b", ["B"]),
            ("test", "2", "c", ["C"]),
        ]
    )


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Prediction("7", 0, 1, "-", ()), "line 2\n.*unknown document 7\n.*split test of made_up"),
        (Prediction("10", 0, 1, "-", ()), "document 10 of split train\n"),
        (Prediction("1", 0, 1, "nothing", ()), "span 1 0-1 with digest nothing: that is no gold mention"),
        (Prediction("1", 2, 3, "1/0/", ()), "span 1 2-3 with digest 1/0/: that is the gold mention 1 0-1"),
        (Prediction("1", 0, 2, "1/0/", ()), "span 1 0-2 with digest 1/0/"),
    ],
)
def test_rows_that_do_not_fit_the_corpus(corpus, row, words):
    with pytest.raises(DataError, match=words):
        evaluate(corpus, Predictions("made_up", "k", "s", [row]))


def test_predictions_of_another_corpus(corpus):
    with pytest.raises(DataError, match="corpus other\n.*corpus made_up"):
        evaluate(corpus, Predictions("other", "k", "s", []))


def test_two_rows_about_one_mention(corpus):
    rows = [Prediction("1", 0, 1, "-", ()), Prediction("1", 0, 1, "1/0/", ())]
    with pytest.raises(DataError, match="line 3\n.*1 0-1 again .first in line 2"):
        evaluate(corpus, Predictions("made_up", "k", "s", rows))


def test_a_span_of_two_mentions_needs_the_digest():
    twice = corpus_of([("test", "1", "x", ["A"], "chemical")])
    second = corpus_of([("test", "1", "x", ["B"], "disease")]).mentions.to_pylist()
    mentions = type(twice.mentions).from_pylist(twice.mentions.to_pylist() + second, schema=twice.mentions.schema)
    both = type(twice)("made_up", twice.documents, mentions)
    assert evaluate(both, predictions_of(both, [[["A"]], [["B"]]]))["full"]["recall@1"]["strict"] == 1
    with pytest.raises(DataError, match="without digest\n.*chemical, disease"):
        evaluate(both, Predictions("made_up", "k", "s", [Prediction("1", 0, 1, "-", ())]))


def test_a_span_that_is_no_gold_mention_is_counted_and_nothing_else(corpus):
    found = evaluate(corpus, Predictions("made_up", "k", "s", [Prediction("1", 0, 3, "-", (("A",),))]))
    assert found["full"]["predicted"] == 0 and found["spans"]["predicted"] == 1 and found["spans"]["exact"] == 0
