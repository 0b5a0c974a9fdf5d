"""BERT fine-tuning on a GPU: speed against the published way, the same seed twice, and a stop in the middle.

A bert-base with random weights (no download) is trained on synthetic sentences in bf16, batch 64: sentences per second
of our loop and of the published way (`published_way.py`: padded to 128, tokenised for every use, the library's model,
bf16 too) in the same process; two trainings with one seed must give the same weights, and so must one that was stopped
in the middle and resumed. Exits non-zero where weights differ. Under ten minutes on one GPU; without one it trains a
model of two layers on the CPU in fp32, which checks the script and says nothing of speed on a GPU.

    python benchmarks/gpu_check.py [--tiny] [--sentences N] [--steps N]
"""

import argparse
import dataclasses
import pathlib
import sys
import tempfile
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import torch  # noqa: E402
from published_way import LENGTH, TINY, Pieces, read_pieces, synthetic, write_bert  # noqa: E402
from shares import verdict  # noqa: E402
from training_speed import CASES, Case  # noqa: E402

from workflow_scripts.common.errors import Resumable  # noqa: E402
from workflow_scripts.common.models.arrays import Sentences  # noqa: E402
from workflow_scripts.training.loop import Trainer, train  # noqa: E402
from workflow_scripts.training.sampling import epoch_batches  # noqa: E402
from workflow_scripts.training.train_run import prepare_torch  # noqa: E402

BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
WARM_UP, AIM = 3, 2.5


def first_rows(sentences, n):
    """The first n sentences."""
    return Sentences(sentences.tokens, sentences.rows[:n])


def seconds(steps, device):
    """Wall seconds of all but the first `WARM_UP` items of an iterator of steps."""
    started = None
    for done, _ in enumerate(steps, 1):
        if done == WARM_UP:
            _wait(device)
            started = time.monotonic()
    _wait(device)
    return time.monotonic() - started


def _wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def some_steps(case, device, n):
    """Our first n steps."""
    steps = Trainer(case.ours().to(device), case.task).steps()
    for _ in range(n):
        yield next(steps)


def published_steps(case, device, n):
    """The same steps in the published way."""
    model, row, task = Pieces(case.folder), case.row, case.task
    model.to(device).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-5, weight_decay=row["weight_decay"], foreach=False)
    trainer = Trainer(case.ours().to(device), task)
    for chosen in epoch_batches(trainer.bags, row["batch_size"], task.seed, 0)[:n]:
        parts = [read_pieces(*case.texts[i], case.tokenizer) for i in chosen]
        batch = [torch.cat(column).to(device) for column in zip(*parts, strict=True)]
        labels = torch.from_numpy(trainer.bags.labels[chosen]).to(device)
        with torch.autocast(device, torch.bfloat16, enabled=task.mixed_precision):
            loss = torch.nn.functional.cross_entropy(model(*batch).float(), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        yield loss.item()


def trained(case, device, folder, stop_after=None):
    """Weights of the best epoch of a whole training, stopped once after some steps and resumed."""
    if stop_after is None:
        return train(case.ours().to(device), case.task).best_weights
    left = [stop_after]

    def stop():
        left[0] -= 1
        return left[0] <= 0

    path = folder / "state.pt"
    try:
        train(case.ours().to(device), case.task, state_path=path, stop=stop)
    except Resumable:
        return train(case.ours().to(device), case.task, state_path=path).best_weights
    raise SystemExit("the training ended before it was stopped: give more --sentences")


def largest_difference(first, second):
    """Of any weight of two trainings."""
    return max(float((first[name].float() - second[name].float()).abs().max()) for name in first)


def main():
    """Print the three results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", action="store_true", help="a model of two layers, as always without a GPU")
    parser.add_argument("--sentences", type=int, default=12_800, help="a quarter of them is trained on three times")
    parser.add_argument("--steps", type=int, default=60, help="timed steps of 64 sentences")
    args = parser.parse_args()
    device = prepare_torch(types.SimpleNamespace(threads=1, device="auto"))
    is_tiny = args.tiny or device == "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else "no GPU: the CPU in fp32"
    print(f"{name}; torch {torch.__version__}; BERT {'of two layers' if is_tiny else 'base'}, random weights")
    texts, sentences = synthetic(args.sentences)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        write_bert(folder, TINY if is_tiny else BASE)
        case = Case(CASES["bert"][1] | {"learning_rate": 2e-5}, texts, sentences, folder)
        case.task = dataclasses.replace(case.task, mixed_precision=device == "cuda", max_length=LENGTH)
        steps = min(args.steps, args.sentences // case.slots - WARM_UP)
        ours, theirs = (
            steps * case.slots / seconds(way(case, device, steps + WARM_UP), device)
            for way in (some_steps, published_steps)
        )
        ratio = ours / theirs
        print(
            f"training: ours {ours:,.0f} sentences/s, published way {theirs:,.0f}, ratio {ratio:.2f} "
            f"({verdict(ratio, AIM)})"
        )
        part = first_rows(case.task.train, max(case.slots * 2, args.sentences // 4))
        case.task = dataclasses.replace(case.task, train=part, valid=first_rows(part, 256))
        first, again = (trained(case, device, folder) for _ in range(2))
        resumed = trained(case, device, folder, stop_after=max(1, len(part) // case.slots // 2))
    differences = [largest_difference(first, other) for other in (again, resumed)]
    for label, difference in zip(("same seed twice", "stopped and resumed"), differences, strict=True):
        print(f"{label}: {'equal weights' if difference == 0 else f'weights differ by {difference:.1e}'}")
    return 0 if not any(differences) else 1


if __name__ == "__main__":
    sys.exit(main())
