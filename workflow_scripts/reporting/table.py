"""What a table of the report is: keys, columns and rows of cells, whatever format it is written in."""

import dataclasses

from workflow_scripts.common.errors import DataError

ABSENT, UNDEFINED = "absent", "undefined"


@dataclasses.dataclass(frozen=True)
class Column:
    """A metric of a table.

    Parameters
    ----------
    name : str
        Name in the csv and in experiments/expected.
    label : str
        Heading, as the paper prints it.
    kind : {"number", "count", "text", "names"}
        number: mean and sd over runs; count: an integer; names: a set of strings.
    decimals : int
        Digits shown after the point (number).
    scale : float
        Factor from the unit of the source to the paper's unit, e.g. 100 for percent.
    undefined : str
        What an empty cell means where a run exists.
    paper : bool
        Whether the paper prints this column.
    wrap : bool
        Whether a text may take several lines.
    """

    name: str
    label: str
    kind: str = "number"
    decimals: int = 1
    scale: float = 1.0
    undefined: str = "not defined"
    paper: bool = True
    wrap: bool = False

    @property
    def numeric(self):
        """Whether mean, sd and difference make sense."""
        return self.kind in ("number", "count")


@dataclasses.dataclass(frozen=True)
class Key:
    """A column that names the row."""

    name: str
    label: str


@dataclasses.dataclass(frozen=True)
class Panel:
    """A part of a table that is printed by itself: some columns, and the rows whose first key is in `rows` (None: all).

    `hide_keys` leaves the keys out, for a part of one row.
    """

    columns: tuple
    rows: tuple | None = None
    hide_keys: bool = False


@dataclasses.dataclass(frozen=True)
class Spec:
    """A table before it has rows.

    `absent` says what an empty cell means where nothing ran, `unprinted` what a row without a number of the paper
    means (None: the caption says it); `section` is the section of the report that shows the table (an id of
    `page.SECTIONS`), among its others in the paper's order. `cited`: nothing in the table is ours, and column `source`
    names where the cells of a row are from.
    """

    name: str
    title: str
    keys: tuple
    columns: tuple
    absent: str
    panels: tuple = ()
    section: str = "models"
    unprinted: str | None = "the paper prints no such row"
    cited: bool = False

    def column(self, name):
        """The column of a name."""
        return next(column for column in self.columns if column.name == name)

    def parts(self):
        """The panels; one with all columns and rows when none is given."""
        return self.panels or (Panel(tuple(column.name for column in self.columns)),)


@dataclasses.dataclass(frozen=True)
class Cell:
    """Our value (None: there is none), its sd over seeds, and the paper's value.

    A value is a float, an int, a text or a tuple of names; the paper's is a text as printed, or a tuple of names.
    """

    value: object = None
    sd: float | None = None
    paper: object = None


@dataclasses.dataclass(frozen=True)
class Row:
    """Key values, cells by column name, and the ids of the runs (or of the corpus, the split) behind them."""

    keys: dict
    cells: dict
    runs: tuple = ()

    def state(self, column):
        """None for a cell with a value, else why it is empty: ABSENT (nothing ran) or UNDEFINED."""
        if self.cells[column.name].value is not None:
            return None
        return UNDEFINED if self.runs else ABSENT

    @property
    def in_paper(self):
        """Whether the paper prints a number in this row."""
        return any(cell.paper is not None for cell in self.cells.values())


@dataclasses.dataclass(frozen=True)
class Table:
    """A table with its rows and its caption."""

    spec: Spec
    rows: tuple
    caption: str = ""

    def panel_rows(self, panel):
        """The rows of a panel."""
        first = self.spec.keys[0].name
        return [row for row in self.rows if panel.rows is None or row.keys[first] in panel.rows]


def build(spec, values, expected, caption="", order=None):
    """A table from our values and the paper's.

    Parameters
    ----------
    spec : Spec
    values : dict
        Key values (tuple) -> (dict of column name -> Cell, run ids).
    expected : list of Expected
    order : list of tuples or None
        Rows that come first, in this order, whether or not anything ran; None: those of the paper in its order. The
        others follow, sorted.

    Raises
    ------
    DataError
        If a value is given for a column that the table does not have.
    """
    if spec.cited:
        values, order, expected = _cited(expected), [entry.keys for entry in expected], ()
    paper = {}
    for entry in expected:
        paper.setdefault(entry.keys, {})[entry.metric] = entry.printed
    first = list(paper) if order is None else list(dict.fromkeys(order))
    rows = []
    for key in first + sorted((set(paper) | set(values)) - set(first)):
        own, runs = values.get(key, ({}, ()))
        unknown = sorted(set(own) - {column.name for column in spec.columns})
        if unknown:
            raise DataError(
                spec.name, found=f"column {unknown[0]}", expected=", ".join(column.name for column in spec.columns)
            )
        cells = {
            column.name: dataclasses.replace(own.get(column.name, Cell()), paper=paper.get(key, {}).get(column.name))
            for column in spec.columns
        }
        rows.append(Row(dict(zip([k.name for k in spec.keys], key, strict=True)), cells, tuple(sorted(runs))))
    return Table(spec, tuple(rows), caption)


def _cited(expected):
    """Values of a cited table: the cells as printed, and the notes of a row as its source."""
    rows = {}
    for entry in expected:
        cells = rows.setdefault(entry.keys, {})
        cells[entry.metric] = Cell(entry.printed)
        sources = dict.fromkeys([*cells.get("source", Cell(())).value, entry.note])
        cells["source"] = Cell(tuple(sources))
    return {keys: (cells, ("cited",)) for keys, cells in rows.items()}
