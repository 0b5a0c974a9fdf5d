"""Every encoder, level and pooling learns a planted signal; with the labels of training shuffled it does not."""

import json

import numpy as np
import pytest

from tests.training import planted
from tests.training.conftest import build_index
from workflow_scripts.common.metrics import evaluate
from workflow_scripts.common.models.run_folder import write_run
from workflow_scripts.common.models.scoring import load_run, score_split
from workflow_scripts.training.loop import train

# In every change each encoder, level and pooling is met; `make soak` has all that can be combined.
ALWAYS = {
    ("cnn", None), ("cnn", "avg"), ("pcnn", "one"), ("pcnn", "att"), ("gru", None), ("gru", "att"),
    ("bert", None), ("bert", "avg"), ("bert", "one"), ("bert", "att"),
}  # fmt: skip
CASES = [
    pytest.param(encoder, level, pooling, marks=() if (encoder, pooling) in ALWAYS else pytest.mark.soak)
    for encoder in ("cnn", "pcnn", "gru", "bert")
    for level, pooling in (("sent", None), ("bag", "avg"), ("bag", "one"), ("bag", "att"))
]
CHANGES = {
    "bert": {"learning_rate": 0.002, "warmup_steps": 20},
    "sent": {"epochs": 6},
    "bag": {"epochs": 18},
}


@pytest.fixture(scope="module")
def indices(corpus, tiny_bert, word_index, piece_index, tmp_path_factory):
    shuffled = planted.write_corpus(tmp_path_factory.mktemp("shuffled"), shuffled=True)
    parts = {
        "words": build_index(shuffled, tmp_path_factory.mktemp("words_shuffled")),
        "pieces": build_index(shuffled, tmp_path_factory.mktemp("pieces_shuffled"), tiny_bert),
    }
    return {False: {"words": word_index, "pieces": piece_index}, True: parts}


@pytest.mark.parametrize("encoder, level, pooling", CASES)
def test_a_planted_signal_is_learned(new_run, corpus, indices, tmp_path, encoder, level, pooling):
    case = encoder, level, pooling
    learned = auc_on_test(new_run, corpus, indices[False], tmp_path / "real", case)
    control = auc_on_test(new_run, corpus, indices[True], tmp_path / "shuffled", case)
    for how, auc in learned.items():
        assert auc > 0.4 and auc > 2.5 * control[how], (how, auc, control[how])


def auc_on_test(new_run, corpus, indices, folder, case):
    """AUC on the test split, by pooling, of a model trained, saved and loaded."""
    encoder, level, pooling = case
    settings = planted.row(encoder, level, pooling, batch_size=8, learning_rate=0.01, dropout=0.1)
    settings |= CHANGES.get(encoder, {}) | CHANGES[level]
    index = indices["pieces" if encoder == "bert" else "words"]
    model, task = new_run(settings, index=index)
    state = train(model, task)
    rel2id = json.loads((corpus / "rel2id.json").read_text())
    shape = model.encoder.words.weight.shape if encoder != "bert" else None
    config = {"row": settings, "max_length": task.max_length, "rel2id": rel2id, "na_id": 0, "model": "m"}
    config["shape"] = {"vectors": list(shape)} if shape else bert_shape(model)
    write_run(folder, config, state.best_weights, json.loads((index / "vocabulary.json").read_text()), state.history)
    bundle, path, result = load_run(folder), corpus / "test.parquet", {}
    facts, pairs = gold(path, list(rel2id)[1:])
    for how in ["avg", "one"] if level == "sent" else [pooling]:
        found, scores, relations = score_split(bundle, path, how)
        assert found == pairs
        result[how] = evaluate(scores, facts, relations=relations, pairs=found)["auc"]
    return result


def bert_shape(model):
    layer = model.encoder.transformer.layers[0]
    size = model.encoder.output_size // 2
    return {
        "vocab_size": model.encoder.transformer.words.num_embeddings,
        "hidden_size": size,
        "num_hidden_layers": 2,
        "num_attention_heads": layer.heads,
        "intermediate_size": 48,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "max_position_embeddings": 64,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "initializer_range": 0.1,
    }


def gold(path, relations):
    import pyarrow.parquet as pq

    rows = pq.read_table(path).to_pylist()
    pairs = sorted({(row["head"], row["tail"]) for row in rows})
    facts = np.zeros((len(pairs), len(relations)), dtype=bool)
    for row in rows:
        if row["relation"] != "NA":
            facts[pairs.index((row["head"], row["tail"])), relations.index(row["relation"])] = True
    return facts, pairs
