"""recall@k with ties: known answers, a literal restatement on random worlds, subsets, filtered figures."""

import random
import statistics

import numpy as np
import pytest

from tests.belb.worlds import corpus_of, literal_recall, predictions_of, random_world
from workflow_scripts.belb.api import evaluate, link
from workflow_scripts.belb.metrics import MODES
from workflow_scripts.belb.predictions import Prediction, Predictions
from workflow_scripts.common.errors import DataError


@pytest.mark.parametrize(
    ("gold", "ranks", "std", "strict", "lenient"),
    [
        (["A"], [["A"]], 1, 1, 1),
        (["A"], [["B"]], 0, 0, 0),
        (["A"], [["A", "B"]], 0.5, 0, 1),
        (["A"], [["B", "C", "A"]], 1 / 3, 0, 1),
        (["A"], [["A", "A"]], 1, 1, 1),  # one distinct identifier is no tie
        (["A", "B"], [["B"]], 1, 1, 1),
        (["A", "B"], [["A", "B"]], 1, 0, 1),  # strict: more than one distinct identifier is wrong
        (["A", "B"], [["A", "B", "C"]], 2 / 3, 0, 1),
        (["A"], [["B"], ["A"]], 0, 0, 0),
        (["A"], [], 0, 0, 0),
        (["A"], None, 0, 0, 0),
    ],
)
def test_one_mention_at_rank_1(gold, ranks, std, strict, lenient):
    corpus = corpus_of([("test", "1", "x", gold)])
    found = evaluate(corpus, predictions_of(corpus, [ranks]))["full"]["recall@1"]
    assert found == pytest.approx({"std": std, "strict": strict, "lenient": lenient})


@pytest.mark.parametrize(
    ("ranks", "k", "std", "strict", "lenient"),
    [
        ([["B"], ["A"]], 2, 1, 1, 1),
        ([["A", "B"], ["A", "C"]], 2, 0.75, 0, 1),  # 1 - 1/2 * 1/2
        ([["A", "B"], ["C"], ["A"]], 2, 0.5, 0, 1),
        ([["A", "B"], ["C"], ["A"]], 3, 1, 1, 1),
        ([["B"], ["C"], ["D"], ["E"], ["F"], ["A"]], 5, 0, 0, 0),
    ],
)
def test_one_mention_at_rank_k(ranks, k, std, strict, lenient):
    corpus = corpus_of([("test", "1", "x", ["A"])])
    found = evaluate(corpus, predictions_of(corpus, [ranks]), ranks=[k])["full"][f"recall@{k}"]
    assert found == pytest.approx({"std": std, "strict": strict, "lenient": lenient})


@pytest.mark.parametrize("seed", range(25))
def test_equal_to_the_definition_on_random_worlds(seed):
    corpus, predictions = random_world(seed)
    result = evaluate(corpus, predictions, ranks=(1, 2, 3, 5))
    gold, rows = corpus.gold(), {(r.document, r.start, r.end, r.hexdigest): r.candidates for r in predictions.rows}
    ranks = [rows.get((*span, digest)) for span, digest in zip(gold.spans, gold.hexdigests, strict=True)]
    others = [row for row in corpus.mentions.to_pylist() if row["split"] != "test"]
    seen = {identifier for row in others for identifier in row["identifiers"]}
    names = {row["text"].lower() for row in others}
    known = [bool(seen & set(identifiers)) for identifiers in gold.identifiers]
    masks = {
        "full": [True] * len(gold),
        "disease": [kind == "disease" for kind in gold.entity_types],
        "zero_shot": [not each for each in known],
        "stratified": [k and text.lower() not in names for k, text in zip(known, gold.texts, strict=True)],
    }
    found = {"full": result["full"], "disease": result["by_type"].get("disease"), **result["subsets"]}
    for name, mask in masks.items():
        chosen = [place for place, inside in enumerate(mask) if inside]
        if name == "disease" and not chosen:
            assert found[name] is None
            continue
        assert found[name]["n"] == len(chosen)
        for k in (1, 2, 3, 5):
            for mode in MODES:
                each = [literal_recall(gold.identifiers[p], ranks[p], k, mode) for p in chosen]
                wanted = pytest.approx(statistics.fmean(each)) if chosen else None
                assert found[name][f"recall@{k}"][mode] == wanted, (name, k, mode)


def test_std_is_what_many_draws_come_to():
    corpus, predictions = random_world(3, mentions=200)
    gold, draw, right = corpus.gold(), random.Random(0), 0
    rows = {row.hexdigest: row.candidates for row in predictions.rows}
    for digest, identifiers in zip(gold.hexdigests, gold.identifiers, strict=True):
        for ranks in [rows.get(digest)] * 400:
            right += bool(ranks) and draw.choice(sorted(set(ranks[0]))) in identifiers
    expectation = evaluate(corpus, predictions)["full"]["recall@1"]["std"]
    assert expectation == pytest.approx(right / 400 / len(gold), abs=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_lines_and_the_way_a_mention_is_named_do_not_count(seed):
    corpus, predictions = random_world(seed)
    wanted = evaluate(corpus, predictions)
    shuffled = list(predictions.rows)
    random.Random(seed).shuffle(shuffled)
    by_span = [Prediction(row.document, row.start, row.end, "-", row.candidates) for row in shuffled]
    for rows in (shuffled, by_span):
        assert evaluate(corpus, Predictions(corpus.name, "made_up_kb", "made_up_system", rows)) == wanted


def test_modes_are_ordered_and_recall_grows_with_k():
    for seed in range(10):
        full = evaluate(*random_world(seed), ranks=(1, 2, 5))["full"]
        for k in (1, 2, 5):
            assert full[f"recall@{k}"]["strict"] <= full[f"recall@{k}"]["std"] <= full[f"recall@{k}"]["lenient"]
        for mode in MODES:
            assert full["recall@1"][mode] <= full["recall@2"][mode] <= full["recall@5"][mode]


def test_filtered_figures_are_over_the_spans_of_the_reference_system():
    corpus = corpus_of([("test", "1", name, [name]) for name in "ABCD"])
    ours = predictions_of(corpus, [[["A"]], [["x"]], [["C"]], None])
    reference = predictions_of(corpus, [[["A"]], [["B"]], None, [["x"]]], with_digests=False)
    result = evaluate(corpus, ours, reference=reference)
    assert result["full"]["n"] == 4 and result["full"]["recall@1"]["std"] == 0.5
    assert result["filtered"]["n"] == 3 and result["filtered"]["recall@1"]["std"] == pytest.approx(1 / 3)
    assert result["reference"] == "made_up_system"
    own = evaluate(corpus, reference, reference=reference)
    assert own["filtered"]["predicted"] == own["filtered"]["n"] == 3


def test_a_reference_row_without_candidates_has_the_span():
    corpus = corpus_of([("test", "1", "A", ["A"])])
    reference = predictions_of(corpus, [[]])
    assert evaluate(corpus, predictions_of(corpus, [[["A"]]]), reference=reference)["filtered"]["n"] == 1


def test_no_mention_in_a_subset_is_no_figure():
    corpus = corpus_of([("train", "0", "a", ["A"]), ("test", "1", "a", ["A"])])
    result = evaluate(corpus, predictions_of(corpus, [[["A"]]]))
    assert result["subsets"]["zero_shot"] == {
        "n": 0,
        "predicted": 0,
        "ambiguous": 0,
        "recall@1": dict.fromkeys(MODES),
        "recall@5": dict.fromkeys(MODES),
    }


def test_a_mention_with_a_seen_and_an_unseen_identifier_is_not_zero_shot():
    corpus = corpus_of([("dev", "0", "old", ["A"]), ("test", "1", "new", ["A", "B"]), ("test", "1", "OLD", ["A"])])
    subsets = evaluate(corpus, predictions_of(corpus, [None, None]))["subsets"]
    assert subsets["zero_shot"]["n"] == 0 and subsets["stratified"]["n"] == 1


def test_found_spans_have_precision_recall_and_f1():
    corpus = corpus_of([("test", "1", "aa", ["A"]), ("test", "1", "bb", ["B"]), ("test", "1", "cc", ["C"])])
    rows = [
        Prediction("1", 0, 2, "-", (("A",),)),  # right
        Prediction("1", 3, 5, "-", (("A", "B"),)),  # right span, half right
        Prediction("1", 6, 7, "-", (("C",),)),  # another span
        Prediction("1", 1, 2, "-", (("A",),)),  # another span
    ]
    spans = evaluate(corpus, Predictions(corpus.name, "", "", rows))["spans"]
    assert (spans["gold"], spans["predicted"], spans["exact"]) == (3, 4, 2)
    assert spans["detection"] == pytest.approx({"precision": 2 / 4, "recall": 2 / 3, "f1": 2 * 2 / 7})
    assert spans["linking"] == pytest.approx({"precision": 1.5 / 4, "recall": 1.5 / 3, "f1": 3 / 7})


def test_nothing_predicted():
    corpus = corpus_of([("test", "1", "a", ["A"])])
    result = evaluate(corpus, Predictions(corpus.name, "", "", []))
    assert result["full"]["recall@1"] == {"std": 0.0, "strict": 0.0, "lenient": 0.0}
    assert result["spans"]["linking"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


@pytest.mark.parametrize("ranks", [[], [0], [1, -1]])
def test_ranks_that_make_no_sense(ranks):
    corpus, predictions = random_world(0)
    with pytest.raises(DataError, match="numbers from 1"):
        evaluate(corpus, predictions, ranks=ranks)


def test_a_split_without_mentions_says_what_there_is():
    corpus = corpus_of([("train", "1", "a", ["A"])])
    with pytest.raises(DataError, match=r"train 1\n.*split test"):
        evaluate(corpus, Predictions(corpus.name, "", "", []))


def test_a_linker_sees_each_text_once():
    corpus = corpus_of([("test", str(number), "same", ["A"]) for number in range(3)])
    seen = []
    predictions = link(corpus, lambda text: seen.append(text) or [["A"]])
    assert seen == ["same"] and np.isclose(evaluate(corpus, predictions)["full"]["recall@1"]["strict"], 1)
