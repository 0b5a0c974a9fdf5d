"""What all table commands share: their options, reading the paper's numbers, and writing the three formats."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.common.files import atomic_open
from workflow_scripts.reporting import csv_format, latex, markdown
from workflow_scripts.reporting.expected import read_expected
from workflow_scripts.reporting.table import build


def table_parser(description):
    """An argument parser with the options of every table command."""
    parser = command.parser(description)
    path = pathlib.Path
    parser.add_argument("--expected", type=path, required=True, help="the paper's numbers (tsv)")
    parser.add_argument("--schema", type=path, required=True, help="schemas/expected.schema.yaml")
    parser.add_argument("--caption", type=path, required=True, help="the caption, plain text")
    for name in ("csv", "md", "tex"):
        parser.add_argument(f"--{name}", type=path, required=True, help=f"the table as {name}")
    return parser


def read_caption(path):
    """A caption as one line."""
    return " ".join(path.read_text(encoding="utf-8").split())


def write_table(args, spec, values, order=None, relations=None):
    """Put our values beside the paper's and write csv, md and tex.

    Parameters
    ----------
    args : argparse.Namespace
        Of `table_parser`.
    spec : Spec
    values, order
        See `table.build`.
    relations : collection of str or None
        Relations that the paper's numbers may name.
    """
    expected = read_expected(args.expected, spec.name, args.schema, relations)
    table = build(spec, values, expected, read_caption(args.caption), order)
    csv_format.write_csv(args.csv, table)
    for path, text in ((args.md, markdown.render(table)), (args.tex, latex.render(table))):
        with atomic_open(path) as stream:
            stream.write(text)
