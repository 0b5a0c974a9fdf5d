"""Time and peak memory of the kg stage on a UMLS-shaped release of open ontologies, beside the published scripts.

    python benchmarks/kg_open_release.py META [--copies 5 --foreign 15000000 --memory-mb 8000]

META holds the RRF files of the open release: HPO, Mondo, Uberon and ChEBI as 268,247 concepts and 1,140,608 MRREL rows.
The published scripts (awk; filters and transductive split in pandas; inductive split in networkx) took 0.5 + 9.4 + 4.7
seconds and 653 MB on two idle cores there, and gave 187,723 triples, split by entities into 106,153 / 25,087 / 56,483:
under construction.preset=published ours must give the same numbers. On a busy machine compare CPU seconds.

--copies repeats the release under other CUIs, --foreign adds that many MRREL rows of other vocabularies: the size of a
full UMLS install is 80 million MRREL rows, some 5 million of them of the vocabulary.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from workflow_scripts.common import configuration  # noqa: E402
from workflow_scripts.common.files import read_json  # noqa: E402

# awk; filters and transductive split; inductive split.
PUBLISHED_SECONDS = 0.5 + 9.4 + 4.7
PUBLISHED_MB = 653
COMPARED = ("build_kg", "split_transductive", "split_inductive")
PUBLISHED_SPLIT = [106153, 25087, 56483]
SWITCHES = ("one_type_per_cui", "ro_per_row", "csv_quotes", "repeated_rel")


def timed(script, *arguments):
    """Run a command of the workflow; gives wall seconds, CPU seconds and peak resident memory in MB."""
    command = [sys.executable, "-P", str(REPOSITORY / "workflow_scripts" / script), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONNOUSERSITE": "1"}
    started = time.monotonic()
    child = os.spawnve(os.P_NOWAIT, sys.executable, command, environment)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{script} failed")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def options(paths):
    """Command line of a dictionary: --name path ..."""
    return [text for name, path in paths.items() for text in (f"--{name}", path)]


def run_stage(meta, out, preset, threads, memory_mb):
    """Run the four commands; gives {command: (seconds, CPU seconds, MB)} and the statistics."""
    kg = read_config()
    relations = {"relations": REPOSITORY / kg["relations"]}
    tables = {name: meta / f"{name.upper()}.RRF" for name in ("mrconso", "mrrel", "mrsty", "mrdoc")}
    tables["semgroups"] = next(meta.glob("SemGroups*.txt"))
    names = {"concepts": "concepts.parquet", "triples": "triples.parquet", "order": "all.tsv"}
    names |= {"funnel": "funnel.csv", "audit": "audit.json"}
    outputs = {name: out / file for name, file in names.items()}
    shared = {"seed": kg["seed"], "preset": preset}
    filters = ("groups", "excluded_types", "relation_class", "min_relation_triples")
    settings = shared | {name: kg[name] for name in filters} | {"vocabulary": "SNOMEDCT_US"}
    figures = {}
    figures["build_kg"] = timed(
        "kg/build_kg.py",
        *options(tables | relations | outputs),
        *("--threads", threads, "--memory-mb", memory_mb),
        *("--params", json.dumps(settings | dict.fromkeys(SWITCHES, preset))),
    )
    splits = {}
    for kind, switch in (("transductive", "lost_train_labels"), ("inductive", "lost_entity")):
        splits[kind] = {part: out / kind / f"{part}.tsv" for part in ("train", "valid", "test")}
        values = json.dumps(kg[kind] | shared | {switch: preset})
        paths = options({"triples": outputs["order"]} | splits[kind])
        figures[f"split_{kind}"] = timed(f"kg/split_{kind}.py", *paths, "--params", values)
    figures["summarise_kg"] = timed(
        "kg/summarise_kg.py",
        *options({name: outputs[name] for name in ("concepts", "triples", "audit")} | relations),
        *("--statistics", out / "statistics.json"),
        *[text for kind, paths in splits.items() for text in (f"--{kind}", *paths.values())],
    )
    return figures, read_json(out / "statistics.json")


def read_config():
    """Section kg of config.yaml."""
    return configuration.read_yaml(REPOSITORY / "config.yaml")["kg"]


def enlarge(meta, out, copies, foreign):
    """Write a release that repeats another under other CUIs, with MRREL rows of other vocabularies before it."""
    for name in ("MRCONSO", "MRSTY", "MRREL"):
        with open(out / f"{name}.RRF", "w", encoding="utf-8") as target:
            if name == "MRREL":
                add_foreign(meta / "MRREL.RRF", target, foreign)
            for copy in range(copies):
                with open(meta / f"{name}.RRF", encoding="utf-8") as source:
                    target.writelines(line.replace("C7", f"C{copy}") for line in source)
    for path in [meta / "MRDOC.RRF", *meta.glob("SemGroups*.txt")]:
        (out / path.name).write_bytes(path.read_bytes())
    return out


def add_foreign(source, target, rows):
    """Rows of MRREL under another vocabulary, as often as it takes."""
    while rows > 0:
        with open(source, encoding="utf-8") as stream:
            lines = [line.replace("SNOMEDCT_US", "MSH") for _, line in zip(range(rows), stream, strict=False)]
        target.writelines(lines)
        rows -= len(lines)


def main():
    """Print our figures beside the published ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meta", type=pathlib.Path, help="folder of the RRF files")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--foreign", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-mb", type=int, default=1000)
    args = parser.parse_args()
    plain = args.copies == 1 and not args.foreign
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        meta = args.meta if plain else enlarge(args.meta, folder, args.copies, args.foreign)
        for preset in ("published", "mended"):
            figures, statistics = run_stage(meta, folder / preset, preset, args.threads, args.memory_mb)
            report(preset, figures, statistics, plain)


def report(preset, figures, statistics, plain):
    """Print one table, and say whether the published numbers came out."""
    print(f"construction.preset: {preset}; {statistics['triples']:,} triples")
    for name, (seconds, cpu, megabytes) in figures.items():
        print(f"  {name:<20}{seconds:>7.2f} s {cpu:>7.2f} CPU-s {megabytes:>6.0f} MB")
    compared = [figures[name] for name in COMPARED]
    wall, cpu, peak = sum(row[0] for row in compared), sum(row[1] for row in compared), max(row[2] for row in compared)
    print(f"  {'sum without summary':<20}{wall:>7.2f} s {cpu:>7.2f} CPU-s {peak:>6.0f} MB", end="")
    if plain:
        ratio = f"ratio {PUBLISHED_SECONDS / wall:.1f} in time, {PUBLISHED_MB / peak:.2f} in memory"
        print(f"   published {PUBLISHED_SECONDS:.1f} s {PUBLISHED_MB} MB: {ratio}", end="")
    print()
    found = [statistics["splits"]["inductive"][part]["triples"] for part in ("train", "valid", "test")]
    print(f"  inductive: {' / '.join(f'{n:,}' for n in found)}", end="")
    if plain and preset == "published":
        print("  as published" if found == PUBLISHED_SPLIT else f"  PUBLISHED: {PUBLISHED_SPLIT}", end="")
    print()


if __name__ == "__main__":
    main()
