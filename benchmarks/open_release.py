"""From RRF files to a checked corpus with open ontologies: time and peak memory of each rule, statistics, funnel.

The release has HPO, Mondo, Uberon and ChEBI in the UMLS' shape (268,247 concepts, 377,062 names, 1.14 million MRREL
rows) and some 3,000 real articles; RELEASE holds META and baseline. Snakemake builds the target `corpus` with
benchmarks/open_release.yaml; time and memory are those of Snakemake's benchmark files, summed or the largest by rule.

    python benchmarks/open_release.py RELEASE [--cores 2]
"""

import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
CONFIG = "benchmarks/open_release.yaml"
RESULTS = REPOSITORY / "results/open_release"
RESOURCES = REPOSITORY / "resources/open_release"
RULE = "{:<22}{:>6}{:>10}{:>10}{:>10}"


def build(release, cores):
    """Run Snakemake from an empty folder of results; gives the wall seconds."""
    if RESULTS.exists():
        sys.exit(f"{RESULTS} is there: remove it, so that every rule is measured")
    RESOURCES.parent.mkdir(exist_ok=True)
    if RESOURCES.is_symlink():
        RESOURCES.unlink()
    RESOURCES.symlink_to(release.resolve(), target_is_directory=True)
    command = [sys.executable, "-m", "snakemake", "--configfile", CONFIG, "--cores", str(cores), "--quiet", "all"]
    started = time.monotonic()
    subprocess.run([*command, "--", "corpus"], cwd=REPOSITORY, check=True)
    return time.monotonic() - started


def show_rules():
    """Print a line for each rule."""
    jobs = collections.defaultdict(list)
    for path in sorted((RESULTS / "benchmarks").rglob("*.jsonl")):
        rule = path.stem if (REPOSITORY / f"workflow_scripts/{path.parent.name}/{path.stem}.py").is_file() else None
        rule = rule or next(name for name in (path.parent.name, path.stem) if not name.isdecimal() and "_" in name)
        jobs[rule] += [json.loads(line) for line in path.read_text().splitlines()]
    print(RULE.format("rule", "jobs", "wall s", "CPU s", "peak MB"))
    for rule, rows in jobs.items():
        seconds, cpu = (sum(float(row[name]) for row in rows) for name in ("s", "cpu_time"))
        peak = max(float(row["max_rss"] or 0) for row in rows)
        print(RULE.format(rule, len(rows), f"{seconds:.1f}", f"{cpu:.1f}", f"{peak:,.0f}"))
    everything = [row for rows in jobs.values() for row in rows]
    totals = [f"{sum(float(row[name]) for row in everything):.1f}" for name in ("s", "cpu_time")]
    print(RULE.format("all", len(everything), *totals, f"{max(float(r['max_rss'] or 0) for r in everything):,.0f}"))


def show_corpus(folder):
    """Print the statistics, the funnel and the promises of a corpus."""
    statistics = json.loads((folder / "statistics.json").read_text())
    numbers = {name: value for name, value in statistics.items() if isinstance(value, int | float)}
    print(f"\n{folder.name}:", json.dumps(numbers | {"splits": statistics.get("splits")}))
    with open(folder / "funnel.csv", newline="") as stream:
        for row in csv.DictReader(stream):
            kept = {name: value for name, value in row.items() if value and name not in ("step", "split")}
            print(f"  {row['step']:<34}{row['split']:<8}", " ".join(f"{name}={value}" for name, value in kept.items()))
    check = json.loads((folder / "check.json").read_text())
    checked = [promise for promise in check["promises"] if promise["checked"]]
    broken = [promise["name"] for promise in checked if promise["violations"]]
    print(f"  promises: {len(checked)} checked, broken: {', '.join(broken) or 'none'}; kept: {check['kept']}")


def main():
    """Build and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=pathlib.Path, help="folder of META and baseline")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="only print what an earlier run measured")
    args = parser.parse_args()
    if not args.show:
        print(f"Snakemake, {args.cores} cores: {build(args.release, args.cores):.0f} s wall")
    for name in ("linking/statistics.json", "kg/statistics.json"):
        found = json.loads((RESULTS / name).read_text()) if (RESULTS / name).is_file() else {}
        print(name, json.dumps({key: value for key, value in found.items() if isinstance(value, int | float)}))
    show_rules()
    for folder in sorted((RESULTS / "corpus").iterdir()):
        show_corpus(folder)


if __name__ == "__main__":
    main()
