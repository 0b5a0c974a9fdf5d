"""Write a split of a corpus as a tool of others reads it: texts in PubTator or BioC, or the mentions to link."""

from pathlib import Path

from workflow_scripts.belb import measuring, tool_files
from workflow_scripts.common import command


def main(args):
    """Run the command."""
    corpus = measuring.load_corpus(args.corpus)
    if args.format == tool_files.PREDICTIONS:
        tool_files.write_mentions(args.exported, corpus.gold(args.split))
        return
    texts = tool_files.texts_of(corpus.documents, args.split)
    if args.format == "pubtator":
        tool_files.write_pubtator(args.exported, texts)
    else:
        tool_files.write_bioc(args.exported, texts, corpus.name, as_json=args.format == "biocjson")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--split", default="test", help="train, dev or test (default: test)")
    parser.add_argument("--format", choices=["pubtator", "bioc", "biocjson", "predictions"], required=True)
    parser.add_argument("--exported", type=Path, required=True, help="output: the file")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
