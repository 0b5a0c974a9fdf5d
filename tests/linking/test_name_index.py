"""The index of names, its vectors and its search: against scikit-learn, a sparse product and brute force."""

import collections
import random

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from tests.linking.sparse_product import NgramSpace, Postings
from tests.linking.test_candidates import indexed, table
from workflow_scripts.common.errors import DataError
from workflow_scripts.linking import grams, index_names, name_index, nearest_names
from workflow_scripts.linking.forms import Squeezed, literal_form, search_key

ALPHABET = "abcdeABé\u0130\u03c2\u03a3\U0001f600-( 7\t\u00a0"
TEXT = st.text(ALPHABET, max_size=12)


def words(draw, number):
    """Names of one to three words out of few syllables, so that many share their frequent grams."""
    syllables = ["hyper", "hypo", "tens", "ion", "ive", "nephr", "itis", "oma", "card", "ia", "X", "2", "β-"]
    made = set()
    while len(made) < number:
        parts = ["".join(draw.choices(syllables, k=draw.randint(1, 4))) for _ in range(draw.randint(1, 3))]
        made.add(" ".join(parts))
    return sorted(made)


def as_matrix(rows, vocabulary):
    """Rows as a matrix whose columns are the grams in their natural order."""
    column = np.argsort(vocabulary.ranks)[rows.grams]
    shape = len(rows.offsets) - 1, vocabulary.codes.size
    return sp.csr_matrix((rows.weights, column, rows.offsets), shape=shape)


@given(st.lists(TEXT, min_size=1, max_size=12, unique=True), st.lists(TEXT, max_size=4), st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_vectors_are_those_of_scikit_learn_to_the_last_bit(names, queries, min_df):
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), min_df=min_df, dtype=np.float32)
    codes, counts = grams.document_frequencies([names[:5], names[5:]])
    vocabulary = grams.Vocabulary.of(codes, counts, len(names), min_df)
    try:
        vectorizer.fit(names)
    except ValueError:
        assert not vocabulary.codes.size
        return
    found = ["".join(chr(code >> shift & 0x1FFFFF) for shift in (42, 21, 0)) for code in vocabulary.codes.tolist()]
    assert found == vectorizer.get_feature_names_out().tolist()
    assert vocabulary.idf.tolist() == vectorizer.idf_.tolist()
    wanted, made = vectorizer.transform(names + queries), as_matrix(vocabulary.transform(names + queries), vocabulary)
    assert (wanted != made).nnz == 0 and wanted.shape == made.shape


def test_rarest_grams_come_first():
    names = ["abc abd", "abc abe", "abc abe x"]
    vocabulary = grams.Vocabulary.of(*grams.document_frequencies([names]), 3, 1)
    rows = vocabulary.transform(names)
    frequency = np.bincount(rows.grams)
    assert frequency.tolist() == sorted(frequency) and frequency[0] == 1
    assert all(np.all(np.diff(rows.grams[a:b]) > 0) for a, b in zip(rows.offsets, rows.offsets[1:], strict=False))


def test_norms_of_a_row_do_not_depend_on_the_rows_before_it():
    rng = np.random.default_rng(0)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 30, 20_000))])
    weights = rng.random(offsets[-1], np.float32) / np.float32(5)
    whole = grams.remaining_norms(offsets, weights)
    for row in [0, 1, 9_999, *range(19_000, 20_000)]:
        own = slice(offsets[row], offsets[row + 1])
        alone = grams.remaining_norms(np.array([0, own.stop - own.start]), weights[own])
        assert alone.tolist() == whole[own].tolist()
        exact = np.sqrt(np.cumsum(weights[own][::-1].astype(float) ** 2)[::-1])
        assert np.allclose(alone, exact, rtol=0, atol=1e-9)


def test_surfaces_of_one_key_have_one_vector():
    draw, names = random.Random(4), words(random.Random(3), 200)
    vocabulary = grams.Vocabulary.of(*grams.document_frequencies([names]), len(names), 1)
    for name in names[:60]:
        turned = "  ".join(draw.sample(name.upper().split(), len(name.split())))
        pair = vocabulary.transform([name, turned if search_key(turned) == search_key(name) else name])
        middle = pair.offsets[1]
        assert pair.grams[:middle].tolist() == pair.grams[middle:].tolist()
        assert pair.weights[:middle].tolist() == pair.weights[middle:].tolist()


def pairs(found):
    """{(query, name): score} of the arrays of a search."""
    query, name, score = (column.tolist() for column in found)
    assert len(set(zip(query, name, strict=True))) == len(query)
    return dict(zip(zip(query, name, strict=True), score, strict=True))


@pytest.mark.parametrize("min_df", [1, 10])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7, 0.95, 1.0])
def test_search_equals_a_sparse_product_and_brute_force(min_df, threshold):
    draw = random.Random(min_df)
    names = words(draw, 700)
    rows = [(f"C{draw.randint(0, 400):03d}", name, False) for name in names]
    rows = [(cui, name, int(cui[1:]) % 4 == 0) for cui, name, _ in rows]
    index, base = indexed(rows, min_df=min_df), index_names.KnowledgeBase(table(rows))
    queries = words(draw, 120) + draw.sample(names, 60) + ["", "zzz", "a"]
    space = NgramSpace(base.names.to_pylist(), min_df)
    dense = space.transform(queries).astype(float) @ space.vectors.astype(float).T
    dense = dense.toarray()
    search, limit = nearest_names.NameSearch(index), max(threshold - nearest_names.SLACK, 1e-12)
    for part in range(name_index.PARTS):
        members = np.flatnonzero(base.parts() == part)
        found = pairs(search.search(part, index.vocabulary.transform(queries), threshold))
        product = pairs(Postings(space.vectors, members).search(space.transform(queries), threshold))
        exact = {(q, n): dense[q, n] for q in range(len(queries)) for n in members.tolist() if dense[q, n] >= limit}
        near = {pair for pair, score in exact.items() if abs(score - limit) < 1e-9}
        assert found.keys() - near == exact.keys() - near == product.keys() - near
        assert all(abs(found[pair] - min(exact[pair], 1.0)) < 1e-12 for pair in found.keys() & exact.keys())
    assert {part for part in base.parts().tolist()} == {0, 1}


def test_each_query_may_have_a_threshold_of_its_own():
    rows = [(f"C{number:03d}", name, False) for number, name in enumerate(words(random.Random(8), 400))]
    index = indexed(rows)
    search, queries = nearest_names.NameSearch(index), index.vocabulary.transform(words(random.Random(9), 50))
    thresholds = np.tile([0.3, 0.5, 0.7, 0.9, 1.1], 10)
    own = pairs(search.search(1, queries, thresholds))
    wanted = {}
    for threshold in set(thresholds.tolist()):
        found = pairs(search.search(1, queries, threshold))
        wanted |= {pair: score for pair, score in found.items() if thresholds[pair[0]] == threshold}
    assert own == wanted and {query for query, _ in own} > {query for query, _ in own if thresholds[query] == 0.9}


def test_marks_of_earlier_queries_are_forgotten_in_time():
    index = indexed([("C1", "renal failure", True)])
    search, query = nearest_names.NameSearch(index), index.vocabulary.transform(["renal failure"] * 3)
    search._mark = np.iinfo(np.int32).max - 2
    assert len(search.search(0, query, 0.7)[0]) == len(search.search(0, query, 0.7)[0]) == 3


@given(
    st.lists(st.tuples(st.sampled_from(["C1", "C2", "C3"]), TEXT), min_size=1, max_size=8), st.lists(TEXT, max_size=5)
)
@settings(max_examples=150, deadline=None)
def test_literal_concepts_are_those_of_a_dictionary(names, surfaces):
    index = indexed([(cui, name, False) for cui, name in names], kind="literal")
    known = collections.defaultdict(set)
    for cui, name in names:
        known[literal_form(name)].add(cui)
    surfaces = surfaces + [name.upper() for _, name in names]
    found = [[index.cui(concept) for concept in concepts] for concepts in index.literal_concepts(surfaces)]
    assert found == [sorted(known[literal_form(surface)]) for surface in surfaces]


def test_the_order_of_rows_and_blocks_do_not_change_a_byte(monkeypatch, tmp_path):
    rows = [(f"C{number % 37:02d}", name, number % 3 == 0) for number, name in enumerate(words(random.Random(5), 300))]
    rows = [(cui, name, int(cui[1:]) % 3 == 0) for cui, name, _ in rows]
    parameters = index_names.Params("tfidf", 2, None, [0], "ENG")
    for folder, shuffled in (("a", rows), ("b", random.Random(6).sample(rows, len(rows)))):
        index_names.build(table(shuffled), tmp_path / folder, parameters, "digest")
        monkeypatch.setattr(index_names, "BLOCK", 11)
        monkeypatch.setattr(index_names, "LIST_ENTRIES", 50)
    for name in ("index.json", "names.bin"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    facts = name_index.NameIndex(tmp_path / "a/index.json").facts
    assert facts["settings"]["restriction_levels"] == [0] and facts["aliases_sha256"] == "digest"
    assert facts["counts"]["names"] == 300 and facts["counts"]["concepts"] == 37
    assert facts["counts"]["defined_concepts"] == 13


def test_a_damaged_index_is_refused(tmp_path):
    parameters = index_names.Params("tfidf", 1, None, None, "ENG")
    index_names.build(table([("C1", "renal failure", True)]), tmp_path, parameters)
    with open(tmp_path / "names.bin", "ab") as stream:
        stream.write(b"x")
    with pytest.raises(DataError, match=r"names\.bin\n.*\n.*\n.*index_names"):
        name_index.NameIndex(tmp_path / "index.json")
    (tmp_path / "index.json").write_text("{}")
    with pytest.raises(DataError, match="index of a knowledge base"):
        name_index.NameIndex(tmp_path / "index.json")


@given(st.text(ALPHABET + "_.\u0301\u2003\n\x1c", max_size=12))
@settings(max_examples=300, deadline=None)
def test_the_short_way_to_a_literal_form_is_the_long_one(text):
    assert literal_form(text) == Squeezed(text).text


def test_nothing_to_index():
    empty = pa.schema({"cui": pa.string(), "name": pa.string(), "defined": pa.bool_()}).empty_table()
    assert index_names.KnowledgeBase(empty).parts().size == 0
