"""Shuffle the labels of a training split: the control that shows what a model scores when there is nothing to learn.

The labels of the bags (head, tail, relation) are permuted, keyed by the seed, so the number of bags and of sentences
per bag, the frequency of each relation and all texts stay as they are; only what a text says about its label is lost.
"""

import dataclasses
import logging
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.keyed_random import key64, permutation
from workflow_scripts.common.tables import read_table, write_table


@dataclasses.dataclass(frozen=True)
class Params:
    seed: int = 0


def shuffle_labels(instances, seed):
    """Instances with the labels of their bags permuted, sorted again.

    Parameters
    ----------
    instances : pyarrow.Table
        A training split (INSTANCES), sorted.
    seed : int

    Returns
    -------
    pyarrow.Table
        The same sentences; `rui` is null, as no row of MRREL stands behind a shuffled label.
    """
    if not len(instances):
        return instances
    instances = instances.combine_chunks()
    differs = [pc.not_equal(instances[name][1:], instances[name][:-1]) for name in ("head", "tail", "relation")]
    new = np.concatenate(([True], pc.or_(pc.or_(differs[0], differs[1]), differs[2]).to_numpy()))
    labels = instances["relation"].filter(pa.array(new))
    order = permutation(key64("label control", seed), len(labels))
    shuffled = labels.take(pa.array(order)).take(pa.array(np.cumsum(new) - 1))
    schema = INSTANCES.schema
    table = instances.set_column(schema.get_field_index("relation"), schema.field("relation"), shuffled)
    table = table.set_column(schema.get_field_index("rui"), schema.field("rui"), pa.nulls(len(table), pa.string()))
    return table.sort_by([(name, "ascending") for name in INSTANCES.sort_by])


def main(args):
    settings = params.parse(Params, args.params)
    before = read_table(args.train, INSTANCES)
    after = shuffle_labels(before, settings.seed)
    write_table(args.output, after, INSTANCES)
    logging.info("%d instances written to %s with the labels of their bags shuffled", len(after), args.output)


def arguments():
    parser = command.parser(__doc__)
    parser.add_argument("--train", type=Path, required=True, help="instances of the training split (Parquet)")
    parser.add_argument("--output", type=Path, required=True, help="the same with shuffled labels (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
