"""Our exact linker against scispaCy's own CandidateGenerator: same names, same mentions, one run, CPU time.

scispaCy runs at its default parameters in its own Python (`--scispacy-python`), once as its EntityLinker does, one call
a sentence, and once with all distinct keys in one call. Ours runs as the workflow does: each distinct key once, over
one index mapped into memory. Loading, compiling and building are timed apart. Decision = first concept or none.

    python benchmarks/linking_speed.py --aliases aliases.parquet --detected detected/*.parquet --out FOLDER \
        --scispacy-python /venv/bin/python [--scispacy-index FOLDER] [--ngram-min-df 10] [--mentions 20000]

Without --scispacy-python only ours runs. An index that FOLDER has from an earlier run is used again.
"""

import argparse
import collections
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
BLOCK = 1 << 14


def mentions_of(paths, limit):
    """Surfaces by sentence, as lists, up to so many mentions; sentences of many batches in the order of the files."""
    sentences, count = collections.defaultdict(list), 0
    for path in paths:
        table = pq.read_table(path, columns=["sentence_id", "surface"])
        for sentence, surface in zip(*(column.to_pylist() for column in table.columns), strict=True):
            if count < limit:
                sentences[sentence].append(surface)
                count += 1
    return list(sentences.values())


def timed(function):
    """(result, CPU seconds)."""
    started = time.process_time()
    result = function()
    return result, time.process_time() - started


def private_megabytes():
    """Memory that this process wrote to, MB: what each further worker of a node costs, for they share the map."""
    text = pathlib.Path("/proc/self/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_Dirty")) / 1024


def build_ours(args):
    """Our index, in a process of its own: the memory of the build is not the worker's."""
    from workflow_scripts.linking import index_names

    settings = index_names.Params("tfidf", args.ngram_min_df, None, None, "ENG")
    aliases = pq.read_table(args.aliases, columns=["cui", "name", "defined"])
    _, seconds = timed(lambda: index_names.build(aliases, args.out / "index", settings))
    return {"index_cpu_s": seconds, "index_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measure_ours(args):
    """Search and decisions of ours."""
    from workflow_scripts.linking.candidates import make_generator
    from workflow_scripts.linking.name_index import NameIndex

    index = args.out / "index/index.json"
    sentences = mentions_of(args.detected, args.mentions)
    surfaces = [surface for sentence in sentences for surface in sentence]
    generator = make_generator("tfidf", "faithful", NameIndex(index), RULE)
    _, compiling = timed(lambda: generator.candidates(["a"], ["a"]))

    def link():
        keys = sorted(set(map(search_key, surfaces)))
        found = {}
        for start in range(0, len(keys), BLOCK):
            block = keys[start : start + BLOCK]
            found |= zip(block, generator.candidates(block, block), strict=True)
        return found

    found, seconds = timed(link)
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
        "private_mb": private_megabytes(),
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
    generator, loading = timed(lambda: scispacy_linker.ScispacyGenerator(base, folder, RULE))
    sentences = mentions_of(args.detected, args.mentions)
    surfaces = [surface for sentence in sentences for surface in sentence]
    keys = sorted(set(map(search_key, surfaces)))
    candidates = generator._linker.candidate_generator
    _, by_sentence = timed(lambda: [candidates(sentence, RULE.k) for sentence in sentences])
    found, at_once = timed(lambda: generator.candidates(keys, keys))
    return {
        "index_cpu_s": build,
        "load_cpu_s": loading,
        "us_per_mention_by_sentence": by_sentence / len(surfaces) * 1e6,
        "us_per_key_at_once": at_once / len(keys) * 1e6,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "decisions": dict(zip(keys, found, strict=True)),
    }


def compare(ours, theirs):
    """Decisions that agree, and every difference by its kind."""
    kinds, examples = collections.Counter(), []
    for key, pairs in ours["decisions"].items():
        other = theirs["decisions"][key]
        a, b = pairs[0][0] if pairs else None, other[0][0] if other else None
        if a == b:
            kinds["same"] += 1
            continue
        if b is None:
            kind = "only ours links: the graph misses the name"
        elif a is None:
            kind = "only scispaCy links"
        elif round(other[0][1], 5) < pairs[0][1]:
            kind = "another concept, ours scores higher: the graph misses the name"
        elif round(other[0][1], 5) == pairs[0][1]:
            kind = "another concept of the same score"
        else:
            kind = "another concept, scispaCy's scores higher"
        kinds[kind] += 1
        examples.append([kind, key, pairs[:2], other[:2]])
    return {"decisions": dict(kinds), "linked_ours": sum(map(bool, ours["decisions"].values())), "examples": examples}


def measured(args, side, python):
    """What one side measures, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    words = [python, "-P", __file__, *sys.argv[1:], "--side", side]
    subprocess.run(list(map(str, words)), env=environment, check=True, stdout=subprocess.DEVNULL)
    return {"side": side} | read_json(args.out / f"{side}.json")


def show(result):
    """Print the numbers of a result; gives it back."""
    print(result["side"], *(f"  {k}: {v:,.1f}" for k, v in result.items() if isinstance(v, int | float)), sep="\n")
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
    parser.add_argument("--side", choices=["build", "ours", "scispacy"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.side:
        measure = {"build": build_ours, "ours": measure_ours, "scispacy": measure_scispacy}[args.side]
        write_json(args.out / f"{args.side}.json", measure(args))
        return
    if not (args.out / "index/index.json").is_file():
        show(measured(args, "build", sys.executable))
    ours = show(measured(args, "ours", sys.executable))
    if args.scispacy_python:
        theirs = show(measured(args, "scispacy", args.scispacy_python))
        print(f"ratio per mention: {theirs['us_per_mention_by_sentence'] / ours['us_per_mention']:.0f}x")
        print(f"ratio per distinct key: {theirs['us_per_key_at_once'] / ours['us_per_key']:.0f}x")
        result = compare(ours, theirs)
        write_json(args.out / "agreement.json", result)
        print(json.dumps(result["decisions"], indent=2), f"linked by ours: {result['linked_ours']}", sep="\n")
        for example in result["examples"][:20]:
            print(*example)


if __name__ == "__main__":
    main()
