"""The figures of the paper that the workflow draws, by the paper's number, and the paper's order of what it numbers."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Drawing:
    """A figure: its name ("figure4"), and the section of the report that shows it (an id of `page.SECTIONS`)."""

    name: str
    section: str

    @property
    def title(self):
        """ "Figure 4", "Figure A.1"."""
        return title(self.name)


FIGURES = {
    drawing.name: drawing
    for drawing in (
        Drawing("figure1", "corpus"),
        Drawing("figure2", "graph"),
        Drawing("figure3", "corpus"),
        Drawing("figure4", "models"),
        Drawing("figure5", "models"),
        Drawing("figure_a1", "lists"),
    )
}


def title(name):
    """What the paper calls a table or figure: "table_a2" is "Table A.2".

    Raises
    ------
    ValueError
        If the name is none of a table or figure.
    """
    kind, appendix, number = _parts(name)
    return f"{kind.capitalize()} {'A.' if appendix else ''}{number}"


def paper_order(name):
    """A sort key: the numbers of the text first, then those of the appendix."""
    _, appendix, number = _parts(name)
    return bool(appendix), number


def _parts(name):
    match = re.fullmatch(r"(table|figure)(_a)?(\d+)", name)
    if not match:
        raise ValueError(f"{name} is no name of a table or figure, such as table7 or figure_a1")
    return match[1], match[2], int(match[3])
