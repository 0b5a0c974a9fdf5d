"""The shuffled-label control keeps everything but the tie between text and label."""

import collections
import json

import numpy as np
import pyarrow as pa
import pytest

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.tables import check_file, read_table, write_table
from workflow_scripts.evaluation.control import shuffle_labels


def split(seed, n_pairs=200):
    """Bags of 1 to 5 sentences, some pairs with two relations, most NA."""
    generator = np.random.default_rng(seed)
    rows = []
    for pair in range(n_pairs):
        relations = generator.choice(["NA", "NA", "NA", "causes", "treats", "part_of"], generator.integers(1, 3), False)
        for relation in set(relations.tolist()):
            for sentence in range(generator.integers(1, 6)):
                rows.append(
                    (f"C{pair // 4:04d}", f"C{pair:04d}", relation, f"{pair:016x}{len(rows):08x}{sentence:08x}")
                )
    values = [
        {
            "text": f"{head} and {tail}", "head": head, "head_name": head, "head_start": 0, "head_end": 5,
            "tail": tail, "tail_name": tail, "tail_start": 10, "tail_end": 15, "relation": relation,
            "sentence_id": sentence, "rui": None if relation == "NA" else "R1",
        }
        for head, tail, relation, sentence in sorted(rows)
    ]  # fmt: skip
    return pa.Table.from_pylist(values, schema=INSTANCES.schema)


def bags(table):
    sentences = collections.defaultdict(set)
    for row in table.to_pylist():
        sentences[row["head"], row["tail"], row["relation"]].add(row["sentence_id"])
    return sentences


@pytest.mark.parametrize("seed", range(4))
def test_bags_keep_their_sentences_and_labels_their_number(seed):
    before = split(seed)
    after = shuffle_labels(before, seed)
    labels = {row["sentence_id"]: row["relation"] for row in after.to_pylist()}
    texts = [set(row["sentence_id"] for row in table.to_pylist()) for table in (before, after)]
    assert texts[0] == texts[1] and len(before) == len(after)
    moved = [{labels[sentence] for sentence in sentences} for sentences in bags(before).values()]
    assert all(len(label) == 1 for label in moved)  # a bag moves as a whole
    assert collections.Counter(label for (label,) in moved) == collections.Counter(key[2] for key in bags(before))
    assert after["rui"].null_count == len(after)


def test_labels_are_independent_of_the_truth():
    before, agreements = split(1, n_pairs=2000), []
    truth = {row["sentence_id"]: row["relation"] for row in before.to_pylist()}
    for seed in range(3):
        rows = [row for row in shuffle_labels(before, seed).to_pylist() if truth[row["sentence_id"]] != "NA"]
        agreements.append(np.mean([row["relation"] == truth[row["sentence_id"]] for row in rows]))
    share = np.mean([key[2] == "causes" for key in bags(before)])
    assert np.mean(agreements) == pytest.approx(share, abs=0.03)


def test_seeds_differ_and_repeat():
    before = split(2)
    assert shuffle_labels(before, 5).equals(shuffle_labels(before, 5))
    assert not shuffle_labels(before, 5).equals(shuffle_labels(before, 6))
    assert len(shuffle_labels(before.slice(0, 0), 0)) == 0


def test_command(tmp_path, run_command):
    write_table(tmp_path / "train.parquet", split(3), INSTANCES)
    options = ["--train", tmp_path / "train.parquet", "--output", tmp_path / "shuffled.parquet"]
    done = run_command("evaluation/control.py", *options, "--params", json.dumps({"seed": 9}))
    assert done.returncode == 0, done.stderr
    assert check_file(tmp_path / "shuffled.parquet", INSTANCES) == len(split(3))
    assert read_table(tmp_path / "shuffled.parquet", INSTANCES).equals(shuffle_labels(split(3), 9))
