"""Split the triples by entities (70/10/20), so that each valid and test triple has at least one entity that train lacks
(Daza et al. 2021, appendix A; paper, section 3 and Table 5)."""

import dataclasses
import logging

from workflow_scripts.common import command, params
from workflow_scripts.kg import inductive, parts


@dataclasses.dataclass(frozen=True)
class Params:
    """Section kg.inductive, kg.seed, construction.preset (the draws) and the switch lost_entity."""

    shares: dict
    min_edges_left: int
    max_attempts_per_drop: int
    seed: int
    preset: str
    lost_entity: str


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    parts.check_shares(settings.shares, "kg.inductive.shares")
    triples = parts.read_input(args.triples)
    result = inductive.split(triples, **dataclasses.asdict(settings), where=args.triples)
    logging.info("entities: %(train)s train, %(valid)s valid, %(test)s test, %(none)s in no split", result.entities)
    logging.info("%s draws", f"{result.attempts:,}")
    parts.write_parts(triples, result.part, (args.train, args.valid, args.test))


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parts.add_files(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
