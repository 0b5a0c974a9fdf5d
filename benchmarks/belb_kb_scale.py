"""Knowledge bases at the scale of NCBI Gene: three sizes up to a tenth of it (4.2 of 42.3 million genes), synthetic.

For each size a process of its own builds the knowledge base as `build_belb_kb` does, another loads it into SQLite; CPU
and wall seconds, names per second and peak resident memory are printed. The reference is the same work in Python
objects (names, duplicates, homonyms in dicts; nothing sorted or written) at the smallest size. Exits non-zero above
4 GB.

Genes have 2.5 names each; half of the symbols are shared by species, as are most descriptions: two thirds of the names
are homonyms, where NCBI Gene has 47 %. A tenth as many identifiers are history, in chains.

    python benchmarks/belb_kb_scale.py [--genes N ...] [--memory-mb N] [--threads N] [--build-only] [--temporary FOLDER]
"""

import argparse
import collections
import gzip
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

GENES = (420_000, 1_400_000, 4_200_000)
LIMIT_GB = 4.0
COLUMNS = (
    "tax_id GeneID Symbol LocusTag Synonyms dbXrefs chromosome map_location description type_of_gene "
    "Symbol_from_nomenclature_authority Full_name_from_nomenclature_authority Nomenclature_status Other_designations "
    "Modification_date Feature_type"
)
FAMILIES = ("kinase", "receptor", "transporter", "ligase", "synthase", "factor", "channel", "reductase")


def write_release(folder, n):
    """gene_info.gz and gene_history.gz of n genes; a line is 120 bytes, as in NCBI's file."""
    draw = random.Random(0)
    pool, species = max(n // 15, 1), max(n // 400, 1)
    with gzip.open(folder / "gene_info.gz", "wt", compresslevel=1) as stream:
        stream.write("#" + "\t".join(COLUMNS.split()) + "\n")
        for gene in range(1, n + 1):
            taxon = int(species * draw.random() ** 3) + 7000
            family = int(pool * draw.random() ** 2)
            shared = draw.random() < 0.5
            symbol = f"{FAMILIES[family % 8][:3].upper()}{family}" if shared else f"LOC{100_000_000 + gene}"
            text = f"{FAMILIES[family % 8]} subunit {family % 9} homolog {family}-like"
            synonyms = f"{symbol.lower()}-{family % 4}|{taxon}_{family:05d}" if draw.random() < 0.26 else "-"
            place = f"{family % 22}q{family % 40}" if draw.random() < 0.3 else "-"
            tag = f"XX_{gene:08d}" if draw.random() < 0.5 else "-"
            stream.write(
                f"{taxon}\t{gene}\t{symbol}\t{tag}\t{synonyms}\t-\t{family % 22}\t{place}\t{text}\tprotein-coding"
                f"\t-\t-\t-\t{text if shared else '-'}\t20240101\t-\n"
            )
    with gzip.open(folder / "gene_history.gz", "wt", compresslevel=1) as stream:
        stream.write("#tax_id\tGeneID\tDiscontinued_GeneID\tDiscontinued_Symbol\tDiscontinue_Date\n")
        for old in range(n + 1, n + n // 10 + 1):
            kind = draw.random()
            new = "-" if kind < 0.5 else old + 1 if kind < 0.7 and old % 10 else draw.randint(1, n)
            stream.write(f"7000\t{new}\t{old}\tOLD{old}\t20200101\n")


def build(folder, out, threads, memory_mb):
    """What build_belb_kb does; gives its report."""
    from workflow_scripts.belb import build_belb_kb
    from workflow_scripts.belb.kb_raw import Settings
    from workflow_scripts.common import duck

    paths = [folder / "gene_info.gz", folder / "gene_history.gz"]
    with duck.database(threads, memory_mb, folder) as database:
        return build_belb_kb.build(paths, Settings("ncbi_gene", "gene"), database, out)


def load(folder, out, threads, memory_mb):
    """What load_belb_kb does; gives the rows."""
    from workflow_scripts.belb import kb_store

    return {"names": kb_store.load_sqlite(out, {0: "Symbol"}, "gene", out / "kb.db")["names"]}


def objects(folder, out, threads, memory_mb):
    """The reference: names, duplicates and homonyms in Python objects, one pass over the lines."""
    names, species = {}, {}
    with gzip.open(folder / "gene_info.gz", "rt", encoding="utf-8") as stream:
        next(stream)
        for line in stream:
            cells = line.rstrip("\n").split("\t")
            found = names.setdefault(cells[1], {})
            species[cells[1]] = cells[0]
            values = [cells[2], cells[10], cells[11], cells[8], *cells[4].split("|"), *cells[13].split("|")]
            for kind, name in enumerate(values):
                if name != "-":
                    found.setdefault(name, kind)
    uses = collections.defaultdict(set)
    for gene, found in names.items():
        for name in found:
            uses[name].add((species[gene], gene))
    homonyms = sum(len(users) for users in uses.values() if len(users) > 1)
    lists = collections.Counter((tuple(found), species[gene]) for gene, found in names.items())
    total = sum(map(len, names.values()))
    return {"entities": len(names), "names": total, "homonyms": homonyms / total, "lists": len(lists)}


WORK = {"build": build, "load": load, "objects": objects}


def measured(work, folder, out, args):
    """Run one kind of work in a process of its own; gives what it says and what it took."""
    command = [sys.executable, __file__, "--work", work, "--folder", folder, "--out", out]
    command += ["--threads", args.threads, "--memory-mb", args.memory_mb]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def one(args):
    """The child process: do the work and print what it took."""
    begun = time.monotonic()
    result = WORK[args.work](args.folder, args.out, args.threads, args.memory_mb)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    result["cpu"], result["wall"] = usage.ru_utime + usage.ru_stime, time.monotonic() - begun
    result["gigabytes"] = usage.ru_maxrss / 1e6
    print(json.dumps(result))


def show(label, result):
    """One line of the table."""
    print(
        f"{label:26} {result['names']:12,} names {result['cpu']:8.1f} s CPU {result['wall']:8.1f} s wall "
        f"{result['names'] / result['cpu']:10,.0f} names/s CPU {result['gigabytes']:6.2f} GB",
        flush=True,
    )


def main():
    """Print the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genes", type=int, nargs="+", default=GENES)
    parser.add_argument("--memory-mb", type=int, default=4000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--temporary", type=pathlib.Path, default=tempfile.gettempdir())
    parser.add_argument("--build-only", action="store_true", help="no SQLite file, which takes twice as long")
    parser.add_argument("--work", choices=WORK, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=pathlib.Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        one(args)
        return
    peak, reference = 0.0, None
    for n in sorted(args.genes):
        with tempfile.TemporaryDirectory(dir=args.temporary) as folder:
            folder = pathlib.Path(folder)
            (out := folder / "kb").mkdir()
            write_release(folder, n)
            if reference is None:
                reference = measured("objects", folder, out, args)
                show(f"{n:,} genes, Python objects", reference)
            result = measured("build", folder, out, args)
            show(f"{n:,} genes, build", result)
            peak = max(peak, result["gigabytes"])
            if not args.build_only:
                loaded = measured("load", folder, out, args)
                show(f"{n:,} genes, SQLite", loaded)
                peak = max(peak, loaded["gigabytes"])
            shares = f"{result['names_per_entity']:.2f} names a gene, {result['homonyms']:.1%} homonyms"
            print(f"  {shares}, {result['rows']['history']:,} rows of history", flush=True)
            faster = reference["cpu"] / reference["names"] / (result["cpu"] / result["names"])
            smaller = reference["gigabytes"] / reference["names"] * result["names"] / result["gigabytes"]
            print(
                f"  against Python objects: {faster:.2f} times the names/s, 1/{smaller:.1f} of the memory", flush=True
            )
    sys.exit(peak > LIMIT_GB)


if __name__ == "__main__":
    main()
