"""Sentences per CPU second of the rule engine, against spaCy's blank English tokenizer with its sentencizer.

Both run on the same abstracts in the same process, round by round, each through the interface of the engines (tokens,
offsets, sentence ends) and with its tokens joined; the first round (empty caches) and the best one are printed.

Before that the peak memory of extract_abstracts on the same files is printed (Linux).

    python benchmarks/text_throughput.py FILE.xml.gz [...]
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
    args = parser.parse_args()
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
