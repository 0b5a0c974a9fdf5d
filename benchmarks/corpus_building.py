"""Time and memory of `build_corpus` on synthetic aligned sentences, and what a further million of them costs.

Two sizes are built in one run; the slope between them is extrapolated to the size that --full names. The published
benchmark's largest variant had 10.3 million lines in all splits.

    python benchmarks/corpus_building.py --rows 500000 1500000
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from benchmarks.corpus_alignment import SPLITS, make_graph  # noqa: E402
from workflow_scripts.common.contracts.aliases import ALIASES  # noqa: E402
from workflow_scripts.common.contracts.sentences import SENTENCES  # noqa: E402
from workflow_scripts.common.contracts.triples import TRIPLES  # noqa: E402
from workflow_scripts.common.tables import open_writer, write_table  # noqa: E402
from workflow_scripts.corpus.aligned import ALIGNED  # noqa: E402

SETTINGS = {"seed": 0, "negatives_share": 0.9, "positive_sample": 1.0, "alias_filter": True}
SETTINGS |= {"mention_overlap_filter": True, "max_mention_freq": 10_000, "min_relation_freq": 1, "max_bag_size": 500}
SETTINGS |= {"strict_inductive": False, "multi_label": False, "bag_pruning": "mended", "relation_redraw": "mended"}
PART = 100_000


def make_inputs(folder, rows, entities, pairs, rng):
    """Write aligned sentences, a tenth of them facts, their texts, names and triples."""
    cuis = [f"C{n:07d}" for n in range(entities)]
    names = [f"name {n}" for n in range(entities)]
    aliases = [pa.array(cuis), pa.array(names), pa.array([True] * entities), pa.array([False] * entities)]
    write_table(folder / "aliases.parquet", pa.table(aliases, schema=ALIASES.schema), ALIASES)
    write_table(folder / "triples.parquet", TRIPLES.schema.empty_table(), TRIPLES)
    facts = [np.array(pairs[split]) for split in SPLITS]
    with (
        open_writer(folder / "aligned.parquet", ALIGNED) as aligned,
        open_writer(folder / "s.parquet", SENTENCES) as texts,
    ):
        for start in range(0, rows, PART):
            own = np.arange(start, min(start + PART, rows))
            ids = pa.array([f"{n:032x}" for n in own.tolist()])
            split = rng.choice(3, len(own), p=[0.7, 0.1, 0.2])
            positive = rng.random(len(own)) < 0.1
            ends = np.stack([facts[s][rng.integers(len(facts[s]))] for s in split.tolist()])
            ends[~positive, 1] = rng.integers(0, entities, (~positive).sum())
            head, tail = ([names[n] for n in ends[:, side].tolist()] for side in (0, 1))
            lines = [
                f"{h} and {t} in case {n} were seen again ." for h, t, n in zip(head, tail, own.tolist(), strict=True)
            ]
            table = {
                "sentence_id": ids,
                "split": pa.array([SPLITS[s] for s in split.tolist()]),
                "positive": pa.array(positive),
            }
            for role, side, surfaces, shift in (("head", 0, head, None), ("tail", 1, tail, head)):
                first = [0] * len(own) if shift is None else [len(text) + 5 for text in shift]
                last = [a + len(b) for a, b in zip(first, surfaces, strict=True)]
                table |= {role: pa.array([cuis[n] for n in ends[:, side].tolist()]), f"{role}_name": pa.array(surfaces)}
                table |= {f"{role}_start": pa.array(first, pa.int32()), f"{role}_end": pa.array(last, pa.int32())}
            aligned(pa.table(table))
            zero = pa.array([0] * len(own))
            columns = [ids, pa.array(lines), zero, zero, pa.array(["0"] * len(own)), zero, zero]
            fields = zip(columns, SENTENCES.schema, strict=True)
            texts(pa.table([column.cast(field.type) for column, field in fields], schema=SENTENCES.schema))
    funnel = {"steps": [{"step": "sentences", "number": rows}], "facts_without_concept": {}}
    (folder / "aligned.json").write_text(json.dumps(funnel))


def measure(folder):
    """Run the command; gives CPU seconds and peak MB."""
    command = [sys.executable, "-P", REPOSITORY / "workflow_scripts/corpus/build_corpus.py", "--corpus", "inductive"]
    command += ["--aligned", folder / "aligned.parquet", "--sentence-funnel", folder / "aligned.json"]
    command += ["--sentences", folder / "s.parquet", "--output", folder / "out", "--params", json.dumps(SETTINGS)]
    for name in ("concepts.parquet", "triples.parquet", "aliases.parquet"):
        command += [f"--{name.partition('.')[0]}", folder / name]
    for split in SPLITS:
        command += [f"--{split}", folder / f"{split}.tsv"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(list(map(str, command)), env=environment, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("build_corpus failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    """Measure two sizes and print the slope."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs=2, default=[500_000, 1_500_000], help="aligned sentences")
    parser.add_argument("--full", type=float, default=30, help="million aligned sentences to extrapolate to")
    parser.add_argument("--entities", type=int, default=80_000)
    args = parser.parse_args()
    found = []
    for rows in args.rows:
        rng = np.random.default_rng(0)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            pairs, _ = make_graph(folder, args.entities, rng)
            make_inputs(folder, rows, args.entities, pairs, rng)
            started = time.perf_counter()
            seconds, megabytes = measure(folder)
            found.append((rows, seconds, megabytes))
            wall = time.perf_counter() - started
        print(
            f"{rows:,} aligned sentences: {seconds:.1f} CPU-s, {wall:.1f} s wall, {megabytes:,.0f} MB peak", flush=True
        )
    (rows, seconds, megabytes), (more, later, larger) = found
    slope, time_slope = (larger - megabytes) / (more - rows), (later - seconds) / (more - rows)
    full = args.full * 1e6
    gigabytes, minutes = (megabytes + slope * (full - rows)) / 1024, (seconds + time_slope * (full - rows)) / 60
    size = f"{args.full:g} million: {gigabytes:.1f} GB, {minutes:.0f} CPU-min"
    print(f"{slope * 1e6 / 1024:.2f} GB for each further million; {size}")


if __name__ == "__main__":
    main()
