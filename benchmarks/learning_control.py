"""Compare each run of a finished results folder with a control: the same training on shuffled labels.

    python benchmarks/learning_control.py results/demo [--runs ID ...] [--at-least 5]

For every run the commands that made it (index, train_run, evaluate_run) are read from provenance/ and called again with
the same options, but that the labels of the training bags are permuted (workflow_scripts/evaluation/control.py). The
validation split keeps its labels, so the control's best epoch is chosen as the run's was. Prints test AUC, the
control's, their ratio, and the share of facts among all predictions, which is what random scores get. Exits 1 when a
ratio is below the bound. It takes as long as the training did; with --share, where the runs of one corpus, encoder and
level have the control of one of them, about half as long.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SCRIPTS = REPOSITORY / "workflow_scripts"


class Control:
    """Controls of the runs of one results folder, below a scratch folder; shuffled splits and indexes are shared.

    Parameters
    ----------
    results : Path
        <workdir>/results/<name> of a finished workflow.
    scratch : Path
    seed : int
        Of the permutation of labels.
    """

    def __init__(self, results, scratch, seed):
        self.results, self.scratch, self.seed = results, scratch, seed
        self.workdir = results.parent.parent
        self.records = [json.loads(path.read_text()) for path in sorted(results.glob("provenance/**/*.json"))]
        self.made = {}

    def metrics(self, run):
        """metrics.json of the control of a run, by pooling."""
        trained = self.record("train_run.py", lambda options: json.loads(options["params"])["run"] == run)
        index = self.index(trained["index"])
        folder = self.scratch / "runs" / run
        self.call("training/train_run.py", trained | {"index": index, "folder": folder})
        output = self.scratch / "evaluation" / run
        found = {}
        for record in self.records:
            options = record["options"]
            if record["command"] == "evaluate_run.py" and pathlib.Path(options["run"]).name == run:
                self.call("evaluation/evaluate_run.py", options | {"run": folder, "output": output})
                for pooling in options["poolings"]:
                    found[pooling] = json.loads((output / pooling / "metrics.json").read_text())
        return found

    def kind(self, run):
        """Corpus, encoder and level of a run."""
        trained = self.record("train_run.py", lambda options: json.loads(options["params"])["run"] == run)
        params = json.loads(trained["params"])
        return params["corpus"], params["row"]["encoder"], params["row"]["level"]

    def index(self, folder):
        """The index of a training folder, made from shuffled instances."""
        if folder not in self.made:
            made_it = self.record_of(lambda record: _is_index(record, folder))
            options, target = made_it["options"], self.scratch / "index" / str(len(self.made))
            options = options | {"train": self.shuffled(options["train"]), "folder": target}
            self.call(f"training/{made_it['command']}", options)
            self.made[folder] = target
        return self.made[folder]

    def shuffled(self, train):
        """The training split with shuffled labels."""
        if train not in self.made:
            target = self.scratch / "shuffled" / f"{len(self.made)}.parquet"
            options = {"train": train, "output": target, "params": json.dumps({"seed": self.seed})}
            self.call("evaluation/control.py", options)
            self.made[train] = target
        return self.made[train]

    def record(self, script, accept):
        """Options of the recorded call of a script that `accept` takes."""
        return self.record_of(lambda record: record["command"] == script and accept(record["options"]))["options"]

    def record_of(self, accept):
        """The first record that `accept` takes."""
        found = next((record for record in self.records if accept(record)), None)
        if found is None:
            raise SystemExit(
                f"error: {self.results}/provenance lacks a record of the training: let the workflow finish"
            )
        return found

    def call(self, script, options):
        """Run a command of the workflow with recorded options."""
        words = []
        for name, value in options.items():
            if value is not None:
                values = value if isinstance(value, list) else [value]
                words += [f"--{name.replace('_', '-')}", *map(str, values)]
        environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONNOUSERSITE": "1"}
        command = [sys.executable, "-P", str(SCRIPTS / script), *words]
        done = subprocess.run(command, cwd=self.workdir, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"error: {script} ended with {done.returncode}\n{done.stderr[-2000:]}")


def _is_index(record, folder):
    if record["command"] not in ("index_words.py", "index_wordpieces.py"):
        return False
    return pathlib.Path(record["options"]["folder"]) == pathlib.Path(folder)


def finished(results, runs):
    """(run, pooling, metrics) of the evaluations of a results folder."""
    paths = sorted(results.glob("evaluation/*/*/metrics.json"))
    names = {path.parent.parent.name for path in paths}
    unknown = sorted(set(runs or ()) - names)
    if unknown or not names:
        raise SystemExit(f"error: no evaluation of {', '.join(unknown) or 'any run'} in {results}/evaluation")
    wanted = [path for path in paths if not runs or path.parent.parent.name in runs]
    return [(path.parent.parent.name, path.parent.name, json.loads(path.read_text())) for path in wanted]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("results", type=pathlib.Path, help="results/<name> of a finished workflow")
    arguments.add_argument("--runs", nargs="+", metavar="ID", help="only these runs")
    arguments.add_argument("--at-least", type=float, default=5.0, help="smallest ratio that passes (default: 5)")
    arguments.add_argument("--seed", type=int, default=0, help="seed of the permutation of labels (default: 0)")
    arguments.add_argument("--share", action="store_true", help="one control for each corpus, encoder and level")
    args = arguments.parse_args()
    evaluations, low = finished(args.results.resolve(), args.runs), 0
    print(f"{'run':<36} {'pooling':<8} {'auc':>7} {'control':>8} {'chance':>7} {'ratio':>7}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        control, controls = Control(args.results.resolve(), pathlib.Path(scratch), args.seed), {}
        for run, pooling, metrics in evaluations:
            key = control.kind(run) if args.share else run
            if key not in controls:
                controls[key] = control.metrics(run)
            others = max(measured["auc"] for measured in controls[key].values())
            found, against = metrics["auc"], controls[key].get(pooling, {}).get("auc", others)
            chance = metrics["n_facts"] / metrics["n_predictions"]
            ratio = found / against if against else float("inf")
            passes = ratio >= args.at_least
            low += not passes
            row = f"{run:<36} {pooling:<8} {found:7.4f} {against:8.4f} {chance:7.4f} {ratio:7.1f}"
            print(row + ("" if passes else f"  below {args.at_least:g}"), flush=True)
    print(f"{len(evaluations) - low} of {len(evaluations)} at least {args.at_least:g} times their control")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
