"""The rules of alignment and of the filters once more: slow, literal, in sets and loops of strings."""

import collections
import itertools

from tests.corpus.helpers import SPLITS

PRIORITY = ("test", "valid", "train")


def positive_pairs(world):
    return {split: {(head, tail) for head, _, tail in world.facts[split]} for split in SPLITS}


def expected_alignment(world, candidates, rules):
    """sentence_id -> (split, positive, set of pairs one of which must be chosen), and the fate of each sentence.

    candidates: split -> set of (head, tail). rules: type_constraint, role_constraint, turn, min_chars.
    """
    positives = positive_pairs(world)
    every = set().union(*positives.values())
    aligned, fates = {}, collections.Counter()
    for identifier, _, mentions in world.sentences:
        kept = [cui for cui, start, end in mentions if end - start >= rules["min_chars"]]
        if not kept:
            continue
        fates["sentences"] += 1
        if len(set(kept)) < len(kept):
            fates["sentences_repeated_concept"] += 1
            continue
        in_graph = {cui for pair in every for cui in pair} & set(kept)
        pairs = {pair for pair in itertools.permutations(in_graph, 2) if pair[::-1] not in every}
        if not pairs:
            fates["sentences_without_pair"] += 1
            continue
        facts = {split: pairs & positives[split] for split in SPLITS}
        fate, answer = _positive(facts)
        if fate is None:
            fate, answer = _negative(pairs, candidates, world, every, rules)
        fates[fate] += 1
        if answer:
            aligned[identifier] = answer
    return aligned, fates


def _positive(facts):
    if any(facts[a] & facts[b] for a, b in itertools.combinations(SPLITS, 2)):
        return "sentences_fact_of_two_splits", None
    for split in PRIORITY:
        if facts[split]:
            return "sentences_aligned", (split, True, facts[split])
    return None, None


def _negative(pairs, candidates, world, every, rules):
    kept = set()
    heads, tails = {head for head, _ in every}, {tail for _, tail in every}
    types = {(world.types[head][1], world.types[tail][1]) for head, tail in every}
    for head, tail in pairs:
        if rules["type_constraint"] and (world.types[head][1], world.types[tail][1]) not in types:
            continue
        if not rules["role_constraint"] or (head in heads and tail in tails):
            kept.add((head, tail))
        elif rules["turn"] and head in tails and tail in heads:
            kept.add((tail, head))
    found = {split: kept & candidates[split] for split in SPLITS}
    if not any(found.values()):
        return "sentences_without_candidate", None
    if any(found[a] & found[b] for a, b in itertools.combinations(SPLITS, 2)):
        return "sentences_candidate_of_two_splits", None
    split = next(split for split in PRIORITY if found[split])
    return "sentences_aligned", (split, False, found[split])


def filtered(rows, world, max_mention_freq, min_relation_freq):
    """The rows (dicts) after the alias filter, and after each post filter, in order."""
    names = {cui: {name.lower() for name in aliases} for cui, aliases in world.aliases.items()}
    rows = [
        row
        for row in rows
        if row["head_name"].lower() in names[row["head"]] and row["tail_name"].lower() in names[row["tail"]]
    ]
    yield "alias_filter", rows
    for first, second in (("train", "valid"), ("train", "test"), ("valid", "test")):
        taken = {frozenset((r["head_name"], r["tail_name"])) for r in rows if r["split"] == second}
        rows = [r for r in rows if r["split"] != first or frozenset((r["head_name"], r["tail_name"])) not in taken]
    yield "mention_overlap_filter", rows
    counts = collections.Counter()
    for row in rows:
        for role in ("head", "tail"):
            counts[row["split"], world.types[row[role]][1], row[f"{role}_name"].lower()] += 1
    gone = {(split, name) for (split, _, name), count in counts.items() if count > max_mention_freq}
    rows = [r for r in rows if not {(r["split"], r[f"{role}_name"].lower()) for role in ("head", "tail")} & gone]
    yield "mention_pruning", rows
    uses = collections.Counter((row["split"], row["relation"]) for row in rows)
    relations = {row["relation"] for row in rows}
    kept = {name for name in relations if all(uses[split, name] >= min_relation_freq for split in SPLITS)}
    yield "relation_pruning", [row for row in rows if row["relation"] in kept]
