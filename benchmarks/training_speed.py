"""Training speed against the published way of working, in CPU seconds of the same process.

The reference restates what the published baselines do in a step (Gao et al. 2021): each slot of a bag is read from its
text anew, padded to 128 tokens and encoded, also when the sentence stands in the batch already; bags are then gone
through one by one in Python; Adam updates all word vectors. Ours is `workflow_scripts.training.loop`. Both do the same
steps on the same synthetic text; the table gives slots per CPU second and their ratio, pairs of runs interleaved.

    python benchmarks/training_speed.py [--sentences N] [--steps N] [--repeats N]
"""

import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

from workflow_scripts.common.models.arrays import ROW, Sentences  # noqa: E402
from workflow_scripts.common.models.classifier import build_classifier  # noqa: E402
from workflow_scripts.training.loop import Task, Trainer  # noqa: E402
from workflow_scripts.training.sampling import draw_slots, epoch_batches  # noqa: E402

LENGTH, N_RELATIONS, WIDTH, VOCABULARY = 128, 22, 200, 30_000
CASES = {
    "cnn+bag+one, bag 16, batch 256": {"encoder": "cnn", "bag_size": 16, "batch_size": 256},
    "pcnn+bag+one, bag 8, batch 128": {"encoder": "pcnn", "bag_size": 8, "batch_size": 128},
}


def synthetic(n, seed=0):
    """Texts with mention spans, and the same as token arrays; lengths as in the paper's corpus (mean about 33)."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(n, ROW)
    rows["length"] = np.clip(rng.gamma(6, 5.5, n), 8, LENGTH).astype(int)
    rows["start"] = np.concatenate(([0], np.cumsum(rows["length"])[:-1]))
    tokens = (rng.zipf(1.25, rows["length"].sum()) % VOCABULARY).astype(np.int32)
    sizes = rng.integers(1, 11, n)
    rows["pair"] = np.repeat(np.arange(n), sizes)[:n]
    rows["relation"] = rng.integers(0, N_RELATIONS, n)[rows["pair"]]
    texts = []
    for row in rows:
        first, second = sorted(rng.choice(np.arange(1, row["length"] - 2), 2, replace=False))
        row["head_start"], row["head_end"] = first, first + 1
        row["tail_start"], row["tail_end"] = second, second + 1
        words = [f"w{token}" for token in tokens[row["start"] : row["start"] + row["length"]]]
        spans = [(len(" ".join([*words[:i], ""])), len(" ".join(words[: i + 1]))) for i in (first, second)]
        texts.append((" ".join(words), *spans))
    return texts, Sentences(tokens, rows)


class Reference(nn.Module):
    """CNN or PCNN over 128 columns with selection of one sentence, bag by bag."""

    def __init__(self, vectors, piecewise):
        super().__init__()
        self.piecewise = piecewise
        self.words = nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
        self.positions = nn.ModuleList(nn.Embedding(2 * LENGTH, 5, padding_idx=0) for _ in range(2))
        self.convolution = nn.Conv1d(WIDTH + 10, 230, 3, padding=1)
        self.pool = nn.MaxPool1d(LENGTH)
        self.pieces = nn.Embedding.from_pretrained(torch.tensor([[0.0] * 3, [1, 0, 0], [0, 1, 0], [0, 0, 1]]))
        self.dropout = nn.Dropout(0.5)
        self.relations = nn.Linear(230 * (3 if piecewise else 1), N_RELATIONS)

    def encode(self, ids, head, tail, pieces):
        inputs = torch.cat([self.words(ids), self.positions[0](head), self.positions[1](tail)], dim=2)
        features = self.convolution(inputs.transpose(1, 2))
        if not self.piecewise:
            return self.dropout(self.pool(features.relu()).squeeze(2))
        masks = 1 - self.pieces(pieces).transpose(1, 2)
        parts = [self.pool((features - 100 * masks[:, i : i + 1]).relu()) for i in range(3)]
        return self.dropout(torch.cat(parts, dim=1).squeeze(2))

    def loss(self, slots, labels, bag_size):
        chosen = []
        for b, label in enumerate(labels.tolist()):
            bag = slots[b * bag_size : (b + 1) * bag_size]
            chosen.append(bag[self.relations(bag).softmax(dim=1)[:, label].argmax()])
        return nn.functional.cross_entropy(self.relations(self.dropout(torch.stack(chosen))), labels)


def read_text(text, head, tail, ids):
    """One sentence as four tensors of 128 columns, from its text."""
    starts, words, last = [], [], 0
    for span in (head, tail):
        words += text[last : span[0]].split()
        starts.append(len(words))
        words += text[span[0] : span[1]].split()
        last = span[1]
    words += text[last:].split()
    token_ids = [ids.get(word.lower(), ids["[UNK]"]) for word in words][:LENGTH]
    missing = [0] * (LENGTH - len(token_ids))
    places = [[min(i - start + LENGTH, 2 * LENGTH - 1) for i in range(len(token_ids))] + missing for start in starts]
    pieces = [1 + (i > starts[0]) + (i > starts[1]) for i in range(len(token_ids))] + missing
    columns = [token_ids + [ids["[PAD]"]] * len(missing), *places, pieces]
    return [torch.tensor([column]) for column in columns]


def time_reference(texts, task, vectors, steps):
    """CPU seconds of some steps of the reference."""
    row, ids = task.row, {f"w{i}": i for i in range(VOCABULARY)} | {"[UNK]": VOCABULARY, "[PAD]": VOCABULARY + 1}
    torch.manual_seed(0)
    model = Reference(vectors, row["encoder"] == "pcnn")
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)
    bags = Trainer(build(task, vectors), task).bags
    slots, _ = draw_slots(bags, row["bag_size"], task.seed, 0)
    slots = slots.reshape(len(bags), -1)
    batches = epoch_batches(bags, row["batch_size"], task.seed, 0)[:steps]
    started = time.process_time()
    for chosen in batches:
        parts = [read_text(*texts[i], ids) for i in slots[chosen].ravel()]
        batch = [torch.cat(column) for column in zip(*parts, strict=True)]
        loss = model.loss(model.encode(*batch), torch.from_numpy(bags.labels[chosen]), row["bag_size"])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        loss.item()
    return time.process_time() - started


def time_ours(task, vectors, steps):
    """CPU seconds of the same steps of our loop."""
    trainer = Trainer(build(task, vectors), task)
    started = time.process_time()
    for done, _ in enumerate(trainer.steps(), 1):
        if done == steps:
            break
    return time.process_time() - started


def build(task, vectors):
    """Our model with the given word vectors."""
    torch.manual_seed(0)
    model = build_classifier(task.row, LENGTH, N_RELATIONS, {"vectors": list(vectors.shape)})
    model.encoder.words.weight.data.copy_(vectors)
    return model


def main():
    """Print slots per CPU second of both and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    texts, sentences = synthetic(args.sentences)
    vectors = torch.randn(VOCABULARY + 2, WIDTH, generator=torch.Generator().manual_seed(0)) / WIDTH**0.5
    for name, change in CASES.items():
        row = {"level": "bag", "pooling": "one", "hidden_size": 230, "kernel_size": 3, "position_size": 5}
        row |= {"dropout": 0.5, "optimizer": "adam", "bias_correction": "yes", "weight_decay": 1e-5, "epochs": 1}
        row |= {"schedule": "constant", "warmup_steps": 0, "learning_rate": 1e-3} | change
        names = [str(i) for i in range(N_RELATIONS)]
        task = Task(row, 1, sentences, sentences, VOCABULARY + 1, names, 0, LENGTH, 16_384)
        slots = args.steps * row["batch_size"] * row["bag_size"]
        pairs = [
            (time_reference(texts, task, vectors, args.steps), time_ours(task, vectors, args.steps))
            for _ in range(args.repeats)
        ]
        theirs, ours = (statistics.median(slots / seconds for seconds in column) for column in zip(*pairs, strict=True))
        ratios = sorted(reference / own for reference, own in pairs)
        print(
            f"{name}: reference {theirs:,.0f} slots/s, ours {ours:,.0f} slots/s, "
            f"ratio {statistics.median(ratios):.1f} [{ratios[0]:.1f}-{ratios[-1]:.1f}]",
            flush=True,
        )


if __name__ == "__main__":
    main()
