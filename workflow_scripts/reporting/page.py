"""Sections of the report as HTML, from tables, funnels and records; `write_report` reads the files."""

import html
import json
import re

from workflow_scripts.reporting import html_table
from workflow_scripts.reporting.comparison import STATUSES
from workflow_scripts.reporting.page_style import STYLE

SECTIONS = (
    ("summary", "Summary"),
    ("graph", "Knowledge graph"),
    ("corpus", "Corpus"),
    ("models", "Models"),
    ("verdicts", "Against the paper"),
    ("construction", "Construction"),
    ("lists", "Appendix"),
    ("provenance", "Provenance"),
)


def page(title, lead, sections):
    """A whole page.

    Parameters
    ----------
    title, lead : str
        Plain text.
    sections : dict
        Id of SECTIONS -> HTML.
    """
    links = "".join(f'<li><a href="#{name}">{label}</a></li>' for name, label in SECTIONS)
    body = "\n".join(
        f'<section id="{name}">\n<h2>{label}</h2>\n{sections[name]}\n</section>' for name, label in SECTIONS
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{STYLE}
</style>
</head>
<body>
<header><div><h1>{html.escape(title)}</h1><p class="lead">{html.escape(lead)}</p></div></header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main>
{body}
</main>
<footer><div>Made from the files of this run; nothing on this page is loaded from elsewhere.</div></footer>
</body>
</html>
"""


def table_block(table, verdicts=None):
    """A table with heading, caption and links to its files."""
    name = table.spec.name
    files = " ".join(f'<a href="tables/{name}.{kind}">{kind}</a>' for kind in ("csv", "md", "tex"))
    return (
        f'<h3 id="{name}">{html.escape(table.spec.title)}</h3>\n<p class="caption">{html.escape(table.caption)}</p>\n'
        f"{html_table.render(table, verdicts)}\n"
        f'<p class="files">{files}</p>'
    )


def figure_block(svg, caption):
    """Figure 4 inline, with links to its files."""
    drawing = re.sub(r"^.*?(?=<svg)", "", svg, count=1, flags=re.S)
    drawing = drawing.replace("<svg ", f'<svg role="img" aria-label="{html.escape(caption)}" ', 1)
    files = " ".join(f'<a href="figures/figure4.{kind}">{kind}</a>' for kind in ("pdf", "svg", "png"))
    return (
        f'<h3 id="figure4">Figure 4</h3>\n<figure>\n{drawing}\n'
        f'<figcaption class="caption">{html.escape(caption)}</figcaption>\n</figure>\n<p class="files">{files}</p>'
    )


def cards(entries):
    """The numbers at the top: (label, number, note)."""
    shown = "".join(
        f'<div><dt>{html.escape(label)}</dt><dd class="big">{html.escape(value)}</dd>'
        f'<dd class="caption">{html.escape(note)}</dd></div>'
        for label, value, note in entries
    )
    return f'<dl class="cards">{shown}</dl>'


def notice(reasons):
    """Whether numbers may be compared with the paper's.

    Parameters
    ----------
    reasons : dict
        Table name -> reasons against it (verify.json).
    """
    texts = list(dict.fromkeys(reason for why in reasons.values() for reason in why))
    if not texts:
        return '<div class="notice fine"><strong>Comparable with the paper</strong>: same inputs and parameters.</div>'
    items = "".join(f"<li>{html.escape(text)}</li>" for text in texts)
    return (
        '<div class="notice"><strong>Not comparable with the paper.</strong> Its numbers stand beside ours for '
        f"orientation only:<ul>{items}</ul></div>"
    )


def verdict_block(verification, titles):
    """Cells by verdict and table.

    Parameters
    ----------
    verification : dict
        verify.json.
    titles : dict
        Table name -> title.
    """
    header = ["Table", *STATUSES]
    rows = []
    for name in verification["reasons"]:
        cells = [cell["status"] for cell in verification["cells"] if cell["table"] == name]
        rows.append([titles[name], *(str(cells.count(status) or "") for status in STATUSES)])
    return (
        "<p>Green: within the tolerance of the cell; amber: within twice the tolerance; red: beyond. Tolerances stand "
        "in <code>experiments/expected</code>.</p>\n"
        + html_table.plain(header, rows, STATUSES)
        + '\n<p class="files">All cells: <a href="verify.md">verify.md</a> <a href="verify.json">verify.json</a></p>'
    )


def construction_block(rows, always):
    """The switches: (name, Switch, side, effect)."""
    head = [f'<th scope="col">{name}</th>' for name in ("Switch", "Stage", "Published", "Mended", "Effect")]
    body = []
    for name, switch, side, effect in rows:
        sides = {"published": html.escape(switch.published), "mended": html.escape(switch.mended)}
        sides[side] = f"<strong>{sides[side]}</strong>"
        cells = [
            f"<code>{name}</code>",
            html.escape(switch.stage),
            sides["published"],
            sides["mended"],
            html.escape(effect),
        ]
        body.append("<tr>" + "".join(html_table.td(cell, markup=True) for cell in cells) + "</tr>")
    return (
        "<p>Where this construction may differ from the published code. The side in force is bold.</p>\n"
        f"{html_table.grid(head, body)}\n<p>Mended always: {html.escape('; '.join(always))}.</p>\n"
        '<p class="files"><a href="deviations.md">deviations.md</a></p>'
    )


def provenance_block(config, digest, code, versions, runs):
    """Configuration, versions and runs.

    Parameters
    ----------
    config : dict
    digest, code : str
        SHA-256 of the configuration and of the code.
    versions : dict
        package -> list of versions.
    runs : list of (run id, row text)
        In the order of Table 7.
    """
    facts = [["Configuration (SHA-256)", digest], ["Code of the jobs (SHA-256)", code or "no record"]]
    packages = [[name, ", ".join(found)] for name, found in versions.items()]
    head = [
        f'<th scope="col">{name}</th>'
        for name in ("Run", "Row of Table 7", "Files", "Redo (with the profile of this run)")
    ]
    body = []
    for run, row in runs:
        files = " ".join(f'<a href="runs/{run}/{name}">{name}</a>' for name in ("config.json", "history.jsonl"))
        redo = f"<code>snakemake --forcerun results/{html.escape(config['name'])}/runs/{run}/model.safetensors</code>"
        cells = [f"<code>{run}</code>", html.escape(row), files, redo]
        body.append("<tr>" + "".join(html_table.td(cell, markup=True) for cell in cells) + "</tr>")
    text = html.escape(json.dumps(config, indent=2, sort_keys=True, ensure_ascii=False))
    return (
        f"{html_table.plain(['What', 'Value'], facts)}\n"
        f"<details><summary>Runs behind Table 7 ({len(runs)})</summary>{html_table.grid(head, body)}</details>\n"
        f"<details><summary>Versions ({len(packages)} packages)</summary>"
        f"{html_table.plain(['Package', 'Version'], packages)}</details>\n"
        f"<details><summary>Configuration</summary><pre>{text}</pre></details>"
    )
