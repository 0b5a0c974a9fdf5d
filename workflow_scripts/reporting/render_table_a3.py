"""Table A.3: the relations of the corpus with their inverses."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting.catalogue import TABLE_A3
from workflow_scripts.reporting.expected import read_relations
from workflow_scripts.reporting.graph_rows import relation_values
from workflow_scripts.reporting.outputs import table_parser, write_table


def main(args):
    """Run the command."""
    values = relation_values(args.graph, args.corpus, args.corpus.parent.name)
    write_table(args, TABLE_A3, values, relations=read_relations(args.relations))


def arguments():
    """The command line."""
    parser = table_parser(__doc__)
    parser.add_argument("--graph", type=pathlib.Path, required=True, help="statistics.json of the knowledge graph")
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="statistics.json in the corpus's folder")
    parser.add_argument("--relations", type=pathlib.Path, required=True, help="table of the relations that exist")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
