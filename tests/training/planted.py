"""A small corpus with a planted signal: each relation has words of its own, which most of a pair's sentences hold."""

import json
import random

import pyarrow as pa

from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.tables import write_table

RELATIONS = ["causes", "finding_site_of", "part_of", "treats"]
SIGNALS = {
    "causes": ["induces", "provokes"],
    "finding_site_of": ["located", "within"],
    "part_of": ["belongs", "component"],
    "treats": ["relieves", "cures"],
}
FILLERS = [f"word{i}" for i in range(60)]
TYPES = ["Body Part, Organ, or Organ Component", "Disease or Syndrome", "Word1 Word2"]
WIDTH = 16


def instance(rng, number, head, tail, relation, expressed):
    """One instance; the relation's word stands between the mentions, in an order of mentions that varies."""
    names = {"head": rng.choice(FILLERS) + " entity", "tail": rng.choice(FILLERS)}
    between = rng.choices(FILLERS, k=rng.randint(1, 5))
    if expressed:
        between.insert(rng.randint(0, len(between)), rng.choice(SIGNALS[relation]))
    first, second = rng.sample(["head", "tail"], 2)
    before, after = (" ".join(rng.choices(FILLERS, k=rng.randint(1, 6))) for _ in range(2))
    text, spans = before + " ", {}
    for role, then in ((first, f" {' '.join(between)} "), (second, f" {after}")):
        spans[role] = (len(text), len(text) + len(names[role]))
        text += names[role] + then
    row = {"text": text, "relation": relation, "sentence_id": f"{number:032x}", "rui": None}
    for role, identifier in (("head", head), ("tail", tail)):
        start, end = spans[role]
        row |= {role: identifier, f"{role}_name": text[start:end], f"{role}_start": start, f"{role}_end": end}
    return row


def make_split(seed, n_pairs, shuffled=False):
    """Instances of `n_pairs` pairs, half of them NA; `shuffled` deals the relations out to other pairs."""
    rng = random.Random(seed)
    relations = [rng.choice(RELATIONS) if i % 2 else "NA" for i in range(n_pairs)]
    labels = rng.sample(relations, n_pairs) if shuffled else relations
    rows = []
    for i, (relation, label) in enumerate(zip(relations, labels, strict=True)):
        size = rng.randint(1, 6)
        for j in range(size):
            expressed = relation != "NA" and (j == 0 or rng.random() < 0.8)
            row = instance(rng, rng.getrandbits(120), f"C{seed}{i:05d}", f"D{seed}{i:05d}", relation, expressed)
            rows.append(row | {"relation": label})
    return sorted(rows, key=lambda row: (row["head"], row["tail"], row["relation"], row["sentence_id"]))


def write_split(path, rows):
    """Write instances as the corpus stage does."""
    write_table(path, pa.Table.from_pylist(rows, schema=INSTANCES.schema), INSTANCES)


def type_of(cui):
    """The semantic type of a concept of the corpus."""
    return TYPES[int(cui[1:]) % len(TYPES)] if cui[0] == "C" else TYPES[-1]


def write_concepts(path, cuis):
    """Write concepts of the graph."""
    rows = [
        {"cui": cui, "name": cui, "tui": "T047", "sty": type_of(cui), "group": "DISO", "n_types": 1}
        for cui in sorted(cuis)
    ]
    write_table(path, pa.Table.from_pylist(rows, schema=CONCEPTS.schema), CONCEPTS)


def write_corpus(folder, n_pairs=160, shuffled=False):
    """train, valid and test tables, concepts, rel2id.json and word vectors (glove_text, width 16)."""
    folder.mkdir(parents=True, exist_ok=True)
    cuis = set()
    for seed, (split, n) in enumerate({"train": n_pairs, "valid": n_pairs // 2, "test": n_pairs // 2}.items(), 1):
        rows = make_split(seed, n, shuffled and split == "train")
        write_split(folder / f"{split}.parquet", rows)
        cuis |= {row[role] for row in rows for role in ("head", "tail")}
    write_concepts(folder / "concepts.parquet", cuis)
    (folder / "rel2id.json").write_text(json.dumps({"NA": 0} | {name: i for i, name in enumerate(RELATIONS, 1)}))
    rng = random.Random(7)
    words = [*FILLERS, "entity", *(word for words in SIGNALS.values() for word in words)]
    lines = (f"{word} {' '.join(f'{rng.gauss(0, 1):.4f}' for _ in range(WIDTH))}\n" for word in words)
    (folder / "vectors.txt").write_text("".join(lines))
    return folder


def row(encoder, level, pooling, **changes):
    """A row of models.tsv for small models."""
    values = {
        "model": f"{encoder}_{level}",
        "encoder": encoder,
        "level": level,
        "pooling": pooling,
        "embedding": None if encoder == "bert" else "glove",
        "pretrained": "tiny" if encoder == "bert" else None,
        "batch_size": 16,
        "bag_size": 4 if level == "bag" else None,
        "learning_rate": 0.003,
        "epochs": 8,
        "hidden_size": None if encoder == "bert" else 24,
        "kernel_size": 3 if encoder in ("cnn", "pcnn") else None,
        "position_size": 4 if encoder in ("cnn", "pcnn") else None,
        "dropout": 0.2,
        "optimizer": "adamw" if encoder == "bert" else "adam",
        "bias_correction": "yes",
        "weight_decay": 1e-5,
        "schedule": "constant",
        "warmup_steps": 0,
    }
    return values | changes
