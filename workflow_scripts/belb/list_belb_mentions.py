"""List the gold mentions of the splits train and dev of a corpus, from which an encoder of names learns."""

import logging
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.belb import measuring
from workflow_scripts.common import command
from workflow_scripts.common.contracts.labelled_mentions import LABELLED_MENTIONS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import open_writer

SPLITS = ("dev", "train")


def main(args):
    """Run the command."""
    corpus = measuring.load_corpus(args.corpus)
    with open_writer(args.mentions, LABELLED_MENTIONS) as write:
        for split in SPLITS:
            if split not in pc.unique(corpus.mentions["split"]).to_pylist():
                raise DataError(
                    args.corpus,
                    found=f"no mentions of split {split}",
                    expected="mentions of train to learn from, and of dev to choose the best epoch by",
                    remedy="name the corpora that have both: belb.systems.<name>.corpora, or give splits to this one",
                )
            gold = corpus.gold(split)
            columns = [[split] * len(gold), range(len(gold)), gold.texts, gold.identifiers]
            types = LABELLED_MENTIONS.schema.types
            arrays = [pa.array(values, kind) for values, kind in zip(columns, types, strict=True)]
            write(pa.table(arrays, LABELLED_MENTIONS.schema))
            logging.info("%s: %s mentions", split, f"{len(gold):,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--mentions", type=Path, required=True, help="output: the mentions (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
