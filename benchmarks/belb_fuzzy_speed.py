"""The five most similar names by the index of BELB's fuzzy system against scoring every name.

    python benchmarks/belb_fuzzy_speed.py --names resources/belb/kbs/medic/names.parquet \
        --mentions resources/belb/corpora/bc5cdr_disease/mentions.parquet

Prints CPU seconds of one thread a text for both, their ratio, and whether names, scores and order are the same.
"""

import argparse
import pathlib
import random
import sys
import time

import pyarrow.parquet as pq
from rapidfuzz import fuzz, process

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from workflow_scripts.belb.similar_names import SimilarNames
from workflow_scripts.belb.systems import FUZZY_NAMES


def seconds(function):
    """CPU seconds of a call, and its result."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def scored_all(text, names):
    """Score and name of the best, by scoring every name."""
    best = process.extract(text, names, scorer=fuzz.WRatio, limit=FUZZY_NAMES)
    return [(score, name) for name, score, _ in best if score > 0]


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--names", required=True, help="names.parquet of a knowledge base")
    parser.add_argument("--mentions", required=True, help="mentions.parquet of a corpus")
    parser.add_argument("--texts", type=int, default=100, help="texts that are drawn (default: 100)")
    args = parser.parse_args()
    names = sorted({name.lower() for name in pq.read_table(args.names)["name"].to_pylist()})
    texts = sorted({text.lower() for text in pq.read_table(args.mentions)["text"].to_pylist()})
    texts = random.Random(0).sample(texts, min(args.texts, len(texts)))
    making, index = seconds(lambda: SimilarNames(names))
    ours, found = seconds(lambda: [index.best(text, FUZZY_NAMES) for text in texts])
    theirs, wanted = seconds(lambda: [scored_all(text, names) for text in texts])
    print(f"{len(names):,} names, {len(texts)} texts; index {making:.1f} s")
    print(f"a text: index {ours / len(texts):.4f} s, all names {theirs / len(texts):.4f} s, ratio {theirs / ours:.1f}")
    print("names, scores and order are " + ("the same" if found == wanted else "NOT the same"))


if __name__ == "__main__":
    main()
