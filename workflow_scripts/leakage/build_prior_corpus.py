"""Rebuild the benchmark UMLS.v2 (Amin et al. 2020a) or UMLS.v3 (Hogan et al. 2021) by its published parameters.

Reads the names found in the sentences (`match_names`) and the names and facts of the release; writes a corpus whose
entities are surface forms: {train,valid,test}.{parquet,jsonl}, rel2id.json, check.json.
"""

import dataclasses
import logging
import pathlib

from workflow_scripts.common import command, duck, params
from workflow_scripts.common.files import read_json
from workflow_scripts.leakage import prior_corpus, writing
from workflow_scripts.leakage.match_names import FOLDED


@dataclasses.dataclass(frozen=True)
class Params:
    """The parameters of the benchmark."""

    style: str
    seed: int
    min_pairs: int
    max_pairs: int
    na_share: float
    max_bag_size: int
    test_share: float
    valid_share: float


def build(database, sources, folder, settings):
    """Build the corpus.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
    sources : dict
        `matches`, `sentences` (lists of paths), `names`, `facts` (paths).
    folder : Path
    settings : Params
    """
    database.execute("SET VARIABLE seed = ?", [settings.seed])
    matches, names, facts = sources["matches"], sources["names"], sources["facts"]
    prior_corpus.align(database, matches, names, facts, FOLDED[settings.style])
    prior_corpus.choose_relations(database, settings.min_pairs, settings.max_pairs)
    prior_corpus.draw_negatives(database, settings.style, settings.na_share)
    prior_corpus.split(database, settings.test_share, settings.valid_share, settings.max_bag_size)
    database.execute(
        f"""CREATE TABLE sentences AS SELECT sentence_id, text FROM {duck.parquet(sources["sentences"])}
        WHERE sentence_id IN (SELECT sentence_id FROM split_instances)"""
    )
    writing.write_splits(database, folder, prior_corpus.rows)
    writing.check(database, folder, settings.max_bag_size)


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    sources = {name: getattr(args, name) for name in ("matches", "sentences", "names", "facts")}
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        build(database, sources, args.folder, settings)
    logging.info("%s", read_json(args.folder / "check.json")["splits"])


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--matches", type=path, nargs="+", required=True, help="of match_names, all partitions")
    parser.add_argument("--sentences", type=path, nargs="+", required=True, help="text/sentences, all partitions")
    parser.add_argument("--names", type=path, required=True, help="leakage/kb/names")
    parser.add_argument("--facts", type=path, required=True, help="leakage/kb/facts")
    parser.add_argument("--folder", type=path, required=True, help="folder for the corpus")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
