"""Options beyond the paper: what they leave in a corpus, and the promises that are tied to them."""

import json

import pytest

from tests.corpus.helpers import SPLITS, write_world
from tests.corpus.test_alignment import candidate_pairs
from tests.corpus.test_build import aligned, commands, steps_of
from tests.corpus.test_check import OWN, Corpus
from tests.corpus.worlds import tidy_world
from workflow_scripts.common.files import read_json
from workflow_scripts.corpus.graph import load_graph
from workflow_scripts.corpus.negatives import inductive_masks

EARLIER = {"valid": ["train"], "test": ["train", "valid"]}


def known(world, split):
    """Concepts in facts of the splits before."""
    return {cui for part in EARLIER[split] for head, _, tail in world.facts[part] for cui in (head, tail)}


def mixed_world(seed=0):
    """A tidy world with facts of valid and test among new concepts only, and pairs with two relations."""
    world = tidy_world(seed, sentences=1500)
    for split in SPLITS:
        second = [(head, "second_relation_of", tail) for head, relation, tail in world.facts[split] if head < tail]
        world.facts[split] = sorted({*world.facts[split], *second[::2]})
    return world


@pytest.mark.parametrize("strict", [False, True])
def test_inductive_masks_equal_the_restatement(tmp_path, strict):
    world = tidy_world(3)
    paths = write_world(world, tmp_path)
    graph = load_graph([paths[split] for split in SPLITS], paths["concepts"])
    codes, masks = candidate_pairs(graph, 40, 0)
    new = inductive_masks(graph, codes, masks, strict)
    found = {code: mask for code, mask in zip(codes.tolist(), new.tolist(), strict=True) if mask}
    expected = {}
    for code, mask in zip(codes.tolist(), masks.tolist(), strict=True):
        pair = [graph.entities[number].as_py() for number in divmod(code, graph.n)]
        for split, bit in (("valid", 2), ("test", 4)):
            new = [cui not in known(world, split) for cui in pair]
            if not (all(new) if strict else any(new)):
                mask &= ~bit
        if mask:
            expected[code] = mask
    assert found == expected
    assert 0 < len(found) < len(codes)


@pytest.mark.parametrize("strict", [False, True])
def test_inductive_negatives_reach_the_aligned_sentences(tmp_path, strict):
    world = tidy_world(1, sentences=1500)
    (tmp_path / "off").mkdir()
    before, _, _ = aligned(world, tmp_path / "off")
    table, _, _ = aligned(world, tmp_path / "on", inductive_negatives=True, strict_inductive=strict)
    for rows, holds in ((table.to_pylist(), True), (before.to_pylist(), False)):
        new = [
            (all if strict else any)(row[role] not in known(world, row["split"]) for role in ("head", "tail"))
            for row in rows
            if row["split"] != "train" and not row["positive"]
        ]
        assert len(new) > 20 and all(new) == holds


def test_strict_facts_have_two_new_concepts(tmp_path):
    world = mixed_world()
    table, graph, paths = aligned(world, tmp_path)
    found, _ = steps_of(table, graph, paths, strict_inductive=True, negatives_share=None)
    before, after = found["alignment"], found["strict_inductive"]
    kept = [
        row
        for row in before
        if row["split"] == "train" or not row["positive"] or not {row["head"], row["tail"]} & known(world, row["split"])
    ]
    assert [row["sentence_id"] for row in after] == [row["sentence_id"] for row in kept]
    assert len(after) < len(before)
    assert {row["split"] for row in after if row["positive"]} == set(SPLITS)


def test_every_relation_of_a_pair_is_kept(tmp_path):
    world = mixed_world()
    table, graph, paths = aligned(world, tmp_path)
    found, built = steps_of(table, graph, paths, multi_label=True, negatives_share=None)
    relations = {split: {} for split in SPLITS}
    for split in SPLITS:
        for head, relation, tail in world.facts[split]:
            relations[split].setdefault((head, tail), []).append(relation)
    expected = [
        (row["sentence_id"], relation)
        for row in found["alignment"]
        for relation in (sorted(relations[row["split"]][row["head"], row["tail"]]) if row["positive"] else ["NA"])
    ]
    assert [(row["sentence_id"], row["relation"]) for row in found["multi_label"]] == expected
    assert len(expected) > len(found["alignment"])
    final = [row for row in found["relation_pruning"] if row["positive"]]
    facts = {(row["split"], row["head"], row["relation"], row["tail"]) for row in final}
    assert sum(counts["facts"] for counts in built.funnel.last) == len(facts) > len({fact[:2] for fact in facts})


def test_multi_label_bags_are_pruned_by_sentences(tmp_path):
    table, graph, paths = aligned(mixed_world(), tmp_path)
    found, _ = steps_of(table, graph, paths, multi_label=True, max_bag_size=2)
    sentences = {}
    for row in found["bag_pruning"]:
        if row["split"] == "train":
            sentences.setdefault((row["head"], row["tail"]), {}).setdefault(row["sentence_id"], []).append(row)
    before = [row for row in found["mention_pruning"] if row["split"] == "train"]
    assert max(map(len, sentences.values())) == 2 and len(before) > sum(map(len, sentences.values()))
    for pair, bag in sentences.items():
        for identifier, rows in bag.items():
            assert len(rows) == sum(row["sentence_id"] == identifier for row in before), pair


@pytest.mark.parametrize(
    "option, promise",
    [
        ("strict_inductive", "positives_strictly_inductive"),
        ("inductive_negatives", "na_inductive"),
        ("multi_label", "every_relation_of_a_pair"),
    ],
)
def test_the_promise_is_tied_to_the_option(run_command, tmp_path, option, promise):
    paths = write_world(mixed_world(5), tmp_path / "in")
    plain, own = tmp_path / "plain" / "out", tmp_path / "own" / "out"
    for folder in (plain, own):
        folder.parent.mkdir()
        (folder.parent / "in").symlink_to(tmp_path / "in")
    assert commands(run_command, paths, plain, corpus=OWN).returncode == 0
    aligning = {option: True} if option != "multi_label" else {}
    building = {option: True} if option != "inductive_negatives" else {}
    process = commands(run_command, paths, own, alignment=aligning, corpus=OWN | building)
    assert process.returncode == 0, process.stderr
    good = Corpus(own.parent)
    assert good.broken(**{option: True}) == set()
    assert good.check(**{option: True})[promise]["checked"]
    assert promise in Corpus(plain.parent).broken(**{option: True})
    if option == "multi_label":
        assert "one_relation_per_pair" in good.broken() and "one_pair_per_sentence" in good.broken()
        counts = read_json(own / "statistics.json")["splits"]
        lines = {split: list(map(json.loads, (own / f"{split}.jsonl").read_text().splitlines())) for split in SPLITS}
        for split, rows in lines.items():
            facts = {(row["h"]["id"], row["relation"], row["t"]["id"]) for row in rows if row["relation"] != "NA"}
            assert counts[split]["facts"] == len(facts)
