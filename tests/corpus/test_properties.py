"""Counts behind Table 4 against a literal restatement, on small corpora with planted faults."""

import argparse
import json
import random

import pyarrow as pa
import pytest

from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.tables import write_table
from workflow_scripts.corpus.measure_properties import PARTS, measure

CUIS = [f"C{i}" for i in range(8)]
TYPES = {cui: f"type {i % 3}" for i, cui in enumerate(CUIS)}


def drawn(seed):
    """Instances (split, head, relation, tail, sentence), mentions, triples of the graph."""
    draws = random.Random(seed)
    graph = {split: [tuple(draws.sample(CUIS[:6], 2)) for _ in range(3)] for split in PARTS}
    rows, mentions = [], []
    for number in range(40):
        split, sentence = draws.choice(PARTS), f"{number if draws.random() < 0.8 else 0:032x}"
        relation = draws.choice(["NA", "NA", "r", "s"])
        rows.append((split, *draws.sample(CUIS, 2), relation, sentence))
        for start, cui in ((0, rows[-1][1]), (5, rows[-1][2])):
            mentions.append((sentence, start, start + 4, cui, draws.choice([1.0, 0.8])))
    unique = {(sentence, start, end): (cui, score) for sentence, start, end, cui, score in mentions}
    return rows, [(*place, *rest) for place, rest in sorted(unique.items())], graph


def literal(rows, mentions, graph):
    facts = {(split, h, r, t) for split, h, t, r, _ in rows if r != "NA"}
    later = [fact for fact in facts if fact[0] != "train"]
    train = [fact for fact in facts if fact[0] == "train"]
    seen = {cui for _, h, _, t in train for cui in (h, t)}
    related = {(h, t) for _, h, _, t in train} | {(t, h) for _, h, _, t in train}
    na = {(split, h, t) for split, h, t, r, _ in rows if r == "NA"}
    pairs = {pair for part in graph.values() for pair in part}
    types = {(TYPES[h], TYPES[t]) for h, t in pairs}
    sentences = [row[4] for row in rows]
    links = {(s, start, start + 4, c) for _, h, t, _, s in rows for start, c in ((0, h), (5, t))}
    found = [m for m in mentions if m[:4] in links]
    return {
        "links": {"n": len(found), "below_one": sum(m[4] < 1 for m in found), "before_share": 0.25},
        "na_sentences": {
            "n": sum(row[3] == "NA" for row in rows),
            "broken": sum(row[3] == "NA" and sentences.count(row[4]) > 1 for row in rows),
        },
        "inductive": {"n": len(later), "broken": sum(h in seen and t in seen for _, h, _, t in later)},
        "leakage": {"n": len(later), "broken": sum((h, t) in related for _, h, _, t in later)},
        "na_types": {"n": len(na), "broken": sum((TYPES[h], TYPES[t]) not in types for _, h, t in na)},
        "na_roles": {
            "n": len(na),
            "broken": sum(not ({h} & {a for a, _ in pairs} and {t} & {b for _, b in pairs}) for _, h, t in na),
        },
    }


def written(folder, rows, mentions, graph):
    for split in PARTS:
        part = sorted((h, t, r, s) for sp, h, t, r, s in rows if sp == split)
        columns = {
            "text": [f"{h}.. {t}.." for h, t, _, _ in part],
            "head": [h for h, *_ in part], "head_name": ["name"] * len(part),
            "tail": [t for _, t, *_ in part], "tail_name": ["name"] * len(part),
            "head_start": [0] * len(part), "head_end": [4] * len(part),
            "tail_start": [5] * len(part), "tail_end": [9] * len(part),
            "relation": [r for *_, r, _ in part], "sentence_id": [s for *_, s in part], "rui": [None] * len(part),
        }  # fmt: skip
        write_table(folder / f"{split}.parquet", pa.table(columns, schema=INSTANCES.schema), INSTANCES)
        (folder / f"{split}.tsv").write_text("".join(f"{h}\tr\t{t}\n" for h, t in graph[split]))
    names = ("sentence_id", "start", "end", "cui", "score")
    columns = {name: [m[i] for m in mentions] for i, name in enumerate(names)}
    columns |= {"surface": ["name"] * len(mentions), "rank": [0] * len(mentions)}
    write_table(folder / "mentions.parquet", pa.table(columns, schema=MENTIONS.schema), MENTIONS)
    columns = {name: [name] * len(CUIS) for name in ("name", "tui", "group")}
    columns |= {"cui": CUIS, "sty": [TYPES[cui] for cui in CUIS], "n_types": [1] * len(CUIS)}
    write_table(folder / "concepts.parquet", pa.table(columns, schema=CONCEPTS.schema), CONCEPTS)
    (folder / "linking.json").write_text(json.dumps({"score_below_one_share": 0.25}))
    return argparse.Namespace(
        instances=[folder / f"{split}.parquet" for split in PARTS], graph=[folder / f"{split}.tsv" for split in PARTS],
        mentions=[folder / "mentions.parquet"], concepts=folder / "concepts.parquet", linking=folder / "linking.json",
        threads=1, memory_mb=500, temporary=folder,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_counts_are_those_of_a_restatement(tmp_path, seed):
    made = drawn(seed)
    assert measure(written(tmp_path, *made)) == literal(*made)


def test_faults_are_seen(tmp_path):
    broken = dict.fromkeys(literal(*drawn(0)), 0)
    for seed in range(8):
        for name, counts in literal(*drawn(seed)).items():
            broken[name] += counts.get("broken", counts.get("below_one"))
    assert all(broken.values()), broken
