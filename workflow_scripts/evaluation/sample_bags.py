"""A sample of pairs of the test split with the model's score of each sentence, for Figure 1 and the browser of bags.

Half of the pairs have a relation, half have none (as far as there are so many); which ones depends on their CUIs alone.
"""

import dataclasses
import tempfile
from pathlib import Path

import pyarrow as pa

from workflow_scripts.common import command, keyed_random, params
from workflow_scripts.common.contracts.bags import BAGS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table, write_table
from workflow_scripts.evaluation import scoring

NA = "NA"
SPANS = ("head_start", "head_end", "tail_start", "tail_end")


@dataclasses.dataclass(frozen=True)
class Params:
    pairs: int
    sentences: int
    example: list | None
    device: str
    threads: int


def main(args):
    settings = params.parse(Params, args.params)
    table = read_table(args.test, INSTANCES)
    labels = pair_labels(table)
    chosen = choose_pairs(labels, settings.pairs, settings.example, args.test)
    keys = zip(table["head"].to_pylist(), table["tail"].to_pylist(), strict=True)
    table = table.filter(pa.array([key in chosen for key in keys], pa.bool_()))
    bundle = scoring.load(args.run, settings.device, settings.threads)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.parquet"
        write_table(path, table, INSTANCES)
        scored = scoring.score_sentences(bundle, path)
    rows = bag_rows(scored, args.pooling, table, labels, settings.sentences)
    write_table(args.output, pa.Table.from_pylist(rows, BAGS.schema), BAGS)


def pair_labels(table):
    """(head, tail) -> its relations other than NA, sorted.

    Parameters
    ----------
    table : pyarrow.Table
        INSTANCES.
    """
    found = {}
    for row in (
        table.select(["head", "tail", "relation"]).group_by(["head", "tail", "relation"]).aggregate([]).to_pylist()
    ):
        own = found.setdefault((row["head"], row["tail"]), set())
        own |= {row["relation"]} - {NA}
    return {pair: sorted(own) for pair, own in found.items()}


def choose_pairs(labels, n, example, path):
    """At most n pairs, as a set: half with a relation, half without, the one filled up with the other; and the example.

    Parameters
    ----------
    labels : dict
        Of `pair_labels`.
    n : int
    example : (head, tail) or None
        A pair that has to be there.
    path : Path
        The file of the pairs, for the error.

    Raises
    ------
    DataError
        If the example is no pair of the file.
    """
    if example and tuple(example) not in labels:
        raise DataError(
            path,
            found=f"no sentence of pair {example[0]}, {example[1]}",
            expected="the pair of config key experiments.bags.example",
            remedy="name a pair of the test split (its order counts), or leave the key empty",
        )
    order = sorted(labels, key=lambda pair: (keyed_random.key64("bags", *pair), pair))
    order.sort(key=lambda pair: tuple(example or ()) != pair)
    facts, others = ([pair for pair in order if bool(labels[pair]) == kind] for kind in (True, False))
    n_facts = min(len(facts), max(n - n // 2, n - len(others)))
    return set(facts[:n_facts] + others[: n - n_facts]) | ({tuple(example)} if example else set())


def bag_rows(scored, pooling, table, labels, n_sentences):
    """Rows of BAGS: the weightiest sentences of each pair.

    Parameters
    ----------
    scored : ScoredSentences
    pooling : {"avg", "one", "att"}
    table : pyarrow.Table
        The INSTANCES that were scored, in their order.
    labels : dict
        Of `pair_labels`.
    n_sentences : int
        Sentences kept of each bag.
    """
    sentences = table.select(["text", *SPANS]).to_pylist()
    rows = []
    for bag in scoring.weighted_bags(scored, pooling):
        pair = {
            "head": bag.pair[0],
            "tail": bag.pair[1],
            "labels": "|".join(labels[bag.pair]) or NA,
            "relation": bag.relation,
            "score": bag.score,
            "n_sentences": len(bag.lines),
        }
        for rank in range(min(n_sentences, len(bag.lines))):
            marks = {
                "weight": bag.weights[rank],
                "probability": bag.probabilities[rank],
                "predicted": bag.predicted[rank],
            }
            rows.append(pair | {"rank": rank + 1} | sentences[bag.lines[rank]] | marks)
    return rows


def arguments():
    parser = command.parser(__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the trained run")
    parser.add_argument("--test", type=Path, required=True, help="instances of the test split (Parquet)")
    parser.add_argument("--pooling", required=True, choices=("avg", "one", "att"), help="how to pool")
    parser.add_argument("--output", type=Path, required=True, help="bags with their sentences (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
