"""Figure 5: precision-recall curves of input encodings (CM, OM, OC, CT, OT) on the test split, one line per seed.

Models are trained on sentences and pooled by AVG (paper, section 4.3).
"""

import pathlib
import statistics

from workflow_scripts.common import command
from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table
from workflow_scripts.reporting import figures
from workflow_scripts.reporting.curve_plot import draw_curves
from workflow_scripts.reporting.model_rows import evaluation_of, read_models
from workflow_scripts.reporting.sources import json_file, take

ENCODINGS = {
    "CM": "context + mention",
    "OM": "only mention",
    "OC": "only context",
    "CT": "context + type",
    "OT": "only type",
}


def main(args):
    """Run the command."""
    lines, areas = curves(args.curves, args.metrics, read_models(args.models))
    with figures.styled():
        drawn = draw_curves(lines, labels(areas), "no model of input encodings in this configuration")
        figures.save(drawn, figures.outputs(args))


def curves(curve_paths, metric_paths, models):
    """Curves and AUC of each encoding by seed.

    Parameters
    ----------
    curve_paths, metric_paths : sequence of path
        evaluation/<run>/<pooling>/{curve.parquet, metrics.json}, in any order.
    models : dict
        Of `read_models`; column `encoding` names the input.

    Returns
    -------
    ({encoding: [(recall, precision)]}, {encoding: [auc]})
        In the paper's order of encodings; AUC in [0, 1], None where the test split has no facts.

    Raises
    ------
    DataError
        If a model is unknown or its encoding is none of ENCODINGS, or two models have the same one.
    """
    lines, areas, owners = {}, {}, {}
    for path in sorted(map(pathlib.Path, [*curve_paths, *metric_paths])):
        _, corpus, model, seed, _ = evaluation_of(path)
        encoding = encoding_of(models, model, path)
        if owners.setdefault(encoding, (corpus, model)) != (corpus, model):
            raise DataError(
                path, found=f"a second model of encoding {encoding}", expected="one, " + owners[encoding][1]
            )
        if path.suffix == ".json":
            areas.setdefault(encoding, {})[seed] = take(path, json_file(path), "auc")
        else:
            table = read_table(path, CURVE)
            lines.setdefault(encoding, {})[seed] = (table["recall"].to_numpy(), table["precision"].to_numpy())
    order = [encoding for encoding in ENCODINGS if encoding in lines]
    return (
        {encoding: [lines[encoding][seed] for seed in sorted(lines[encoding])] for encoding in order},
        {encoding: [areas.get(encoding, {}).get(seed) for seed in sorted(lines[encoding])] for encoding in order},
    )


def encoding_of(models, model, path):
    """The encoding of a model, upper-case; an empty cell is the paper's default, CM."""
    if model not in models:
        raise DataError(path, found=f"model {model}", expected="one of " + ", ".join(models))
    encoding = (models[model].get("encoding") or "cm").upper()
    if encoding not in ENCODINGS:
        raise DataError(path, found=f"encoding {encoding} of {model}", expected="one of " + ", ".join(ENCODINGS))
    return encoding


def labels(areas):
    """ "CM, context + mention (AUC 67.0 ± 0.4)": mean and sample standard deviation over seeds, in percent."""
    texts = {}
    for encoding, values in areas.items():
        texts[encoding] = f"{encoding}, {ENCODINGS[encoding]}"
        if None not in values:
            spread = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
            texts[encoding] += f" (AUC {100 * statistics.fmean(values):.1f}{spread})"
    return texts


def arguments():
    """The command line."""
    parser = figures.figure_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--curves", type=path, nargs="*", default=[], help="curve.parquet of the evaluations")
    parser.add_argument("--metrics", type=path, nargs="*", default=[], help="metrics.json of the same")
    parser.add_argument("--models", type=path, required=True, help="experiments/models.tsv")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
