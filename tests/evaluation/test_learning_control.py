"""Index, training, evaluation and control on a small corpus in which a word gives the relation away."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.evaluation.conftest import REL2ID, as_table
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.tables import write_table

RUN = "toy.cnn_sent.s1"
ROW = {
    "model": "cnn_sent", "name": "CNN", "tables": "table7", "encoder": "cnn", "level": "sent", "pooling": None,
    "embedding": "glove", "pretrained": None, "batch_size": 64, "bag_size": None, "learning_rate": 3e-3, "epochs": 6,
    "hidden_size": 32, "kernel_size": 3, "position_size": 5, "dropout": 0.2, "optimizer": "adam",
    "bias_correction": "yes", "weight_decay": 0, "schedule": "constant", "warmup_steps": 0,
}  # fmt: skip


def lines(split, n_pairs, signal):
    """One sentence in three names its relation, when there is a signal."""
    generator = np.random.default_rng([ord(letter) for letter in split])
    relations, items = list(REL2ID), []
    for pair in range(n_pairs):
        relation = str(generator.choice(relations, p=[0.6, 0.1, 0.1, 0.1, 0.1]))
        for _ in range(3):
            words = generator.choice([f"w{number}" for number in range(30)], 8).tolist()
            cue = relation if signal else str(generator.choice(relations))
            words = [f"h{pair}", *words[:4], f"cue-{cue}", *words[4:], f"t{pair}"]
            text = " ".join(words)
            item = {"text": text, "relation": relation}
            for key, start, end in (("h", 0, len(words[0])), ("t", len(text) - len(words[-1]), len(text))):
                item[key] = {"id": f"{split}{key}{pair:04d}", "pos": [start, end], "name": text[start:end]}
            items.append(item)
    return items


@pytest.fixture(params=[True, False], ids=["signal", "noise"])
def finished(request, tmp_path, run_command):
    """A workdir with results/toy as the workflow leaves it."""
    results = tmp_path / "results" / "toy"
    corpus, index, record = results / "corpus" / "toy", results / "training" / "index", results / "provenance"
    for split, n_pairs in (("train", 250), ("valid", 60), ("test", 120)):
        write_table(corpus / f"{split}.parquet", as_table(lines(split, n_pairs, request.param)), INSTANCES)
    (corpus / "rel2id.json").write_text(json.dumps(REL2ID))
    words = sorted({f"w{number}" for number in range(30)} | {f"cue-{name.lower()}" for name in REL2ID})
    generator = np.random.default_rng(0)
    vectors = [f"{word} {' '.join(f'{value:.4f}' for value in generator.normal(size=16))}" for word in words]
    (tmp_path / "glove.txt").write_text("\n".join(vectors) + "\n")
    splits = {split: ["--" + split, corpus / f"{split}.parquet"] for split in ("train", "valid", "test")}

    def run(script, *options, **settings):
        name = f"{script.partition('/')[2]}".replace(".py", ".json")
        done = run_command(script, *options, "--params", json.dumps(settings), "--record", record / name)
        assert done.returncode == 0, done.stderr

    index_options = [*splits["train"], *splits["valid"], *splits["test"], "--rel2id", corpus / "rel2id.json"]
    index_options += ["--embedding", tmp_path / "glove.txt", "--folder", index]
    run("training/index_words.py", *index_options, format="glove_text", width=16, max_length=24)
    settings = {"run": RUN, "corpus": "toy", "model": "cnn_sent", "seed": 1, "row": ROW, "threads": 1}
    settings |= {"device": "cpu", "precision": "fp32", "tokens_per_batch": 4096}
    folder = results / "runs" / RUN
    run("training/train_run.py", "--index", index, "--rel2id", corpus / "rel2id.json", "--folder", folder, **settings)
    options = [*splits["valid"], *splits["test"], "--run", folder, "--poolings", "avg", "one"]
    settings = {
        "precision_at": [100, 200, 300, 1000, 2000],
        "fixed_threshold": 0.5,
        "common_triple_sentences": 8,
        "device": "cpu",
        "threads": 1,
    }
    run("evaluation/evaluate_run.py", *options, "--output", results / "evaluation" / RUN, **settings)
    return request.param, results


def test_control_tells_learning_from_noise(finished, repository):
    signal, results = finished
    command = [sys.executable, repository / "benchmarks" / "learning_control.py", results]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if signal:
        shared = subprocess.run([*command, "--share"], capture_output=True, text=True, timeout=300)
        assert shared.stdout == done.stdout, "a run alone of its kind shares its control with nobody"
    rows = [line.split() for line in done.stdout.splitlines()[1:3]]
    assert [row[:2] for row in rows] == [[RUN, "avg"], [RUN, "one"]], done.stderr
    for row in rows:
        metrics = json.loads((results / "evaluation" / RUN / row[1] / "metrics.json").read_text())
        auc, control, chance, ratio = map(float, row[2:6])
        assert auc == pytest.approx(metrics["auc"], abs=1e-4)
        assert 0.5 * chance < control < 4 * chance
        assert (ratio >= 5) == signal and (auc > 0.9) == signal
    assert done.returncode == (0 if signal else 1), done.stdout
    missing = subprocess.run([*command, "--runs", "toy.none.s1"], capture_output=True, text=True)
    assert missing.returncode == 1 and "no evaluation of toy.none.s1" in missing.stderr
