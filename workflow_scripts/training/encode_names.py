"""Encode the names of a knowledge base: a matrix of float16 unit vectors, a row for each distinct token sequence.

Output: vectors.npy, rows.npy (the row of each name, in the order of the names) and index.json (counts and digests).
"""

import dataclasses
import logging
import os
import pathlib

import numpy as np

from workflow_scripts.common import command, params
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.files import atomic_open, atomic_path, write_json
from workflow_scripts.training.name_encoder import encode_into, load_encoder
from workflow_scripts.training.name_tokens import read_names
from workflow_scripts.training.train_run import prepare_torch


@dataclasses.dataclass(frozen=True)
class Params:
    """Config section `training`, as far as encoding depends on it."""

    threads: int
    device: str
    tokens_per_batch: int


def main(args):
    """Write the vectors."""
    settings = params.parse(Params, args.params)
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if settings.threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(settings.threads)
    encoder, tokenizer = load_encoder(args.run, prepare_torch(settings))
    names = read_names(args.names, tokenizer)
    with atomic_path(args.vectors) as path:
        shape = (len(names), encoder.output_size)
        vectors = np.lib.format.open_memmap(path, "w+", np.float16, shape)
        encode_into(vectors, encoder, names.texts.sequences, tokenizer.pad_id, settings.tokens_per_batch)
        vectors.flush()
    with atomic_open(args.rows, "wb") as stream:
        np.save(stream, names.texts.row_of_text, allow_pickle=False)
    statistics = {"names": len(names.texts.row_of_text), "vectors": len(names), "entities": len(names.entities)}
    statistics |= {"width": encoder.output_size, "truncated": tokenizer.truncated}
    logging.info("%s", statistics)
    write_json(args.index, statistics | {"digests": [file_digest(path) for path in (args.vectors, args.rows)]})


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--run", type=pathlib.Path, required=True, help="run folder of the encoder")
    parser.add_argument("--names", type=pathlib.Path, required=True, help="names of the knowledge base (Parquet)")
    parser.add_argument("--vectors", type=pathlib.Path, required=True, help="output: vectors (NumPy)")
    parser.add_argument("--rows", type=pathlib.Path, required=True, help="output: the row of each name (NumPy)")
    parser.add_argument("--index", type=pathlib.Path, required=True, help="output: counts and digests (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
