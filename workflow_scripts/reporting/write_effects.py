"""effects.md: what each construction switch does to the statistics of a run, measured switch by switch."""

import pathlib

from workflow_scripts.common import command
from workflow_scripts.common.files import atomic_open, read_json
from workflow_scripts.reporting.effects import changes, headline
from workflow_scripts.reporting.markdown import escape, pipe
from workflow_scripts.reporting.switches import SWITCHES

TABLE6 = ("instances", "facts", "bags")


def main(args):
    """Run the command."""
    corpora = {path.parent.name: read_json(path) for path in args.corpora}
    own = headline(read_json(args.text), read_json(args.graph), corpora)
    measured = {found["switch"]: found for found in map(read_json, args.effects)}
    with atomic_open(args.out) as stream:
        stream.write(render(own, measured, args.corpus))


def render(own, measured, corpus):
    """The page as Markdown.

    Parameters
    ----------
    own : dict
        Headline statistics of the run.
    measured : dict
        Switch -> what `measure_effect` wrote.
    corpus : str
        The corpus of Table 6.
    """
    names = [f"{corpus} corpus: {split} {count}" for split in ("train", "valid", "test") for count in TABLE6]
    header = ["Switch", "Other side", *(name.partition(": ")[2] for name in names), "Statistics that differ"]
    lines = [pipe(header), "|:--|:--|" + "--:|" * (len(names) + 1)]
    lines.append(pipe(["this run", "", *(f"{own[name]:,}" for name in names), ""]))
    sections = []
    for switch in (name for name in SWITCHES if name in measured):
        found = measured[switch]
        if found["error"]:
            lines.append(pipe([switch, found["side"], *[""] * len(names), "no corpus: see below"]))
            text = "\n".join("    " + line for line in found["error"].splitlines())
            sections.append(f"## `{switch}`: {found['side']}\n\nThe run stopped:\n\n{text}")
            continue
        other = found["statistics"]
        differing = changes(own, other)
        cells = [f"{other[name] - own[name]:+,}" if other[name] != own[name] else "" for name in names]
        lines.append(pipe([switch, found["side"], *cells, str(len(differing))]))
        if differing:
            rows = [pipe([name, f"{a:,}", f"{b:,}", f"{b - a:+,}"]) for name, a, b in differing]
            table = "\n".join([pipe(["Statistic", "This run", "Other side", "Difference"]), "|:--|--:|--:|--:|", *rows])
            what = escape(getattr(SWITCHES[switch], found["side"]))
            sections.append(f"## `{switch}`: {found['side']}\n\n{what}\n\n{table}")
    parts = [
        "# Effects of the construction switches",
        "Each switch alone was put on its other side and the corpora were built again. Differences are to this run; an "
        f"empty cell is none. Columns: Table 6, corpus `{corpus}`.",
        "\n".join(lines),
        *sections,
    ]
    return "\n\n".join(parts) + "\n"


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--text", type=path, required=True, help="statistics.json of the text stage")
    parser.add_argument("--graph", type=path, required=True, help="statistics.json of the knowledge graph")
    parser.add_argument("--corpora", type=path, nargs="+", required=True, help="statistics.json of each corpus")
    parser.add_argument("--corpus", required=True, help="id of the corpus of Table 6")
    parser.add_argument("--effects", type=path, nargs="+", required=True, help="files of measure_effect")
    parser.add_argument("--out", type=path, required=True, help="the page (Markdown)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
