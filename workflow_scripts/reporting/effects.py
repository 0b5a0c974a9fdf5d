"""What switches do to the statistics: counted within a run, or measured against a run that differs."""

import json
import pathlib

from workflow_scripts.common.files import read_json
from workflow_scripts.reporting.switches import PRESET, SWITCHES

NOT_MEASURED = "not measured"
TEXT_COUNTS = ("abstract_texts", "characters", "sentences", "unique_sentences")
CORPUS_COUNTS = ("entities", "types", "type_pairs", "relations")
SPLIT_COUNTS = ("instances", "positives", "facts", "bags")
RECORD = "provenance/reporting/write_deviations.json"


def counted(switch, text):
    """The effect that this very run counted on both sides, or None.

    Parameters
    ----------
    switch : str
    text : dict
        text/statistics.json; empty when it is not at hand.
    """
    if switch == "inline_markup" and "characters_lost_by_published_reading" in text:
        lost, characters = text["characters_lost_by_published_reading"], text["characters"]
        share = f" ({100 * lost / characters:.2f} %)" if characters else ""
        return f"the published reading loses {lost:,} of {characters:,} characters{share}"
    if switch == "stream_tails" and text.get("abstract_texts_lost_by_stream_tail"):
        return f"{text['abstract_texts_lost_by_stream_tail']:,} abstract texts lost in the text stage"
    return None


def headline(text, graph, corpora):
    """The statistics of a run that a switch can move, by a readable name; what is not there is left out.

    Parameters
    ----------
    text, graph : dict
        statistics.json of the text stage and of the knowledge graph; empty when not at hand.
    corpora : dict
        Corpus id -> its statistics.json.
    """
    found = {f"text: {key.replace('_', ' ')}": text[key] for key in TEXT_COUNTS if key in text}
    for kind, parts in graph.get("splits", {}).items():
        for split, counts in parts.items():
            found[f"{kind} graph: {split} triples"] = counts["triples"]
    for corpus, statistics in corpora.items():
        counts = {key: statistics[key] for key in CORPUS_COUNTS if key in statistics}
        for split, part in statistics.get("splits", {}).items():
            counts |= {f"{split} {key}": part[key] for key in SPLIT_COUNTS if key in part}
        found |= {f"{corpus} corpus: {key.replace('_', ' ')}": value for key, value in counts.items()}
    return found


def headline_of(folder, corpora):
    """`headline` of a finished run from its folder."""
    folder = pathlib.Path(folder)
    return headline(
        optional_json(folder / "text/statistics.json"),
        optional_json(folder / "kg/statistics.json"),
        {corpus: optional_json(folder / f"corpus/{corpus}/statistics.json") for corpus in corpora},
    )


def optional_json(path):
    """A JSON object, empty when the file is not there."""
    return read_json(path) if pathlib.Path(path).is_file() else {}


def switches_of(folder):
    """The sides that a finished run took, from the record of its deviations; None without one."""
    record = optional_json(pathlib.Path(folder) / RECORD)
    return json.loads(record["options"]["params"]) if record else None


def changes(ours, other):
    """Statistics that two runs have and that differ: (name, ours, other) in the order of ours."""
    return [(name, value, other[name]) for name, value in ours.items() if name in other and other[name] != value]


def deviations(settings, text, own=None, other=None, other_switches=None):
    """One row per switch: (name, Switch, side in force, effect on the statistics).

    Parameters
    ----------
    settings : dict
        Side of each switch, and `preset`.
    text : dict
        text/statistics.json, or empty.
    own, other : dict or None
        Headline statistics of this run and of another.
    other_switches : dict or None
        Sides that the other run took.
    """
    differing = [name for name in settings if other_switches and other_switches.get(name) != settings[name]]
    rows = []
    for name, switch in {**SWITCHES, "preset": PRESET}.items():
        effect = counted(name, text)
        if differing == [name]:
            effect = "; ".join(f"{k}: {a:,} here, {b:,} there" for k, a, b in changes(own, other)) or "none"
        rows.append((name, switch, settings[name], effect or NOT_MEASURED))
    return rows
