"""What the two kinds of index have in common."""

import json
import logging
import pathlib

import numpy as np

from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import atomic_open
from workflow_scripts.common.models.encodings import WITH_TYPES, InputEncoding
from workflow_scripts.common.tables import read_table


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


def read_encoding(name, concepts):
    """An input encoding, with the lower-cased semantic type of each concept where it reads types.

    Parameters
    ----------
    name : str
        One of `encodings.ENCODINGS`.
    concepts : Path or None
        Table of CONCEPTS, which CT and OT need and no other reads.

    Raises
    ------
    UsageError
        If the table is missing for CT or OT.
    """
    if name not in WITH_TYPES:
        return InputEncoding(name)
    if concepts is None:
        raise UsageError(
            f"encoding {name} reads semantic types\n  remedy: give --concepts, the run's kg/concepts.parquet"
        )
    columns = read_table(concepts, CONCEPTS, columns=["cui", "sty"]).to_pydict()
    types = {cui: sty.lower() for cui, sty in zip(columns["cui"], columns["sty"], strict=True)}
    return InputEncoding(name, types)


def truncation(tokenizer):
    """Counts of sentences that were cut, and of those with a mention after the limit, which are warned of."""
    if tokenizer.beyond:
        fate = (
            "a window holds both mentions" if tokenizer.windowed else "the mention is lost (training.window is false)"
        )
        logging.warning("%d sentences have a mention after token %d: %s", tokenizer.beyond, tokenizer.max_length, fate)
    return {"truncated": tokenizer.truncated, "mention_beyond_limit": tokenizer.beyond}
