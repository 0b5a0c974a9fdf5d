"""Tables 8, 9 and 10 from made-up metrics."""

import csv
import json

import pytest

from tests.reporting.made_up import auc, write_graph


@pytest.fixture
def rendered(repository, run_command, models_file, tmp_path):
    """`rendered("table9", options)`: rows of the csv by their keys."""

    def render(table, *options, keys=1):
        done = run_command(
            f"reporting/render_{table}.py", "--expected", repository / f"experiments/expected/{table}.tsv",
            "--schema", repository / "schemas/expected.schema.yaml", "--caption", repository / f"report/{table}.rst",
            *options, *(word for kind in ("csv", "md", "tex") for word in (f"--{kind}", tmp_path / f"t.{kind}")),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        with open(tmp_path / "t.csv", encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        return {tuple(row[name] for name in list(row)[:keys]): row for row in rows}

    return render


@pytest.mark.parametrize("category", ["paper", "published"])
def test_table8(rendered, finished, models_file, tmp_path, category):
    metrics = sorted(finished.glob("evaluation/*bert_bag*/*/metrics.json"))
    rows = rendered("table8", "--metrics", *metrics, "--models", models_file, *write_graph(tmp_path, category))
    assert [key for (key,) in rows] == ["BERT+bag+AVG", "BERT+bag+ONE", "BERT+bag+ATT"]
    row, value = rows[("BERT+bag+AVG",)], 100 * auc("bert_bag_avg", "avg", 2)
    # F1 of the made-up metrics: AUC for finding_site_of, a half for cause_of, a third for interprets
    one = value if category == "paper" else (value + value / 3) / 2
    assert float(row["1-1"]) == pytest.approx(one, abs=1e-5) and row["1-1_paper"] == "66.6"
    assert float(row["M-1"]) == pytest.approx(value / 2, abs=1e-5)
    assert row["1-M"] == row["M-M"] == "" and row["1-M_paper"] == "48.3"
    assert row["run_ids"].count("|") == 2 and float(row["M-1_sd"]) == pytest.approx(1.0)


def test_table9(rendered, finished, models_file):
    metrics = sorted(finished.glob("evaluation/*bert_*/avg/metrics.json"))
    rows = rendered("table9", "--metrics", *metrics, "--models", models_file, keys=2)
    assert len(rows) == 6
    row, value = rows["common", "BERT+sent+AVG"], auc("bert_sent", "avg", 2)
    found = [float(row[name]) for name in ("precision", "recall", "f1", "f1_without_na")]
    assert found == pytest.approx([value, value / 3, value / 3, value / 4], abs=1e-5)
    assert (row["precision_paper"], row["f1_paper"], row["f1_without_na_paper"]) == ("0.98", "0.76", "")


def test_table10(rendered, finished, tmp_path):
    for number, corpus in enumerate(("inductive", "transductive")):
        for path in finished.glob("evaluation/inductive.bert_sent.*/avg/metrics.json"):
            target = tmp_path / path.relative_to(finished).as_posix().replace("inductive", corpus, 1)
            target.parent.mkdir(parents=True)
            metrics = json.loads(path.read_text())
            target.write_text(json.dumps(metrics | {"auc": metrics["auc"] + 0.1 * number}))
    rows = rendered("table10", "--metrics", *sorted(tmp_path.glob("evaluation/*/*/metrics.json")))
    values = [float(rows[(corpus,)]["auc"]) for corpus in ("inductive", "transductive")]
    assert values == pytest.approx([100 * auc("bert_sent", "avg", 2), 100 * auc("bert_sent", "avg", 2) + 10], abs=1e-4)
    assert rows[("transductive",)]["max_micro_f1_paper"] == "73.3"


def test_table_a1(rendered, tmp_path):
    best = "encoder\tlevel\tpooling\tcell\tembedding\tbatch_size\tbag_size\tvalid_auc\tvalid_auc_sd\tseeds\tcells\n"
    best += "cnn\tbag\tone\tx\tglove\t128\t8\t0.5\t0.01\t2\t24\ncnn\tsent\tavg\ty\tbiow2v\t256\t\t0.25\t\t2\t6\n"
    (tmp_path / "best.tsv").write_text(best)
    scored = [{"cell": "x", "seed": s, "found": {"one": {"auc": 0.3 + 0.1 * s}}} for s in (1, 2)]
    scored += [{"cell": "y", "seed": 1, "found": {"avg": {"auc": None}, "one": {"auc": 0.9}}}]
    (tmp_path / "s.json").write_text(json.dumps(scored))
    rows = rendered("table_a1", "--best", tmp_path / "best.tsv", "--scores", tmp_path / "s.json")
    row = rows[("CNN+bag+ONE",)]
    assert [row[n] for n in ("bag_size", "batch_size", "embedding", "cells")] == ["8", "128", "GloVe", "24"]
    assert [row[f"{n}_paper"] for n in ("bag_size", "batch_size", "embedding")] == ["16", "256", "GloVe"]
    assert (row["valid_auc"], row["valid_auc_sd"], row["auc"], row["run_ids"]) == ("50", "1", "45", "x.s1|x.s2")
    row = rows[("CNN+sent+AVG",)]
    assert (row["bag_size"], row["auc"], row["batch_size_paper"]) == ("-", "", "128")
    assert rows[("GRU+bag+ATT",)]["bag_size"] == "" and len(rows) == 15


def test_table11(rendered, finished, models_file):
    kinds = ("biomedical", "clinical", "type", "triples", "synonyms")
    registry = {
        "sapbert": {"name": "SapBERT", "missing": "not at hand: no hub id", **dict.fromkeys(kinds, "no")},
        "biobert": {"name": "BioBERT", "missing": None, **dict.fromkeys(kinds, "no"), "biomedical": "yes"},
        "own": {"name": "own", "missing": None, **dict.fromkeys(kinds)},
    }
    metrics = sorted(finished.glob("evaluation/*bert_sent.*/avg/metrics.json"))
    options = ["--models", models_file, "--params", json.dumps({"encoders": registry})]
    rows = rendered("table11", "--metrics", *metrics, *options)
    assert len(rows) == 10 and ("own",) not in rows
    row = rows[("BioBERT",)]
    assert float(row["auc"]) == pytest.approx(auc("bert_sent", "avg", 2)) and row["state"] == "trained"
    assert [row[kind] for kind in kinds] == [row[f"{kind}_paper"] for kind in kinds] == ["✓", "-", "-", "-", "-"]
    row = rows[("SapBERT",)]
    assert (row["auc"], row["auc_paper"], row["state"]) == ("", "0.78", "not at hand: no hub id")
    assert (row["synonyms"], row["synonyms_paper"]) == ("-", "✓")
    # another model in the slot is said to be one
    registry["biobert"]["folder"] = "resources/minilm"
    rows = rendered("table11", "--metrics", *metrics, *options[:-1], json.dumps({"encoders": registry}))
    assert rows[("BioBERT",)]["state"] == "trained, from resources/minilm"


def test_table9_without_a_common_triple(rendered, finished, models_file, tmp_path):
    """Precision, recall and F1 of nothing are no 0."""
    (source,) = finished.glob("evaluation/inductive.bert_sent.s1/avg/metrics.json")
    metrics = json.loads(source.read_text())
    metrics["sentence_subsets"]["common"]["with_na"]["n_gold"] = 0
    target = tmp_path / source.relative_to(finished)
    target.parent.mkdir(parents=True)
    target.write_text(json.dumps(metrics))
    row = rendered("table9", "--metrics", target, "--models", models_file, keys=2)["common", "BERT+sent+AVG"]
    assert (row["precision"], row["recall"], row["f1"]) == ("", "", "") and float(row["f1_without_na"]) > 0
