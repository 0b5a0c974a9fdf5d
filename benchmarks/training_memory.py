"""Memory and start-up of training at the paper's size: 450,071 training and 39,434 validation instances (synthetic).

The one-off encoding (index) is written first, by another process. Then a fresh process does what `train_run` does: maps
the arrays, builds the model, draws the bags of an epoch and trains some steps, validates once, and prints the CPU and
wall seconds until the first step was done and its peak resident memory. Exits non-zero above the limits.

    python benchmarks/training_memory.py [--instances N] [--steps N] [--encoder cnn|pcnn|gru]
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

BEGUN = time.monotonic()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402

from workflow_scripts.common.models.arrays import ROW, Sentences  # noqa: E402

PAPER, VALID_SHARE, LENGTH, WIDTH, VOCABULARY, N_RELATIONS = 450_071, 39_434 / 450_071, 128, 200, 60_000, 22
LIMITS = {"gigabytes": 4.0, "start_up_seconds": 60.0}


def write_index(folder, n):
    """Token arrays of both splits, vectors and vocabulary, as `index_words` writes them."""
    rng = np.random.default_rng(0)
    for split, size in (("train", n), ("valid", max(2, round(n * VALID_SHARE)))):
        rows = np.zeros(size, ROW)
        rows["length"] = np.clip(rng.gamma(6, 5.5, size), 8, LENGTH).astype(int)
        rows["start"] = np.concatenate(([0], np.cumsum(rows["length"], dtype=np.int64)[:-1]))
        rows["line"] = np.arange(size)
        rows["pair"] = np.repeat(np.arange(size), rng.geometric(0.2, size))[:size]  # 5 sentences a bag
        rows["relation"] = rng.integers(0, N_RELATIONS, size)[rows["pair"]]
        rows["head_start"], rows["tail_start"] = 1, rows["length"] - 2
        rows["head_end"], rows["tail_end"] = rows["head_start"] + 1, rows["tail_start"] + 1
        tokens = (rng.zipf(1.25, rows["length"].sum()) % VOCABULARY).astype(np.int32)
        Sentences(tokens, rows).save(folder, split)
    np.save(folder / "vectors.npy", rng.standard_normal((VOCABULARY, WIDTH), dtype=np.float32) / WIDTH**0.5)
    words = [f"w{i}" for i in range(VOCABULARY)]
    (folder / "vocabulary.json").write_text(json.dumps({"kind": "words", "max_length": LENGTH, "words": words}))


def train_some(folder, encoder, steps):
    """What `train_run` does, for some steps; prints its measurements as JSON."""
    import torch

    from workflow_scripts.training.loop import Task, Trainer, validate
    from workflow_scripts.training.train_run import initial_model, pad_id

    torch.set_num_threads(1)
    row = {"encoder": encoder, "level": "bag", "pooling": "one", "batch_size": 256, "bag_size": 16, "epochs": 20}
    row |= {"hidden_size": 230, "kernel_size": 3, "position_size": 5, "dropout": 0.5, "learning_rate": 1e-3}
    row |= {"optimizer": "adam", "bias_correction": "yes", "weight_decay": 1e-5, "schedule": "constant"}
    row |= {"warmup_steps": 0}
    vocabulary = json.loads((folder / "vocabulary.json").read_text())
    splits = [Sentences.load(folder, split) for split in ("train", "valid")]
    names = ["NA", *(f"relation {i}" for i in range(1, N_RELATIONS))]
    task = Task(row, 1, *splits, pad_id(vocabulary), names, 0, LENGTH, 16_384)
    model, *_ = initial_model(task, folder, None, vocabulary)
    trainer = Trainer(model, task)
    for done, _ in enumerate(trainer.steps(), 1):
        if done == 1:
            start_up = {"start_up_seconds": time.monotonic() - BEGUN, "start_up_cpu_seconds": time.process_time()}
        if done == steps:
            break
    validate(model, task)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps(start_up | {"gigabytes": peak, "bags": len(trainer.bags), "steps": steps}))


def main():
    """Write the index, measure in a process of its own, compare with the limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=PAPER)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--encoder", choices=("cnn", "pcnn", "gru"), default="cnn")
    parser.add_argument("--index", type=pathlib.Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.index is not None:
        train_some(args.index, args.encoder, args.steps)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        write_index(pathlib.Path(folder), args.instances)
        command = [sys.executable, __file__, "--index", folder, "--encoder", args.encoder, "--steps", str(args.steps)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    print(
        f"{args.encoder}, {args.instances:,} instances in {found['bags']:,} bags, {args.steps} steps and a validation:"
    )
    print(f"peak {found['gigabytes']:.2f} GB (limit {LIMITS['gigabytes']:g})")
    print(
        f"first step done after {found['start_up_seconds']:.1f} s, {found['start_up_cpu_seconds']:.1f} CPU-s "
        f"(limit {LIMITS['start_up_seconds']:g} s)"
    )
    return 0 if all(found[name] <= limit for name, limit in LIMITS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
