"""Split the triples at random (70/10/20) so that every entity of valid and test occurs in the drawn train; then take
triples out until no pair of entities, in either direction, is in two splits (Chang et al. 2020; paper, section 3 and
Table 5).

As published, the second step may take an entity's last triple out of train."""

import dataclasses
import logging

from workflow_scripts.common import command, params
from workflow_scripts.kg import parts, transductive
from workflow_scripts.kg.triple_files import sorted_triples


@dataclasses.dataclass(frozen=True)
class Params:
    """kg.transductive.shares, kg.seed, construction.preset (the draws) and the switch lost_train_labels."""

    shares: dict
    seed: int
    preset: str
    lost_train_labels: str


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    parts.check_shares(settings.shares, "kg.transductive.shares")
    triples = parts.read_input(args.triples)
    if settings.preset == "published":
        draws = transductive.published_draws(triples.num_rows, settings.seed)
    else:
        triples = sorted_triples(triples)
        draws = transductive.keyed_draws(triples, settings.seed)
    result = transductive.split(triples, draws, settings.shares, settings.lost_train_labels)
    logging.info(
        "%s triples moved to train for their entities, %s removed for pairs in a later split, %s lost by label",
        *(f"{n:,}" for n in (result.moved, result.overlapping, len(result.lost))),
    )
    parts.write_parts(triples, result.part, (args.train, args.valid, args.test))


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parts.add_files(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
