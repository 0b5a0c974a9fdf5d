"""Our exact linker against scispaCy's own CandidateGenerator: same names, same mentions, one run, CPU time.

scispaCy runs at its default parameters in its own Python (`--scispacy-python`), once as its EntityLinker does, one call
a sentence, and once with all distinct keys in one call. Ours runs as the workflow does: each distinct key once, over
one index mapped into memory. Loading, compiling and building are timed apart, and each side's seconds are split by what
they are spent on. Decision = first concept or none; every difference is put down to what makes it. Memory of a worker
is what it does not share with a second one: all private pages but those of the map.

    python benchmarks/linking_speed.py --aliases aliases.parquet --detected detected/*.parquet --out FOLDER \
        --scispacy-python /venv/bin/python [--scispacy-index FOLDER] [--ngram-min-df 10] [--mentions 20000]

Without --scispacy-python only ours runs. An index that FOLDER has from an earlier run is used again.
"""

import argparse
import collections
import dataclasses
import itertools
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

import pyarrow.parquet as pq  # noqa: E402

from workflow_scripts.common.files import read_json, write_json  # noqa: E402
from workflow_scripts.linking.forms import search_key  # noqa: E402
from workflow_scripts.linking.links import Rule  # noqa: E402

RULE = Rule(threshold=0.7, no_definition_threshold=0.95, k=30, max_candidates=5)
AIMS = {"ratio": 100, "private_mb": 200}
# scispaCy keeps the vectors of its names in 16 bits: so much its scores may be off.
ROUNDING = 5e-4
BLOCK = 1 << 14


def mentions_of(paths, limit):
    """Surfaces by sentence, as lists, up to so many mentions: a sample of all batches, for the ids are hashes."""
    sentences = collections.defaultdict(list)
    for path in paths:
        table = pq.read_table(path, columns=["sentence_id", "surface"])
        for sentence, surface in zip(*(column.to_pylist() for column in table.columns), strict=True):
            sentences[sentence].append(surface)
    ordered = [sentences[sentence] for sentence in sorted(sentences)]
    upto = itertools.accumulate(map(len, ordered))
    return [surfaces for surfaces, count in zip(ordered, upto, strict=True) if count <= limit]


def timed(function):
    """(result, CPU seconds)."""
    started = time.process_time()
    result = function()
    return result, time.process_time() - started


class Clock:
    """CPU seconds of some methods, by name; an inner method's are its own, not also those of the outer one."""

    def __init__(self):
        self.seconds, self._inside = collections.Counter(), [0.0]

    def watch(self, owner, name, label):
        """Time a method of an object or class from now on; `label(*arguments)` names what it does."""
        function = getattr(owner, name)

        def watched(*arguments, **options):
            self._inside.append(0.0)
            result, seconds = timed(lambda: function(*arguments, **options))
            self.seconds[label(*arguments)] += seconds - self._inside.pop()
            self._inside[-1] += seconds
            return result

        setattr(owner, name, watched)

    def shares(self, total, number):
        """Microseconds of each of so many, and of what was not watched."""
        self.seconds["the rest, in Python and NumPy"] = total - sum(self.seconds.values())
        return {label: seconds / number * 1e6 for label, seconds in self.seconds.items()}


def private_megabytes(shared):
    """Private pages of this process, written or not, but those of the file `shared`, in MB."""
    kilobytes, counted = 0, True
    for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            counted = words[-1] != str(shared)
        elif counted and words[0] in ("Private_Clean:", "Private_Dirty:"):
            kilobytes += int(words[1])
    return kilobytes / 1024


def build_ours(args):
    """Our index, in a process of its own: the memory of the build is not the worker's."""
    from workflow_scripts.linking import index_names

    settings = index_names.Params("tfidf", args.ngram_min_df, None, None, "ENG")
    aliases = pq.read_table(args.aliases, columns=["cui", "name", "defined"])
    _, seconds = timed(lambda: index_names.build(aliases, args.out / "index", settings))
    return {"index_cpu_s": seconds, "index_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def worker(index):
    """A generator that is ready: mapped, compiled."""
    from workflow_scripts.linking.candidates import make_generator
    from workflow_scripts.linking.name_index import NameIndex

    generator = make_generator("tfidf", "faithful", NameIndex(index), RULE)
    return generator, timed(lambda: generator.candidates(["a"], ["a"]))[1]


def second_worker(args):
    """Wait beside the one that is measured, so that what both map is shared as on a node."""
    kept = worker(args.out / "index/index.json")
    print("ready", flush=True)
    sys.stdin.read()
    return {"compile_cpu_s": kept[1]}


def measure_ours(args):
    """Search and decisions of ours."""
    from workflow_scripts.linking.grams import Vocabulary
    from workflow_scripts.linking.nearest_names import NameSearch

    index, kinds = (args.out / "index/index.json").resolve(), ["defined concepts, all scores", "others, high scores"]
    sentences = mentions_of(args.detected, args.mentions)
    surfaces = [surface for sentence in sentences for surface in sentence]
    generator, compiling = worker(index)

    def link():
        keys = sorted(set(map(search_key, surfaces)))
        found = {}
        for start in range(0, len(keys), BLOCK):
            block = keys[start : start + BLOCK]
            found |= zip(block, generator.candidates(block, block), strict=True)
        return found

    clock = Clock()

    def kind(_, part, queries, threshold):
        # The third search is of the names between the thresholds, for the k nearest.
        return f"search of names of {kinds[part]}" if isinstance(threshold, float) else "search for the k nearest"

    clock.watch(Vocabulary, "transform", lambda *_: "vectors of the keys")
    clock.watch(NameSearch, "search", kind)
    found, seconds = timed(link)
    words = [sys.executable, "-P", __file__, *sys.argv[1:], "--side", "second"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as second:
        second.stdout.readline()
        private = private_megabytes(index.with_name("names.bin"))
        second.stdin.close()
    facts = read_json(index)
    return {
        "names": facts["counts"]["names"],
        "index_megabytes": facts["size"] / 1e6,
        "sentences": len(sentences),
        "mentions": len(surfaces),
        "distinct_keys": len(found),
        "compile_cpu_s": compiling,
        "link_cpu_s": seconds,
        "us_per_key": seconds / len(found) * 1e6,
        "us_per_mention": seconds / len(surfaces) * 1e6,
        "private_mb": private,
        "us_per_key_of": clock.shares(seconds, len(found)),
        "decisions": {key: pairs for key, pairs in sorted(found.items())},
    }


def measure_scispacy(args):
    """The same of scispaCy, in its own Python."""
    from workflow_scripts.linking import scispacy_linker

    folder = args.scispacy_index or args.out / "index_scispacy"
    base = scispacy_linker.knowledge_base(pq.read_table(args.aliases))
    build = 0.0
    if not all((folder / name).is_file() for name in scispacy_linker.FILES):
        _, build = timed(lambda: scispacy_linker.build_index(base, folder, args.ngram_min_df))
    # All its candidates: which of them it has found tells why a decision differs.
    rule = dataclasses.replace(RULE, max_candidates=RULE.k)
    generator, loading = timed(lambda: scispacy_linker.ScispacyGenerator(base, folder, rule))
    sentences = mentions_of(args.detected, args.mentions)
    surfaces = [surface for sentence in sentences for surface in sentence]
    keys = sorted(set(map(search_key, surfaces)))
    candidates, clock = generator._linker.candidate_generator, Clock()
    clock.watch(candidates.vectorizer, "transform", lambda *_: "vectors of the mentions")
    clock.watch(candidates, "nmslib_knn_with_zero_vectors", lambda *_: "search of nmslib")
    _, by_sentence = timed(lambda: [candidates(sentence, RULE.k) for sentence in sentences])
    shares = clock.shares(by_sentence, len(surfaces))
    found, at_once = timed(lambda: generator.candidates(keys, keys))
    return {
        "index_cpu_s": build,
        "load_cpu_s": loading,
        "us_per_mention_by_sentence": by_sentence / len(surfaces) * 1e6,
        "us_per_key_at_once": at_once / len(keys) * 1e6,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "us_per_mention_of": shares,
        "decisions": dict(zip(keys, found, strict=True)),
    }


def reason(pairs, other):
    """Why the first of our pairs (cui, score) is not the first of scispaCy's."""
    (cui, score), (their_cui, their_score) = ([*found, (None, 0.0)][0] for found in (pairs, other))
    if cui == their_cui:
        return "same"
    top = max(score, their_score)
    at_threshold = min(abs(top - limit) for limit in (RULE.threshold, RULE.no_definition_threshold)) < ROUNDING
    if cui is None:
        return "scispaCy alone links: rounding at a threshold" if at_threshold else "scispaCy alone links: unexplained"
    if cui not in dict(other) and not at_threshold:
        return f"the graph misses the name: {'no link' if their_cui is None else 'another concept'}"
    if their_cui is None or cui not in dict(other):
        return "rounding at a threshold"
    return "rounding of nearly equal scores" if abs(score - their_score) < ROUNDING else "another concept: unexplained"


def compare(ours, theirs):
    """Decisions that agree, and every difference by its reason."""
    kinds, examples = collections.Counter(), []
    for key, pairs in ours["decisions"].items():
        other = theirs["decisions"][key]
        kind = reason(pairs, other)
        kinds[kind] += 1
        if kind != "same":
            examples.append([kind, key, pairs[:2], other[:2]])
    linked = [sum(map(bool, side["decisions"].values())) for side in (ours, theirs)]
    return {"decisions": dict(kinds), "linked": linked, "examples": examples}


def measured(args, side, python):
    """What one side measures, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    words = [python, "-P", __file__, *sys.argv[1:], "--side", side]
    subprocess.run(list(map(str, words)), env=environment, check=True, stdout=subprocess.DEVNULL)
    return {"side": side} | read_json(args.out / f"{side}.json")


def show(result):
    """Print the numbers of a result beside what they should reach; gives it back."""
    print(result["side"])
    for name, value in result.items():
        if isinstance(value, int | float):
            print(f"  {name}: {value:,.1f}" + (f" (aim: at most {AIMS[name]})" if name in AIMS else ""))
        elif name.endswith("_of"):
            for part, share in sorted(value.items(), key=lambda item: -item[1]):
                print(f"    {name.removesuffix('_of')}: {share:,.1f} {part}")
    sys.stdout.flush()
    return result


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aliases", type=pathlib.Path, required=True, help="names (linking/kb/aliases.parquet)")
    parser.add_argument("--detected", type=pathlib.Path, nargs="+", required=True, help="linking/detected, any batches")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for indexes and results; kept")
    parser.add_argument("--scispacy-python", type=pathlib.Path, help="Python of an environment with scispaCy")
    parser.add_argument(
        "--scispacy-index", type=pathlib.Path, help="scispaCy's index of these names, where there is one"
    )
    parser.add_argument("--ngram-min-df", type=int, default=10, help="default: %(default)s, scispaCy's")
    parser.add_argument("--mentions", type=int, default=20000, help="how many are linked (default: %(default)s)")
    parser.add_argument("--side", choices=["build", "ours", "second", "scispacy"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.side:
        sides = {"build": build_ours, "ours": measure_ours, "second": second_worker, "scispacy": measure_scispacy}
        measure = sides[args.side]
        write_json(args.out / f"{args.side}.json", measure(args))
        return
    if not (args.out / "index/index.json").is_file():
        show(measured(args, "build", sys.executable))
    ours = show(measured(args, "ours", sys.executable))
    if args.scispacy_python:
        theirs = show(measured(args, "scispacy", args.scispacy_python))
        aim = f"(aim: {AIMS['ratio']}x)"
        print(f"ratio per mention: {theirs['us_per_mention_by_sentence'] / ours['us_per_mention']:.0f}x {aim}")
        print(f"ratio per distinct key: {theirs['us_per_key_at_once'] / ours['us_per_key']:.0f}x {aim}")
        result = compare(ours, theirs)
        write_json(args.out / "agreement.json", result)
        print(json.dumps(result["decisions"], indent=2))
        print("linked: {:,} by ours, {:,} by scispaCy".format(*result["linked"]))
        for example in result["examples"][:20]:
            print(*example)


if __name__ == "__main__":
    main()
