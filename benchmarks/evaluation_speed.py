"""Evaluation speed against the published way of working, in CPU seconds of the same process, one thread.

A CNN or PCNN with pooling ONE over a test split, from texts to metrics. The reference (`published_way.py`) reads each
sentence from its text, pads it to 128 tokens, pools bag by bag, and ranks predictions as dicts
(`metrics_speed.py:literal_metrics`). Ours is tokenisation, inference, pooling and metrics of the workflow. Scores are
found equal to 1e-6 and metrics to 1e-5 first; exits non-zero when they are not. The ratio is printed with what was
aimed at and the parts that our seconds go to.

    python benchmarks/evaluation_speed.py [--sentences N] [--repeats N]
"""

import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from metrics_speed import literal_metrics  # noqa: E402
from published_way import (  # noqa: E402
    LENGTH,
    N_RELATIONS,
    VOCABULARY,
    WIDTH,
    Words,
    read_words,
    synthetic,
    word_ids,
)
from shares import as_line, measured, verdict  # noqa: E402

from workflow_scripts.common.metrics import evaluate  # noqa: E402
from workflow_scripts.common.models import encoders, inference  # noqa: E402
from workflow_scripts.common.models.arrays import Sentences  # noqa: E402
from workflow_scripts.common.models.classifier import build_classifier  # noqa: E402
from workflow_scripts.common.models.inference import classify  # noqa: E402
from workflow_scripts.common.models.pooling import pool_scores  # noqa: E402
from workflow_scripts.common.models.tokenization import WordTokenizer  # noqa: E402

TOLERANCE = {"scores": 1e-6, "metrics": 1e-5}
NAMES = [f"relation {number:02d}" for number in range(1, N_RELATIONS)]
BATCH, AIM = 64, 6
PARTS = {
    "tokens": [(WordTokenizer, "__init__"), (WordTokenizer, "encode")],
    "input": [(inference, "gather"), (inference, "to_device"), (encoders, "Windows")],
    "encode": [(encoders.ConvolutionalEncoder, "forward")],
    "pool": [(sys.modules[__name__], "pool_scores")],
    "metrics": [(sys.modules[__name__], "evaluate")],
}


def our_evaluation(model, texts, sentences, facts):
    """Scores of all relations but NA, and metrics."""
    tokenizer = WordTokenizer([f"w{i}" for i in range(VOCABULARY)], LENGTH)
    encoded = tokenizer.encode([text for text, *_ in texts], [(*head, *tail) for _, head, tail in texts])
    rows = sentences.rows.copy()
    rows["start"] = np.concatenate(([0], np.cumsum([len(ids) for ids, _ in encoded])[:-1]))
    split = Sentences(np.concatenate([ids for ids, _ in encoded]), rows)
    logits, attention = classify(model, split, tokenizer.pad_id, LENGTH)
    scores = pool_scores(logits, attention, rows["pair"], "one")[:, 1:]
    return scores, evaluate(scores, facts, relations=NAMES)


@torch.no_grad()
def published_evaluation(model, texts, sentences, facts):
    """The same, sentence by sentence and bag by bag."""
    ids, vectors = word_ids(), []
    for first in range(0, len(texts), BATCH):
        parts = [read_words(*text, ids) for text in texts[first : first + BATCH]]
        vectors.append(model.encode(*(torch.cat(column) for column in zip(*parts, strict=True))))
    scores = model.score_bags(torch.cat(vectors), np.bincount(sentences.rows["pair"]).tolist())[:, 1:].numpy()
    predictions = [
        {"pair": pair, "relation": NAMES[column], "score": score}
        for pair, row in enumerate(scores.tolist())
        for column, score in enumerate(row)
    ]
    known = {(pair, NAMES[column]) for pair, column in np.argwhere(facts).tolist()}
    return scores, literal_metrics(predictions, known, NAMES)


def shares(*arguments):
    """Which parts our seconds go to, as a line; measured apart, as measuring takes time too."""
    with measured(PARTS) as seconds:
        our_evaluation(*arguments)
    return as_line(seconds)


def main():
    """Print sentences per CPU second of both, their ratio, and where ours goes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    texts, sentences = synthetic(args.sentences)
    vectors = torch.randn(VOCABULARY + 2, WIDTH, generator=torch.Generator().manual_seed(0)) / WIDTH**0.5
    facts = np.zeros((int(sentences.rows["pair"][-1]) + 1, N_RELATIONS - 1), dtype=bool)
    positive = sentences.rows["relation"] > 0
    facts[sentences.rows["pair"][positive], sentences.rows["relation"][positive] - 1] = True
    good = True
    for encoder in ("cnn", "pcnn"):
        row = {"encoder": encoder, "pooling": "one", "hidden_size": 230, "kernel_size": 3, "position_size": 5}
        torch.manual_seed(0)
        ours = build_classifier(row | {"dropout": 0.5}, LENGTH, N_RELATIONS, {"vectors": list(vectors.shape)}).eval()
        ours.encoder.words.weight.data.copy_(vectors)
        reference = Words(vectors, encoder == "pcnn").eval()
        reference.copy_weights(ours)
        times, differences = [], []
        for _ in range(args.repeats):
            begun = time.process_time()
            expected = published_evaluation(reference, texts, sentences, facts)
            between = time.process_time()
            found = our_evaluation(ours, texts, sentences, facts)
            times.append((between - begun, time.process_time() - between))
            metrics = [abs(found[1][name] - value) for name, value in expected[1].items() if value is not None]
            differences.append((float(np.abs(found[0] - expected[0]).max()), max(metrics)))
        worst = dict(zip(TOLERANCE, map(max, zip(*differences, strict=True)), strict=True))
        good = good and all(worst[name] <= TOLERANCE[name] for name in worst)
        theirs, own = (statistics.median(len(texts) / t for t in column) for column in zip(*times, strict=True))
        ratios = sorted(reference / mine for reference, mine in times)
        print(
            f"evaluate {encoder}+one: reference {theirs:,.0f} sentences/s, ours {own:,.0f}, "
            f"ratio {statistics.median(ratios):.1f} [{ratios[0]:.1f}-{ratios[-1]:.1f}] "
            f"({verdict(statistics.median(ratios), AIM)}); differences: scores {worst['scores']:.1e}, metrics "
            f"{worst['metrics']:.1e}\n  {shares(ours, texts, sentences, facts)}",
            flush=True,
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
