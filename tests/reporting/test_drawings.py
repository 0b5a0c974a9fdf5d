"""Figures 1, 2, 3, 5 and A.1: what they show, in which order."""

import json
import random

import pyarrow as pa
import pytest

from tests.reporting.made_up import BAG_TEXTS, corpus_statistics, make_run, write_bags, write_json
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import write_table
from workflow_scripts.reporting import draw_figure1, draw_figure2, draw_figure3, draw_figure5, draw_figure_a1, figures
from workflow_scripts.reporting.bags import example, read_bags
from workflow_scripts.reporting.drawings import FIGURES, title
from workflow_scripts.reporting.model_rows import read_models

TYPES = [
    ("T047", "Disease or Syndrome", "DISO", "B2.2.1.2.1", 4),
    ("T191", "Neoplastic Process", "DISO", "B2.2.1.2.1.2", 2),
    ("T033", "Finding", "DISO", "A2.2", 1),
    ("T046", "Pathologic Function", "DISO", "B2.2.1.2", 3),
    ("T023", "Body Part, Organ, or Organ Component", "ANAT", "A1.2.3.1", 5),
    ("T017", "Anatomical Structure", "ANAT", "A1.2", 2),
]


@pytest.fixture
def bags(tmp_path):
    write_bags(tmp_path / "bags.parquet")
    return read_bags(tmp_path / "bags.parquet")


def texts_of(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_example_is_a_fact_found_in_some_sentences_but_not_in_all(bags):
    assert len(bags) == len(BAG_TEXTS)
    # C1 C10 is found everywhere, C4 C5 is no fact, C2 C3 is found in one of three: as even as two of four, but shorter
    assert example(bags).pair == ("C1", "C9") and example(bags).votes == [True, True, False, False]
    del bags["C1", "C9"]
    assert example(bags).pair == ("C2", "C3")
    del bags["C2", "C3"]
    assert example(bags).pair == ("C1", "C10"), "no such bag: the surest of a fact"
    del bags["C1", "C10"]
    assert example(bags).pair == ("C4", "C5") and example({}) is None


def test_the_example_does_not_depend_on_the_order_of_the_bags(bags):
    for seed in range(5):
        mixed = random.Random(seed).sample(sorted(bags), len(bags))
        assert example({pair: bags[pair] for pair in mixed}).pair == ("C1", "C9")


def test_an_example_can_be_asked_for(bags):
    assert example(bags, ["C4", "C5"]).labels == ()
    with pytest.raises(DataError, match="C5, C4"):
        example(bags, ["C5", "C4"])


def test_figure1_says_pair_types_relation_marks_and_whose_they_are(bags):
    types = [("Finding", "DISO"), None]
    with figures.styled():
        drawn = texts_of(draw_figure1.draw(example(bags), types, "BERT+sent+AVG, seed 1"))
    assert drawn[:5] == [
        "CUI: (C1, C9)", "Semantic type: (Finding, unknown)", "Semantic group: (DISO, unknown)", "cause_of",
        "marks: BERT+sent+AVG, seed 1",
    ]  # fmt: skip
    assert [text for text in drawn if text.startswith("0.")] == ["0.90  ✓", "0.50  ✓", "0.20  ✗", "0.10  ✗"]
    with figures.styled():
        none = texts_of(draw_figure1.draw(example(bags, ("C4", "C5")), None, "m"))
    assert none[:2] == ["CUI: (C4, C5)", "NA"]


def test_pieces_are_cut_where_mentions_are(bags):
    for bag in bags.values():
        for sentence in bag.sentences:
            pieces = draw_figure1.pieces(sentence)
            joined = "".join((" " if spaced else "") + text for text, _, spaced in pieces)
            assert joined == sentence["text"]
            for role, look in (("head", draw_figure1.HEAD), ("tail", draw_figure1.TAIL)):
                mention = sentence["text"][sentence[f"{role}_start"] : sentence[f"{role}_end"]]
                assert [text for text, own, _ in pieces if own is look] == mention.split()


@pytest.mark.parametrize("width", [0.5, 2.0, 5.0])
def test_lines_keep_their_width_and_lose_no_word(width):
    words = [(f"word{number}", {}, True) for number in range(30)]
    lines = draw_figure1.wrapped(words, width)
    assert [text for line in lines for _, text, _ in line] == [text for text, _, _ in words]
    assert all(x + draw_figure1.text_width(text) <= width or len(line) == 1 for line in lines for x, text, _ in line)
    assert width < 5 or len(lines) < 8


def write_release(folder, types):
    """kg/concepts, MRSTY and SemGroups of some types; MRSTY has concepts and types of other vocabularies too."""
    concepts, rows, groups = [], ["C99|T999|Z9|Other|AT1|256|"], []
    for tui, name, group, number, n in types:
        groups.append(f"{group}|{'Disorders' if group == 'DISO' else 'Anatomy'}|{tui}|{name}")
        for place in range(n):
            cui = f"C{tui[1:]}{place}"
            concepts.append({"cui": cui, "name": cui, "tui": tui, "sty": name, "group": group, "n_types": 1})
            rows.append(f"{cui}|{tui}|{number}|{name}|AT1|256|")
    concepts.sort(key=lambda row: row["cui"])
    write_table(folder / "concepts.parquet", pa.Table.from_pylist(concepts, CONCEPTS.schema), CONCEPTS)
    (folder / "MRSTY.RRF").write_text("\n".join(rows) + "\n")
    (folder / "SemGroups.txt").write_text("\n".join(groups) + "\n")


def test_figure2_follows_the_tree_numbers(tmp_path):
    write_release(tmp_path, TYPES)
    types = draw_figure2.type_counts(tmp_path / "concepts.parquet")
    numbers = draw_figure2.tree_numbers(tmp_path / "MRSTY.RRF", set(types))
    assert numbers == {tui: number for tui, _, _, number, _ in TYPES}
    groups = draw_figure2.hierarchy(types, numbers)
    shown = {group: [(b.name, b.concepts, b.depth) for b in branches] for group, branches in groups.items()}
    assert shown == {
        "ANAT": [("Anatomical Structure", 2, 0), ("Body Part, Organ, or Organ Component", 5, 1)],
        "DISO": [("Finding", 1, 0), ("Pathologic Function", 3, 0), ("Disease or Syndrome", 4, 1),
                 ("Neoplastic Process", 2, 2)],
    }  # fmt: skip
    with figures.styled():
        texts = texts_of(draw_figure2.draw(groups, {"ANAT": "Anatomy"}))
    assert texts[:4] == ["Concepts", "17", "Anatomy (ANAT)", "7"] and "DISO (DISO)" in texts


def test_tree_numbers_compare_as_numbers():
    numbers = ["B1.10", "B1.9", "A", "A1.4.1.1.3.10", "A1.4.1.1.3.2", "B1"]
    assert sorted(numbers, key=draw_figure2.tree_key) == ["A", "A1.4.1.1.3.2", "A1.4.1.1.3.10", "B1", "B1.9", "B1.10"]
    assert draw_figure2.is_above("A", "A1") and draw_figure2.is_above("B1", "B1.9")
    assert not draw_figure2.is_above("B1.1", "B1.10") and not draw_figure2.is_above("B1", "B1")


def test_figure2_without_a_tree_number_and_without_concepts():
    groups = draw_figure2.hierarchy({"T1": ("b", "G", 1), "T2": ("a", "G", 2), "T3": ("c", "G", 3)}, {"T3": "A1"})
    assert [(b.name, b.depth) for b in groups["G"]] == [("c", 0), ("a", 0), ("b", 0)]
    with figures.styled():
        assert texts_of(draw_figure2.draw({}, {})) == ["Concepts", "0"]


def test_figure3_counts_entities_and_instances(tmp_path):
    statistics = corpus_statistics()
    types = draw_figure3.type_counts("f", statistics)
    assert [entry[2] for entry in types] == [700, 500, 300] and types[0][:2] == ("Disease or Syndrome", "DISO")
    relations = draw_figure3.relation_counts("f", statistics)
    assert relations == [("NA", 25200), ("finding_site_of", 2000), ("cause_of", 700), ("access_of", 100)]
    with figures.styled():
        left, right = draw_figure3.draw(types, relations).axes
        assert left.get_xscale() == right.get_xscale() == "log"
        assert [text.get_text() for text in right.get_yticklabels()] == [name for name, _ in relations]
        assert [text.get_text() for text in left.get_legend().get_texts()] == ["DEVI", "DISO"]
        assert right.yaxis_inverted()
        assert draw_figure3.draw([], []).axes, "an empty corpus has a figure too"


def test_figure_a1_shares_sum_to_the_whole(tmp_path):
    shares = draw_figure_a1.shares(write_json(tmp_path / "statistics.json", corpus_statistics()))
    assert [(group, n) for group, n, _ in shares] == [("DISO", 1200), ("DEVI", 300)]
    assert [share for _, _, share in shares] == [80.0, 20.0]
    with figures.styled():
        axes = draw_figure_a1.draw(shares).axes[0]
    assert [text.get_text() for text in axes.texts] == ["80.0 %  (1,200)", "20.0 %  (300)"]
    broken = write_json(tmp_path / "broken.json", {"entities_by_type": [{"group": "DISO"}]})
    with pytest.raises(DataError, match="key entities"):
        draw_figure_a1.shares(broken)


@pytest.fixture
def encodings(tmp_path):
    """Evaluations of three encodings, one by the default of an empty cell, and their models.tsv."""
    root = make_run(tmp_path / "demo", seeds=(1, 2))
    lines = ["model\tname\ttables\tencoder\tlevel\tpooling\tencoding"]
    lines += [f"{model}\tBERT\tfigure5\tbert\tsent\t\t{encoding}"
              for model, encoding in (("cnn_bag_one", "ot"), ("cnn_bag_att", ""), ("bert_bag_avg", "om"))]  # fmt: skip
    (root / "models.tsv").write_text("\n".join(lines) + "\n")
    folders = [
        f for name in ("cnn_bag_one", "cnn_bag_att", "bert_bag_avg") for f in root.glob(f"evaluation/*.{name}.*/*")
    ]
    return root, folders


def test_figure5_has_the_papers_order_and_the_seeds_of_each(encodings):
    root, folders = encodings
    models = read_models(root / "models.tsv")
    curves = [folder / "curve.parquet" for folder in folders]
    lines, areas = draw_figure5.curves(curves, [folder / "metrics.json" for folder in folders], models)
    again = draw_figure5.curves(curves[::-1], [folder / "metrics.json" for folder in folders[::-1]], models)
    assert list(lines) == ["CM", "OM", "OT"] == list(again[0]) and areas == again[1]
    assert {key: len(seeds) for key, seeds in lines.items()} == {"CM": 2, "OM": 2, "OT": 2}
    expected = json.loads((root / "evaluation/inductive.bert_bag_avg.s2/avg/metrics.json").read_text())["auc"]
    assert areas["OM"][1] == expected
    assert draw_figure5.labels({"OM": [0.5, 0.6], "CM": [0.5], "OT": [None]}) == {
        "OM": "OM, only mention (AUC 55.0 ± 7.1)", "CM": "CM, context + mention (AUC 50.0)", "OT": "OT, only type",
    }  # fmt: skip


@pytest.mark.parametrize(
    "cell, words", [("xm", "encoding XM of bert_bag_avg"), ("ot", "a second model of encoding OT")]
)
def test_figure5_refuses_unknown_and_double_encodings(encodings, cell, words):
    root, folders = encodings
    text = (root / "models.tsv").read_text().replace("\tom\n", f"\t{cell}\n")
    (root / "models.tsv").write_text(text)
    with pytest.raises(DataError, match=words):
        draw_figure5.curves([f / "curve.parquet" for f in folders], [], read_models(root / "models.tsv"))


def test_every_figure_has_a_caption_and_a_rule(repository):
    rules = (repository / "rules/reporting.smk").read_text(encoding="utf-8")
    for name in FIGURES:
        assert len((repository / f"report/{name}.rst").read_text(encoding="utf-8")) > 50
        assert f"rule draw_{name}:" in rules and title(name).startswith("Figure ")
