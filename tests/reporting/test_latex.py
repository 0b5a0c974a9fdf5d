"""Every table of the catalogue as LaTeX: its syntax checked here, compiled where a LaTeX is installed."""

import re
import shutil
import subprocess

import pytest

from workflow_scripts.reporting import latex
from workflow_scripts.reporting.catalogue import TABLES
from workflow_scripts.reporting.csv_format import read_csv
from workflow_scripts.reporting.table import Cell, Row, Table

SPECIAL = r"a_b & <c> % $x$ #1 {y} ~z^2 \n | ✓ ≥ ± − × — –"
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs,amssymb,graphicx,longtable}
\usepackage[margin=1cm,landscape]{geometry}
\begin{document}
%s
\end{document}
"""


def nasty(spec, n_rows=8):
    """A table of this form with every special character in keys, texts, names and caption, and every kind of cell."""

    def cell(column, number):
        if column.numeric:
            values = (Cell(1234, 0.5, "1200"), Cell(None, None, "7"), Cell(3, None, None), Cell())
        elif column.kind == "names":
            values = (Cell((SPECIAL, "x"), None, ("y",)), Cell((), None, ()), Cell(None, None, ("z_%",)), Cell())
        else:
            values = (Cell(SPECIAL, None, "other_%"), Cell("same", None, "same"), Cell(None, None, "&"), Cell())
        return values[number % 4]

    rows = []
    for number in range(n_rows):
        keys = {key.name: SPECIAL if number % 2 else f"k{number}" for key in spec.keys}
        cells = {column.name: cell(column, number + place) for place, column in enumerate(spec.columns)}
        rows.append(Row(keys, cells, ("run_1",) if number % 3 else ()))
    firsts = [first for panel in spec.parts() for first in panel.rows or ()]
    for row, first in zip(rows, firsts, strict=False):
        row.keys[spec.keys[0].name] = first
    return Table(spec, tuple(rows), f"Caption: {SPECIAL}")


def check(text, name):
    """Environments nest, braces and maths close, specials are escaped, each row has the columns it was promised."""
    open_ones = []
    for kind, environment in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            open_ones.append(environment)
        else:
            assert open_ones and open_ones.pop() == environment
    assert not open_ones
    depth = 0
    for brace in re.findall(r"[{}]", re.sub(r"\\\\|\\[{}]", "", text)):
        depth += 1 if brace == "{" else -1
        assert depth >= 0, "a brace closes that was not opened"
    assert depth == 0
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    body = text.split("\n", 1)[1]
    for special in "%#_~":
        assert not re.search(rf"(?<!\\){special}", body), f"{special} is not escaped"
    assert not re.search(r"(?<![\\$])\^(?!\{)", body)
    assert not [letter for letter in set(body) if ord(letter) > 0x24F], "a character that T1 does not have"
    tabulars = re.findall(r"\\begin\{(tabular|longtable)\}\{([^\n]*)\}\n(.*?)\\end\{\1\}", text, re.S)
    assert tabulars
    for _, alignment, content in tabulars:
        columns = len(re.findall(r"[lrc]|p\{[^}]*\}", re.sub(r"p\{[^}]*\}", "p{}", alignment)))
        between = r"\\(top|mid|bottom)rule|\\end(firsthead|head|foot)|\\caption.*"
        lines = [line for line in content.strip().split("\n") if not re.fullmatch(between, line)]
        assert len(lines) >= 2
        for line in lines:
            assert re.search(r" \\\\(\*|\[2pt\])?$", line), line
            assert len(re.findall(r"(?<!\\)&", line)) == columns - 1, line
    assert text.count(r"\caption{") == 1 and f"\\label{{tab:{name.replace('_', '-')}}}" in text


@pytest.mark.parametrize("name", sorted(TABLES))
def test_syntax(name):
    check(latex.render(nasty(TABLES[name])), name)


@pytest.mark.parametrize("name", ["table5", "table6", "table7", "table_a2", "table_a3", "table_a4"])
def test_syntax_of_a_table_of_a_run(made_report, name):
    text = (made_report / f"tables/{name}.tex").read_text(encoding="utf-8")
    check(text, name)
    rows = read_csv(made_report / f"tables/{name}.csv", TABLES[name]).rows
    assert all(latex.escape(value) in text for row in rows for value in row.keys.values() if value != "all")


@pytest.mark.parametrize(
    "old, new",
    [
        (r"\end{tabular}", ""),
        (r"\toprule", r"\toprule {"),
        (" & ", " "),
        (r"\&", "&"),
        (r"\_", "_"),
        (r"$\pm$", r"$\pm"),
        (r"$\geq$", "≥"),
        (r"\\" + "\n", "\n"),
    ],
)
def test_the_check_finds_what_is_broken(old, new):
    text = latex.render(nasty(TABLES["table7"]))
    assert old in text
    with pytest.raises(AssertionError):
        check(text.replace(old, new, 1), "table7")


@pytest.mark.parametrize("name", ["table3", "table_a4"])
def test_a_table_longer_than_a_page_breaks(name):
    text = latex.render(nasty(TABLES[name], latex.LONG_PANEL + 1))
    check(text, name)
    assert r"\begin{longtable}" in text and r"\begin{table}" not in text
    assert r"\begin{longtable}" not in latex.render(nasty(TABLES[name], latex.LONG_PANEL))


def test_a_long_heading_has_a_line_for_each_word():
    assert r"\shortstack[r]{their\\P@100,\\filtered}" in latex.render(nasty(TABLES["table3"]))
    assert "shortstack" not in latex.render(nasty(TABLES["table5"]))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.parametrize("name", sorted(TABLES))
@pytest.mark.parametrize("n_rows", [8, latex.LONG_PANEL + 20])
def test_it_compiles_and_fits_the_page(tmp_path, name, n_rows):
    (tmp_path / "table.tex").write_text(DOCUMENT % latex.render(nasty(TABLES[name], n_rows)), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Float too large" not in done.stdout
