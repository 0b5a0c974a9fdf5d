"""The commands between a corpus and predictions, one after the other, as the rules call them."""

import importlib
import json

from workflow_scripts.belb.predictions import read_predictions
from workflow_scripts.common.belb_plan import LINKING

HEADER = {"corpus": "made_up", "kb": "k", "system": "s"}
INDEX = {"candidates": "tfidf", "ngram_min_df": 1, "vocabularies": None, "restriction_levels": None, "language": "ENG"}
DETECTION = {"detection": "dictionary", "model": None, "min_name_chars": 3, "retokenize": False}


def run(script, *options, parameters=None):
    """Call the main function of a command."""
    module = importlib.import_module(f"workflow_scripts.{script.replace('/', '.')}")
    options = [*options, "--params", json.dumps(parameters)] if parameters else options
    module.main(module.arguments().parse_args([str(option) for option in options]))


def list_spans(folder, corpus, found=False):
    """The spans of a stored corpus, gold or found with the names in aliases.parquet; gives the options of the next."""
    files = ("--spans", folder / "spans.parquet", "--texts", folder / "texts.parquet")
    files += ("--sentences", folder / "sentences.parquet")
    options = ()
    if found:
        options = ("--passages", folder / "passages.parquet", "--detected", folder / "detected.parquet")
        run("belb/split_belb_passages", "--corpus", corpus, *options[:2])
        split = ("--split", folder / "passages.parquet", "--aliases", folder / "aliases.parquet")
        run("linking/detect_mentions", *split, *options[2:], parameters=DETECTION)
    run("belb/list_belb_spans", "--corpus", corpus, *options, *files)


def by_name(folder, names, engine, header=None):
    """Predictions of engine exact or fuzzy for the spans in a folder."""
    options = ("--spans", folder / "spans.parquet", "--names", names, "--predictions", folder / f"{engine}.jsonl")
    run("belb/link_by_name", *options, parameters={**HEADER, **(header or {}), "engine": engine})
    return read_predictions(folder / f"{engine}.jsonl")


def prepare_names(folder, names):
    """Aliases and index of names."""
    aliases = ("--aliases", folder / "aliases.parquet")
    run("belb/write_belb_aliases", "--names", names, *aliases)
    files = ("--index", folder / "index" / "index.json", "--names", folder / "index" / "names.bin")
    run("linking/index_names", *aliases, *files, parameters=INDEX)


def by_linking(folder, names, header=None, **settings):
    """Predictions of an engine of the stage linking for the spans in a folder; `prepare_names` comes first."""
    settings = LINKING | settings
    settings["no_definition_threshold"] = settings["threshold"]
    texts, sentences = folder / "texts.parquet", folder / "sentences.parquet"
    surfaces, links, mentions = (folder / f"{name}.parquet" for name in ("surfaces", "links", "linked"))
    run("linking/collect_surfaces", "--detected", texts, "--surfaces", surfaces)
    options = ("--index", folder / "index" / "index.json", "--surfaces", surfaces, "--links", links)
    run("linking/link_surfaces", *options, parameters=settings)
    (folder / "out").mkdir(exist_ok=True)
    options = ("--detected", texts, "--links", links, "--sentences", sentences)
    options += ("--mentions", folder / "out" / "sentences.parquet", "--statistics", folder / "statistics.json")
    kept = {"kept_candidates": settings["max_candidates"], "stream_tails": "mended"}
    run("linking/join_mentions", *options, parameters=kept)
    options = ("--spans", folder / "spans.parquet", "--links", folder / "out" / "sentences.parquet")
    if settings["mode"] == "prefer_literal":
        options += ("--names", names)
    run(
        "belb/read_belb_links",
        *options,
        "--predictions",
        folder / "linked.jsonl",
        parameters={**HEADER, **(header or {})},
    )
    return read_predictions(folder / "linked.jsonl")
