"""Edited rows, relations and the orderings of Figure 5."""

import json

import pytest

from workflow_scripts.reporting import comparison
from workflow_scripts.reporting.model_rows import read_models
from workflow_scripts.reporting.reference_rows import model_changes, orderings, relation_changes


@pytest.fixture
def edited(repository, tmp_path):
    """`edited("models.tsv", change)`: an edited table and the paper's copy."""

    def edit(name, change):
        path = tmp_path / name
        path.write_text(change((repository / "experiments" / name).read_text(encoding="utf-8")), encoding="utf-8")
        return path, repository / "experiments/paper" / name

    return edit


@pytest.mark.parametrize("name", ["models.tsv", "relations.tsv"])
def test_the_tables_hold_the_papers_rows(edited, name):
    compare = {"models.tsv": model_changes, "relations.tsv": relation_changes}[name]
    assert not compare(*edited(name, lambda text: text))
    head, *rows = edited(name, lambda text: text)[0].read_text(encoding="utf-8").splitlines()
    assert not compare(*edited(name, lambda _: "\n".join([head, *rows[::-1]]) + "\n"))


def test_an_edited_row_is_named_in_the_tables_that_show_it(edited):
    found = model_changes(*edited("models.tsv", lambda text: text.replace("0.001\t20\t230", "0.01\t20\t230", 1)))
    assert list(found) == ["table7"]
    (reason,) = found["table7"]
    assert "row cnn_sent of" in reason and "learning_rate 0.01 for 0.001" in reason
    found = model_changes(*edited("models.tsv", lambda text: text.replace("bert_bag_avg\tBERT", "other\tBERT", 1)))
    assert set(found) == {"table7", "table8", "table9"} and "has no row bert_bag_avg" in found["table8"][0]
    found = model_changes(*edited("models.tsv", lambda text: text.replace("table7,table8,table9", "table7,table8", 1)))
    assert list(found) == ["table9"] and "is not in table9" in found["table9"][0]


def test_a_row_of_ones_own_changes_nothing(edited):
    line = "mine\tMine\ttable7\tcnn\tsent"
    assert not model_changes(*edited("models.tsv", lambda text: text + line + "\t" * 19 + "\n"))


def test_other_relations_are_counted_and_named(edited):
    found = relation_changes(*edited("relations.tsv", lambda text: text.replace("\tdue_to", "\tcaused_by", 1)))
    assert len(found) == 2 and all("1 relations: cause_of" in reason for reason in found)


def test_reasons_reach_the_tables(repository, tmp_path):
    config = {
        "umls": {"meta_dir": str(tmp_path)},
        "corpus": {},
        "corpora": {"inductive": {}, "transductive": {"seed": 1}},
    }
    paper = config | {"corpora": {"inductive": {}, "transductive": {}}}
    (tmp_path / "release.dat").write_text("umls.release.name=2019AB\n")
    own = {"table10": ["inductive", "transductive"]}
    of = comparison.obstacles(config, paper, "inductive", own_corpora=own, edited={"": ["all"], "table8": ["one"]})
    assert of("table7") == ["all"] and of("table8") == ["all", "one"]
    assert of("table10") == ["all", "corpus.seed is 1, in the paper's configuration unset"]
    known = comparison.obstacles(config, paper, "inductive", True, own, {"table7": ["edited"]})
    assert known("table7") == ["edited"] and known("table9") == [] and known("table10") != []
    changed = config | {"evaluation": {"common_triple_sentences": 5}}
    assert comparison.obstacles(changed, paper, "inductive")("table9") != []
    assert comparison.obstacles(changed, paper, "inductive")("table8") == []


@pytest.mark.parametrize(
    ("aucs", "expected"),
    [
        ({"CM": 0.8, "OM": 0.7, "CT": 0.7, "OC": 0.5, "OT": 0.4}, [True, True, True, True]),
        ({"CM": 0.7, "OM": 0.7, "CT": 0.71, "OC": 0.71, "OT": 0.71}, [False, False, False, False]),
        ({"CM": 0.8, "OM": 0.7, "CT": 0.6, "OC": 0.3, "OT": 0.4}, [True, True, True, False]),
        ({"CM": 0.8, "OM": 0.7, "CT": 0.6}, [None, True, None, None]),
    ],
)
def test_orderings_of_figure_5(repository, tmp_path, aucs, expected):
    models = read_models(repository / "experiments/models.tsv")
    names = {
        row.get("encoding") or "CM": model for model, row in models.items() if "figure5" in row["tables"].split(",")
    }
    paths = []
    for encoding, auc in aucs.items():
        for seed, shift in ((1, -0.1), (2, 0.1)):
            paths.append(tmp_path / f"inductive.{names[encoding]}.s{seed}/avg/metrics.json")
            paths[-1].parent.mkdir(parents=True)
            paths[-1].write_text(json.dumps({"auc": auc + shift}))
    found = orderings(paths[::-1], models)
    assert [entry["holds"] for entry in found] == expected
    assert found[0]["values"]["CM"] == pytest.approx(100 * aucs["CM"])
