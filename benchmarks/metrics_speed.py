"""Time the metrics against a literal restatement of their definition in Python dicts, at the size of the paper's test
set: 22,606 pairs x 21 relations = 474,726 predictions, 1,663 facts. Prints CPU seconds of both, their ratio, what was
aimed at and the parts that ours go to, after checking that all values agree to 1e-9; exits non-zero when they do not.

    python benchmarks/metrics_speed.py [--repeats 3]
"""

import argparse
import pathlib
import statistics
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from benchmarks.shares import as_line, measured, verdict  # noqa: E402
from workflow_scripts.common import metrics  # noqa: E402
from workflow_scripts.common.metrics import PRECISION_AT, evaluate  # noqa: E402

PAIRS, RELATIONS, FACTS = 22_606, 21, 1_663
AIM = 45
PARTS = {
    "checks": [(metrics, "_checked"), (metrics, "_canonical")],
    "sorting": [(metrics, "_descending_order")],
    "ranks and ties": [(metrics.Ranking, "__init__")],
    "values of the ranking": [
        (metrics.Ranking, name) for name in ("auc", "average_precision", "best_f1", "mean_precision_to", "tie_report")
    ],
    "by relation": [(metrics, "_by_relation"), (metrics, "_per_relation"), (metrics, "_averages")],
}


def literal_metrics(predictions, facts, relations, precision_at=PRECISION_AT, fixed_threshold=0.5):
    """The definition word by word, for tests and as the reference of the ratio.

    `predictions` is a list of {"pair", "relation", "score"} in the order that settles ties, `facts` a set of
    (pair, relation).
    """
    ranked = sorted(predictions, key=lambda item: item["score"], reverse=True)  # stable: ties keep their order
    right, precision, recall = 0, [], []
    for rank, item in enumerate(ranked, start=1):
        right += (item["pair"], item["relation"]) in facts
        precision.append(right / rank)
        recall.append(right / len(facts))
    f1 = [2 * p * r / (p + r + 1e-20) for p, r in zip(precision, recall, strict=True)]
    best = max(range(len(f1)), key=f1.__getitem__)  # the first of equal ones
    steps = range(1, len(ranked))
    area = sum((recall[i] - recall[i - 1]) * (precision[i] + precision[i - 1]) / 2 for i in steps)
    ends = [i for i in range(len(ranked)) if i + 1 == len(ranked) or ranked[i]["score"] != ranked[i + 1]["score"]]
    gained = zip([0.0] + [recall[i] for i in ends], ends, strict=False)
    result = {"auc": area, "ap": sum((recall[i] - before) * precision[i] for before, i in gained)}
    result |= {"max_micro_f1": f1[best], "threshold": ranked[best]["score"], "n_facts": len(facts)}
    for names, threshold in ((("", "max_macro_f1"), result["threshold"]), (("micro_f1", "macro_f1"), fixed_threshold)):
        chosen = {(item["pair"], item["relation"]) for item in ranked if item["score"] >= threshold}
        counts = [
            [sum(relation == name for _, relation in part) for part in (chosen & facts, chosen, facts)]
            for name in relations
        ]
        result[names[1]] = sum(2 * a / (b + c) if b + c else 0.0 for a, b, c in counts) / len(relations)
        if names[0]:
            result[names[0]] = 2 * len(chosen & facts) / (len(chosen) + len(facts))
    return result | {f"p@{k}": precision[k - 1] if k <= len(ranked) else None for k in precision_at}


def as_predictions(scores, facts, relations, pairs):
    """The arrays of `evaluate` as the dicts and the set of the restatement."""
    predictions = [
        {"pair": pair, "relation": relation, "score": score}
        for pair, row in zip(pairs, scores.tolist(), strict=True)
        for relation, score in zip(relations, row, strict=True)
    ]
    return predictions, {(pairs[row], relations[column]) for row, column in np.argwhere(facts)}


def synthetic(seed=0):
    """Scores with a plausible precision-recall curve, some of them tied at 1."""
    generator = np.random.default_rng(seed)
    facts = np.zeros(PAIRS * RELATIONS, bool)
    facts[generator.choice(facts.size, FACTS, replace=False)] = True
    margin = generator.normal(-6, 2.5, facts.size) + facts * generator.normal(5, 4, facts.size)
    scores = (1 / (1 + np.exp(-margin))).astype(np.float32).reshape(PAIRS, RELATIONS)
    return scores, facts.reshape(PAIRS, RELATIONS)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=3, help="interleaved repeats; the medians are compared")
    repeats = arguments.parse_args().repeats
    scores, facts = synthetic()
    relations = [f"relation {column:02d}" for column in range(RELATIONS)]
    pairs = [(f"C{row:07d}", "C9999999") for row in range(PAIRS)]
    predictions, fact_set = as_predictions(scores, facts, relations, pairs)
    times = {"literal": [], "numpy": []}
    for _ in range(repeats):
        started = time.process_time()
        expected = literal_metrics(predictions, fact_set, relations)
        between = time.process_time()
        found = evaluate(scores, facts, relations=relations)
        times["literal"].append(between - started)
        times["numpy"].append(time.process_time() - between)
    worst = max(abs(found[key] - value) for key, value in expected.items())
    literal, ours = (statistics.median(times[name]) for name in ("literal", "numpy"))
    print(f"{scores.size} predictions, {FACTS} facts, {found['n_ties']} tied; auc {found['auc']:.4f}")
    print(f"largest difference over {len(expected)} values: {worst:.1e}")
    ratio = literal / ours
    print(
        f"CPU seconds, median of {repeats}: literal {literal:.3f}, numpy {ours:.4f}, "
        f"ratio {ratio:.1f} ({verdict(ratio, AIM)})"
    )
    with measured(PARTS) as seconds:
        evaluate(scores, facts, relations=relations)
    print(f"  {as_line(seconds)}")
    return 0 if worst <= 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
