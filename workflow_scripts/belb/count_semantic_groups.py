"""Count the mentions of a corpus by UMLS semantic group (BELB, Table 9): of all splits.

Counted is the semantic type as the corpus distributes it (MedMentions: TUIs, several with a comma between); the groups
are those of NLM's SemGroups file, also the ones that no mention has. A mention with types of several groups counts once
in each.
"""

import collections
from pathlib import Path

from workflow_scripts.belb.contracts import MENTIONS
from workflow_scripts.common import command, rrf
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_json
from workflow_scripts.common.tables import read_table


def count_groups(mentions, types):
    """Mentions by name of the semantic group.

    Parameters
    ----------
    mentions : pyarrow.Table
        Of contract MENTIONS; foreign ones are left out.
    types : dict
        TUI -> name of its group.

    Returns
    -------
    (int, dict)
        Number of mentions; name of each group -> mentions.

    Raises
    ------
    DataError
        If a mention's type is none of the file.
    """
    total, counts = 0, collections.Counter(dict.fromkeys(types.values(), 0))
    columns = ("foreign", "original_type", "document", "start")
    for foreign, kinds, document, start in zip(*(mentions[name].to_pylist() for name in columns), strict=True):
        if foreign:
            continue
        total += 1
        kinds = [kind.strip() for kind in kinds.split(",")]
        unknown = sorted(set(kinds) - set(types))
        if unknown:
            raise DataError(
                "mentions",
                record=f"{document}, {start}",
                found=f"semantic type {unknown[0]!r}",
                expected=f"one of the {len(types)} types of the file of semantic groups",
                remedy="give the file of the release that the corpus was annotated with (umls.semantic_groups)",
            )
        counts.update({types[kind] for kind in kinds})
    return total, dict(counts)


def main(args):
    """Run the command."""
    mentions = read_table(args.mentions, MENTIONS)
    groups = rrf.read(args.semgroups, "SemGroups")
    types = dict(zip(groups["TUI"].to_pylist(), groups["GROUP_NAME"].to_pylist(), strict=True))
    total, counts = count_groups(mentions, types)
    write_json(args.counts, {"corpus": args.corpus, "mentions": total, "groups": counts})


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", required=True, help="its id, for the table")
    parser.add_argument("--mentions", type=Path, required=True, help="mentions.parquet of the corpus")
    parser.add_argument("--semgroups", type=Path, required=True, help="NLM's SemGroups file")
    parser.add_argument("--counts", type=Path, required=True, help="output: mentions by group (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
