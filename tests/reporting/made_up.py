"""Small made-up results of a run, with known means and deviations."""

import json
import random

import pyarrow as pa

from workflow_scripts.common.contracts.bags import BAGS
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.tables import write_table

RELATIONS = ("finding_site_of", "cause_of", "interprets")
RANKS = (100, 200, 300, 1000, 2000)
SEEDS = (1, 2, 3)
MODELS = [
    ("cnn_sent", "CNN", "cnn", "sent", ""),
    ("cnn_bag_one", "CNN", "cnn", "bag", "one"),
    ("cnn_bag_att", "CNN", "cnn", "bag", "att"),
    ("bert_sent", "BERT", "bert", "sent", ""),
    ("bert_bag_avg", "BERT", "bert", "bag", "avg"),
]


def auc(model, pooling, seed):
    """The made-up AUC: 0.10 a model, 0.01 a pooling, and -0.02, 0, +0.02 for seeds 1, 2, 3: sd exactly 0.02."""
    place = [name for name, *_ in MODELS].index(model)
    return 0.1 * (place + 1) + 0.01 * ("avg", "one", "att").index(pooling) + 0.02 * (seed - 2)


def metrics(value, missing=()):
    """A metrics.json whose other numbers follow from the AUC."""
    made = {"auc": value, "max_micro_f1": value / 2, "max_macro_f1": value / 4, "n_facts": 10}
    made["per_relation"] = {name: {"f1": value / (i + 1)} for i, name in enumerate(RELATIONS)}
    made["sentence_subsets"] = {
        subset: {
            kind: {"precision": value, "recall": value / (i + 2), "f1": value / (j + 3), "n_gold": 5}
            for j, kind in enumerate(("with_na", "without_na"))
        }
        for i, subset in enumerate(("all", "common", "rare"))
    }
    return made | {f"p@{k}": None if k in missing else min(1.0, value * 1.5) for k in RANKS}


def graph_statistics():
    """statistics.json of the knowledge graph."""
    counts = {"train": 2380, "valid": 340, "test": 680}
    return {
        "splits": {
            kind: {name: {"triples": n} for name, n in counts.items()} for kind in ("inductive", "transductive")
        },
        "relations": [
            {"relation": "finding_site_of", "inverse": "has_finding_site", "triples": 2000},
            {"relation": "cause_of", "inverse": "caused_by", "triples": 1000},
            {"relation": "interprets", "inverse": "is_interpreted_by", "triples": 400},
            {"relation": "access_of", "inverse": "has_access", "triples": 7},
        ],
    }


def corpus_statistics():
    """statistics.json of a corpus; `interprets` has no instance, one relation and one type are not in the paper."""
    sizes = {"train": 20000, "valid": 3000, "test": 5000}
    return {
        "splits": {
            name: {"instances": n, "positives": n // 10, "na_share": 0.9, "facts": n // 60, "bags": n // 5}
            | {"instances_per_bag": 5.0}
            for name, n in sizes.items()
        },
        "entities": 1500,
        "types": 3,
        "groups": 2,
        "type_pairs": 7,
        "relations": 4,
        "entities_by_type": [
            {"tui": "T047", "sty": "Disease or Syndrome", "group": "DISO", "entities": 700},
            {"tui": "T023", "sty": "Body Part, Organ, or Organ Component", "group": "DISO", "entities": 500},
            {"tui": "T203", "sty": "Drug Delivery Device", "group": "DEVI", "entities": 300},
        ],
        "instances_by_relation": {
            "train": {"NA": 18000, "finding_site_of": 1500, "cause_of": 400, "access_of": 100},
            "valid": {"NA": 2700, "finding_site_of": 200, "cause_of": 100},
            "test": {"NA": 4500, "finding_site_of": 300, "cause_of": 200},
        },
        "pruned_mentions": [
            {
                "split": "train",
                "tui": "T047",
                "sty": "Disease or Syndrome",
                "name": "disease",
                "count": 40,
                "bin": ">=3x",
            },
            {
                "split": "test",
                "tui": "T047",
                "sty": "Disease or Syndrome",
                "name": "disease",
                "count": 11,
                "bin": "1-2x",
            },
            {"split": "train", "tui": "T060", "sty": "Diagnostic Procedure", "name": "us", "count": 12, "bin": "1-2x"},
            {
                "split": "train",
                "tui": "T060",
                "sty": "Diagnostic Procedure",
                "name": "a_b & <c> %",
                "count": 12,
                "bin": "1-2x",
            },
        ],
    }


def write_json(path, value):
    """Write JSON, making folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def make_run(root, seeds=SEEDS, missing=(2000,)):
    """A results folder with metrics, curves, statistics, funnels and a provenance record."""
    for model, _, _, level, pooling in MODELS:
        for seed in seeds:
            for strategy in ("avg", "one") if level == "sent" else (pooling,):
                folder = root / f"evaluation/inductive.{model}.s{seed}/{strategy}"
                write_json(folder / "metrics.json", metrics(auc(model, strategy, seed), missing))
                write_curve(folder / "curve.parquet", random.Random(f"{model} {seed} {strategy}"))
            write_json(root / f"runs/inductive.{model}.s{seed}/config.json", run_config(model, level, seed))
    write_bags(root / f"evaluation/inductive.bert_sent.s{seeds[0]}/avg/bags.parquet")
    (root / "evaluation/differences.csv").write_text(DIFFERENCES)
    write_json(root / "kg/statistics.json", graph_statistics())
    write_json(root / "corpus/inductive/statistics.json", corpus_statistics())
    text = {"characters": 1000, "characters_lost_by_published_reading": 25, "sentences": 90, "unique_sentences": 80}
    write_json(root / "text/statistics.json", text)
    record = {"python": "3.11.7", "versions": {"numpy": "2.4.6"}, "code": {"workflow_scripts/kg/build_kg.py": "ab"}}
    write_json(root / "provenance/kg/build_kg.json", record)
    (root / "kg/funnel.csv").write_text("step,rows,triples,meaning\nmrconso,90000,,rows <of> MRCONSO\nwritten,7,6,\n")
    columns = "step,split,instances_before,instances_after,facts_before,facts_after,sentences"
    lines = [columns, "linked,all,,,,,90000"]
    lines += [
        f"{step},{split},{n},{n // 2},9,8,"
        for step in ("aligned", "aliases")
        for split, n in zip(("train", "valid", "test"), (4000, 500, 900), strict=True)
    ]
    (root / "corpus/inductive/funnel.csv").write_text("\n".join(lines) + "\n")
    return root


DIFFERENCES = """\
first,second,auc_first,auc_second,difference,lower,upper,p,differs,resamples,seeds_first,seeds_second
bert_bag_avg.avg,bert_sent.avg,0.215604,0.351561,-0.135957,-0.178781,-0.084335,0.000000,yes,100,2,2
bert_bag_avg.avg,bert_sent.one,0.215604,0.209949,0.005655,-0.017000,0.027571,0.640000,no,100,2,2
bert_sent.avg,bert_sent.one,,0.209949,,,,,,0,2,2
"""


def run_config(model, level, seed):
    """config.json of a run."""
    row = {"encoder": "bert" if "bert" in model else "cnn", "level": level, "epochs": 3, "embedding": None}
    return {"corpus": "inductive", "model": model, "seed": seed, "row": row}


# (head, tail), labels, best relation, score of the bag, then (text with [head] and {tail}, probability, predicted)
BAG_TEXTS = [
    (("C1", "C9"), "cause_of", "cause_of", 0.6,
     [("[Iron loss] leads to {anaemia} .", 0.9, "cause_of"), ("{Anämie} & [iron loss] <here> .", 0.5, "cause_of"),
      ("[iron] in {blood} .", 0.2, "NA"), ("No [iron] , no {anaemia} .", 0.1, "NA")]),
    (("C1", "C10"), "interprets", "interprets", 0.9, [("[a] of {b}", 0.9, "interprets")]),
    (("C2", "C3"), "cause_of|interprets", "cause_of", 0.7,
     [("[x] {y}", 0.8, "cause_of"), ("{y} [x]", 0.5, "NA"), ("[x]-{y}", 0.3, "interprets")]),
    (("C4", "C5"), "NA", "finding_site_of", 0.95,
     [("</script> [p] {q}", 0.97, "finding_site_of"), ("[p] q {q}", 0.1, "NA"), ("[p] r {q}", 0.1, "NA")]),
]  # fmt: skip


def write_bags(path):
    """The bags of BAG_TEXTS; of the pair C1, C10 three sentences were left out."""
    rows = []
    for pair, labels, relation, score, sentences in BAG_TEXTS:
        for rank, (marked, probability, predicted) in enumerate(sentences, 1):
            row = {"head": pair[0], "tail": pair[1], "rank": rank, "labels": labels, "relation": relation}
            row |= {"score": score, "n_sentences": len(sentences) + 3 * (pair[1] == "C10")}
            row |= {"weight": 1 / len(sentences), "probability": probability, "predicted": predicted}
            rows.append(row | spans(marked))
    write_table(path, pa.Table.from_pylist(sorted(rows, key=lambda row: list(row.values())[:3]), BAGS.schema), BAGS)


def spans(marked):
    """Text and code points of the mentions of "[head] and {tail}"."""
    found, text = {}, ""
    for character in marked:
        if character in "[]{}":
            found[{"[": "head_start", "]": "head_end", "{": "tail_start", "}": "tail_end"}[character]] = len(text)
        else:
            text += character
    return {"text": text, **found}


def write_curve(path, draws):
    """A curve that falls from 1, by random steps."""
    ranks = [1]
    for _ in range(30):
        ranks.append(ranks[-1] + draws.randint(1, 4))
    table = pa.table(
        {
            "rank": ranks,
            "score": [1 - i / 40 for i in range(31)],
            "recall": [(i + 1) / 31 for i in range(31)],
            "precision": [(i + 1) / rank for i, rank in enumerate(ranks)],
        }
    )
    write_table(path, table.cast(pa.schema([(f.name, f.type) for f in CURVE.schema])), CURVE)


def write_models(path):
    """A models.tsv of the made-up run."""
    lines = ["model\tname\ttables\tencoder\tlevel\tpooling\tpretrained"]
    lines += [
        f"{model}\t{name}\ttable7\t{encoder}\t{level}\t{pooling}\t{'biobert' if encoder == 'bert' else ''}"
        for model, name, encoder, level, pooling in MODELS
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# finding_site_of is 1-1, cause_of M-1 by one triple of the valid split, interprets occurs in the whole graph alone
GROUPS = {"C1": "DISO", "C2": "DISO", "C3": "ANAT", "C4": "CHEM"}
SPLIT_TRIPLES = {
    "train": [("C1", "finding_site_of", "C3"), ("C1", "cause_of", "C2")],
    "valid": [("C4", "cause_of", "C2")],
    "test": [("C2", "finding_site_of", "C3")],
}


def write_graph(root, category="paper"):
    """Concepts, triples and splits of a graph below `root`, and the options of render_table8 that name them."""
    rows = [(cui, f"name of {cui}", "T047", "a type", group, 1) for cui, group in GROUPS.items()]
    names = CONCEPTS.schema.names
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    write_table(root / "kg/concepts.parquet", pa.table(columns, schema=CONCEPTS.schema), CONCEPTS)
    triples = [triple for part in SPLIT_TRIPLES.values() for triple in part] + [("C3", "interprets", "C4")]
    columns = dict(zip(("head", "relation", "tail"), zip(*sorted(triples), strict=True), strict=True))
    columns["rui"] = [f"R{i}" for i in range(len(triples))]
    write_table(root / "kg/triples.parquet", pa.table(columns, schema=TRIPLES.schema), TRIPLES)
    paths = []
    for split, part in SPLIT_TRIPLES.items():
        paths.append(root / f"kg/inductive/{split}.tsv")
        paths[-1].parent.mkdir(exist_ok=True)
        paths[-1].write_text("".join("\t".join(triple) + "\n" for triple in part))
    options = ["--concepts", root / "kg/concepts.parquet", "--triples", root / "kg/triples.parquet", "--splits", *paths]
    return [*options, "--params", json.dumps({"relation_categories": category})]


def write_audit(path, benchmark, known=(3, 2, 4), n=40):
    """An audit of stage leakage: of `n` facts of a split so many are known directly, inversely, either way."""
    leaked = dict(zip(("direct", "inverse", "either"), known, strict=True))
    kinds = ("surface_triples", "triples", "pairs", "pairs_with_na")
    splits = {split: {kind: {"n": n} | leaked for kind in kinds} for split in ("valid", "test")}
    splits["train"] = {kind: {"n": 1234} for kind in kinds}
    return write_json(path, {"benchmark": benchmark, "overlap": any(known), "splits": splits})
