"""Table 9: sentence-level precision, recall and F1 on all, common and rare triples."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.common.sentence_subsets import SUBSETS
from workflow_scripts.reporting.catalogue import TABLE9
from workflow_scripts.reporting.model_rows import full_name, read_models, run_values
from workflow_scripts.reporting.outputs import table_parser, write_table
from workflow_scripts.reporting.sources import take


def main(args):
    """Run the command."""
    models = read_models(args.models)
    values = {}
    for subset in SUBSETS:

        def key_of(path, subset=subset):
            return subset, full_name(models, path)

        def value_of(path, metrics, column, subset=subset):
            name, _, without_na = column.name.partition("_")
            found = take(path, metrics, "sentence_subsets", subset, without_na or "with_na")
            # a 0 would say that everything was missed where there was nothing to find
            return take(path, found, name) if take(path, found, "n_gold") else None

        values |= run_values(args.metrics, key_of, TABLE9.columns, value_of)
    write_table(args, TABLE9, values)


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--metrics", type=pathlib.Path, nargs="*", default=[], help="metrics.json of the evaluations")
    parser.add_argument("--models", type=pathlib.Path, required=True, help="experiments/models.tsv")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
