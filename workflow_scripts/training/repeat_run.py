"""Train a run once more with its own seed and report whether weights and metrics are the same.

The same settings on the same kind of machine give the same bytes; other hardware or another version of PyTorch may
not, and the report says what they were.
"""

import dataclasses
import json
import logging
import pathlib
import tempfile

from workflow_scripts.common import command
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_json
from workflow_scripts.common.models.run_folder import HISTORY, read_run
from workflow_scripts.training import train_run


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One training: its configuration, weights and epochs."""

    config: dict
    weights: dict
    history: list


def read_attempt(folder):
    """Read a run folder.

    Raises
    ------
    DataError
        If a file is missing or broken.
    """
    config, weights, _ = read_run(folder)
    path = pathlib.Path(folder) / HISTORY
    if not path.is_file():
        raise DataError(path, found="no such file", expected="a run folder", remedy="train the run again")
    return Attempt(config, weights, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])


def compare(first, second):
    """What differs between two trainings; the time that epochs took is not compared.

    Parameters
    ----------
    first, second : Attempt

    Returns
    -------
    dict
        `equal_weights`, `largest_difference` (of any weight), `equal_metrics`, `epochs` (numbers of those whose loss or
        validation metrics differ), `differing_config` (keys of config.json), `versions` of both.
    """
    same_names = first.weights.keys() == second.weights.keys()
    shared = first.weights.keys() & second.weights.keys()
    differences = [float((first.weights[name] - second.weights[name]).abs().max()) for name in sorted(shared)]
    epochs = [_without_seconds(attempt.history) for attempt in (first, second)]
    numbers = range(max(map(len, epochs)))
    differing = [number + 1 for number in numbers if epochs[0][number : number + 1] != epochs[1][number : number + 1]]
    keys = sorted(first.config.keys() | second.config.keys())
    return {
        "equal_weights": same_names and not any(differences),
        "largest_difference": max(differences, default=0.0),
        "equal_metrics": not differing,
        "epochs": differing,
        "differing_config": [key for key in keys if first.config.get(key) != second.config.get(key)],
        "versions": [first.config.get("versions"), second.config.get("versions")],
    }


def _without_seconds(history):
    return [{name: value for name, value in epoch.items() if name != "seconds"} for epoch in history]


def main(args):
    """Train again beside the run and write the report."""
    before = read_attempt(args.run)
    with tempfile.TemporaryDirectory() as folder:
        args.folder = pathlib.Path(folder)
        train_run.main(args)
        report = compare(before, read_attempt(folder))
    report = {"run": before.config["run"], "seed": before.config["seed"]} | report
    write_json(args.output, report)
    said = "the same weights and metrics" if report["equal_weights"] and report["equal_metrics"] else "another result"
    logging.info("%s, trained twice with seed %s: %s", report["run"], report["seed"], said)


def arguments():
    """The command line: the inputs of train_run, and the run to compare with."""
    parser = train_run.input_arguments(command.parser(__doc__))
    parser.add_argument("--run", type=pathlib.Path, required=True, help="folder of the run to repeat")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="report (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
