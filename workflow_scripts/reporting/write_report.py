"""report.html: tables, figures, funnels, verdicts, deviations and provenance of a run on one self-contained page."""

import dataclasses
import pathlib

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import atomic_open, read_json
from workflow_scripts.reporting import coverage, effects, html_table, page, provenance
from workflow_scripts.reporting.belb_catalogue import BELB_TABLES
from workflow_scripts.reporting.catalogue import TABLES
from workflow_scripts.reporting.csv_format import read_csv
from workflow_scripts.reporting.differences import read_differences
from workflow_scripts.reporting.drawings import FIGURES, paper_order
from workflow_scripts.reporting.funnels import corpus_funnel, graph_funnel
from workflow_scripts.reporting.model_rows import model_name, read_models
from workflow_scripts.reporting.outputs import read_caption
from workflow_scripts.reporting.page_data import page_data
from workflow_scripts.reporting.switches import ALWAYS_MENDED, SWITCHES

SECTIONS = ("name", "seeds", "umls", "medline", "text", "linking", "kg", "corpus", "corpora", "embeddings", "encoders")
SECTIONS += ("training", "evaluation", "experiments")
Params = dataclasses.make_dataclass("Params", [*SECTIONS, "preset", *SWITCHES], frozen=True)


def main(args):
    """Run the command."""
    settings = dataclasses.asdict(params.parse(Params, args.params))
    config = {name: settings[name] for name in SECTIONS}
    switches = {name: settings[name] for name in ("preset", *SWITCHES)}
    config["construction"] = switches
    captions = {path.stem: read_caption(path) for path in args.captions}
    tables = read_tables(args.tables, captions)
    verification = read_json(args.verification)
    blocks = numbered_blocks(tables, verification, args.figures, captions)
    switched = effects.deviations(switches, read_json(args.text))
    own = {
        "summary": page.notice(verification["reasons"])
        + page.cards(headline(tables, config))
        + f'<p class="caption">{html_table.LEGEND}</p>',
        "graph": graph_section(args.graph_funnel),
        "corpus": "".join(map(corpus_section, args.corpus_funnels)),
        "verdicts": page.verdict_block(verification, {name: table.spec.title for name, table in tables.items()})
        + page.coverage_block(filled(verification, tables), titles(tables, args.figures)),
        "construction": page.construction_block(switched, ALWAYS_MENDED),
        "provenance": page.provenance_block(
            config,
            provenance.config_digest(config),
            provenance.code_digest(args.records),
            provenance.versions(args.records),
            runs_of(tables["table7"]),
            args.snakemake_options,
        ),
    }
    # the summary opens with what the run is, other sections with the paper's tables
    sections = {
        name: own.get(name, "") + blocks[name] if name == "summary" else blocks[name] + own.get(name, "")
        for name, _ in page.SECTIONS
    }
    models = read_models(args.models)
    bags_path = args.bags[0] if args.bags else None
    data = page_data(
        config["name"],
        args.snakemake_options,
        tables,
        config["corpora"],
        args.configs,
        args.curves,
        models,
        bags_path,
    )
    if data["curves"]:
        sections["models"] += page.curves_block()
    compared, resamples = read_differences(args.differences, models)
    if compared:
        sections["models"] += page.differences_block(compared, resamples)
    if data["bags"]:
        sections["bags"] += page.bags_block(model_name(bags_path, models), len(data["bags"]))
    with atomic_open(args.out) as stream:
        stream.write(page.page(f"MedDistant19: {config['name']}", captions["workflow"], sections, data))


def read_tables(paths, captions):
    """All tables of the catalogues that the workflow made, in the papers' order.

    Raises
    ------
    UsageError
        If a file is no table of the catalogue, or has no caption.
    """
    files = {path.stem: path for path in paths}
    catalogue = TABLES | BELB_TABLES
    order = [*sorted(TABLES, key=paper_order), *BELB_TABLES]
    for name in files:
        if name not in catalogue or name not in captions:
            known = ", ".join(order)
            raise UsageError(f"--tables: {name} has no caption or is none of the catalogue ({known})")
    chosen = sorted(files, key=order.index)
    return {name: read_csv(files[name], catalogue[name], captions[name]) for name in chosen}


def numbered_blocks(tables, verification, figures, captions):
    """Section -> its tables and then its figures as HTML, each in the paper's order.

    Parameters
    ----------
    tables : dict
        Of `read_tables`.
    verification : dict
        verify.json.
    figures : sequence of path
        figures/<name>.svg or .png.
    captions : dict
        Name -> caption.
    """
    blocks = dict.fromkeys((name for name, _ in page.SECTIONS), "")
    for name, table in tables.items():
        verdicts = {(c["row"], c["metric"]): c["status"] for c in verification["cells"] if c["table"] == name}
        blocks[table.spec.section] += page.table_block(table, verdicts)
    for path in sorted(figures, key=lambda path: paper_order(path.stem)):
        drawing = FIGURES[path.stem]
        blocks[drawing.section] += page.figure_block(
            drawing.name, path.read_bytes(), path.suffix[1:], captions[drawing.name]
        )
        if drawing.name == "figure5" and verification.get("orderings"):
            blocks[drawing.section] += page.orderings_block(verification["orderings"])
    return blocks


def titles(tables, figures):
    """Name -> title of all tables and then all figures, in the paper's order."""
    names = sorted((path.stem for path in figures), key=paper_order)
    return {name: table.spec.title for name, table in tables.items()} | {name: FIGURES[name].title for name in names}


def filled(verification, tables):
    """`coverage` of each table: as verified, and of those of BELB, which no job verifies, as shown."""
    own = {name: coverage.coverage(table) for name, table in tables.items() if name in BELB_TABLES}
    return verification["coverage"] | own


def headline(tables, config):
    """The cards of the summary: (label, number, note)."""
    graph = {row.keys["split"]: row for row in tables["table5"].rows}["inductive"]
    splits = {row.keys["split"]: row for row in tables["table6"].rows}
    whole = splits["all"]
    ran = [row for row in tables["table7"].rows if row.cells["auc"].value is not None]
    best = max(ran, key=lambda row: row.cells["auc"].value, default=None)
    label = (
        " ".join([best.keys["model"], "sent" if best.keys["bag"] == "-" else "bag", best.keys["strategy"]])
        if best
        else ""
    )
    return [
        ("Triples", f"{sum(_counts([graph], ('train', 'valid', 'test'))):,}", "inductive split of the graph"),
        _split_card("Instances", splits, "instances"),
        _split_card("Facts", splits, "facts"),
        ("Entities", f"{_counts([whole], ['entities'])[0]:,}", f"{_counts([whole], ['types'])[0]} semantic types"),
        ("Relations", str(_counts([whole], ["relations"])[0]), "with NA"),
        ("Best AUC", f"{best.cells['auc'].value:.1f}" if best else "—", label or "no run"),
        ("Runs", str(len(runs_of(tables["table7"]))), f"seeds: {', '.join(map(str, config['seeds']))}"),
    ]


def _split_card(label, splits, name):
    counts = _counts([splits[split] for split in ("train", "valid", "test")], [name])
    return label, f"{sum(counts):,}", " / ".join(f"{count:,}" for count in counts)


def _counts(rows, names):
    return [row.cells[name].value or 0 for row in rows for name in names]


def graph_section(path):
    """The funnel of the graph."""
    header, rows = graph_funnel(path)
    numeric = [name for name in header if name not in ("step", "meaning")]
    return "<h3>Funnel of the graph</h3>" + html_table.plain(header, rows, numeric)


def corpus_section(path):
    """The funnel of one corpus, named by its folder."""
    (sentence_header, sentences), (header, rows) = corpus_funnel(path)
    return (
        f"<h3>Funnel of corpus {path.parent.name}</h3>"
        + html_table.plain(sentence_header, sentences, sentence_header[1:])
        + html_table.plain(header, rows, header[1:])
    )


def runs_of(table7):
    """(run id, rows of Table 7 that it fills), in the order of the table."""
    rows = {}
    for row in table7.rows:
        for run in row.runs:
            rows.setdefault(run, []).append(" ".join(row.keys.values()))
    return [(run, "; ".join(names)) for run, names in rows.items()]


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--tables", type=path, nargs="+", required=True, help="the tables as csv")
    parser.add_argument("--figures", type=path, nargs="*", default=[], help="the figures (svg or png)")
    parser.add_argument("--configs", type=path, nargs="*", default=[], help="config.json of the runs")
    parser.add_argument("--curves", type=path, nargs="*", default=[], help="curve.parquet of the models of Table 7")
    parser.add_argument("--models", type=path, required=True, help="experiments/models.tsv")
    parser.add_argument("--bags", type=path, nargs="*", default=[], help="bags.parquet of one evaluation, or none")
    parser.add_argument("--differences", type=path, required=True, help="differences.csv of the models of Table 7")
    parser.add_argument("--graph-funnel", type=path, required=True, help="funnel.csv of the knowledge graph")
    parser.add_argument("--corpus-funnels", type=path, nargs="+", required=True, help="funnel.csv of each corpus")
    parser.add_argument("--text", type=path, required=True, help="statistics.json of the text stage")
    parser.add_argument("--verification", type=path, required=True, help="verify.json")
    parser.add_argument("--captions", type=path, nargs="+", required=True, help="captions by table and figure")
    parser.add_argument("--records", type=path, nargs="*", default=[], help="provenance records of jobs")
    parser.add_argument("--snakemake-options", default="", help="profile and configuration of the run, as typed")
    parser.add_argument("--out", type=path, required=True, help="the page (HTML)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
