"""Figure 1: an example bag, the sentences of one pair of the test split with a model's mark for each.

The paper's marks are its authors' judgement; these are the model's, and the figure says so.
"""

import dataclasses
import functools
import pathlib

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.tables import read_table
from workflow_scripts.reporting import figures
from workflow_scripts.reporting.bags import example, read_bags
from workflow_scripts.reporting.model_rows import model_name, read_models

# inches: the page, its margin, the column of marks, a line; points: the text
WIDTH, MARGIN, MARKS, LINE, SIZE = 7.2, 0.12, 1.0, 0.175, 8.5
# from the middle of a line down to its baseline
DESCENT = 0.042
PLAIN, HEAD, TAIL = {}, {"weight": "bold"}, {"weight": "bold", "style": "italic"}
MARK = {True: "✓", False: "✗"}


@dataclasses.dataclass(frozen=True)
class Params:
    """Config key experiments.bags.example: CUIs of head and tail, or nothing."""

    example: list | None


def main(args):
    """Run the command."""
    pair = params.parse(Params, args.params).example
    bags = read_bags(args.bags[0]) if args.bags else {}
    bag = example(bags, pair) if bags else None
    types = read_types(args.concepts[0], bag.pair) if bag and args.concepts else None
    with figures.styled():
        drawn = draw(bag, types, model_name(args.bags[0], read_models(args.models))) if bag else draw_nothing()
        figures.save(drawn, figures.outputs(args))


def read_types(path, pair):
    """The (semantic type, group) of head and tail; None for a CUI that is no concept of the graph."""
    table = read_table(path, CONCEPTS, columns=["cui", "sty", "group"])
    found = {row["cui"]: (row["sty"], row["group"]) for row in table.to_pylist() if row["cui"] in pair}
    return [found.get(cui) for cui in pair]


def draw(bag, types, model):
    """The figure: the pair, and below it a row for each sentence.

    Parameters
    ----------
    bag : Bag
    types : [(type, group) or None for head and tail] or None
    model : str
        What made the marks.
    """
    width = WIDTH - 2 * MARGIN - MARKS
    rows = [wrapped(pieces(sentence), width) for sentence in bag.sentences]
    facts = [f"CUI: ({', '.join(bag.pair)})"]
    if types:
        facts += [
            f"{label}: ({', '.join(entry[i] if entry else 'unknown' for entry in types)})"
            for i, label in enumerate(("Semantic type", "Semantic group"))
        ]
    height = 2 * MARGIN + LINE * (len(facts) + 0.3 + sum(len(lines) + 0.6 for lines in rows))
    figure = figures.blank(WIDTH, height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    end, y = WIDTH - MARGIN, MARGIN + LINE / 2
    title = ", ".join(bag.labels) or "NA"
    for number, text in enumerate(facts):
        axes.text(MARGIN, y + number * LINE, text, fontsize=SIZE, va="center")
    axes.text(end, y, title, fontsize=SIZE + 0.5, ha="right", va="center", weight="bold")
    axes.text(end, y + LINE, f"marks: {model}", fontsize=SIZE - 1.5, ha="right", va="center", color="#4d4d4d")
    y += LINE * (len(facts) - 0.2)
    axes.plot([MARGIN, end], [y, y], color="#000000", linewidth=0.9)
    for lines, sentence, vote in zip(rows, bag.sentences, bag.votes, strict=True):
        y += LINE * 0.75
        mark = f"{sentence['probability']:.2f}  {MARK[vote]}"
        axes.text(end, y + DESCENT, mark, fontsize=SIZE, ha="right", va="baseline")
        for line in lines:
            for x, word, look in line:
                axes.text(MARGIN + x, y + DESCENT, word, fontsize=SIZE, va="baseline", **look)
            y += LINE
        y -= LINE * 0.15
        axes.plot([MARGIN, end], [y, y], color="#b3b3b3", linewidth=0.5)
    return figure


def draw_nothing():
    """The figure where no model was trained."""
    figure = figures.blank(WIDTH, 0.6)
    figure.text(0.5, 0.5, "no model of Table 7 in this configuration", ha="center", va="center", fontsize=SIZE)
    return figure


def pieces(sentence):
    """[(word, look)] of a sentence: words are cut where a mention starts or ends; a piece may be part of a word.

    A piece is (text, look, whether a blank stands before it).
    """
    text = sentence["text"]
    looks = {range(sentence[f"{role}_start"], sentence[f"{role}_end"]): look
             for role, look in (("head", HEAD), ("tail", TAIL))}  # fmt: skip
    found, start = [], None
    for place in range(len(text) + 1):
        cut = place == len(text) or text[place].isspace() or any(place in (r.start, r.stop) for r in looks)
        if start is not None and cut:
            look = next((look for span, look in looks.items() if start in span), PLAIN)
            found.append((text[start:place], look, start > 0 and text[start - 1].isspace()))
            start = None
        if place < len(text) and not text[place].isspace() and start is None:
            start = place
    return found


def wrapped(parts, width):
    """Pieces as lines: [[(x in inches, text, look)]]; a line breaks only at a blank."""
    lines, x = [[]], 0.0
    blank = text_width("a b") - text_width("ab")
    for text, look, spaced in parts:
        wide = text_width(text, tuple(look.items()))
        x += blank if spaced and lines[-1] else 0.0
        if spaced and lines[-1] and x + wide > width:
            lines.append([])
            x = 0.0
        lines[-1].append((x, text, look))
        x += wide
    return lines


@functools.cache
def text_width(text, look=()):
    """Width in inches."""
    font = FontProperties(family="DejaVu Sans", size=SIZE, **dict(look))
    return TextToPath().get_text_width_height_descent(text, font, ismath=False)[0] / 72


def arguments():
    """The command line."""
    parser = figures.figure_parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--bags", type=path, nargs="*", default=[], help="bags.parquet of an evaluation, or none")
    parser.add_argument("--concepts", type=path, nargs="*", default=[], help="concepts of the graph, if at hand")
    parser.add_argument("--models", type=path, required=True, help="experiments/models.tsv")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
