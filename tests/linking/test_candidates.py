"""Which concepts surfaces get: against a comparison with every name."""

import pathlib
import random
import tempfile

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linking import restatement
from workflow_scripts.common.errors import UsageError
from workflow_scripts.linking import candidates, index_names, nearest_names
from workflow_scripts.linking.candidates import make_generator
from workflow_scripts.linking.forms import search_key
from workflow_scripts.linking.index_names import KnowledgeBase
from workflow_scripts.linking.links import Rule, links
from workflow_scripts.linking.name_index import NameIndex

WORD = st.text("abcA", min_size=1, max_size=5)
NAME = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
CUI = st.sampled_from(["C1", "C2", "C3", "C4", "C5"])
THRESHOLD = st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.95, 1.0])


def table(rows):
    """Rows (cui, name, defined) as a table of aliases, sorted."""
    rows = sorted(set(rows))
    return pa.table({"cui": [r[0] for r in rows], "name": [r[1] for r in rows], "defined": [r[2] for r in rows]})


def indexed(rows, kind="tfidf", min_df=1):
    """The index of rows (cui, name, defined)."""
    settings = index_names.Params(kind, min_df, None, None, "ENG")
    with tempfile.TemporaryDirectory() as folder:
        index_names.build(table(rows), pathlib.Path(folder), settings)
        return NameIndex(pathlib.Path(folder, "index.json"))


def generate(rows, surfaces, kind="tfidf", mode="faithful", min_df=1, **rule):
    rule = {"threshold": 0.7, "no_definition_threshold": 0.95, "k": 30, "max_candidates": 5} | rule
    generator = make_generator(kind, mode, indexed(rows, kind, min_df), Rule(**rule))
    return generator.candidates([search_key(surface) for surface in surfaces], surfaces)


def with_definitions(pairs, defined):
    return [(cui, name, cui in defined) for cui, name in pairs]


@given(
    st.lists(st.tuples(CUI, NAME), min_size=2, max_size=14),
    st.sets(CUI),
    st.lists(NAME | st.just("") | st.just("zzz qq"), min_size=1, max_size=6),
    st.integers(1, 2),
    st.fixed_dictionaries(
        {"threshold": THRESHOLD, "no_definition_threshold": THRESHOLD, "k": st.integers(1, 6) | st.just(30)}
        | {"max_candidates": st.integers(1, 5)}
    ),
    st.booleans(),
)
@settings(max_examples=500, deadline=None)
def test_equals_a_comparison_with_every_name(pairs, defined, surfaces, min_df, rule, literal_first):
    rows = with_definitions(pairs, defined)
    mode = "prefer_literal" if literal_first else "faithful"
    try:
        expected = restatement.linked(surfaces, rows, min_df=min_df, literal_first=literal_first, **rule)
    except ValueError:
        with pytest.raises(UsageError, match="linking.ngram_min_df"):
            generate(rows, surfaces, mode=mode, min_df=min_df, **rule)
        return
    assert generate(rows, surfaces, mode=mode, min_df=min_df, **rule) == expected


def large_case(seed=0, concepts=150):
    """Many similar names, so that the k nearest are full of ties and of concepts without definition."""
    draw = random.Random(seed)
    stems = ["hypertens", "hypotens", "nephropath", "neuropath", "carcinom", "sarcom", "cardit", "nephrit"]
    ends = ["ion", "ive", "y", "ic", "a", "as", "is", "ia"]
    heads = ["acute", "Chronic", "renal", "portal", "left", "Drug-induced", "\U0001f600", "type 2"]
    pairs = []
    for number in range(concepts):
        for _ in range(draw.randint(1, 6)):
            words = draw.sample(heads, draw.randint(0, 2)) + [draw.choice(stems) + draw.choice(ends)]
            draw.shuffle(words)
            pairs.append((f"C{number:03d}", " ".join(words)))
    defined = {f"C{number:03d}" for number in range(concepts) if draw.random() < 0.3}
    surfaces = sorted({name for _, name in pairs})[::3] + ["renal hypertensions", "nephropathia", "kidney", "a", ""]
    return with_definitions(pairs, defined), surfaces


RULES = [
    {"threshold": 0.7, "no_definition_threshold": 0.95, "k": 30, "max_candidates": 5},
    {"threshold": 0.4, "no_definition_threshold": 0.8, "k": 4, "max_candidates": 3},
    {"threshold": 0.9, "no_definition_threshold": 0.5, "k": 1, "max_candidates": 1},
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("min_df", [1, 10])
def test_equals_a_comparison_with_every_name_when_names_crowd(rule, min_df):
    rows, surfaces = large_case()
    expected = restatement.linked(surfaces, rows, min_df=min_df, **rule)
    assert generate(rows, surfaces, min_df=min_df, **rule) == expected
    assert any(len(found) for found in expected)


def test_the_cap_of_nearest_names_is_met_by_names_that_do_not_count():
    # Three undefined concepts are nearer than the defined one, but not near enough themselves.
    rows = [("C1", "abcdefgh xyz", False), ("C2", "abcdefgh xyw", False), ("C3", "abcdefgh xvu", False)]
    rows += [("C4", "abcdefgh klmno", True), ("C5", "other words", False)]
    near = generate(rows, ["abcdefgh x"], threshold=0.3, k=4)
    far = generate(rows, ["abcdefgh x"], threshold=0.3, k=3)
    assert [cui for cui, _ in near[0]] == ["C4"] and far == [[]]


def test_blocks_and_batches_do_not_matter(monkeypatch):
    rows, surfaces = large_case(1, concepts=40)
    whole = generate(rows, surfaces, **RULES[1])
    monkeypatch.setattr(nearest_names, "PAIRS", 1)
    monkeypatch.setattr(index_names, "BLOCK", 7)
    monkeypatch.setattr(index_names, "LIST_ENTRIES", 5)
    assert generate(rows, surfaces, **RULES[1]) == whole
    generator = make_generator("tfidf", "faithful", indexed(rows), Rule(**RULES[1]))
    assert [generator.candidates([search_key(s)], [s])[0] for s in surfaces] == whole


def test_order_of_surfaces_does_not_matter():
    rows, surfaces = large_case(2)
    shuffled = random.Random(3).sample(surfaces, len(surfaces))
    found = dict(zip(shuffled, generate(rows, shuffled), strict=True))
    assert [found[surface] for surface in surfaces] == generate(rows, surfaces)


def test_thresholds_at_the_boundary():
    rows = [("C1", "hypertension portal", True), ("C2", "hypertensive crisis", False), ("C3", "some other name", False)]
    surface = ["portal hypertensions"]
    ((_, score),) = generate(rows, surface, threshold=0.5)[0]
    assert 0.5 < score < 1
    assert generate(rows, surface, threshold=score) == [[]]
    assert generate(rows, surface, threshold=round(score - 1e-5, 5)) == [[("C1", score)]]
    rows[0] = ("C1", "hypertension portal", False)
    low = {"threshold": 0.1}
    assert generate(rows, surface, no_definition_threshold=score, **low) == [[("C1", score)]]
    assert generate(rows, surface, no_definition_threshold=round(score + 1e-5, 5), **low) == [[]]


def test_ties_go_to_the_smallest_concept_and_rare_grams_make_ties():
    rows = [("C9", "NVP", False), ("C3", "DVP", False), ("C5", "AVP drug", False), ("C1", "MVP drug", False)]
    # "vp " occurs in all four, everything before it is rare.
    assert [cui for cui, _ in generate(rows, ["nvp"], min_df=3)[0]] == ["C1", "C3", "C5", "C9"]
    literal = generate(rows, ["nvp"], mode="prefer_literal", min_df=3)[0]
    assert literal[0] == ("C9", 1.0) and [cui for cui, _ in literal[1:]] == ["C1", "C3", "C5"]


def test_scores_that_differ_only_by_rounding_tie():
    rows = [("C2", "alpha beta", False), ("C1", "BETA  alpha", False), ("C3", "beta alpha", False)]
    assert generate(rows, ["beta Alpha"]) == [[("C1", 1.0), ("C2", 1.0), ("C3", 1.0)]]


def test_a_name_of_several_concepts():
    rows = [("C2", "cold", True), ("C1", "cold", False), ("C1", "common cold", False), ("C3", "heat", False)]
    assert generate(rows, ["Cold"]) == [[("C1", 1.0), ("C2", 1.0)]]
    assert generate(rows, ["COLD", "hot"], kind="literal") == [[("C1", 1.0), ("C2", 1.0)], []]


def test_literal_ignores_blanks_beside_punctuation_and_keeps_na():
    rows = [("C1", "N-acetyl (R)", False), ("C2", "NA", True)]
    assert generate(rows, ["n - Acetyl ( r )", "na", "None"], kind="literal") == [[("C1", 1.0)], [("C2", 1.0)], []]


def test_each_key_is_searched_once(monkeypatch):
    rows, searched = [("C1", "renal failure", True)], []
    original = candidates.TfidfGenerator._search

    def search(self, keys):
        searched.extend(keys)
        return original(self, keys)

    monkeypatch.setattr(candidates.TfidfGenerator, "_search", search)
    surfaces = ["renal failure", "Failure renal", "RENAL FAILURE", "x"]
    assert [len(found) for found in generate(rows, surfaces)] == [1, 1, 1, 0]
    assert searched == ["failure renal", "x"]


def test_no_surfaces():
    rows = [("C1", "renal failure", True)]
    assert generate(rows, []) == [] == generate(rows, [], kind="literal")
    assert links(make_generator("tfidf", "faithful", indexed(rows), Rule(0.7, 0.95, 30, 5)), [], []).num_rows == 0


def test_a_tiny_knowledge_base_with_a_large_min_df_says_what_to_do():
    with pytest.raises(UsageError, match="set linking.ngram_min_df to 1"):
        generate([("C1", "renal failure", True)], ["x"], min_df=10)


def test_knowledge_base_arrays():
    base = KnowledgeBase(table([("C2", "a", True), ("C1", "b", False), ("C1", "a", False), ("C2", "c", True)]))
    assert base.cuis.to_pylist() == ["C1", "C2"] and base.names.to_pylist() == ["a", "b", "c"]
    assert base.defined.tolist() == [False, True]
    assert base.concepts.tolist() == [0, 1, 0, 1] and base.offsets.tolist() == [0, 2, 3, 4]
