"""Our cells against the paper's: whether they may be compared at all, and how far apart they are."""

import csv
import dataclasses
import pathlib

from workflow_scripts.common.params import canonical_json
from workflow_scripts.reporting.cells import cell_text, only_in

GREEN, AMBER, RED = "green", "amber", "red"
MISSING, REFERENCE, INCOMPARABLE = "missing", "reference", "not comparable"
STATUSES = (GREEN, AMBER, RED, MISSING, REFERENCE, INCOMPARABLE)
RELEASE = "2019AB"
GRAPH_TABLES, MODEL_TABLES = ("table5",), ("table7", "table8", "table9", "table10", "table11")
# What decides the meaning of a number; paths and sizes of jobs do not.
GRAPH = ("umls.vocabulary", "kg")
TEXT = ("medline.files", "text.engine", "text.min_tokens", "text.max_tokens", "linking")
MODELS = ("training.overrides", "training.max_length", "training.window", "training.markers")
OPTIONS = {"table8": ("experiments.relation_categories",), "table9": ("evaluation.common_triple_sentences",)}
IGNORED = (
    "kg.relations",
    "linking.environment",
    "linking.kb.meta_dir",
    "linking.kb.release",
    "linking.model",
    "linking.shards",
)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One printed cell beside ours."""

    table: str
    row: str
    metric: str
    ours: str
    sd: str
    paper: str
    difference: str
    comparison: str
    tolerance: float | None
    status: str


def compare(table, expected, comparable):
    """Every printed cell of a table.

    Parameters
    ----------
    table : Table
    expected : list of Expected
    comparable : bool
        False: nothing is judged.
    """
    rows = {tuple(row.keys.values()): row for row in table.rows}
    found = []
    for entry in expected:
        column = table.spec.column(entry.metric)
        cell = rows[entry.keys].cells[entry.metric]
        text = cell_text(column, cell)
        found.append(
            Comparison(
                table=table.spec.name,
                row=" ".join(entry.keys),
                metric=entry.metric,
                ours="" if cell.value is None else text.ours,
                sd=text.sd,
                paper=text.paper,
                difference=text.difference,
                comparison=entry.comparison,
                tolerance=entry.tolerance,
                status=INCOMPARABLE if not comparable else status(cell.value, entry),
            )
        )
    return found


def status(value, entry):
    """green: within the tolerance, or equal; amber: within twice the tolerance; red: beyond. Unrounded values count."""
    if value is None:
        return MISSING
    if entry.comparison == "reference":
        return REFERENCE
    if entry.comparison == "names":
        return RED if only_in(value, entry.printed) or only_in(entry.printed, value) else GREEN
    if entry.comparison == "exact":
        return GREEN if str(value) == entry.printed else RED
    paper = float(entry.printed)
    tolerance = entry.tolerance * (abs(paper) if entry.comparison == "relative" else 1)
    gap = abs(value - paper) - 1e-9 * max(1, abs(paper))
    return GREEN if gap <= tolerance else AMBER if gap <= 2 * tolerance else RED


def obstacles(settings, paper, corpus, released=False, own_corpora=None, edited=None):
    """Why the numbers of each table may not be compared with the paper's; an empty list where they may.

    Parameters
    ----------
    settings, paper : dict
        The configuration of this run and the paper's (config.yaml), nested, with all keys.
    corpus : str
        Id of the corpus of the tables that are not in `own_corpora`.
    released : bool
        The corpus has the counts of the released one, so however it was made, tables from Table 6 on may be compared.
    own_corpora : dict or None
        Table -> ids of its corpora. Each is compared with the paper's corpus of that id, one of another id with the
        inductive one.
    edited : dict or None
        Table -> reasons found in the rows of the tables that a person edits; those of "" hold for all.

    Returns
    -------
    function
        Table name -> list of reasons.
    """
    graph = [_release_obstacle(settings["umls"]["meta_dir"])] + _changed(settings, paper, GRAPH)
    text, models = _changed(settings, paper, TEXT), _changed(settings, paper, MODELS)

    def of(table):
        ids = (own_corpora or {}).get(table, [corpus])
        known = released and ids == [corpus] and table not in GRAPH_TABLES
        reasons = [] if known else [*graph, *(edited or {}).get("", ())]
        if not known and table not in GRAPH_TABLES:
            reasons += text + [reason for name in ids for reason in _corpus_changes(settings, paper, name)]
        if table in MODEL_TABLES:
            reasons += models
        reasons += _changed(settings, paper, OPTIONS.get(table, ())) + list((edited or {}).get(table, ()))
        return [reason for reason in reasons if reason]

    return of


def _corpus_changes(settings, paper, corpus):
    if corpus not in settings["corpora"]:
        return [f"{corpus} is a prior benchmark rebuilt from this release and text, not the published one"]
    own = settings["corpus"] | settings["corpora"][corpus]
    theirs = paper["corpus"] | paper["corpora"].get(corpus, paper["corpora"]["inductive"])
    return _changed({"corpus": own}, {"corpus": theirs}, ("corpus",))


def _release_obstacle(meta_dir):
    release = umls_release(meta_dir)
    if release is None:
        return f"the UMLS release in {meta_dir} names no version (no MRSAB.RRF, no release.dat)"
    return f"the UMLS release is {release}, the paper's {RELEASE}" if release != RELEASE else None


def _changed(ours, theirs, paths):
    found = []
    for path in paths:
        for key, own, paper in differences(_value(ours, path), _value(theirs, path)):
            name = f"{path}.{key}" if key else path
            if name not in IGNORED:
                found.append(f"{name} is {_short(own)}, in the paper's configuration {_short(paper)}")
    return found


def umls_release(meta_dir):
    """The name of a release ("2019AB"): the newest IMETA of MRSAB.RRF, else that of release.dat; None when unknown."""
    folder = pathlib.Path(meta_dir)
    table, release = folder / "MRSAB.RRF", folder / "release.dat"
    if table.is_file():
        with open(table, encoding="utf-8", newline="") as stream:
            names = [row[9] for row in csv.reader(stream, delimiter="|", quoting=csv.QUOTE_NONE) if len(row) > 9]
        return max(names, default=None) or None
    if release.is_file():
        for line in release.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "umls.release.name":
                return value.strip()
    return None


def differences(ours, theirs, prefix=""):
    """(key, ours, theirs) of nested values that differ, keys joined by dots; a key that one side lacks is None."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(set(ours) | set(theirs)):
            yield from differences(ours.get(key), theirs.get(key), f"{prefix}.{key}" if prefix else key)
    elif ours != theirs:
        yield prefix, ours, theirs


def _value(config, path):
    for key in path.split("."):
        config = config.get(key) if isinstance(config, dict) else None
    return config


def _short(value):
    text = "unset" if value is None else value if isinstance(value, str) else canonical_json(value)
    return text if len(text) <= 60 else text[:57] + "..."
