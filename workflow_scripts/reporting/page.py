"""Sections of the report as HTML, from tables, funnels and records; `write_report` reads the files."""

import base64
import html
import json

from workflow_scripts.reporting import coverage, differences, html_table, reference_rows
from workflow_scripts.reporting.comparison import STATUSES
from workflow_scripts.reporting.drawings import paper_order, title
from workflow_scripts.reporting.page_script import BAGS, CURVES, SCRIPT
from workflow_scripts.reporting.page_style import STYLE

SECTIONS = (
    ("summary", "Summary"),
    ("benchmarks", "Benchmarks and leakage"),
    ("graph", "Knowledge graph"),
    ("corpus", "Corpus"),
    ("models", "Models"),
    ("bags", "Bags"),
    ("linkers", "Entity linkers (BELB)"),
    ("verdicts", "Against the paper"),
    ("construction", "Construction"),
    ("lists", "Appendix"),
    ("provenance", "Provenance"),
)


def page(title, lead, sections, data):
    """A whole page.

    Parameters
    ----------
    title, lead : str
        Plain text.
    sections : dict
        Id of SECTIONS -> HTML; one that is missing or empty is left out.
    data : dict
        What the script of the page shows: see `page_data`.
    """
    shown = [(name, label) for name, label in SECTIONS if sections.get(name)]
    links = "".join(f'<li><a href="#{name}">{label}</a></li>' for name, label in shown)
    body = "\n".join(f'<section id="{name}">\n<h2>{label}</h2>\n{sections[name]}\n</section>' for name, label in shown)
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
<dialog id="details" aria-labelledby="details-title"><div>
<h2 id="details-title"></h2>
<div id="details-body"></div>
<form method="dialog"><button id="details-close">Close</button></form>
</div></dialog>
<script type="application/json" id="data">{json_text(data)}</script>
<script>{SCRIPT}{CURVES}{BAGS}</script>
</body>
</html>
"""


def json_text(value):
    """JSON that may stand in a script element: nothing in it ends the element."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def curves_block():
    """Where the script draws the curves."""
    return (
        '<h3 id="all-curves">Precision-recall curves, to choose from</h3>\n<p class="caption">Test split, the first '
        "seed of each row of Table 7, thinned. The ruler reads the precision of each line at one recall: move it with "
        'the slider, with the arrow keys, or over the plot.</p>\n<div id="curves"></div>'
        "<noscript><p>The curves need JavaScript; Figure 4 above does not.</p></noscript>"
    )


def differences_block(rows, resamples):
    """Which rows of Table 7 differ: `differences.read_differences`."""
    verdict = differences.HEADER.index("Differ")
    differ = sum(row[verdict] == "yes" for row in rows)
    return (
        '<h3 id="differences">Which rows of Table 7 differ</h3>\n<p class="caption">A paired bootstrap: the pairs of '
        f"the test split are drawn again {resamples} times, the same draws for every model. AUC in percent, mean over "
        "seeds; two rows differ where the 95 % interval of their difference leaves out 0. The spread over seeds and "
        f"the number of comparisons are not in it.</p>\n<details><summary>{differ} of {len(rows)} comparisons "
        f"differ</summary>{html_table.plain(differences.HEADER, rows, differences.NUMERIC)}</details>\n"
        '<p class="files"><a href="evaluation/differences.csv">csv</a></p>'
    )


def orderings_block(orderings):
    """What the paper says of the order of the curves of Figure 5, which has no numbers: `orderings` of verify.json."""
    rows = [reference_rows.ordering_row(entry) for entry in orderings]
    return (
        '<p class="caption">The paper prints no number of this figure; what it says of its order, beside ours (AUC in '
        f"percent, mean over seeds):</p>\n{html_table.plain(reference_rows.ORDERINGS_HEADER, rows)}"
    )


def coverage_block(found, titles):
    """Which cells are filled, and what the others need: `coverage.rows`."""
    return (
        '<h3 id="coverage">What is filled</h3>\n<p class="caption">A filled cell is a value of this run (knowledge of '
        "encoders: of the registry). The last column is what it takes for the numbers to be the paper's.</p>\n"
        + html_table.plain(coverage.HEADER, coverage.rows(found, titles), coverage.HEADER[1:3])
    )


def bags_block(model, n):
    """Where the script shows the bags.

    Parameters
    ----------
    model : str
        What made the marks.
    n : int
        Bags in the sample.
    """
    return (
        f'<p class="caption">A sample of {n} pairs of the test split, with the sentences that weigh most. Marks are '
        f"those of {html.escape(model)}: the probability of the pair's best relation for the sentence alone, ✓ where "
        "that relation is the most probable one for the sentence. In the list: ✓ the best relation is one of the "
        "pair's, ✗ it is not,"
        '  · the pair has none (NA).</p>\n<div id="bags"></div>'
        "<noscript><p>The bags need JavaScript; Figure 1 shows one.</p></noscript>"
    )


def table_block(table, verdicts=None):
    """A table with heading, caption and links to its files."""
    name = table.spec.name
    files = " ".join(f'<a href="tables/{name}.{kind}">{kind}</a>' for kind in ("csv", "md", "tex"))
    return (
        f'<h3 id="{name}">{html.escape(table.spec.title)}</h3>\n<p class="caption">{html.escape(table.caption)}</p>\n'
        f"{html_table.render(table, verdicts)}\n"
        f'<p class="files">{files}</p>'
    )


def figure_block(name, drawing, kind, caption):
    """A figure in the page itself, with links to its files.

    Parameters
    ----------
    name : str
        "figure4".
    drawing : bytes
        The file.
    kind : {"svg", "png"}
    caption : str
    """
    media = {"svg": "image/svg+xml", "png": "image/png"}[kind]
    # as an image, so that ids inside one drawing do not meet those of another
    source = f"data:{media};base64,{base64.b64encode(drawing).decode('ascii')}"
    label = title(name)
    files = " ".join(f'<a href="figures/{name}.{kind}">{kind}</a>' for kind in ("pdf", "svg", "png"))
    return (
        f'<h3 id="{name}">{label}</h3>\n<figure>\n<img alt="{label}: {html.escape(caption)}" src="{source}">\n'
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
    for name in sorted(verification["reasons"], key=paper_order):
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


def provenance_block(config, digest, code, versions, runs, options=""):
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
    options : str
        Of Snakemake, that choose this run.
    """
    facts = [["Configuration (SHA-256)", digest], ["Code of the jobs (SHA-256)", code or "no record"]]
    packages = [[name, ", ".join(found)] for name, found in versions.items()]
    head = [f'<th scope="col">{name}</th>' for name in ("Run", "Row of Table 7", "Files", "Redo")]
    body = []
    for run, row in runs:
        files = " ".join(f'<a href="runs/{run}/{name}">{name}</a>' for name in ("config.json", "history.jsonl"))
        model = f"results/{config['name']}/runs/{run}/model.safetensors"
        redo = f"<code>{html.escape(f'snakemake {options} --forcerun {model} -- {model}')}</code>"
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
