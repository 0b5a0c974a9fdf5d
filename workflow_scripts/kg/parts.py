"""What the two splits share: the numbers of the parts, their shares and their files."""

import logging

import numpy as np

from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.kg.triple_files import read_triples, sorted_triples, write_triples

TRAIN, VALID, TEST, NONE = 0, 1, 2, -1
NAMES = ("train", "valid", "test")


def check_shares(shares, key):
    """Raise UsageError unless the shares of train, valid and test sum to 1."""
    total = sum(shares[name] for name in NAMES)
    if abs(total - 1) > 1e-9:
        given = ", ".join(f"{name} {shares[name]}" for name in NAMES)
        raise UsageError(f"{key}: {given} sum to {total:g}, not to 1")


def read_input(path):
    """The triples to split, in file order; DataError if there is none."""
    triples = read_triples(path)
    if not triples.num_rows:
        raise DataError(path, found="no triple", expected="triples to split", remedy="see the funnel of build_kg")
    return triples


def write_parts(triples, part, paths):
    """Write the triples of each part, sorted, to its file.

    Parameters
    ----------
    triples : pyarrow.Table
    part : ndarray of int8, shape (n,)
        TRAIN, VALID, TEST or NONE.
    paths : sequence of Path
        Files of train, valid and test.
    """
    for number, (name, path) in enumerate(zip(NAMES, paths, strict=True)):
        mine = triples.take(np.flatnonzero(part == number))
        logging.info("%s: %s triples", name, f"{mine.num_rows:,}")
        if not mine.num_rows:
            logging.warning("%s is empty: the graph is too small for its share", name)
        write_triples(path, sorted_triples(mine))
    logging.info("in no split: %s triples", f"{int((part == NONE).sum()):,}")


def add_files(parser):
    """Add --triples, --train, --valid and --test to an argument parser."""
    parser.add_argument("--triples", required=True, help="head, relation, tail, in the order of the draws")
    for name in NAMES:
        parser.add_argument(f"--{name}", required=True, help=f"output: {name} triples, sorted")
