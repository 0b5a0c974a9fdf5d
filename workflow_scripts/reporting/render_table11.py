"""Table 11: pretrained encoders, with the kinds of knowledge that the registry names."""

import dataclasses
import pathlib

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.catalogue import TABLE11
from workflow_scripts.reporting.model_rows import evaluation_of, read_models, run_values
from workflow_scripts.reporting.outputs import table_parser, write_table
from workflow_scripts.reporting.table import Cell

KNOWLEDGE = ("biomedical", "clinical", "type", "triples", "synonyms")
MARK = {"yes": "✓", "no": "-"}


@dataclasses.dataclass(frozen=True)
class Params:
    """The registry, by encoder: name, missing (why it cannot be had, or null), folder (where the configuration takes it
    from, maybe another model; null or left out for the published one), and the kinds of knowledge."""

    encoders: dict


def main(args):
    """Run the command."""
    registry = params.parse(Params, args.params).encoders
    models = read_models(args.models)

    def key_of(path):
        encoder = models[evaluation_of(path)[2]].get("pretrained")
        if encoder not in registry:
            raise DataError(path, found=f"encoder {encoder}", expected="one of " + ", ".join(registry))
        return (encoder,)

    (auc,) = (column for column in TABLE11.columns if column.numeric)
    trained = run_values(args.metrics, key_of, (auc,))
    write_table(args, TABLE11, encoder_values(registry, trained))


def encoder_values(registry, trained):
    """Rows by the encoder's name.

    Parameters
    ----------
    registry : dict
        As in `Params`.
    trained : dict
        (encoder,) -> (cells, run ids), of `run_values`.
    """
    values = {}
    for encoder, row in registry.items():
        if any(row[kind] not in MARK for kind in KNOWLEDGE):
            continue  # an encoder of one's own, of which the registry says nothing
        cells, runs = trained.get((encoder,), ({}, ()))
        trained_as = f"trained, from {row['folder']}" if row.get("folder") else "trained"
        state = trained_as if runs else row["missing"] or "no row of models.tsv names it for this table"
        known = {kind: Cell(MARK[row[kind]]) for kind in KNOWLEDGE}
        values[(row["name"],)] = (known | cells | {"state": Cell(state)}, runs or ("experiments/encoders.tsv",))
    return values


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--metrics", type=path, nargs="*", default=[], help="metrics.json of the evaluations")
    parser.add_argument("--models", type=path, required=True, help="experiments/models.tsv")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
