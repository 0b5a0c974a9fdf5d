"""Figure A.1: share of the corpus's entities in each semantic group."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.reporting import figures
from workflow_scripts.reporting.sources import json_file, take

# NLM's short names of the semantic groups
GROUPS = {
    "ACTI": "Activities & Behaviors",
    "ANAT": "Anatomy",
    "CHEM": "Chemicals & Drugs",
    "CONC": "Concepts & Ideas",
    "DEVI": "Devices",
    "DISO": "Disorders",
    "GENE": "Genes & Molecular Sequences",
    "GEOG": "Geographic Areas",
    "LIVB": "Living Beings",
    "OBJC": "Objects",
    "OCCU": "Occupations",
    "ORGA": "Organizations",
    "PHEN": "Phenomena",
    "PHYS": "Physiology",
    "PROC": "Procedures",
}


def main(args):
    """Run the command."""
    with figures.styled():
        figures.save(draw(shares(args.corpus)), figures.outputs(args))


def shares(path):
    """[(group, entities, share in percent)], the largest first, then by name.

    Parameters
    ----------
    path : path
        corpus/<id>/statistics.json: entities of each type with its group.
    """
    totals = {}
    for entry in take(path, json_file(path), "entities_by_type"):
        group, n = take(path, entry, "group"), int(take(path, entry, "entities"))
        totals[group] = totals.get(group, 0) + n
    whole = sum(totals.values())
    ordered = sorted(((group, n) for group, n in totals.items() if n), key=lambda entry: (-entry[1], entry[0]))
    return [(group, n, 100 * n / whole) for group, n in ordered]


def draw(entries):
    """Bars rather than a pie: lengths are compared, and no colour is needed."""
    figure, axes = figures.new_figure(5.4, 0.9 + 0.3 * max(len(entries), 1))
    names = [f"{GROUPS.get(group, group)} ({group})" for group, _, _ in entries]
    bars = axes.barh(range(len(entries)), [share for _, _, share in entries], height=0.62, color="#4d4d4d")
    axes.bar_label(bars, [f"{share:.1f} %  ({n:,})" for _, n, share in entries], padding=4, fontsize=8)
    axes.set_yticks(range(len(entries)), names)
    axes.tick_params(axis="y", length=0)
    longest = max((share for _, _, share in entries), default=1)
    axes.set(xlim=(0, longest * 1.3), ylim=(len(entries) - 0.4, -0.6), xlabel="Share of the entities (%)")
    return figure


def arguments():
    """The command line."""
    parser = figures.figure_parser(__doc__)
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="statistics.json in the corpus's folder")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
