"""Random worlds: graphs and linked sentences with everything that the rules of alignment speak of."""

import random

from tests.corpus.helpers import SPLITS, World, sentence_id

TYPES = [
    ("T047", "Disease or Syndrome", "DISO"),
    ("T121", "Pharmacologic Substance", "CHEM"),
    ("T023", "Organ", "ANAT"),
]
RELATIONS = ["cause_of", "finding_site_of", "uses_substance"]
NOISE = ["with", "and", "µg", "the", "naïve", "α-β", ",", "p < 0.05", "𝛾-line", "(", ")"]


def sentence(rng, mentions, number):
    """A text around some surfaces, each mention (cui, start, end) in code points; the number keeps texts apart."""
    text, found = f"{rng.choice(NOISE)} {number}", []
    for cui, surface in mentions:
        text += f" {rng.choice(NOISE)} "
        found.append((cui, len(text), len(text) + len(surface)))
        text += surface
    text += f" {rng.choice(NOISE)} ."
    return sentence_id(text), text, found


def random_world(seed, entities=10, facts=12, sentences=60, shared=True, types=3):
    """Dense and dirty: facts of two splits, both directions, loops, several relations, repeated and short mentions."""
    rng = random.Random(seed)
    cuis = [f"C{number:07d}" for number in rng.sample(range(1, 500), entities)]
    groups = {split: cuis if shared else cuis[place::3] + cuis[:2] for place, split in enumerate(SPLITS)}
    graph = {
        split: sorted(
            {(rng.choice(own), rng.choice(RELATIONS), rng.choice(own)) for _ in range(max(1, rng.randrange(facts)))}
        )
        for split, own in groups.items()
    }
    kinds = {cui: rng.choice(TYPES[:types]) for cui in cuis}
    aliases = {cui: [f"Name {cui[-3:]}", f"µ{cui[-2:]}x", f"Q{cui[-1]}"] for cui in cuis}
    made = []
    for number in range(sentences):
        mentions = []
        for _ in range(rng.randrange(7)):
            cui = rng.choice([*cuis, "X0000001", "X0000002"])
            surface = rng.choice([*aliases.get(cui, ["other"]), "ab", "wrong name", aliases[cuis[0]][0].upper()])
            mentions.append((cui, surface))
        made.append(sentence(rng, mentions, number))
    return World(graph, kinds, [item for item in made if item[2]], aliases)


def tidy_world(seed=0, entities=24, sentences=900):
    """An inductive graph and enough text for a corpus with three relations and NA in all splits."""
    rng = random.Random(seed)
    groups = {split: [f"C{place}{number:06d}" for number in range(entities)] for place, split in enumerate(SPLITS)}
    kinds, aliases = {}, {}
    for own in groups.values():
        for number, cui in enumerate(own):
            kinds[cui] = TYPES[number % 3]
            aliases[cui] = [f"Name {cui}", f"alias of {cui}", f"Third{cui}"]
    graph = {}
    for split, own in groups.items():
        known = {"train": own, "valid": groups["train"] + own, "test": groups["train"] + own}[split]
        found = set()
        for relation in range(3):
            heads = [cui for cui in own if kinds[cui] == TYPES[relation]]
            tails = [cui for cui in known if kinds[cui] == TYPES[(relation + 1) % 3]]
            found |= {(rng.choice(heads), RELATIONS[relation], rng.choice(tails)) for _ in range(entities)}
        found.add((own[0], RELATIONS[2], next(tail for head, relation, tail in sorted(found) if head == own[0])))
        graph[split] = sorted(found)
    made = []
    for number in range(sentences):
        split = rng.choice(SPLITS)
        if rng.random() < 0.25:
            head, _, tail = rng.choice(graph[split])
            pair = [head, tail]
        elif rng.random() < 0.9:
            kind = rng.randrange(3)
            pair = [rng.choice(groups[split][place::3]) for place in (kind, (kind + 1) % 3)]
        else:
            pair = rng.sample(groups[split] + groups["train"], 2)
        rng.shuffle(pair)
        made.append(sentence(rng, [(cui, rng.choice(aliases[cui])) for cui in pair], number))
    return World(graph, kinds, made, aliases)
