"""Sentences per CPU second of the rule engine, against spaCy's blank English tokenizer with its sentencizer.

Both run on the same abstracts in the same process, round by round, each through the interface of the engines (tokens,
offsets, sentence ends) and with its tokens joined; the first round (empty caches) and the best one are printed.

Before that the peak memory of extract_abstracts on the same files is printed (Linux).

With --pubmed-parser, the Python of an environment that has this package, citations of the same files are read by both,
round by round, each in a process of its own, and CPU seconds are compared; the package reads more fields of a citation.

    python benchmarks/text_throughput.py [--pubmed-parser /venv/bin/python] FILE.xml.gz [...]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import spacy

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workflow_scripts.text import engines, medline_xml, spacy_engine  # noqa: E402


def read(files, most):
    """Sections of abstracts of MEDLINE files, at most `most`."""
    texts = []
    for path in files:
        for citation in medline_xml.citations(path):
            texts.extend(section.text for section in getattr(citation, "sections", ()) if section.text.strip())
            if len(texts) >= most:
                return texts[:most]
    return texts


def spacy_blank():
    """An engine of the blank English pipeline with the sentencizer."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    engine = object.__new__(spacy_engine.SpacyEngine)
    engine.prepare(lambda: nlp)
    return engine


_EXTRACT = """
import re, sys
from workflow_scripts.text import extract_abstracts
extract_abstracts.main(extract_abstracts.arguments().parse_args(sys.argv[1:]))
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


def extract_peak(files):
    """Peak resident memory of extract_abstracts over files, in MB."""
    settings = {"files_per_job": 1, "max_bad_records": 0, "inline_markup": "mended", "other_abstracts": "mended"}
    with tempfile.TemporaryDirectory() as folder:
        options = ["--batch", "1", "--abstracts", f"{folder}/a", "--citations", f"{folder}/c", "--memory-mb", "2000"]
        arguments = ["--files", *map(str, files), *options, "--params", json.dumps(settings)]
        done = subprocess.run(
            [sys.executable, "-c", _EXTRACT, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        )
    return int(done.stdout) / 1024


_PUBMED_PARSER = """
import sys, time
import pubmed_parser
started = time.process_time()
citations = [c for path in sys.argv[1:] for c in pubmed_parser.parse_medline_xml(path) if not c["delete"]]
used = time.process_time() - started
print(used, len(citations), sum(bool(c["abstract"].strip()) for c in citations))
"""
_OURS = """
import sys, time
from workflow_scripts.text import extract_abstracts, medline_xml
started = time.process_time()
citations = texts = 0
for path in sys.argv[1:]:
    for citation in medline_xml.citations(path):
        citations += 1
        texts += any(True for _ in extract_abstracts.kept_sections(citation, "mended", "mended"))
print(time.process_time() - started, citations, texts)
"""


def compare_readers(python, files, rounds):
    """Print the CPU seconds in which pubmed-parser and our reader read the citations of files."""
    readers = {"medline_xml": (sys.executable, _OURS), "pubmed-parser": (python, _PUBMED_PARSER)}
    found = {name: [] for name in readers}
    for _ in range(rounds):
        for name, (interpreter, script) in readers.items():
            words = [interpreter, "-c", script, *map(os.path.abspath, files)]
            text = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
            found[name].append([float(value) for value in text.split()])
    size = sum(os.path.getsize(file) for file in files) / 1e6
    for name, values in found.items():
        used, citations, texts = min(values)
        rate = f"{citations / used:,.0f} citations and {size / used:.2f} MB of .xml.gz per CPU second"
        print(f"{name:26} {used:.3f} CPU-s at best, {citations:,.0f} citations, {texts:,.0f} with abstract: {rate}")
    ours, theirs = (min(values)[0] for values in found.values())
    print(f"ratio medline_xml / pubmed-parser: {theirs / ours:.1f}")


def seconds(engine, texts):
    """(CPU seconds, sentences) of one pass."""
    started, count = time.process_time(), 0
    for words, _, ends in engine(texts):
        begin = 0
        for end in ends:
            " ".join(words[begin:end])
            begin = end
        count += len(ends)
    return time.process_time() - started, count


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="MEDLINE .xml.gz files")
    parser.add_argument("--sections", type=int, default=3000, help="abstract sections read, at most")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pubmed-parser", type=pathlib.Path, help="Python of an environment with pubmed-parser")
    args = parser.parse_args()
    if args.pubmed_parser:
        compare_readers(args.pubmed_parser.absolute(), args.files, args.rounds)
    print(
        f"extract_abstracts on {len(args.files)} files: peak {extract_peak(map(os.path.abspath, args.files)):,.0f} MB"
    )
    texts = read(args.files, args.sections)
    contestants = {"rule": engines.load("rule"), "spaCy blank + sentencizer": spacy_blank()}
    measured = {name: [] for name in contestants}
    for _ in range(args.rounds):
        for name, engine in contestants.items():
            measured[name].append(seconds(engine, texts))
    print(f"{len(texts):,} sections, {sum(map(len, texts)):,} characters, {args.rounds} rounds, 1 process")
    rates = {name: [count / used for used, count in rounds] for name, rounds in measured.items()}
    for name, values in rates.items():
        print(f"{name:26} {values[0]:9,.0f} sentences per CPU second at first, {max(values):9,.0f} at best")
    rule, spacy_rates = rates.values()
    print(f"ratio rule / spaCy: {rule[0] / spacy_rates[0]:.2f} at first, {max(rule) / max(spacy_rates):.2f} at best")


if __name__ == "__main__":
    main()
