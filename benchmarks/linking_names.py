"""Make a knowledge base of any size out of real names, for benchmarks of linking: `linking_speed.py --aliases`.

Each further name is a real one with a word of another real name before it, behind it or instead of one of its words, so
grams are as frequent as in real names and near neighbours are many. 2.65 names a concept and a definition for 6.74 % of
the concepts, as in UMLS (reference: scispaCy's knowledge base).

    python benchmarks/linking_names.py --aliases aliases.parquet --names 4400000 --out big.parquet

With --links, the other way round: a part of the real names that decides as all of them do, for indexes that take hours
to build. All names of the linked concepts, then those of others drawn at random until there are enough.

    python benchmarks/linking_names.py --aliases aliases.parquet --names 100000 --links links.parquet --out part.parquet
"""

import argparse
import collections
import pathlib
import random

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

NAMES_PER_CONCEPT = 2.65
DEFINED = 0.0674


def variants(real, number, draw):
    """So many distinct names, the real ones first."""
    names, seen = list(real)[:number], set(real)
    words = [word for name in real for word in name.split()]
    while len(names) < number:
        parts, word = draw.choice(real).split(), draw.choice(words)
        place, kind = draw.randrange(len(parts)), draw.randrange(4)
        if kind == 0:
            parts[place] = word
        else:
            parts.insert({1: 0, 2: len(parts), 3: place}[kind], word)
        name = " ".join(parts)
        if name not in seen:
            seen.add(name)
            names.append(name)
    return names


def part_of(aliases, linked, number, draw):
    """The rows of whole concepts with at least so many distinct names: the linked ones, then others at random."""
    first = sorted(linked)
    others = sorted(set(aliases["cui"].to_pylist()) - set(first))
    draw.shuffle(others)
    names = collections.defaultdict(list)
    for cui, name in zip(aliases["cui"].to_pylist(), aliases["name"].to_pylist(), strict=True):
        names[cui].append(name)
    kept, distinct = set(), set()
    for cui in [*first, *others]:
        if len(distinct) >= number and cui not in linked:
            break
        kept.add(cui)
        distinct.update(names[cui])
    return aliases.filter(pc.is_in(aliases["cui"], pa.array(sorted(kept))))


def main():
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aliases", type=pathlib.Path, required=True, help="real names (linking/kb/aliases.parquet)")
    parser.add_argument("--names", type=int, required=True)
    parser.add_argument(
        "--links", type=pathlib.Path, help="links of some surfaces (linking/links): keep these concepts"
    )
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    draw = random.Random(0)
    if args.links:
        linked = set(pq.read_table(args.links, columns=["cui"])["cui"].to_pylist())
        pq.write_table(part_of(pq.read_table(args.aliases), linked, args.names, draw), args.out)
        return
    real = pc.unique(pq.read_table(args.aliases)["name"].combine_chunks()).to_pylist()
    names = variants(real, args.names, draw)
    concepts = [f"C{draw.randrange(int(args.names / NAMES_PER_CONCEPT)):07d}" for _ in names]
    defined = [int(cui[1:]) * 0.6180339887 % 1 < DEFINED for cui in concepts]
    table = pa.table({"cui": concepts, "name": names, "defined": defined})
    pq.write_table(table.sort_by([("cui", "ascending"), ("name", "ascending")]), args.out)


if __name__ == "__main__":
    main()
