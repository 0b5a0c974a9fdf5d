"""Predictions made elsewhere: the form in which the benchmark's authors released theirs, and ours."""

import json

import pyarrow as pa
import pytest

from tests.belb import chain
from tests.belb.worlds import corpus_of, predictions_of, stored, stored_names
from workflow_scripts.belb.api import evaluate, load_corpus
from workflow_scripts.belb.contracts import ALTERNATIVES, HISTORY
from workflow_scripts.belb.predictions import read_predictions, write_predictions
from workflow_scripts.belb.released import read_identifiers, read_released
from workflow_scripts.belb.resolved import resolved
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.tables import write_table

MENTIONS = [("test", "1", "a", ["MESH:A"]), ("test", "1", "b", ["OMIM:B"]), ("test", "2", "c", ["MESH:C"])]


def item(document, start, digest, *ranks):
    """A row of a released file; its offsets are those of a sentence and say nothing."""
    return {"eid": document, "start": start, "end": start + 1, "hexdigest": digest, "y_pred": list(ranks)}


def released(path, *items):
    path.write_text(json.dumps(items))
    return path


@pytest.fixture
def world(tmp_path):
    corpus = corpus_of(MENTIONS)
    table = tmp_path / "identifiers.tsv"
    table.write_text("10\tMESH:A\n11\tOMIM:B\n12\tMESH:C\n")
    return corpus, table, tmp_path


def test_released_numbers_become_identifiers(world):
    corpus, table, tmp_path = world
    digests = corpus.gold().hexdigests
    rows = [item(1, 90, digests[0], [10]), item(1, 0, digests[1], [11, 12], [10]), item("2", 5, "-", [12])]
    path = released(tmp_path / "p.json", *rows)
    found, unknown = read_released(path, corpus.gold(), read_identifiers(table), "k", "s")
    assert unknown == 0
    assert [row.candidates for row in found.rows] == [
        (("MESH:A",),),
        (("OMIM:B", "MESH:C"), ("MESH:A",)),
        (("MESH:C",),),
    ]
    assert [(row.document, row.start) for row in found.rows] == [("1", 0), ("1", 2), ("2", 5)]
    assert evaluate(corpus, found)["full"]["recall@1"] == pytest.approx({"std": 0.5, "strict": 1 / 3, "lenient": 2 / 3})


def test_numbers_of_a_knowledge_base_of_numbers_are_the_identifiers(world):
    corpus = corpus_of([("test", "1", "a", ["9606"])])
    path = released(world[2] / "p.json", item("1", 0, corpus.gold().hexdigests[0], [9606]))
    found, _ = read_released(path, corpus.gold(), None, "k", "s")
    assert evaluate(corpus, found)["full"]["recall@1"]["strict"] == 1


def test_mentions_that_the_corpus_lacks_are_counted_and_bounded(tmp_path):
    corpus = corpus_of([("test", "1", "x", [str(number)]) for number in range(20)])
    rows = [item("1", 0, digest, ["1"]) for digest in corpus.gold().hexdigests]
    path = released(tmp_path / "p.json", *rows, item("1", 0, "gone", ["1"]))
    found, unknown = read_released(path, corpus.gold(), None, "k", "s")
    assert (len(found.rows), unknown) == (20, 1)
    path = released(tmp_path / "p.json", *rows[:5], item("1", 0, "gone", ["1"]))
    with pytest.raises(DataError, match=r"1 of 6 digests.*made_up \(test\)"):
        read_released(path, corpus.gold(), None, "k", "s")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "a JSON list"),
        ("{}", "dict\n.*a JSON list"),
        ("[1]", "record 0\n"),
        ('[{"eid": 1, "start": 0, "end": 1, "hexdigest": "-"}]', "y_pred"),
        ('[{"eid": 1, "start": 0, "end": 1, "hexdigest": "-", "y_pred": 3}]', "y_pred"),
        (
            '[{"eid": 1, "start": 0, "end": 1, "hexdigest": "-", "y_pred": [[99]]}]',
            "identifier 99\n(.*\n)*.*another snapshot",
        ),
    ],
)
def test_wrong_released_files(world, text, words):
    corpus, table, tmp_path = world
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(DataError, match=words):
        read_released(tmp_path / "p.json", corpus.gold(), read_identifiers(table), "k", "s")


@pytest.mark.parametrize("text", ["10\n", "x\tMESH:A\n", "10\t\n", "10\tA\n10\tB\n", "10\tA\tB\n", "\n"])
def test_wrong_tables_of_identifiers(tmp_path, text):
    (tmp_path / "t.tsv").write_text(text)
    with pytest.raises(DataError, match="line"):
        read_identifiers(tmp_path / "t.tsv")


def test_the_command_reads_both_forms(world):
    corpus, table, tmp_path = world
    folder = stored(corpus, tmp_path / "corpus")
    ours = tmp_path / "ours.jsonl"
    write_predictions(ours, predictions_of(corpus, [[["MESH:A"]], [["OMIM:B"]], None]))
    digests = load_corpus(folder).gold().hexdigests
    theirs = released(tmp_path / "p.json", item(1, 0, digests[0], [10]), item(1, 0, digests[1], [11]))
    out = tmp_path / "out.jsonl"
    for options in (("--released", ours), ("--released", theirs, "--identifiers", table)):
        header = {"kb": "k", "system": "theirs"}
        chain.run("belb/read_belb_predictions", *options, "--corpus", folder, "--predictions", out, parameters=header)
        found = read_predictions(out, "made_up")
        assert (found.kb, found.system) == ("k", "theirs")
        assert evaluate(corpus, found)["full"]["recall@1"]["strict"] == pytest.approx(2 / 3)
    with pytest.raises(UsageError, match="--identifiers"):
        options = ("--released", ours, "--identifiers", table, "--corpus", folder, "--predictions", out)
        chain.run("belb/read_belb_predictions", *options, parameters={"kb": "k", "system": "s"})


@pytest.fixture
def kb(tmp_path):
    """Entities A, B, C; a is another identifier of A; old became B, gone was removed, split became B and C."""
    folder = stored_names(tmp_path / "kb" / "names.parquet", [(name, name) for name in "ABC"]).parent
    history = {"old_identifier": ["gone", "old", "split"], "new_identifier": [None, "B", "B;C"]}
    write_table(folder / "history.parquet", pa.table(history, HISTORY.schema), HISTORY)
    others = pa.table({"alternative_identifier": ["a"], "identifier": ["A"]}, ALTERNATIVES.schema)
    write_table(folder / "alternatives.parquet", others, ALTERNATIVES)
    return folder


def test_identifiers_are_brought_up_to_date(kb):
    corpus = corpus_of([("test", str(number), "x", ["A"]) for number in range(4)])
    given = [[["a", "A"], ["old"]], [["gone"], ["split"]], [["B", "never heard of"]], []]
    found, counts = resolved(predictions_of(corpus, given), kb)
    assert [row.candidates for row in found.rows] == [
        (("A",), ("B",)),
        (("B", "C"),),
        (("B", "never heard of"),),
        (),
    ]
    assert counts == {"kept": 2, "alternative": 1, "replaced": 2, "removed": 1, "unknown": 1}


def test_other_identifiers_altogether(kb):
    corpus = corpus_of([("test", "1", "x", ["A"]), ("test", "1", "y", ["A"])])
    with pytest.raises(DataError, match="2 of 3 identifiers unknown there: 10, 11\n(.*\n)*.*table of identifiers"):
        resolved(predictions_of(corpus, [[["10"], ["11"]], [["A"]]]), kb)
    assert resolved(predictions_of(corpus, [None, None]), kb)[1] == {}
