"""A small corpus of random sentences, and run folders of untrained models over its words."""

import functools
import json

import numpy as np
import pyarrow as pa
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import Whitespace

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.models import bert
from workflow_scripts.common.models.classifier import build_classifier
from workflow_scripts.common.models.run_folder import write_run
from workflow_scripts.common.models.tokenization import WordPieceTokenizer, WordTokenizer
from workflow_scripts.common.tables import write_table

WORDS = [f"w{number}" for number in range(40)]
REL2ID = {"NA": 0, "causes": 1, "part_of": 2, "treats": 3, "uses": 4}
MAX_LENGTH = 24
SIZES = {"hidden_size": 16, "kernel_size": 3, "position_size": 5}
BERT_CONFIG = {
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48,
    "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "initializer_range": 0.2,
    "max_position_embeddings": 64, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
}  # fmt: skip


def random_instances(seed, n_pairs):
    """OpenNRE lines: bags of 1 to 7 sentences, some pairs with two relations, some sentences twice in a bag."""
    generator = np.random.default_rng(seed)
    lines = []
    for pair in range(n_pairs):
        for relation in generator.choice(list(REL2ID), generator.integers(1, 3), False, p=[0.6, 0.1, 0.1, 0.1, 0.1]):
            for _ in range(generator.integers(1, 5)):
                words = generator.choice([*WORDS, "Ünseen"], generator.integers(6, 36)).tolist()
                first, second = np.sort(generator.choice(np.arange(0, len(words), 2), 2, False)).tolist()
                starts = [len(" ".join([*words[:i], ""])) for i in range(len(words))]
                spans = [[starts[i], starts[i] + len(words[i])] for i in (first, second)]
                swap = bool(generator.integers(2))
                item = {"text": " ".join(words), "relation": str(relation)}
                for key, name, span in (("h", "H", spans[swap]), ("t", "T", spans[not swap])):
                    cui = f"{name}{pair // 3 if key == 'h' else pair:04d}"
                    item[key] = {"id": cui, "pos": span, "name": item["text"][slice(*span)]}
                lines += [item] * (1 + (generator.random() < 0.1))
    return lines


def as_table(lines):
    rows = [
        {
            "text": item["text"], "relation": item["relation"], "sentence_id": f"{number:032x}", "rui": None,
            **{f"{role}{suffix}": value for role, key in (("head", "h"), ("tail", "t")) for suffix, value in (
                ("", item[key]["id"]), ("_name", item[key]["name"]),
                ("_start", item[key]["pos"][0]), ("_end", item[key]["pos"][1]),
            )},
        }
        for number, item in enumerate(lines)
    ]  # fmt: skip
    table = pa.Table.from_pylist(rows, schema=INSTANCES.schema)
    return table.sort_by([(name, "ascending") for name in INSTANCES.sort_by])


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """Folder with {valid,test}.{parquet,jsonl}; the lines of the JSON files are shuffled."""
    folder = tmp_path_factory.mktemp("corpus")
    for seed, (split, n_pairs) in enumerate((("valid", 40), ("test", 90))):
        lines = random_instances(seed, n_pairs)
        write_table(folder / f"{split}.parquet", as_table(lines), INSTANCES)
        order = np.random.default_rng(seed).permutation(len(lines))
        text = "".join(json.dumps(lines[i], ensure_ascii=False) + "\n" for i in order)
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def make_run(tmp_path_factory):
    """`make_run("cnn", "one")`: folder of an untrained run; pooling None is a model of sentences."""

    @functools.cache
    def make(encoder, pooling):
        torch.manual_seed(0)
        row = {"encoder": encoder, "level": "bag" if pooling else "sent", "pooling": pooling, "dropout": 0.5} | SIZES
        if encoder == "bert":
            pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
            backend = Tokenizer(WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
            backend.pre_tokenizer = Whitespace()
            tokenizer, shape = WordPieceTokenizer(backend, MAX_LENGTH), BERT_CONFIG
        else:
            tokenizer = WordTokenizer(WORDS, MAX_LENGTH)
            shape = {"vectors": [len(WORDS) + (6 if encoder == "gru" else 2), 20]}
        model = build_classifier(row, MAX_LENGTH, len(REL2ID), shape)
        if encoder == "bert":
            bert.initialise(model, BERT_CONFIG)
        else:
            for parameter in model.encoder.parameters():
                torch.nn.init.normal_(parameter, std=0.4)
        torch.nn.init.normal_(model.relations.weight, std=1 / model.encoder.output_size**0.5)  # far from uniform scores
        name = f"toy.{encoder}_{pooling or 'sent'}.s0"
        config = {"run": name, "model": f"{encoder}_{pooling or 'sent'}", "row": row, "max_length": MAX_LENGTH}
        config |= {"rel2id": REL2ID, "na_id": 0, "shape": shape}
        folder = tmp_path_factory.mktemp("runs") / name
        write_run(folder, config, model.state_dict(), tokenizer.to_json(), [])
        return folder

    return make
