"""Whether what the demo's models learn, and how they differ, exceeds the spread over three seeds.

    python benchmarks/three_seeds.py [--cores 2] [--show] [--results FOLDER]

Snakemake trains and evaluates the models of Tables 7 and 10 and of Figure 5 with the three seeds of
benchmarks/three_seeds.yaml on the demo's corpora (nothing that is finished is done again). Then the first model of each
corpus, encoder and level is trained once more for each seed on shuffled labels (learning_control.py); what these scored
is kept in the folder of results, below controls/. Printed are the test AUC in percent, mean and sample standard
deviation over seeds, of

- every model beside its control and beside chance (the share of facts among all predictions);
- the differences that the paper states, here on invented text: whether they show, whether they turn round, or whether
  they are within the spread.

A gap exceeds the spread where it is larger than the sum of both standard deviations and every seed of the one side
lies above every seed of the other. Exits 1 where a model does not so exceed its control; that of the mentions alone
(OM) need not, for invented names that nobody has seen tell little.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from learning_control import REPOSITORY, Control, finished  # noqa: E402

RESULTS = pathlib.Path("results/three_seeds")
CONFIGS = ["profiles/demo/config.yaml", "benchmarks/three_seeds.yaml"]
WANTED = ["tables/table7.csv", "tables/table10.csv", "figures/figure5.png", "evaluation/differences.csv"]
NEED_NOT = {("inductive.bert_sent_om", "avg"), ("inductive.bert_sent_om", "one")}
ENCODINGS = {"CM": "bert_sent", **{name: f"bert_sent_{name.lower()}" for name in ("OM", "OC", "CT", "OT")}}


@dataclasses.dataclass(frozen=True)
class Claim:
    """A difference that the paper states: where, of what, and the two sides as (corpus.model, pooling)."""

    where: str
    said: str
    higher: tuple
    lower: tuple


def claims():
    """What the paper states of AUC and the demo has rows for."""
    found = []
    for level, pooling in (("sent", "avg"), ("bag_avg", "avg")):
        for encoder in ("cnn", "pcnn", "gru"):
            sides = (f"inductive.bert_{level}", pooling), (f"inductive.{encoder}_{level}", pooling)
            found.append(Claim("Table 7", f"BERT above {encoder.upper()}, {level[:4].rstrip('_')} AVG", *sides))
    bert = {name: (f"inductive.bert_{name}", name[-3:]) for name in ("bag_avg", "bag_one", "bag_att")}
    sent = ("inductive.bert_sent", "avg")
    found += [
        Claim("Table 7", "BERT: sent above bag, AVG", sent, bert["bag_avg"]),
        Claim("Table 7", "BERT bag: AVG above ONE", bert["bag_avg"], bert["bag_one"]),
        Claim("Table 7", "BERT bag: ONE above ATT", bert["bag_one"], bert["bag_att"]),
        Claim("Table 10", "inductive above transductive", sent, ("transductive.bert_sent", "avg")),
    ]
    for higher, lower in (("CM", "OM"), ("OM", "CT"), ("CT", "OC"), ("OC", "OT")):
        sides = [(f"inductive.{ENCODINGS[name]}", "avg") for name in (higher, lower)]
        found.append(Claim("Figure 5", f"{higher} above {lower}", *sides))
    return found


@dataclasses.dataclass(frozen=True)
class Gap:
    """Two sides over seeds: mean difference, standard deviation of each, and whether the difference exceeds them."""

    mean: float
    spreads: tuple
    exceeds: bool


def gap(higher, lower):
    """Compare two lists of values over seeds.

    Parameters
    ----------
    higher, lower : list of float
        Values by seed; one alone has no spread.

    Returns
    -------
    Gap
        `exceeds`: larger than both standard deviations together, and all of `higher` above all of `lower`.
    """
    mean = statistics.fmean(higher) - statistics.fmean(lower)
    spreads = spread(higher), spread(lower)
    return Gap(mean, spreads, mean > sum(spreads) and min(higher) > max(lower))


def spread(values):
    """The sample standard deviation; 0 for a single value."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def verdict(higher, lower):
    """In words, of a difference whose sign is stated."""
    if gap(higher, lower).exceeds:
        return "shows"
    return "the other way round" if gap(lower, higher).exceeds else "within the spread"


def train(cores):
    """Let Snakemake make what is missing."""
    wanted = [str(RESULTS / name) for name in WANTED]
    command = [sys.executable, "-m", "snakemake", "--profile", "profiles/demo", "--configfile", *CONFIGS]
    subprocess.run([*command, "--cores", str(cores), "--", *wanted], cwd=REPOSITORY, check=True)


def control_of(results, run, seed, kept):
    """The largest AUC over poolings of the control of a run with a seed; read where it was kept."""
    if not kept.is_file():
        with tempfile.TemporaryDirectory() as scratch:
            found = Control(results, pathlib.Path(scratch), seed).metrics(run)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({pooling: metrics["auc"] for pooling, metrics in found.items()}, sort_keys=True))
    return max(json.loads(kept.read_text()).values())


def controls(results, runs, kinds, make):
    """AUC of the controls by (corpus, encoder, level), one for each seed.

    Parameters
    ----------
    results : Path
    runs : iterable of str
        Run ids, <corpus>.<model>.s<seed>.
    kinds : function
        Run id -> (corpus, encoder, level).
    make : bool
        False: only those that were kept are there.
    """
    first = {}
    for run in sorted(runs):
        first.setdefault((int(run.rpartition(".s")[2]), *kinds(run)), run)
    found = collections.defaultdict(list)
    for (seed, *kind), run in sorted(first.items()):
        kept = results / "controls" / f"{'.'.join(kind)}.s{seed}.json"
        if make or kept.is_file():
            found[tuple(kind)].append(control_of(results, run, seed, kept))
    return found


def shown(values):
    """Mean and standard deviation in percent."""
    return f"{100 * statistics.fmean(values):6.1f} ±{100 * spread(values):4.1f}"


def show_controls(aucs, chances, against, kinds):
    """Print each model beside its control; gives how many do not exceed theirs, those that need not left out."""
    print(f"{'model':<28} {'pooling':<7} {'AUC':>12} {'control':>12} {'chance':>6} {'gap':>6} {'ratio':>6}  exceeds")
    low = 0
    for (row, pooling), values in aucs.items():
        control = against.get(kinds(f"{row}.s1"))
        if not control:
            continue
        found = gap(values, control)
        need_not = (row, pooling) in NEED_NOT
        low += not found.exceeds and not need_not
        ratio = statistics.fmean(values) / statistics.fmean(control)
        numbers = f"{shown(values)} {shown(control)} {100 * chances[row]:6.2f} {100 * found.mean:6.1f} {ratio:6.1f}"
        said = ("yes" if found.exceeds else "no") + (" (need not)" if need_not else "")
        print(f"{row:<28} {pooling:<7} {numbers}  {said}")
    return low


def show_claims(aucs):
    """Print what the paper states of differences, and what the demo's invented text makes of it."""
    print(f"\n{'stated by the paper':<42} {'one':>12} {'other':>12} {'gap':>6}  on the demo")
    for claim in claims():
        higher, lower = aucs.get(claim.higher, ()), aucs.get(claim.lower, ())
        if min(len(higher), len(lower)) > 1:
            said, values = f"{claim.where}: {claim.said}", f"{shown(higher)} {shown(lower)}"
            print(f"{said:<42} {values} {100 * gap(higher, lower).mean:6.1f}  {verdict(higher, lower)}")


def main():
    """Train, evaluate, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", type=int, default=2, help="cores for Snakemake (default: 2)")
    parser.add_argument("--show", action="store_true", help="only print what is there")
    parser.add_argument(
        "--results", type=pathlib.Path, help="train nothing: make controls of this results/<name>, print"
    )
    args = parser.parse_args()
    results = (args.results or REPOSITORY / RESULTS).resolve()
    if not args.show and args.results is None:
        train(args.cores)
    aucs, chances = collections.defaultdict(list), {}
    evaluations = [entry for entry in finished(results, None) if not entry[0].startswith("umls_")]
    for run, pooling, metrics in evaluations:
        row = run.rpartition(".s")[0]
        aucs[row, pooling].append(metrics["auc"])
        chances[row] = metrics["n_facts"] / metrics["n_predictions"]
    kinds = Control(results, None, 0).kind
    against = controls(results, {run for run, _, _ in evaluations}, kinds, make=not args.show)
    aucs = {key: values for key, values in sorted(aucs.items()) if len(values) > 1}
    low = show_controls(aucs, chances, against, kinds)
    show_claims(aucs)
    print(f"\n{low} models do not exceed their control by more than the spread")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
