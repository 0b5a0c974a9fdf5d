"""Evaluation of a linker on 100,000 mentions against the definition of recall@k, mention by mention.

    python benchmarks/belb_evaluation_speed.py

Prints CPU seconds of one thread for the predictions file (write, read) and for all figures (recall@1 and @5 in three
modes over six sets of mentions), those of the literal restatement of the tests for the full set alone, their ratio, and
whether the figures agree to 1e-12.
"""

import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from tests.belb.worlds import literal_recall, random_world
from workflow_scripts.belb.gold import aligned
from workflow_scripts.belb.measuring import evaluate
from workflow_scripts.belb.metrics import MODES
from workflow_scripts.belb.predictions import read_predictions, write_predictions

MENTIONS = 200_000  # half of them are test mentions


def seconds(function):
    """CPU seconds of a call, and its result."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def literal(corpus, predictions):
    """recall@1 and @5 by going through all draws of every mention."""
    gold = corpus.gold()
    ranks = [predictions.rows[row].candidates if row >= 0 else None for row in aligned(gold, predictions)]
    pairs = list(zip(gold.identifiers, ranks, strict=True))
    return {
        f"recall@{k}": {mode: statistics.fmean(literal_recall(*pair, k, mode) for pair in pairs) for mode in MODES}
        for k in (1, 5)
    }


def main():
    """Measure and print."""
    corpus, predictions = random_world(0, mentions=MENTIONS, identifiers=500)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "predictions.jsonl.gz"
        writing, _ = seconds(lambda: write_predictions(path, predictions))
        reading, predictions = seconds(lambda: read_predictions(path))
    ours, result = seconds(lambda: evaluate(corpus, predictions))
    theirs, wanted = seconds(lambda: literal(corpus, predictions))
    agree = all(
        abs(result["full"][name][mode] - value) < 1e-12
        for name, modes in wanted.items()
        for mode, value in modes.items()
    )
    print(f"{result['full']['n']:,} mentions: write {writing:.2f} s, read {reading:.2f} s, all figures {ours:.2f} s")
    print(
        f"literal restatement, full set only: {theirs:.2f} s, {theirs / ours:.1f} times as long; figures agree: {agree}"
    )
    sys.exit(not agree)


if __name__ == "__main__":
    main()
