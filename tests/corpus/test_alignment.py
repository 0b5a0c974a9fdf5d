"""Alignment against a slow literal restatement, on random graphs and random sentences."""

import collections
import dataclasses
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus.helpers import SPLITS, World, as_table, concepts_table, sentence_id, write_world
from tests.corpus.restatement import expected_alignment, positive_pairs
from tests.corpus.worlds import random_world
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json
from workflow_scripts.common.tables import read_table, write_table
from workflow_scripts.corpus import mention_blocks
from workflow_scripts.corpus.align_sentences import Params, align
from workflow_scripts.corpus.aligned import ALIGNED
from workflow_scripts.corpus.graph import load_graph
from workflow_scripts.corpus.negatives import candidate_masks

PARAMS = Params(
    seed=3,
    negative_draws=20,
    min_surface_chars=3,
    type_constraint=True,
    role_constraint=True,
    strict_inductive=False,
    inductive_negatives=False,
    role_flip="mended",
    stream_tails="mended",
)
WORLDS = st.builds(
    random_world,
    seed=st.integers(0, 10**9),
    entities=st.integers(3, 12),
    facts=st.integers(2, 25),
    sentences=st.integers(1, 60),
    shared=st.booleans(),
    types=st.integers(1, 3),
)
MANY = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def run(world, folder, params=PARAMS, partitions=3, shuffle=0, **options):
    """The aligned rows, the funnel, the graph and the bytes written; empty rows where nothing is aligned."""
    paths = write_world(world, folder, partitions, shuffle)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    output, funnel = folder / "aligned.parquet", folder / "aligned.json"
    try:
        align(paths["mentions"], graph, params, output, funnel, **options)
    except DataError as error:
        assert "funnel" in str(error)
    rows = read_table(output, ALIGNED).to_pylist() if output.exists() else []
    return rows, read_json(funnel), graph, output.read_bytes()


def candidate_pairs(graph, draws, seed):
    """Codes and masks of all candidates: every ordered pair of entities is asked for."""
    codes = np.arange(graph.n**2)
    masks = candidate_masks(graph, draws, seed, codes)
    return codes[masks > 0], masks[masks > 0]


def candidate_sets(graph, params):
    codes, masks = candidate_pairs(graph, params.negative_draws, params.seed)
    cuis = graph.entities.to_pylist()
    found = {split: set() for split in SPLITS}
    for code, mask in zip(codes.tolist(), masks.tolist(), strict=True):
        for bit, split in enumerate(SPLITS):
            if mask >> bit & 1:
                found[split].add((cuis[code // graph.n], cuis[code % graph.n]))
    return found


@MANY
@given(
    world=WORLDS,
    draws=st.sampled_from([1, 3, 200]),
    constraints=st.tuples(st.booleans(), st.booleans()),
    flip=st.sampled_from(["mended", "published"]),
    chars=st.integers(1, 5),
)
def test_alignment_equals_the_restatement(tmp_path_factory, world, draws, constraints, flip, chars):
    params = dataclasses.replace(
        PARAMS,
        negative_draws=draws,
        type_constraint=constraints[0],
        role_constraint=constraints[1],
        strict_inductive=False,
        inductive_negatives=False,
        role_flip=flip,
        min_surface_chars=chars,
    )
    rows, funnel, graph, _ = run(world, tmp_path_factory.mktemp("world"), params)
    rules = {
        "type_constraint": constraints[0],
        "role_constraint": constraints[1],
        "turn": flip == "published",
        "min_chars": chars,
    }
    expected, fates = expected_alignment(world, candidate_sets(graph, params), rules)
    assert [row["sentence_id"] for row in rows] == sorted(expected)
    texts = {identifier: (text, mentions) for identifier, text, mentions in world.sentences}
    for row in rows:
        split, positive, options = expected[row["sentence_id"]]
        assert (row["split"], row["positive"]) == (split, positive)
        assert (row["head"], row["tail"]) in options
        text, mentions = texts[row["sentence_id"]]
        for role in ("head", "tail"):
            place = row[role], row[f"{role}_start"], row[f"{role}_end"]
            assert place in mentions
            assert text[place[1] : place[2]] == row[f"{role}_name"]
    steps = {step["step"]: step["number"] for step in funnel["steps"]}
    for fate, number in steps.items():
        if fate.startswith("sentences"):
            assert number == fates[fate], fate
    assert sum(sum(counts.values()) for counts in funnel["splits"].values()) == len(rows)


@settings(MANY, max_examples=40)
@given(world=WORLDS, partitions=st.sampled_from([1, 2, 7, 30]), block=st.integers(1, 40), shuffle=st.integers(0, 99))
def test_partitions_blocks_and_order_leave_no_trace(tmp_path_factory, world, partitions, block, shuffle):
    reference = run(world, tmp_path_factory.mktemp("reference"), partitions=3)
    sentences = list(world.sentences)
    random.Random(shuffle).shuffle(sentences)
    facts = {split: random.Random(shuffle).sample(world.facts[split], len(world.facts[split])) for split in SPLITS}
    other = World(facts, dict(reversed(world.types.items())), sentences, world.aliases)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mention_blocks.mention_blocks, "__defaults__", (block,))
        found = run(other, tmp_path_factory.mktemp("other"), partitions=partitions, shuffle=shuffle)
    assert found[3] == reference[3]
    assert found[1] == reference[1]


@MANY
@given(world=WORLDS, seed=st.integers(0, 5))
def test_candidates_are_corruptions_of_one_side(tmp_path_factory, world, seed):
    paths = write_world(world, tmp_path_factory.mktemp("world"))
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    positives = positive_pairs(world)
    every = set().union(*positives.values())
    forbidden = every | {pair[::-1] for pair in every}
    heads, tails = {head for head, _ in every}, {tail for _, tail in every}
    few = candidate_sets(graph, dataclasses.replace(PARAMS, negative_draws=1, seed=seed))
    all_of_them = candidate_sets(graph, dataclasses.replace(PARAMS, negative_draws=2000, seed=seed))
    for split in SPLITS:
        assert few[split] <= all_of_them[split]
        allowed = set()
        for head, tail in positives[split]:
            on_tail = {(head, other) for other in tails} - forbidden
            on_head = {(other, tail) for other in heads} - forbidden
            assert on_tail <= all_of_them[split] or on_head <= all_of_them[split]
            allowed |= on_tail | on_head
        assert all_of_them[split] <= allowed
        assert len(few[split]) <= len(positives[split])


def graph_of(facts, tmp_path, types=None):
    cuis = {cui for own in facts.values() for head, _, tail in own for cui in (head, tail)}
    kinds = types or {cui: ("T1", "a", "G") for cui in cuis}
    paths = write_world(World(facts, kinds, [], {}), tmp_path)
    return load_graph([paths[split] for split in SPLITS], paths["concepts"])


def test_the_coin_and_the_draws_are_fair(tmp_path):
    facts = {"train": [(f"H{n:03d}", "r", f"T{n:03d}") for n in range(400)], "valid": [], "test": []}
    graph = graph_of(facts, tmp_path)
    codes, masks = candidate_pairs(graph, 50, seed=1)
    assert set(masks.tolist()) == {1}
    head, tail = codes // graph.n, codes % graph.n
    per_head, per_tail = np.bincount(head, minlength=graph.n)[:400], np.bincount(tail, minlength=graph.n)[400:]
    on_tail, on_head = per_head > 48, per_tail > 48
    assert (on_tail ^ on_head).sum() > 390
    assert 150 < on_tail.sum() < 250
    assert 40 < per_head[on_tail].mean() - per_head[~on_tail].mean() < 50


def test_seeds_and_splits_draw_differently(tmp_path):
    pairs = [(f"H{n:03d}", "r", f"T{n:03d}") for n in range(200)]
    graph = graph_of({"train": pairs, "valid": [], "test": []}, tmp_path / "a")
    other = graph_of({"train": [], "valid": pairs, "test": []}, tmp_path / "b")
    first, second, third = (
        set(candidate_pairs(*arguments)[0].tolist()) for arguments in ((graph, 5, 0), (graph, 5, 1), (other, 5, 0))
    )
    assert len(first) > 900
    for one, two in ((first, second), (first, third), (second, third)):
        assert len(one & two) < 60
    assert set(candidate_pairs(graph, 5, 0)[0].tolist()) == first


def test_draws_among_the_pairs_of_a_sentence_are_fair_and_follow_the_seed(tmp_path):
    facts = {"train": [("C1", "r", "C2"), ("C1", "r", "C3"), ("C1", "r", "C4")], "valid": [], "test": []}
    cuis = ["C1", "C2", "C3", "C4"]
    sentences = []
    for number in range(900):
        text = f"{number:04d} aaaa bbbb cccc dddd"
        mentions = [(cui, 5 + 5 * place, 9 + 5 * place) for place, cui in enumerate(cuis)]
        sentences.append((sentence_id(text), text, mentions))
    world = World(facts, {cui: ("T1", "a", "G") for cui in cuis}, sentences, {})
    drawn = []
    for seed in (0, 1):
        rows, *_ = run(world, tmp_path / str(seed), dataclasses.replace(PARAMS, seed=seed))
        drawn.append([row["tail"] for row in rows])
        counts = collections.Counter(drawn[-1])
        assert set(counts) == {"C2", "C3", "C4"}
        assert min(counts.values()) > 240
    assert 200 < sum(one == two for one, two in zip(*drawn, strict=True)) < 400


def test_published_role_flip_turns_a_pair_and_mended_does_not(tmp_path):
    kinds = {"A1": "x", "A2": "x", "B1": "y", "B2": "y", "A3": "x", "B3": "y"}
    kinds = {cui: ("T", kind, "G") for cui, kind in kinds.items()}
    facts = {"train": [("A1", "r", "B1"), ("B2", "r", "B1"), ("A1", "r", "A2")], "valid": [], "test": []}
    text = "aaaa bbbb"
    sentences = [(sentence_id(text), text, [("A2", 0, 4), ("B2", 5, 9)])]
    world = World(facts, kinds, sentences, {})
    found = []
    for seed in range(8):
        params = dataclasses.replace(PARAMS, negative_draws=500, seed=seed)
        assert run(world, tmp_path / f"a{seed}", params)[0] == []
        found += run(world, tmp_path / f"b{seed}", dataclasses.replace(params, role_flip="published"))[0]
    assert 2 < len(found) <= 8  # the coins of the two facts that (B2, A2) can come from
    for row in found:
        assert (row["head"], row["tail"], row["positive"]) == ("B2", "A2", False)
        assert (row["head_name"], row["tail_name"]) == ("bbbb", "aaaa")


@pytest.mark.parametrize(("number", "written"), [(10, 0), (11, 10), (20, 10), (21, 20), (37, 30)])
def test_published_stream_loses_its_tail(tmp_path, number, written):
    world = random_world(11, entities=6, facts=8, sentences=200)
    counted = [s for s in world.sentences if len(s[2]) > 1 and any(end - start >= 3 for _, start, end in s[2])]
    counted = sorted(counted)[:number]
    assert len(counted) == number
    lone = [s for s in world.sentences if len(s[2]) == 1][:5]
    world = dataclasses.replace(world, sentences=counted + lone)
    complete, *_ = run(world, tmp_path / "all")
    params = dataclasses.replace(PARAMS, stream_tails="published")
    rows, funnel, *_ = run(world, tmp_path / "some", params, stream_block=10)
    kept = {identifier for identifier, _, _ in counted[:written]}
    assert rows == [row for row in complete if row["sentence_id"] in kept]
    steps = {step["step"]: step["number"] for step in funnel["steps"]}
    assert steps["sentences_lost_at_the_end"] == number - written


def test_a_stream_shorter_than_a_block_is_lost_and_the_message_says_why(tmp_path):
    paths = write_world(random_world(11, sentences=50), tmp_path)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    params = dataclasses.replace(PARAMS, stream_tails="published")
    with pytest.raises(DataError, match="stream_tails: mended"):
        align(paths["mentions"], graph, params, tmp_path / "a.parquet", tmp_path / "a.json")


def test_only_the_best_concept_of_a_mention_counts(tmp_path):
    graph = graph_of({"train": [("C1", "r", "C2")], "valid": [], "test": []}, tmp_path)
    identifier = "0" * 32
    rows = [(identifier, 0, 4, "aaaa", "C1", 1.0, 0), (identifier, 0, 4, "aaaa", "C2", 1.0, 1)]
    rows += [(identifier, 5, 9, "bbbb", "C9", 1.0, 0), (identifier, 5, 9, "bbbb", "C2", 1.0, 1)]
    write_table(tmp_path / "m.parquet", as_table(rows, MENTIONS), MENTIONS)
    with pytest.raises(DataError, match="sentences_without_pair: 1"):
        align([tmp_path / "m.parquet"], graph, PARAMS, tmp_path / "a.parquet", tmp_path / "a.json")


def test_facts_of_unknown_concepts_are_counted_and_left_out(tmp_path, caplog):
    facts = {"train": [("C1", "r", "C2"), ("C1", "r", "C9")], "valid": [("C8", "r", "C2")], "test": [("C2", "r", "C3")]}
    graph = graph_of(facts, tmp_path, {cui: ("T1", "a", "G") for cui in ("C1", "C2", "C3", "C4")})
    assert graph.entities.to_pylist() == ["C1", "C2", "C3"]
    assert graph.facts_without_concept == (1, 1, 0)
    assert "not among the concepts" in caplog.text


@pytest.mark.parametrize(
    ("content", "found"),
    [("C1\tr\tC2\nC1\tC2\n", "line 2"), ("C1 r C2\n", "Expected 3 columns"), ("C1\tr\tC2\tx\n", "got 4")],
)
def test_a_broken_split_file_is_named(tmp_path, content, found):
    paths = write_world(random_world(1), tmp_path)
    paths["valid"].write_text(content)
    with pytest.raises(DataError, match="valid.tsv") as error:
        load_graph([paths[split] for split in SPLITS], paths["concepts"])
    assert found in str(error.value)
    assert "head, relation, tail" in str(error.value)


def test_quotes_and_null_words_in_a_split_file_are_text(tmp_path):
    paths = write_world(random_world(1), tmp_path)
    for split in SPLITS:
        paths[split].write_text('NA\t"r\tnull\nNA\t"r\t"C\n')
    write_table(paths["concepts"], concepts_table({c: ("T", "a", "G") for c in ("NA", "null", '"C')}), CONCEPTS)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    assert graph.entities.to_pylist() == ['"C', "NA", "null"]
    assert graph.relations == ['"r']


def test_no_fact_at_all_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no fact with both entities"):
        graph_of({"train": [("C1", "r", "C2")], "valid": [], "test": []}, tmp_path, {"C1": ("T1", "a", "G")})


def test_sentences_out_of_order_are_an_error(tmp_path):
    world = random_world(5, sentences=40)
    paths = write_world(world, tmp_path, partitions=1)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    twice = [*paths["mentions"], tmp_path / "copy.parquet"]
    twice[1].write_bytes(twice[0].read_bytes())
    with pytest.raises(DataError, match="out of order"):
        align(twice, graph, PARAMS, tmp_path / "a.parquet", tmp_path / "a.json")
