"""Write the passages of a corpus as the sentences in which the stage linking finds mentions."""

from pathlib import Path

from workflow_scripts.belb import measuring, spans
from workflow_scripts.common import command
from workflow_scripts.common.contracts.sentences import SPLIT
from workflow_scripts.common.tables import write_table


def main(args):
    """Run the command."""
    write_table(args.passages, spans.passages(measuring.load_corpus(args.corpus).documents, args.split), SPLIT)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--split", default="test", help="train, dev or test (default: test)")
    parser.add_argument("--passages", type=Path, required=True, help="output: its passages (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
