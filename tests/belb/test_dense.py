"""From a knowledge base and a corpus to predictions by the nearest names, through the commands of the rules."""

import pyarrow.parquet as pq
import pytest

from tests.belb import chain
from tests.belb.worlds import corpus_of, stored, stored_names
from tests.training.name_worlds import SETTINGS, write_encoder
from workflow_scripts.belb.api import evaluate, load_corpus
from workflow_scripts.belb.predictions import read_predictions
from workflow_scripts.common.contracts.grouped_names import GROUPED_NAMES
from workflow_scripts.common.contracts.labelled_mentions import LABELLED_MENTIONS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import check_file

NAMES = [("D:1", "Renal failure"), ("D:1", "kidney"), ("D:2", "renal Failure"), ("D:10", "WSS"), ("D:3", "WSS")]
MENTIONS = [
    ("train", "0", "kidney", ["D:1"]),
    ("dev", "1", "wss", ["D:3"]),
    ("test", "2", "RENAL failure", ["D:1"]),
    ("test", "2", "wss", ["D:3", "D:10"]),
    ("test", "3", "kidney", ["D:2"]),
]
PLACE = {"threads": 1, "device": "cpu", "tokens_per_batch": 2048}


def test_predictions_by_the_nearest_names(tmp_path):
    corpus = stored(corpus_of(MENTIONS), tmp_path / "corpus")
    names = stored_names(tmp_path / "kb" / "names.parquet", NAMES)
    encoder = write_encoder(tmp_path / "encoder", words=["renal", "failure", "kidney", "wss"])
    grouped, run, out = tmp_path / "grouped.parquet", tmp_path / "run", tmp_path / "s.jsonl"
    chain.list_spans(tmp_path, corpus)
    chain.run("belb/group_belb_names", "--names", names, "--grouped", grouped)
    assert check_file(grouped, GROUPED_NAMES) == 4
    assert pq.read_table(grouped).to_pylist()[1] == {"name": "WSS", "identifiers": ["D:10", "D:3"]}
    chain.run("training/train_name_encoder", "--encoder", encoder, "--folder", run, parameters=SETTINGS)
    vectors = ("--run", run, "--names", grouped, "--vectors", tmp_path / "v.npy", "--rows", tmp_path / "r.npy")
    chain.run("training/encode_names", *vectors, "--index", tmp_path / "index.json", parameters=PLACE)
    nearest = ("--nearest", tmp_path / "nearest.parquet")
    options = (*vectors, "--texts", tmp_path / "texts.parquet", *nearest)
    chain.run("training/search_names", *options, parameters={**PLACE, "max_candidates": 2})
    options = ("--spans", tmp_path / "spans.parquet", *nearest, "--predictions", out)
    chain.run("belb/read_belb_nearest", *options, parameters=chain.HEADER)
    found = read_predictions(out)
    assert [len(row.candidates) for row in found.rows] == [2, 2, 2]
    # both spellings are one name to an uncased encoder; WSS has two entities; kidney is another one's name
    assert [row.candidates[0] for row in found.rows] == [("D:1", "D:2"), ("D:10", "D:3"), ("D:1",)]
    recall = evaluate(load_corpus(corpus), found)["full"]["recall@1"]
    assert recall == pytest.approx({"std": (0.5 + 1) / 3, "strict": 0, "lenient": 2 / 3})


def test_mentions_to_learn_from(tmp_path):
    """Those of train and dev, in the order of the corpus; nothing of test."""
    corpus = stored(corpus_of([*MENTIONS, ("train", "0", "Kidney", ["D:2", "D:1"])]), tmp_path / "corpus")
    path = tmp_path / "labelled.parquet"
    chain.run("belb/list_belb_mentions", "--corpus", corpus, "--mentions", path)
    check_file(path, LABELLED_MENTIONS)
    rows = [(row["split"], row["number"], row["text"], row["identifiers"]) for row in pq.read_table(path).to_pylist()]
    assert rows == [
        ("dev", 0, "wss", ["D:3"]),
        ("train", 0, "kidney", ["D:1"]),
        ("train", 1, "Kidney", ["D:2", "D:1"]),
    ]


@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_corpus_with_nothing_to_learn_from(tmp_path, split):
    corpus = stored(corpus_of([row for row in MENTIONS if row[0] != split]), tmp_path / "corpus")
    with pytest.raises(DataError, match=f"no mentions of split {split}\n.*\n.*belb.systems.<name>.corpora"):
        chain.run("belb/list_belb_mentions", "--corpus", corpus, "--mentions", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_a_knowledge_base_without_names(tmp_path):
    names = stored_names(tmp_path / "names.parquet", [])
    with pytest.raises(DataError, match="no names"):
        chain.run("belb/group_belb_names", "--names", names, "--grouped", tmp_path / "grouped.parquet")
    assert not (tmp_path / "grouped.parquet").exists()
