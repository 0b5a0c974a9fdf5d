"""What the two kinds of index have in common."""

import json
import pathlib

import numpy as np

from workflow_scripts.common.files import atomic_open


def split_statistics(sentences, n_pairs):
    """Counts of an encoded split."""
    lengths = sentences.rows["length"]
    return {
        "instances": len(sentences),
        "pairs": n_pairs,
        "tokens": int(lengths.sum()),
        "mean_length": round(float(lengths.mean()), 3),
        "longest": int(np.max(lengths)),
    }


def write_vocabulary(folder, tokenizer):
    """Write vocabulary.json, from which the same tokenizer is built again."""
    with atomic_open(pathlib.Path(folder) / "vocabulary.json") as stream:
        json.dump(tokenizer.to_json(), stream, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        stream.write("\n")
