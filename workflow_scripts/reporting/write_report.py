"""report.html: tables, figures, funnels, verdicts, deviations and provenance of a run on one self-contained page."""

import dataclasses
import pathlib

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import atomic_open, read_json
from workflow_scripts.reporting import effects, html_table, page, provenance
from workflow_scripts.reporting.catalogue import TABLES
from workflow_scripts.reporting.csv_format import read_csv
from workflow_scripts.reporting.funnels import corpus_funnel, graph_funnel
from workflow_scripts.reporting.outputs import read_caption
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
    files = {path.stem: path for path in args.tables}
    missing = [name for name in TABLES if name not in files or name not in captions]
    if missing:
        raise UsageError(f"--tables and --captions must name every table; {missing[0]} is missing")
    tables = {name: read_csv(files[name], spec, captions[name]) for name, spec in TABLES.items()}
    verification = read_json(args.verification)
    verdicts = {
        name: {(c["row"], c["metric"]): c["status"] for c in verification["cells"] if c["table"] == name}
        for name in tables
    }
    block = {name: page.table_block(table, verdicts[name]) for name, table in tables.items()}
    figure = page.figure_block(args.figure4.read_text(encoding="utf-8"), captions["figure4"])
    rows = effects.deviations(switches, read_json(args.text))
    sections = {
        "summary": page.notice(verification["reasons"])
        + page.cards(headline(tables, config))
        + f'<p class="caption">{html_table.LEGEND}</p>',
        "graph": block["table5"] + graph_section(args.graph_funnel),
        "corpus": block["table6"] + "".join(map(corpus_section, args.corpus_funnels)),
        "models": block["table7"] + figure,
        "verdicts": page.verdict_block(verification, {name: table.spec.title for name, table in tables.items()}),
        "construction": page.construction_block(rows, ALWAYS_MENDED),
        "lists": block["table_a2"] + block["table_a3"] + block["table_a4"],
        "provenance": page.provenance_block(
            config,
            provenance.config_digest(config),
            provenance.code_digest(args.records),
            provenance.versions(args.records),
            runs_of(tables["table7"]),
        ),
    }
    with atomic_open(args.out) as stream:
        stream.write(page.page(f"MedDistant19: {config['name']}", captions["workflow"], sections))


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
    parser.add_argument("--figure4", type=path, required=True, help="Figure 4 as svg")
    parser.add_argument("--graph-funnel", type=path, required=True, help="funnel.csv of the knowledge graph")
    parser.add_argument("--corpus-funnels", type=path, nargs="+", required=True, help="funnel.csv of each corpus")
    parser.add_argument("--text", type=path, required=True, help="statistics.json of the text stage")
    parser.add_argument("--verification", type=path, required=True, help="verify.json")
    parser.add_argument("--captions", type=path, nargs="+", required=True, help="captions by table and figure")
    parser.add_argument("--records", type=path, nargs="*", default=[], help="provenance records of jobs")
    parser.add_argument("--out", type=path, required=True, help="the page (HTML)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
