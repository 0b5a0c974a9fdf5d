"""Training speed against the published way of working, in CPU seconds of the same process.

The reference (`published_way.py`) reads each slot of a bag from its text anew, pads it to 128 tokens and encodes it,
also when the sentence stands in the batch already; bags are then gone through one by one in Python; the optimiser is
PyTorch's loop over all weights. Ours is `workflow_scripts.training.loop`. Both do the same steps on the same synthetic
text, after their scores were found equal to 1e-6; sentences (slots) per CPU second on one thread are printed with their
ratio, pairs of runs interleaved, what was aimed at, and which parts of a step our seconds go to. Exits non-zero when
scores differ.

    python benchmarks/training_speed.py [--sentences N] [--steps N] [--repeats N] [--cases cnn pcnn bert]
"""

import argparse
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from published_way import (  # noqa: E402
    LENGTH,
    N_RELATIONS,
    VOCABULARY,
    WIDTH,
    Pieces,
    Words,
    read_pieces,
    read_words,
    synthetic,
    word_ids,
    write_bert,
)
from shares import as_line, measured, verdict  # noqa: E402

from workflow_scripts.common.models import bert, encoders  # noqa: E402
from workflow_scripts.common.models.arrays import Sentences  # noqa: E402
from workflow_scripts.common.models.classifier import build_classifier  # noqa: E402
from workflow_scripts.common.models.inference import classify  # noqa: E402
from workflow_scripts.common.models.tokenization import WordPieceTokenizer  # noqa: E402
from workflow_scripts.training import loop  # noqa: E402
from workflow_scripts.training.index_wordpieces import read_tokenizer  # noqa: E402
from workflow_scripts.training.loop import Task, Trainer  # noqa: E402
from workflow_scripts.training.sampling import Bags, epoch_batches  # noqa: E402

CASES = {
    "cnn": ("cnn+bag+one, bag 16, batch 256", {"encoder": "cnn", "bag_size": 16, "batch_size": 256}),
    "pcnn": ("pcnn+bag+one, bag 8, batch 128", {"encoder": "pcnn", "bag_size": 8, "batch_size": 128}),
    "bert": (
        "bert (tiny)+sent, batch 64",
        {"encoder": "bert", "level": "sent", "pooling": None, "bag_size": None, "batch_size": 64, "optimizer": "adamw"},
    ),
}
AIMS = {"cnn": 15, "pcnn": 10, "bert": 2.5}
PARTS = {
    "draws and input": [
        *((loop, name) for name in ("epoch_batches", "batch_slots", "gather", "to_device")),
        (Bags, "draw"),
        (encoders, "Windows"),
    ],
    "encode": [(encoders.ConvolutionalEncoder, "forward"), (bert.EntityStartEncoder, "forward")],
    "dropout": [(torch.nn.Dropout, "forward")],
    "pool and loss": [(loop, "training_loss")],
    "backward": [(torch.Tensor, "backward")],
    "optimiser": [(loop.Adam, "step")],
}
TOLERANCE, CHECKED = 1e-6, 256


class Case:
    """One model: how both sides build it and read a sentence."""

    def __init__(self, change, texts, sentences, folder):
        row = {"level": "bag", "pooling": "one", "hidden_size": 230, "kernel_size": 3, "position_size": 5}
        row |= {"dropout": 0.5, "optimizer": "adam", "bias_correction": "yes", "weight_decay": 1e-5, "epochs": 1}
        self.row = row | {"schedule": "constant", "warmup_steps": 0, "learning_rate": 1e-3} | change
        self.texts, self.folder, self.is_bert = texts, folder, change["encoder"] == "bert"
        self.slots = self.row["batch_size"] * (self.row["bag_size"] or 1)
        pad_id = VOCABULARY + 1
        if self.is_bert:
            self.tokenizer = read_tokenizer(folder)
            sentences, pad_id = piece_arrays(texts, sentences, folder), self.tokenizer.token_to_id("[PAD]")
        else:
            generator = torch.Generator().manual_seed(0)
            self.vectors = torch.randn(VOCABULARY + 2, WIDTH, generator=generator) / WIDTH**0.5
            self.ids = word_ids()
        names = [str(i) for i in range(N_RELATIONS)]
        self.task = Task(self.row, 1, sentences, sentences, pad_id, names, 0, LENGTH, 16_384)

    def ours(self):
        """Our model, always with the same weights."""
        torch.manual_seed(0)
        shape = bert.read_config(self.folder) if self.is_bert else {"vectors": list(self.vectors.shape)}
        model = build_classifier(self.row, LENGTH, N_RELATIONS, shape)
        if self.is_bert:
            bert.load_pretrained(model.encoder.transformer, self.folder)
        else:
            model.encoder.words.weight.data.copy_(self.vectors)
        return model

    def reference(self):
        """The reference with the weights of `ours`."""
        model = Pieces(self.folder) if self.is_bert else Words(self.vectors, self.row["encoder"] == "pcnn")
        model.copy_weights(self.ours())
        return model

    def read(self, rows):
        """A batch of the reference, from the texts."""
        reader, known = (read_pieces, self.tokenizer) if self.is_bert else (read_words, self.ids)
        parts = [reader(*self.texts[i], known) for i in rows]
        return [torch.cat(column) for column in zip(*parts, strict=True)]


def piece_arrays(texts, sentences, folder):
    """The texts as word pieces with markers."""
    tokenizer = WordPieceTokenizer(read_tokenizer(folder), LENGTH)
    encoded = tokenizer.encode([text for text, *_ in texts], [(*head, *tail) for _, head, tail in texts])
    rows = sentences.rows.copy()
    rows["length"] = [len(ids) for ids, _ in encoded]
    rows["start"] = np.concatenate(([0], np.cumsum(rows["length"])[:-1]))
    marks = np.array([bounds for _, bounds in encoded])
    for column, name in enumerate(("head_start", "head_end", "tail_start", "tail_end")):
        rows[name] = marks[:, column]
    return Sentences(np.concatenate([ids for ids, _ in encoded]), rows)


@torch.no_grad()
def largest_difference(case):
    """Of the probabilities of some sentences."""
    some = Sentences(case.task.train.tokens, case.task.train.rows[:CHECKED])
    logits, _ = classify(case.ours(), some, case.task.pad_id, LENGTH)
    model = case.reference().eval()
    batch = case.read(range(len(some)))
    theirs = model(*batch) if case.is_bert else model.relations(model.encode(*batch))
    return float((torch.from_numpy(logits).softmax(1) - theirs.softmax(1)).abs().max())


def time_reference(case, steps):
    """CPU seconds of some steps of the reference."""
    model, row, task = case.reference().train(), case.row, case.task
    kind = torch.optim.AdamW if case.is_bert else torch.optim.Adam
    optimiser = kind(model.parameters(), lr=1e-3, weight_decay=row["weight_decay"], foreach=False)
    trainer = Trainer(case.ours(), task)
    slots, starts = trainer.bags.draw(trainer.bag_size, task.seed, 0)
    batches = epoch_batches(trainer.bags, row["batch_size"], task.seed, 0)[:steps]
    started = time.process_time()
    for chosen in batches:
        rows = np.concatenate([slots[starts[bag] : starts[bag + 1]] for bag in chosen])
        batch, labels = case.read(rows), torch.from_numpy(trainer.bags.labels[chosen])
        if case.is_bert:
            loss = torch.nn.functional.cross_entropy(model(*batch), labels)
        else:
            loss = model.loss(model.encode(*batch), labels, row["bag_size"])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        loss.item()
    return time.process_time() - started


def time_ours(case, steps):
    """CPU seconds of the same steps of our loop."""
    trainer = Trainer(case.ours(), case.task)
    started = time.process_time()
    do_steps(trainer, steps)
    return time.process_time() - started


def do_steps(trainer, steps):
    """Our first steps."""
    for done, _ in enumerate(trainer.steps(), 1):
        if done == steps:
            break


def shares(case, steps):
    """Which parts our seconds go to, as a line; measured apart, as measuring takes time too."""
    trainer = Trainer(case.ours(), case.task)
    with measured(PARTS) as seconds:
        do_steps(trainer, steps)
    return as_line(seconds)


def main():
    """Print sentences per CPU second of both, their ratio, and where ours goes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    args = parser.parse_args()
    torch.set_num_threads(1)
    texts, sentences = synthetic(args.sentences)
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        if "bert" in args.cases:
            write_bert(pathlib.Path(folder))
        for key in args.cases:
            name, change = CASES[key]
            case = Case(change, texts, sentences, pathlib.Path(folder))
            difference = largest_difference(case)
            worst = max(worst, difference)
            pairs = [(time_reference(case, args.steps), time_ours(case, args.steps)) for _ in range(args.repeats)]
            done = args.steps * case.slots
            theirs, ours = (statistics.median(done / t for t in column) for column in zip(*pairs, strict=True))
            ratios = sorted(reference / own for reference, own in pairs)
            print(
                f"{name}: reference {theirs:,.0f} sentences/s, ours {ours:,.0f}, ratio {statistics.median(ratios):.1f} "
                f"[{ratios[0]:.1f}-{ratios[-1]:.1f}] ({verdict(statistics.median(ratios), AIMS[key])}); scores differ "
                f"by {difference:.1e} at most\n  {shares(case, args.steps)}",
                flush=True,
            )
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
