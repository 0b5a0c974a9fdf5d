"""Time and memory of `align_sentences` beside a literal Python restatement, on synthetic data made in the same run.

The graph has the triples per split of the open release (106,153 / 25,087 / 56,483), 500 draws per positive pair;
mentions follow a Zipf law over its entities and as many concepts outside of it. The restatement (sets of pairs,
loops over sentences, one stream of draws) works on a sample of pairs and sentences and is scaled up.

    python benchmarks/corpus_alignment.py --sentences 1000000
"""

import argparse
import itertools
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from workflow_scripts.common.contracts.concepts import CONCEPTS  # noqa: E402
from workflow_scripts.common.contracts.mentions import MENTIONS  # noqa: E402
from workflow_scripts.common.tables import open_writer, write_table  # noqa: E402

TRIPLES = {"train": 106_153, "valid": 25_087, "test": 56_483}
DRAWS = 500
TYPES, RELATIONS = 51, 21
SPLITS = tuple(TRIPLES)


def make_graph(folder, entities, rng):
    """Write the split files and the concepts; gives the pairs of each split and the type of each entity."""
    kinds = rng.integers(0, TYPES, entities)
    rows = [(f"C{n:07d}", f"name {n}", f"T{kinds[n]:03d}", f"type {kinds[n]}", "DISO", 1) for n in range(entities)]
    columns = [pa.array(c, f.type) for c, f in zip(zip(*rows, strict=True), CONCEPTS.schema, strict=True)]
    write_table(folder / "concepts.parquet", pa.table(columns, schema=CONCEPTS.schema), CONCEPTS)
    pairs = {}
    for split, number in TRIPLES.items():
        head, tail = (np.minimum(rng.zipf(1.3, number) + rng.integers(0, entities, number), entities) - 1 for _ in "ht")
        relation = rng.integers(0, RELATIONS, number)
        pairs[split] = sorted(zip(head.tolist(), tail.tolist(), strict=True))
        lines = zip(head.tolist(), relation.tolist(), tail.tolist(), strict=True)
        text = "".join(sorted(f"C{h:07d}\tr{r:02d}\tC{t:07d}\n" for h, r, t in lines))
        (folder / f"{split}.tsv").write_text(text)
    return pairs, kinds


def make_mentions(folder, sentences, entities, rng, partitions=16):
    """Write the mention tables; gives the files and the first sentences as lists of entity numbers."""
    files, sample = [], []
    for number, share in enumerate(np.array_split(np.arange(sentences), partitions)):
        ids = np.sort(rng.integers(0, 1 << 60, len(share), dtype=np.uint64)) >> np.uint64(4)
        ids = ids + (np.uint64(number) << np.uint64(60))
        counts = rng.integers(2, 9, len(share))
        owner = np.repeat(np.arange(len(share)), counts)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        entity = (rng.zipf(1.2, len(owner)) * 7919 + rng.integers(0, 50, len(owner))) % (2 * entities)
        start = place * 12
        texts = np.array([f"{i:016x}{j:016x}" for j, i in enumerate(ids.tolist())])
        table = pa.table(
            {
                "sentence_id": pa.array(texts[owner]),
                "start": pa.array(start, pa.int32()),
                "end": pa.array(start + rng.integers(2, 11, len(owner)), pa.int32()),
                "surface": pa.array([f"name {e}" for e in entity.tolist()]),
                "cui": pa.array([f"C{e:07d}" for e in entity.tolist()]),
                "score": pa.array(np.ones(len(owner)), pa.float32()),
                "rank": pa.array(np.zeros(len(owner)), pa.int16()),
            }
        )
        files.append(folder / f"{number:03d}.parquet")
        with open_writer(files[-1], MENTIONS) as write:
            write(table)
        if not sample:
            sample = [e.tolist() for e in np.split(entity, np.cumsum(counts)[:-1])]
    return files, sample


def measure(folder, files):
    """Run the command; gives wall seconds, CPU seconds, peak MB and its funnel."""
    settings = {"seed": 0, "negative_draws": DRAWS, "min_surface_chars": 3, "type_constraint": True}
    settings |= {"strict_inductive": False, "inductive_negatives": False}
    settings |= {"role_constraint": True, "role_flip": "mended", "stream_tails": "mended"}
    command = [sys.executable, "-P", REPOSITORY / "workflow_scripts/corpus/align_sentences.py", "--mentions", *files]
    for split in SPLITS:
        command += [f"--{split}", folder / f"{split}.tsv"]
    command += ["--concepts", folder / "concepts.parquet", "--output", folder / "aligned.parquet"]
    command += ["--funnel", folder / "aligned.json", "--params", json.dumps(settings)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    subprocess.run(list(map(str, command)), env=environment, check=True, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    funnel = json.loads((folder / "aligned.json").read_text())
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, funnel


def literal_candidates(pairs, sample, rng):
    """Draw the corruptions of some pairs into a Python set; gives it and the seconds per pair."""
    every = set(itertools.chain.from_iterable(pairs.values()))
    heads, tails = (sorted({pair[side] for pair in every}) for side in (0, 1))
    started, drawn = time.process_time(), set()
    for head, tail in pairs["train"][:sample]:
        if rng.choice([0, 1]):
            drawn.update((head, rng.choice(tails)) for _ in range(DRAWS))
        else:
            drawn.update((rng.choice(heads), tail) for _ in range(DRAWS))
    drawn -= every
    return drawn, (time.process_time() - started) / sample


def literal_sentences(sentences, pairs, candidates, kinds, entities, rng):
    """Align sentences with sets and loops; gives the seconds per sentence."""
    sets = {split: set(own) for split, own in pairs.items()}
    every = set().union(*sets.values())
    known = {cui for pair in every for cui in pair}
    heads, tails = {head for head, _ in every}, {tail for _, tail in every}
    types = {(kinds[head], kinds[tail]) for head, tail in every}
    started, chosen = time.process_time(), []
    for cuis in sentences:
        if len(set(cuis)) < len(cuis):
            continue
        own = {cui for cui in cuis if cui in known}
        ordered = {pair for pair in itertools.permutations(own, 2) if pair[::-1] not in every}
        facts = [ordered & sets[split] for split in ("test", "valid", "train")]
        if any(facts):
            chosen.append(rng.choice(sorted(next(filter(None, facts)))))
            continue
        fit = {(h, t) for h, t in ordered if (kinds[h], kinds[t]) in types and h in heads and t in tails}
        fit &= candidates
        if fit:
            chosen.append(rng.choice(sorted(fit)))
    return (time.process_time() - started) / len(sentences)


def main():
    """Make the data, measure both, print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--entities", type=int, default=80_000)
    parser.add_argument("--sample-pairs", type=int, default=2_000, help="positive pairs of the restatement")
    parser.add_argument("--sample-sentences", type=int, default=20_000, help="sentences of the restatement")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    numbers, rng = np.random.default_rng(args.seed), random.Random(args.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pairs, kinds = make_graph(folder, args.entities, numbers)
        files, sample = make_mentions(folder, args.sentences, args.entities, numbers)
        wall, seconds, megabytes, funnel = measure(folder, files)
    candidates, per_pair = literal_candidates(pairs, args.sample_pairs, rng)
    per_sentence = literal_sentences(sample[: args.sample_sentences], pairs, candidates, kinds, args.entities, rng)
    distinct = sum(len(set(own)) for own in pairs.values())
    literal = per_pair * distinct + per_sentence * args.sentences
    steps = {step["step"]: step["number"] for step in funnel["steps"]}
    print(f"sentences {args.sentences:,}, mentions {steps['mentions_best']:,}, aligned {steps['sentences_aligned']:,}")
    print(
        f"positive pairs {distinct:,}, draws {distinct * DRAWS:,}, allowed pairs of the text "
        f"{funnel['na_pairs_of_the_text']['allowed']:,}, candidates {funnel['na_pairs_of_the_text']['candidates']:,}"
    )
    print(f"align_sentences:     {seconds:8.1f} CPU-s, {wall:.1f} s wall, {megabytes:,.0f} MB peak")
    print(
        f"literal restatement: {literal:8.1f} CPU-s, scaled from {args.sample_pairs:,} pairs "
        f"({per_pair * 1e6:.0f} us each) and {args.sample_sentences:,} sentences ({per_sentence * 1e6:.1f} us each)"
    )
    print(f"ratio of CPU seconds: {literal / seconds:.1f}")


if __name__ == "__main__":
    main()
