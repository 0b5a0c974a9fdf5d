"""A table of the entity-linking benchmark BELB: ours beside what was published, or recomputed from what was."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.belb_catalogue import BELB_TABLES, CORPORA, TABLE8, TABLE9, TABLE10
from workflow_scripts.reporting.belb_resources import group_counts, resource_values
from workflow_scripts.reporting.belb_rows import corpus_values, label_values, row_order, table_values
from workflow_scripts.reporting.expected import read_expected
from workflow_scripts.reporting.outputs import table_parser, write_table

OF_CORPORA = {CORPORA.name: corpus_values, TABLE10.name: label_values}


def main(args):
    """Run the command."""
    spec = BELB_TABLES[args.table]
    if spec.cited:
        values, order = {}, None
    elif spec is TABLE8:
        values = resource_values(args.registry, args.sources)
        order = list(values)
    elif spec is TABLE9:
        values = group_counts(args.groups)
        order = list(values)
    else:
        of_corpora = OF_CORPORA.get(spec.name)
        values = of_corpora(args.corpora) if of_corpora else table_values(spec.name, args.metrics, args.found)
        order = row_order(values, read_expected(args.expected, spec.name, args.schema))
    write_table(args, spec, values, order)


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--table", choices=sorted(BELB_TABLES), required=True, help="which table")
    parser.add_argument("--metrics", type=pathlib.Path, nargs="*", default=[], help="metrics on gold mentions (JSON)")
    parser.add_argument("--found", type=pathlib.Path, nargs="*", default=[], help="metrics on found mentions (JSON)")
    parser.add_argument("--registry", type=pathlib.Path, help="experiments/belb_corpora.tsv")
    parser.add_argument("--sources", type=pathlib.Path, help="experiments/sources.tsv")
    parser.add_argument("--groups", type=pathlib.Path, nargs="*", default=[], help="mentions by semantic group (JSON)")
    parser.add_argument("--corpora", type=pathlib.Path, nargs="*", default=[], help="statistics.json of corpora")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
