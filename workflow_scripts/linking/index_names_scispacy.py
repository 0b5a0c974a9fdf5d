"""Let scispaCy index the names of the knowledge base (linking.mode scispacy): TF-IDF vectors and their nmslib graph.

Its parameters are scispaCy's own, but for ngram_min_df. The graph is built by many threads and is not the same twice.
Building takes milliseconds a name and grows faster than the names: hours for a whole UMLS release.
"""

import dataclasses
from pathlib import Path

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.tables import read_table
from workflow_scripts.linking import scispacy_linker


@dataclasses.dataclass(frozen=True)
class Params:
    """The vector space."""

    ngram_min_df: int


def main(args):
    """Run the command."""
    if sorted(path.name for path in args.index) != scispacy_linker.FILES or len({p.parent for p in args.index}) != 1:
        raise UsageError(f"--index must name {', '.join(scispacy_linker.FILES)} of one folder")
    settings = params.parse(Params, args.params)
    base = scispacy_linker.knowledge_base(read_table(args.aliases, ALIASES))
    scispacy_linker.build_index(base, args.index[0].parent, settings.ngram_min_df)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--aliases", type=Path, required=True, help="names of the knowledge base (Parquet)")
    parser.add_argument(
        "--index", type=Path, nargs="+", required=True, help="output: the files of scispaCy's index, of one folder"
    )
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
