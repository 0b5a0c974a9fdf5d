"""deviations.md: every construction switch with both sides, the one in force and what it does to the statistics.

By hand, `--other results/<name>` adds the statistics of a run that differs, and gives a switch its measured effect
where it is the only one on another side there.
"""

import dataclasses
import pathlib

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, read_json
from workflow_scripts.reporting import effects
from workflow_scripts.reporting.markdown import escape, pipe
from workflow_scripts.reporting.switches import ALWAYS_MENDED, SWITCHES

Params = dataclasses.make_dataclass("Params", [("preset", str), *((name, str) for name in SWITCHES)], frozen=True)


def main(args):
    """Run the command."""
    settings = dataclasses.asdict(params.parse(Params, args.params))
    text = read_json(args.text)
    corpora = {path.parent.name: read_json(path) for path in args.corpora}
    own = effects.headline(text, read_json(args.graph), corpora)
    other = other_switches = None
    if args.other:
        other, other_switches = effects.headline_of(args.other, corpora), effects.switches_of(args.other)
        if other_switches is None:
            raise DataError(args.other, found=f"no {effects.RECORD}", expected="the folder of a finished run")
    rows = effects.deviations(settings, text, own, other, other_switches)
    with atomic_open(args.out) as stream:
        stream.write(render(rows, settings["preset"], own, other, args.other))


def render(rows, preset, own, other, other_name):
    """The page as Markdown."""
    published = sum(side == "published" for name, _, side, _ in rows if name != "preset")
    parts = [
        "# Deviations from the published construction",
        f"Preset **{preset}**; switches on the published side: {published} of {len(rows) - 1}. Each is "
        "`construction.switches.<name>` in the configuration; the side in force is bold.",
        "\n".join(
            [
                pipe(["Switch", "Stage", "Published", "Mended", "In force", "Effect on the statistics"]),
                "|:--|:--|:--|:--|:--|:--|",
                *(_line(*row) for row in rows),
            ]
        ),
        "Mended always, because what the published code did depended on chance:",
        "\n".join(f"- {escape(text)}" for text in ALWAYS_MENDED),
        "To measure the effects: the target `effects` builds the corpora again with each switch in turn on its other "
        "side and writes `effects.md`. By hand, run with one switch on its other side under another `name`, then "
        "`write_deviations.py --other results/<name>`.",
    ]
    if other is not None:
        lines = [f"| {escape(name)} | {a:,} | {b:,} | {b - a:+,} |" for name, a, b in effects.changes(own, other)]
        parts += [
            f"## Statistics beside those of {escape(other_name)}",
            "\n".join(["| Statistic | Here | There | Difference |", "|:--|--:|--:|--:|", *lines])
            if lines
            else "No statistic differs.",
        ]
    return "\n\n".join(parts) + "\n"


def _line(name, switch, side, effect):
    sides = {"published": escape(switch.published), "mended": escape(switch.mended)}
    sides[side] = f"**{sides[side]}**"
    cells = [f"`{name}`", switch.stage, sides["published"], sides["mended"], side, escape(effect)]
    return "| " + " | ".join(cells) + " |"


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--text", type=path, required=True, help="statistics.json of the text stage")
    parser.add_argument("--graph", type=path, required=True, help="statistics.json of the knowledge graph")
    parser.add_argument(
        "--corpora", type=path, nargs="+", required=True, help="statistics.json in each corpus's folder"
    )
    parser.add_argument("--other", type=path, help="folder of a run to compare with")
    parser.add_argument("--out", type=path, required=True, help="the page (Markdown)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
