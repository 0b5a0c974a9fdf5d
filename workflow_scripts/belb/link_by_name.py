"""Link spans to the entities whose names they are (exact), or whose names are most similar (fuzzy)."""

import dataclasses
from pathlib import Path

from workflow_scripts.belb import systems
from workflow_scripts.belb.contracts import NAMES, SPANS
from workflow_scripts.belb.predictions import write_predictions
from workflow_scripts.common import command, params
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.tables import check_schema, read_table

ENGINES = {"exact": systems.exact_ranks, "fuzzy": systems.fuzzy_ranks}


@dataclasses.dataclass(frozen=True)
class Params:
    """Which engine, and what the header says."""

    engine: str
    corpus: str
    kb: str
    system: str


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    if settings.engine not in ENGINES:
        raise UsageError(f"--params: engine {settings.engine}; known: {', '.join(ENGINES)}")
    spans = read_table(args.spans, SPANS)
    check_schema(args.names, NAMES)
    ranks = ENGINES[settings.engine](args.names, sorted(set(spans["text"].to_pylist())))
    found = systems.predictions_for(spans, ranks, settings.corpus, settings.kb, settings.system)
    write_predictions(args.predictions, found)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--spans", type=Path, required=True, help="what to link (Parquet)")
    parser.add_argument("--names", type=Path, required=True, help="names.parquet of the knowledge base")
    parser.add_argument("--predictions", type=Path, required=True, help="output: predictions file")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
