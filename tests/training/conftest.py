"""Fixtures of the training tests: a planted corpus, its indices, and a tiny BERT."""

import json

import pytest

from tests.training import planted
from workflow_scripts.common.models.arrays import Sentences
from workflow_scripts.training import index_wordpieces, index_words
from workflow_scripts.training.loop import Task
from workflow_scripts.training.train_run import initial_model, pad_id


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """Folder of a planted corpus."""
    return planted.write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory):
    """Folder of a BERT with two layers, random weights and a vocabulary without [unusedN]."""
    return make_bert(tmp_path_factory.mktemp("bert"), [])


def make_bert(folder, extra_tokens):
    """Write a BERT of two layers, of 24 columns, in the format of its publishers."""
    import torch
    from transformers import BertConfig, BertModel

    words = [*planted.FILLERS, "entity", *(word for words in planted.SIGNALS.values() for word in words)]
    tokens = ["[PAD]", *extra_tokens, "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(words)]
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n")
    torch.manual_seed(0)
    sizes = dict(hidden_size=24, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48)
    config = BertConfig(vocab_size=len(tokens), max_position_embeddings=64, initializer_range=0.1, **sizes)
    BertModel(config).save_pretrained(folder)
    return folder


def build_index(corpus, folder, encoder=None, encoding="CM"):
    """Write the index of a corpus: of words, or of the word pieces of an encoder."""
    concepts = corpus / "concepts.parquet"
    paths = {split: corpus / f"{split}.parquet" for split in ("train", "valid", "test")}
    rel2id = json.loads((corpus / "rel2id.json").read_text())
    if encoder is None:
        settings = index_words.Params("glove_text", planted.WIDTH, 64, encoding=encoding)
        splits, tokenizer, vectors, _ = index_words.index_words(
            paths, rel2id, corpus / "vectors.txt", settings, concepts
        )
        folder.mkdir(exist_ok=True)
        index_words.np.save(folder / "vectors.npy", vectors)
    else:
        del paths["test"]
        settings = index_wordpieces.Params(64, encoding=encoding)
        splits, tokenizer, _ = index_wordpieces.index_wordpieces(paths, rel2id, encoder, settings, concepts)
    for split, sentences in splits.items():
        sentences.save(folder, split)
    index_words.write_vocabulary(folder, tokenizer)
    return folder


@pytest.fixture(scope="session")
def word_index(corpus, tmp_path_factory):
    """Folder of the corpus' word arrays."""
    return build_index(corpus, tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="session")
def piece_index(corpus, tiny_bert, tmp_path_factory):
    """Folder of the corpus' word pieces."""
    return build_index(corpus, tmp_path_factory.mktemp("pieces"), tiny_bert)


def load_task(index, row, seed=1, tokens_per_batch=4096):
    """A task and its vocabulary from an index folder."""
    vocabulary = json.loads((index / "vocabulary.json").read_text())
    task = Task(
        row=row,
        seed=seed,
        train=Sentences.load(index, "train"),
        valid=Sentences.load(index, "valid"),
        pad_id=pad_id(vocabulary),
        relations=["NA", *planted.RELATIONS],
        na_id=0,
        max_length=vocabulary["max_length"],
        tokens_per_batch=tokens_per_batch,
    )
    return task, vocabulary


@pytest.fixture
def new_run(word_index, piece_index, tiny_bert):
    """`new_run(row, seed, ...)` gives an untrained model and its task."""

    def make(row, seed=1, tokens_per_batch=4096, index=None):
        is_bert = row["encoder"] == "bert"
        index = index or (piece_index if is_bert else word_index)
        task, vocabulary = load_task(index, row, seed, tokens_per_batch)
        model, *_ = initial_model(task, index, tiny_bert if is_bert else None, vocabulary)
        return model, task

    return make
