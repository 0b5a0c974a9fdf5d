"""Scores of a run against a literal reading of the poolings, one bag and one sentence at a time."""

import json

import numpy as np
import pytest
import torch

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.models.arrays import gather
from workflow_scripts.common.models.inference import to_device
from workflow_scripts.common.models.scoring import score_split
from workflow_scripts.common.models.tokenization import encode_split
from workflow_scripts.common.tables import read_table
from workflow_scripts.evaluation import scoring

MODELS = [(encoder, pooling) for encoder in ("cnn", "pcnn", "gru", "bert") for pooling in (None, "avg", "one", "att")]


def literal_scores(bundle, path, pooling):
    """{(head, tail): float64 (R,)} from representations, sentence by sentence."""
    sentences, pairs = encode_split(path, bundle.tokenizer, bundle.config["rel2id"])
    model, encoder = bundle.model, bundle.model.encoder
    weight, bias = model.relations.weight.double(), model.relations.bias.double()
    scores = {}
    for number, pair in enumerate(pairs):
        states = []
        for index in np.flatnonzero(sentences.rows["pair"] == number):
            batch = gather(sentences, [index], bundle.tokenizer.pad_id, encoder.extra_pads, bundle.config["max_length"])
            states.append(encoder(to_device(batch, "cpu"))[0].double())
        states = torch.stack(states)
        if pooling == "avg":
            scores[pair] = torch.softmax(weight @ states.mean(0) + bias, 0)
        elif pooling == "one":
            scores[pair] = torch.stack([torch.softmax(weight @ state + bias, 0) for state in states]).max(0).values
        else:
            scores[pair] = torch.empty(len(bias)).double()
            for relation in range(len(bias)):
                share = torch.softmax(states @ (weight[relation] * model.diagonal.double()), 0)
                scores[pair][relation] = torch.softmax(weight @ (share @ states) + bias, 0)[relation]
    return scores


@pytest.mark.parametrize(("encoder", "trained"), MODELS)
def test_scores_are_those_of_the_definition(corpus, make_run, encoder, trained):
    bundle = scoring.load(make_run(encoder, trained), "cpu", 1)
    scored = scoring.score_sentences(bundle, corpus / "test.parquet")
    for pooling in [trained] if trained else ["avg", "one"]:
        with torch.inference_mode():
            expected = literal_scores(bundle, corpus / "test.parquet", pooling)
        assert scored.pairs == sorted(expected) and len(expected) == 90
        found = scored.pooled(pooling)
        assert found.dtype == np.float32 and found.shape == (90, 4)
        literal = np.array([expected[pair].numpy()[1:] for pair in scored.pairs])
        assert np.abs(found - literal).max() < 1e-5
        assert found.std() > 0.01  # not the uniform scores that any formula would match
        pairs, scores, relations = score_split(bundle, corpus / "test.parquet", pooling)
        assert (pairs, relations) == (scored.pairs, scored.relations) and (scores == found).all()


def test_relations_are_columns_by_name_whatever_their_ids(corpus, make_run, tmp_path):
    folder = make_run("cnn", None)
    scored = scoring.score_sentences(scoring.load(folder, "cpu", 1), corpus / "test.parquet")
    config = json.loads((folder / "config.json").read_text())
    order = ["uses", "causes", "NA", "treats", "part_of"]
    weights = {name: value for name, value in _weights(folder).items()}
    rows = [config["rel2id"][name] for name in order]
    weights["relations.weight"], weights["relations.bias"] = (
        weights[f"relations.{part}"][rows] for part in ("weight", "bias")
    )
    renamed = config | {"rel2id": {name: index for index, name in enumerate(order)}, "na_id": 2}
    _rewrite(folder, tmp_path / "renamed", renamed, weights)
    again = scoring.score_sentences(scoring.load(tmp_path / "renamed", "cpu", 1), corpus / "test.parquet")
    assert again.relations == scored.relations == ["causes", "part_of", "treats", "uses"]
    for pooling in ("avg", "one"):
        assert np.abs(again.pooled(pooling) - scored.pooled(pooling)).max() < 1e-6
    assert again.sentence_metrics() == scored.sentence_metrics()


def _weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def _rewrite(source, target, config, weights):
    from workflow_scripts.common.models.run_folder import write_run

    write_run(target, config, weights, json.loads((source / "vocabulary.json").read_text()), [])


def test_sentence_metrics_read_the_argmax(corpus, make_run):
    bundle = scoring.load(make_run("pcnn", None), "cpu", 1)
    scored = scoring.score_sentences(bundle, corpus / "test.parquet")
    labels = read_table(corpus / "test.parquet", INSTANCES)["relation"].to_pylist()
    gold = [labels[line] for line in scored.lines]
    predicted = [scored.names[index] for index in scored.logits.argmax(axis=1)]
    right = sum(a == b != "NA" for a, b in zip(gold, predicted, strict=True))
    found = scored.sentence_metrics()
    assert found["recall"] == pytest.approx(right / sum(name != "NA" for name in gold))
    assert found["precision"] == pytest.approx(right / sum(name != "NA" for name in predicted))
    assert found["n"] == len(labels)


@pytest.mark.parametrize(("encoder", "trained"), [("cnn", None), ("gru", "one"), ("bert", "att")])
def test_explanations_give_the_score_back(corpus, make_run, encoder, trained):
    path = corpus / "test.parquet"
    scored = scoring.score_sentences(scoring.load(make_run(encoder, trained), "cpu", 1), path)
    rows = read_table(path, INSTANCES).to_pylist()
    for pooling in [trained] if trained else ["avg", "one"]:
        scores, explained = scored.pooled(pooling), list(scoring.explain(scored, path, pooling))
        assert [(item["head"], item["tail"]) for item in explained] == scored.pairs
        for number, (item, row) in enumerate(zip(explained, scores, strict=True)):
            weights = [sentence["weight"] for sentence in item["sentences"]]
            texts = [sentence["text"] for sentence in item["sentences"]]
            assert weights == sorted(weights, reverse=True) and sum(weights) == pytest.approx(1)
            assert item["relation"] == scored.relations[row.argmax()] and item["score"] == row.max()
            own = [r["text"] for r in rows if (r["head"], r["tail"]) == (item["head"], item["tail"])]
            assert sorted(texts) == sorted(own)
            if pooling == "one":
                assert weights[0] == 1 and item["sentences"][0]["probability"] == pytest.approx(item["score"], abs=1e-6)
            logits = scored.logits[scored.bags == number].astype(np.float64)
            if pooling == "att":
                column = scored.columns[row.argmax()]
                attention = scored.attention[scored.bags == number][:, column].astype(np.float64)
                share = np.exp(attention) / np.exp(attention).sum()
                assert sorted(share, reverse=True) == pytest.approx(weights)
                mixed = np.exp(share @ logits)
                assert (mixed / mixed.sum())[column] == pytest.approx(item["score"], abs=1e-6)


def test_what_cannot_be_scored_is_refused(corpus, make_run, tmp_path):
    bundle = scoring.load(make_run("cnn", "one"), "cpu", 1)
    with pytest.raises(UsageError, match="att needs a model that was trained with att"):
        scoring.score_sentences(bundle, corpus / "test.parquet").pooled("att")
    with pytest.raises(DataError, match="config.json"):
        scoring.load(tmp_path, "cpu", 1)
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="has no GPU"):
            scoring.load(make_run("cnn", "one"), "cuda", 1)
