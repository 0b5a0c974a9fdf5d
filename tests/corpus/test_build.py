"""Selection, filters and files of a corpus."""

import collections
import dataclasses
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus.helpers import SPLITS, as_table, command_options, write_world
from tests.corpus.restatement import filtered
from tests.corpus.worlds import random_world, tidy_world
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json
from workflow_scripts.common.tables import check_file, read_table, write_table
from workflow_scripts.corpus import align_sentences, selection
from workflow_scripts.corpus.aligned import ALIGNED
from workflow_scripts.corpus.build_corpus import Params, build
from workflow_scripts.corpus.filters import ruis_of
from workflow_scripts.corpus.graph import load_graph
from workflow_scripts.corpus.rows import Rows
from workflow_scripts.corpus.summary import statistics

ALIGNMENT = {
    "seed": 0,
    "negative_draws": 100,
    "min_surface_chars": 3,
    "type_constraint": True,
    "role_constraint": True,
    "strict_inductive": False,
    "inductive_negatives": False,
    "role_flip": "mended",
    "stream_tails": "mended",
}
CORPUS = {
    "seed": 0,
    "negatives_share": 0.5,
    "positive_sample": 1.0,
    "alias_filter": True,
    "mention_overlap_filter": True,
    "max_mention_freq": 1000,
    "min_relation_freq": 1,
    "max_bag_size": 500,
    "strict_inductive": False,
    "multi_label": False,
    "bag_pruning": "mended",
    "relation_redraw": "mended",
}


def aligned(world, folder, **changes):
    """Aligned table, graph and input paths of a world."""
    paths = write_world(world, folder)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    output = folder / "aligned.parquet"
    parameters = align_sentences.Params(**ALIGNMENT | changes)
    align_sentences.align(paths["mentions"], graph, parameters, output, folder / "aligned.json")
    return read_table(output, ALIGNED), graph, paths


def steps_of(table, graph, paths, **changes):
    """step -> list of dicts of the aligned columns and the relation, and the Built."""
    found = {}

    def observe(step, rows):
        names = [*graph.relations, "NA"]
        found[step] = [
            row | {"relation": names[relation]}
            for row, relation in zip(table.take(rows.place).to_pylist(), rows.relation.tolist(), strict=True)
        ]

    built = build(table, graph, paths["aliases"], Params(**CORPUS | changes), observe)
    return found, built


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10**9),
    sentences=st.integers(30, 150),
    limit=st.integers(1, 12),
    minimum=st.integers(1, 4),
    shared=st.booleans(),
)
def test_filters_equal_the_restatement(tmp_path_factory, seed, sentences, limit, minimum, shared):
    world = random_world(seed, entities=12, facts=16, sentences=sentences, shared=shared)
    try:
        table, graph, paths = aligned(world, tmp_path_factory.mktemp("world"), type_constraint=False)
    except DataError:
        return
    found, _ = steps_of(
        table,
        graph,
        paths,
        negatives_share=None,
        max_mention_freq=limit,
        min_relation_freq=minimum,
        bag_pruning="published",
    )
    relations = {row["sentence_id"]: row["relation"] for row in found["alias_filter"]}
    known = [row | {"relation": relations.get(row["sentence_id"])} for row in found["negatives_share"]]
    for step, rows in filtered(known, world, limit, minimum):
        assert found[step] == rows, step
    facts = {split: collections.defaultdict(set) for split in SPLITS}
    for split in SPLITS:
        for head, relation, tail in world.facts[split]:
            facts[split][head, tail].add(relation)
    for row in found["alias_filter"]:
        options = facts[row["split"]][row["head"], row["tail"]] if row["positive"] else {"NA"}
        assert row["relation"] in options


def rows_of(split, positive, pair=None):
    n = len(split)
    zeros = np.zeros(n, dtype=np.int64)
    pair = zeros if pair is None else np.asarray(pair)
    return Rows(np.arange(n), np.asarray(split), np.asarray(positive, dtype=bool), zeros, pair, zeros, zeros, zeros)


@settings(max_examples=100, deadline=None)
@given(
    counts=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=3, max_size=3),
    share=st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9, None]),
    sample=st.sampled_from([0.1, 0.25, 0.99, 1.0]),
    seed=st.integers(0, 1000),
)
def test_samples_have_the_described_sizes_and_follow_the_keys(counts, share, sample, seed):
    rng = np.random.default_rng(seed)
    cells = [(s, p) for s, (positives, na) in enumerate(counts) for p in [True] * positives + [False] * na]
    rng.shuffle(cells)
    rows = rows_of(np.array([s for s, _ in cells], dtype=np.int64), [p for _, p in cells])
    keys = rng.permutation(len(cells)).astype(np.uint64)
    sampled = selection.sampled_positives(rows, sample, keys)
    balanced = selection.balanced_negatives(rows, share, keys)
    for split, (positives, na) in enumerate(counts):
        own = rows.split == split
        assert (sampled & own & rows.positive).sum() == int(sample * positives)
        assert (sampled & own & ~rows.positive).sum() == na
        wanted = positives, na
        if share is not None and positives > na:
            wanted = min(positives, int(na / share) - na), na
        elif share is not None:
            wanted = positives, min(na, int(positives / (1 - share)) - positives)
        assert ((balanced & own & rows.positive).sum(), (balanced & own & ~rows.positive).sum()) == wanted
        for mask in (sampled, balanced):
            for kind in (rows.positive, ~rows.positive):
                kept, cut = keys[own & kind & mask], keys[own & kind & ~mask]
                assert not len(kept) or not len(cut) or kept.max() < cut.min()


def test_large_bags_are_cut_in_training_only():
    split = np.array([0] * 7 + [1] * 5 + [2] * 5)
    rows = rows_of(split, [True] * 17, [1, 1, 1, 2, 1, 2, 1] + [3] * 5 + [4] * 5)
    keys = np.array([5, 1, 9, 0, 3, 2, 4] + [0] * 10, dtype=np.uint64)
    kept = selection.small_bags(rows, 3, keys, 10)
    assert kept[:7].tolist() == [False, True, False, True, True, True, True]
    assert kept[7:].all()
    assert selection.small_bags(rows, None, keys, 10).all()


def several_relations(tmp_path, bags=60):
    facts = {split: [] for split in SPLITS}
    for number in range(bags):
        for relation in "abc":
            facts["train"].append((f"H{number:03d}", relation, f"T{number:03d}"))
    cuis = {cui for head, _, tail in facts["train"] for cui in (head, tail)}
    world = random_world(0)
    world.facts, world.types, world.aliases = facts, {cui: ("T", "a", "G") for cui in cuis}, {}
    paths = write_world(world, tmp_path)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    pairs = np.repeat(graph.split_pairs[0], 2)
    rows = rows_of(np.zeros(2 * bags, dtype=np.int64), [True] * (2 * bags))
    return graph, dataclasses.replace(rows, head=pairs // graph.n, tail=pairs % graph.n)


def test_one_relation_per_pair_whatever_the_sentences(tmp_path):
    graph, rows = several_relations(tmp_path)
    drawn = selection.relations_of(rows, graph, 0)
    assert (drawn[::2] == drawn[1::2]).all()
    assert min(np.bincount(drawn)) > 20
    assert selection.relations_of(rows.keep(np.arange(len(rows))[::-1][::3]), graph, 0).tolist() == drawn[::-3].tolist()
    assert (selection.relations_of(rows, graph, 1) != drawn).sum() > 40


def test_published_relations_follow_the_sentences(tmp_path):
    graph, rows = several_relations(tmp_path)
    ids = [f"{number:032x}" for number in range(len(rows))]
    drawn = selection.relations_of(rows, graph, 0, ids)
    assert (drawn[::2] == drawn[1::2]).all()
    without_last = rows.keep(np.arange(0, len(rows), 2))
    assert (selection.relations_of(without_last, graph, 0, ids[::2]) != drawn[::2]).sum() > 20
    without_first = rows.keep(np.arange(1, len(rows), 2))
    assert selection.relations_of(without_first, graph, 0, ids[1::2]).tolist() == drawn[1::2].tolist()


def test_lower_casing_is_no_case_folding(tmp_path):
    world = tidy_world(sentences=300)
    for cui in world.aliases:
        world.aliases[cui] = [*world.aliases[cui], "µgram", "STRASSE", "İx"]
    table, graph, paths = aligned(world, tmp_path)
    row = table.slice(0, 1).to_pylist()[0]
    kept = {}
    for surface in ("µGRAM", "ΜGRAM", "µgram", "Strasse", "straße", "İX", "ix", "i̇x"):
        changed = pa.Table.from_pylist([row | {"head_name": surface, "head_end": row["head_start"]}], ALIGNED.schema)
        found, built = steps_of(changed, graph, paths, negatives_share=None)
        kept[surface] = len(found["alias_filter"]) == 1
        assert built.notes["entities_without_alias"] == 0
    assert kept == {
        "µGRAM": True,
        "ΜGRAM": False,
        "µgram": True,
        "Strasse": True,
        "straße": False,
        "İX": True,
        "ix": False,
        "i̇x": True,
    }


def test_entities_without_any_alias_are_counted(tmp_path):
    world = tidy_world(sentences=300)
    table, graph, paths = aligned(world, tmp_path)
    gone = set(table["head"].to_pylist()[:5])
    rows = [row for row in read_table(paths["aliases"], ALIASES).to_pylist() if row["cui"] not in gone]
    write_table(paths["aliases"], pa.Table.from_pylist(rows, ALIASES.schema), ALIASES)
    found, built = steps_of(table, graph, paths, negatives_share=None)
    assert built.notes["entities_without_alias"] == len(gone)
    wanted = [r["sentence_id"] for r in found["negatives_share"] if not {r["head"], r["tail"]} & gone]
    assert [r["sentence_id"] for r in found["alias_filter"]] == wanted
    assert 0 < len(wanted) < len(found["negatives_share"])


def test_statistics_are_those_of_the_rows(tmp_path):
    world = tidy_world()
    table, graph, paths = aligned(world, tmp_path)
    found, built = steps_of(table, graph, paths, max_mention_freq=7, min_relation_freq=2)
    rows = found["relation_pruning"]
    figures = statistics(built.rows, graph, read_table(paths["concepts"], CONCEPTS), built.pruned, 7)
    for split in SPLITS:
        own = [row for row in rows if row["split"] == split]
        facts = {(r["head"], r["relation"], r["tail"]) for r in own if r["relation"] != "NA"}
        bags = {(r["head"], r["tail"]) for r in own}
        na = sum(r["relation"] == "NA" for r in own)
        assert 0 < na < len(own)
        assert figures["splits"][split] == {
            "instances": len(own),
            "positives": len(own) - na,
            "na": na,
            "na_share": na / len(own),
            "facts": len(facts),
            "bags": len(bags),
            "instances_per_bag": len(own) / len(bags),
            "entities": len({cui for pair in bags for cui in pair}),
        }
        assert figures["instances_by_relation"][split] == dict(collections.Counter(r["relation"] for r in own))
    entities = {cui for row in rows for cui in (row["head"], row["tail"])}
    assert figures["entities"] == len(entities)
    by_type = collections.Counter(world.types[cui] for cui in entities)
    assert {(e["tui"], e["sty"], e["group"]): e["entities"] for e in figures["entities_by_type"]} == dict(by_type)
    assert sum(figures["entities_by_group"].values()) == len(entities)
    assert figures["type_pairs"] == len({(world.types[r["head"]], world.types[r["tail"]]) for r in rows})
    assert figures["relations"] == len({row["relation"] for row in rows})
    counts = collections.Counter()
    for row in found["mention_overlap_filter"]:
        for role in ("head", "tail"):
            counts[row["split"], world.types[row[role]][0], row[f"{role}_name"].lower()] += 1
    pruned = {(p["split"], p["tui"], p["name"]): p["count"] for p in figures["pruned_mentions"]}
    assert pruned == {key: count for key, count in counts.items() if count > 7}
    assert pruned
    for mention in figures["pruned_mentions"]:
        assert mention["bin"] == ("1-2x" if mention["count"] < 14 else "2-3x" if mention["count"] < 21 else ">=3x")


def commands(run_command, paths, output, alignment=None, corpus=None, **options):
    """Run both commands as the rules do; gives the last completed process."""
    split_options = command_options(paths, [*SPLITS, "concepts"])
    process = run_command(
        "corpus/align_sentences.py",
        *command_options(paths, ["mentions"]),
        *split_options,
        *("--output", output / "aligned.parquet", "--funnel", output / "aligned.json"),
        *("--params", json.dumps(ALIGNMENT | (alignment or {})), "--record", output / "align.record"),
        **options,
    )
    if process.returncode:
        return process
    return run_command(
        "corpus/build_corpus.py",
        *("--corpus", "inductive", "--aligned", output / "aligned.parquet"),
        *("--sentence-funnel", output / "aligned.json"),
        *command_options(paths, ["sentences", "triples", "aliases"]),
        *split_options,
        *("--output", output, "--params", json.dumps(CORPUS | (corpus or {})), "--record", output / "build.record"),
        **options,
    )


FILES = [f"{split}.{ending}" for split in SPLITS for ending in ("jsonl", "parquet")]
FILES += ["aligned.parquet", "aligned.json", "rel2id.json", "funnel.csv", "statistics.json", "datasheet.md"]


@pytest.mark.parametrize("side", ["mended", "published"])
def test_files_do_not_depend_on_how_they_are_made(run_command, tmp_path, side):
    world = tidy_world(sentences=600)
    switches = {"alignment": {"role_flip": side}, "corpus": {"relation_redraw": side, "bag_pruning": side}}
    made = []
    for number, (partitions, variables) in enumerate(
        [
            (1, {"PYTHONHASHSEED": "1", "LC_ALL": "C", "OMP_NUM_THREADS": "1"}),
            (5, {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "4", "ARROW_IO_THREADS": "1"}),
        ]
    ):
        paths = write_world(world, tmp_path / f"in{number}", partitions, shuffle=number)
        output = tmp_path / f"out{number}"
        process = commands(run_command, paths, output, environment=variables, **switches)
        assert process.returncode == 0, process.stderr
        made.append({name: (output / name).read_bytes() for name in FILES})
    assert made[0] == made[1]
    assert len(made[0]["train.jsonl"].splitlines()) > 30


def test_files_hold_what_they_should(run_command, tmp_path):
    world = tidy_world()
    paths = write_world(world, tmp_path / "in")
    output = tmp_path / "out"
    process = commands(run_command, paths, output, corpus={"positive_sample": 0.8})
    assert process.returncode == 0, process.stderr
    texts = {identifier: text for identifier, text, _ in world.sentences}
    ruis = {(r["head"], r["relation"], r["tail"]): r["rui"] for r in read_table(paths["triples"], TRIPLES).to_pylist()}
    relations = set()
    for split in SPLITS:
        assert check_file(output / f"{split}.parquet", INSTANCES) > 50
        rows = read_table(output / f"{split}.parquet", INSTANCES).to_pylist()
        lines = (output / f"{split}.jsonl").read_text(encoding="utf-8").split("\n")
        assert lines.pop() == ""
        for row, line in zip(rows, lines, strict=True):
            relations.add(row["relation"])
            record = json.loads(line)
            assert list(record) == ["text", "h", "t", "relation"]
            assert list(record["h"]) == list(record["t"]) == ["id", "pos", "name"]
            assert record["text"] == row["text"] == texts[row["sentence_id"]]
            for side, role in (("h", "head"), ("t", "tail")):
                start, end = record[side]["pos"]
                assert record["text"][start:end] == record[side]["name"] == row[f"{role}_name"]
                assert record[side]["id"] == row[role]
            assert row["rui"] == ruis.get((row["head"], row["relation"], row["tail"]))
            assert (row["rui"] is None) == (row["relation"] == "NA")
    numbers = read_json(output / "rel2id.json")
    assert numbers == {"NA": 0} | {name: n for n, name in enumerate(sorted(relations - {"NA"}), 1)}
    assert list(numbers.values()) == list(range(len(numbers)))
    assert len(numbers) == 4
    funnel = [line.split(",") for line in (output / "funnel.csv").read_text().splitlines()]
    table = [dict(zip(funnel[0], line, strict=True)) for line in funnel[1:]]
    steps = [row for row in table if row["split"] != "all"]
    for earlier, later in zip(steps, steps[3:], strict=False):
        assert earlier["split"] == later["split"]
        for name in ("instances", "positives", "na", "facts"):
            assert earlier[f"{name}_after"] == later[f"{name}_before"]
    fates = {row["step"]: int(row["sentences"]) for row in table if row["split"] == "all"}
    assert fates["sentences"] == sum(number for step, number in fates.items() if step.startswith("sentences_"))
    assert "Datasheet" in (output / "datasheet.md").read_text(encoding="utf-8")


def test_an_empty_corpus_is_an_error_with_the_funnel(run_command, tmp_path):
    world = tidy_world(sentences=300)
    world.facts["valid"] = []
    paths = write_world(world, tmp_path / "in")
    process = commands(run_command, paths, tmp_path / "out")
    assert process.returncode == 3
    assert "no relation is left" in process.stderr
    assert "after relation_pruning: train 0 (0 facts), valid 0 (0 facts), test 0 (0 facts)" in process.stderr
    assert "remedy" in process.stderr
    assert "Traceback" not in process.stderr
    assert not (tmp_path / "out" / "train.jsonl").exists()


def test_text_without_facts_is_an_error_with_the_funnel(run_command, tmp_path):
    world = tidy_world(sentences=20)
    world.sentences = [(i, t, [("X1", start, end) for _, start, end in m[:1]]) for i, t, m in world.sentences]
    paths = write_world(world, tmp_path / "in")
    process = commands(run_command, paths, tmp_path / "out")
    assert process.returncode == 3
    assert "sentences_without_pair: 20" in process.stderr
    assert "Traceback" not in process.stderr


def test_a_sentence_without_text_is_an_error(run_command, tmp_path):
    paths = write_world(tidy_world(sentences=300), tmp_path / "in")
    del paths["sentences"][0]
    process = commands(run_command, paths, tmp_path / "out")
    assert process.returncode == 3
    assert "aligned sentences, the first" in process.stderr
    assert "Traceback" not in process.stderr


def test_the_smallest_rui_is_kept(tmp_path):
    rows = [("A", "r", "B", "R3"), ("A", "r", "B", "R4"), ("A", "s", "B", "R1"), ("B", "r", "A", "R2")]
    write_table(tmp_path / "triples.parquet", as_table(rows, TRIPLES), TRIPLES)
    facts = pa.table({"head": ["A", "A", "C"], "relation": ["r", "r", "r"], "tail": ["B", "B", "B"]})
    assert ruis_of(facts, tmp_path / "triples.parquet") == {("A", "r", "B"): "R3"}
