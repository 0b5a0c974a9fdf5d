"""Systems on small corpora with known answers, through the commands of the rules; the anchor on real data."""

import gzip
import random
import re

import pyarrow as pa
import pytest

from tests.belb import chain
from tests.belb.worlds import corpus_of, stored, stored_names
from workflow_scripts.belb import spans, systems
from workflow_scripts.belb.api import evaluate, link, load_corpus
from workflow_scripts.belb.contracts import DOCUMENTS, SPANS
from workflow_scripts.common.contracts.sentences import SPLIT
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import check_file, write_table

NAMES = [
    ("D:1", "Renal failure"),
    ("D:1", "kidney failure"),
    ("D:2", "Renal Failure"),
    ("D:2", "renal insufficiency"),
    ("D:3", "Wrinkly skin syndrome"),
    ("D:3", "WSS"),
    ("D:4", "Weaver-Smith syndrome"),
    ("D:4", "WSS"),
    ("D:5|x+y,z;w", "İtch"),
]
MENTIONS = [
    ("train", "0", "renal failure", ["D:1"]),
    ("test", "1", "RENAL failure", ["D:1"]),
    ("test", "1", "wss", ["D:4"]),
    ("test", "2", "kidney failures", ["D:1"]),
    ("test", "2", "İtch", ["D:5|x+y,z;w"]),
    ("test", "3", "nothing like it", ["D:3"]),
    ("test", "3", "wss", ["D:3", "D:4"]),
]


@pytest.fixture
def world(tmp_path):
    corpus = stored(corpus_of(MENTIONS), tmp_path / "corpus")
    return corpus, stored_names(tmp_path / "kb" / "names.parquet", NAMES), tmp_path


def ranks_of(corpus, predictions):
    """Text of the gold mention -> ranks."""
    texts = dict(zip(corpus.gold().hexdigests, corpus.gold().texts, strict=True))
    return {texts[row.hexdigest]: [list(rank) for rank in row.candidates] for row in predictions.rows}


def test_exact_match(world):
    folder, names, tmp_path = world
    chain.list_spans(tmp_path, folder)
    corpus, found = load_corpus(folder), chain.by_name(tmp_path, names, "exact")
    assert ranks_of(corpus, found) == {
        "RENAL failure": [["D:1", "D:2"]],
        "wss": [["D:3", "D:4"]],
        "kidney failures": [],
        "İtch": [["D:5|x+y,z;w"]],
        "nothing like it": [],
    }
    recall = evaluate(corpus, found)["full"]["recall@1"]
    assert recall == pytest.approx({"std": (0.5 + 0.5 + 1 + 1) / 6, "strict": 1 / 6, "lenient": 4 / 6})


def test_fuzzy_match_gives_a_rank_for_each_name(world):
    folder, names, tmp_path = world
    chain.list_spans(tmp_path, folder)
    found = ranks_of(load_corpus(folder), chain.by_name(tmp_path, names, "fuzzy"))
    assert found["kidney failures"][0] == ["D:1"] and found["RENAL failure"][0] == ["D:1", "D:2"]
    assert found["wss"][0] == ["D:3", "D:4"]
    assert all(len(ranks) <= 5 for ranks in found.values())


@pytest.mark.parametrize(
    ("settings", "kidney", "renal"),
    [
        ({"candidates": "literal"}, [], [["D:1", "D:2"]]),
        ({"mode": "faithful"}, [["D:1"]], [["D:1", "D:2"]]),
        ({"mode": "prefer_literal"}, [["D:1"]], [["D:1", "D:2"]]),
        ({"mode": "faithful", "threshold": 0.99}, [], [["D:1", "D:2"]]),
    ],
)
def test_engines_of_the_stage_linking(world, settings, kidney, renal):
    folder, names, tmp_path = world
    chain.list_spans(tmp_path, folder)
    chain.prepare_names(tmp_path, names)
    found = ranks_of(load_corpus(folder), chain.by_linking(tmp_path, names, **settings))
    assert found["kidney failures"][:1] == kidney and found["RENAL failure"][:1] == renal
    assert found["wss"][:1] == [["D:3", "D:4"]] and found["nothing like it"] == []
    assert found["İtch"][:1] == [["D:5|x+y,z;w"]]


def test_literal_engine_and_exact_match_agree_on_real_names(shared_data, tmp_path):
    """Names of MEDIC, no blank beside punctuation: the two forms of "equal lower-cased name" are the same there."""
    names = [pair for pair in medic(shared_data) if re.fullmatch(r"\w+( \w+)*", pair[1])][:3000]
    draw = random.Random(0)
    corpus = stored(
        corpus_of(
            ("test", str(number), name.upper(), [identifier])
            for number, (identifier, name) in enumerate(draw.sample(names, 200))
        ),
        tmp_path / "corpus",
    )
    stored_path = stored_names(tmp_path / "kb" / "names.parquet", names)
    chain.list_spans(tmp_path, corpus)
    chain.prepare_names(tmp_path, stored_path)
    exact = ranks_of(load_corpus(corpus), chain.by_name(tmp_path, stored_path, "exact"))
    assert exact == ranks_of(
        load_corpus(corpus), chain.by_linking(tmp_path, stored_path, candidates="literal", max_candidates=99)
    )


def medic(shared_data):
    """(identifier, name) of MEDIC 2012, each pair once, the preferred name of an identifier first."""
    with gzip.open(shared_data / "belb" / "medic_06Jul2012.txt.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            identifiers, _, names = line.rstrip("\n").partition("||")
            identifier = identifiers.split("|")[0]
            yield from dict.fromkeys((identifier, name) for name in names.split("|"))


def test_the_anchor(shared_data, tmp_path):
    """Lower-cased exact match, MEDIC 2012, test split of NCBI Disease, identifiers as distributed: 496 of 960."""
    mentions = []
    with gzip.open(shared_data / "pubtator" / "NCBItestset_corpus.PubTator.txt.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 6:
                identifiers = [
                    part.removeprefix("MESH:").removeprefix("OMIM:") for part in re.split(r"[|+]", fields[5])
                ]
                mentions.append(("test", fields[0], fields[3], identifiers))
    names = []
    with gzip.open(shared_data / "belb" / "medic_06Jul2012.txt.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            identifiers, _, found = line.rstrip("\n").partition("||")
            names += [(identifier, name) for identifier in identifiers.split("|") for name in found.split("|")]
    assert len(mentions) == 960
    path = stored_names(tmp_path / "kb" / "names.parquet", dict.fromkeys(names))
    corpus = corpus_of(mentions)
    ranks = systems.exact_ranks(path, sorted(set(corpus.gold().texts)))
    full = evaluate(corpus, link(corpus, ranks.get))["full"]
    assert full["n"] == 960 and round(full["recall@1"]["lenient"] * 960) == 496
    assert full["recall@1"]["lenient"] == pytest.approx(0.5167, abs=5e-5)


def documents_of(texts, split="test"):
    """Documents of one passage each; a list of texts makes several passages joined by a blank."""
    rows = []
    for name, parts in texts.items():
        passages, text = [], ""
        for part in parts:
            text += " " if text else ""
            passages.append({"type": "abstract", "offset": len(text), "length": len(part)})
            text += part
        rows.append({"corpus": "made_up", "split": split, "document": name, "text": text, "passages": passages})
    return pa.Table.from_pylist(rows, schema=DOCUMENTS.schema)


def test_passages_map_back_whatever_blanks_stand_in_them(tmp_path):
    documents = documents_of({"PMC1_2": ["A  title", " the \u00a0 wss\tand\n renal   failure "], "x": ["", "   "]})
    passages = spans.passages(documents, "test")
    write_table(tmp_path / "p", passages, SPLIT)
    assert check_file(tmp_path / "p", SPLIT) == 2
    assert passages["text"].to_pylist() == ["A title", "the wss and renal failure"]
    text = documents["text"][0].as_py()
    for row in passages.to_pylist():
        for start, word in zip(row["token_starts"], row["text"].split(" "), strict=True):
            assert text[start : start + len(word)] == word


def test_other_splits_have_no_passages():
    assert spans.passages(documents_of({"1": ["text"]}, "train"), "test").num_rows == 0


def test_found_mentions(world):
    folder, names, tmp_path = world
    corpus = load_corpus(folder)
    chain.prepare_names(tmp_path, names)
    chain.list_spans(tmp_path, folder, found=True)
    check_file(tmp_path / "spans.parquet", SPANS)
    found = chain.by_name(tmp_path, names, "exact")
    texts = corpus.texts()
    assert [(row.document, texts[row.document][row.start : row.end]) for row in found.rows] == [
        ("1", "RENAL failure"),
        ("1", "wss"),
        ("2", "İtch"),
        ("3", "wss"),
    ]
    result = evaluate(corpus, found)
    assert result["spans"]["exact"] == 4 and result["spans"]["detection"]["precision"] == 1
    assert result["full"]["recall@1"]["lenient"] == pytest.approx(4 / 6)
    linked = chain.by_linking(tmp_path, names, mode="prefer_literal")
    assert evaluate(corpus, linked)["full"]["recall@1"] == result["full"]["recall@1"]


def test_a_found_span_that_is_no_gold_mention_has_no_digest(world):
    folder, names, tmp_path = world
    more = stored_names(tmp_path / "more" / "names.parquet", [*NAMES, ("D:6", "kidney")])
    chain.prepare_names(tmp_path, more)
    chain.list_spans(tmp_path, folder, found=True)
    rows = chain.by_name(tmp_path, more, "exact").rows
    assert [row.hexdigest == "-" for row in rows if (row.document, row.start) == ("2", 0)] == [True]
    assert sum(row.hexdigest == "-" for row in rows) == 1


def test_found_mentions_of_another_corpus(world):
    folder, _, _ = world
    corpus = load_corpus(folder)
    passages = spans.passages(corpus.documents, "test")
    detected = pa.table({"sentence_id": ["f" * 32], "start": [0], "end": [1], "surface": ["x"]})
    with pytest.raises(DataError, match="sentence fff"):
        spans.found_spans(corpus.documents, passages, detected, corpus.gold())


def test_no_spans_at_all():
    none = spans.gold_spans(type("None_", (), {"spans": [], "hexdigests": [], "texts": []}))
    assert none.schema == SPANS.schema and [table.num_rows for table in spans.distinct_texts(none)] == [0, 0]


def test_equal_scores_are_one_rank():
    rows = [("a", 1.0, "X"), ("a", 1.0, "W"), ("a", 0.5, "V"), ("b", 0.7, "U")]
    links = pa.table(dict(zip(("surface", "score", "cui"), map(list, zip(*rows, strict=True)), strict=True)))
    assert systems.linked_ranks(links) == {"a": [["W", "X"], ["V"]], "b": [["U"]]}


def test_an_engine_that_prefers_equal_names_puts_them_before_others_of_the_same_score():
    links = pa.table({"surface": ["a"] * 4, "score": [1.0, 1.0, 1.0, 0.5], "cui": ["Z", "A", "Y", "B"]})
    assert systems.linked_ranks(links, {"a": [["Y", "Z"]]}) == {"a": [["Y", "Z"], ["A"], ["B"]]}
    assert systems.linked_ranks(links, {"a": []}) == {"a": [["A", "Y", "Z"], ["B"]]}


def test_the_order_of_words_ties_unless_equal_names_are_preferred(tmp_path):
    names = stored_names(tmp_path / "kb" / "names.parquet", [("D:1", "renal failure"), ("D:2", "failure renal")])
    folder = stored(corpus_of([("test", "1", "Failure renal", ["D:2"])]), tmp_path / "corpus")
    chain.list_spans(tmp_path, folder)
    chain.prepare_names(tmp_path, names)
    corpus = load_corpus(folder)
    faithful = evaluate(corpus, chain.by_linking(tmp_path, names, mode="faithful"))["full"]["recall@1"]
    assert faithful == {"std": 0.5, "strict": 0.0, "lenient": 1.0}
    preferring = evaluate(corpus, chain.by_linking(tmp_path, names, mode="prefer_literal"))["full"]["recall@1"]
    assert preferring == {"std": 1.0, "strict": 1.0, "lenient": 1.0}
