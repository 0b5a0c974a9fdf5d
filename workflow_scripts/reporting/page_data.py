"""What the script of the report shows, as one block of JSON: runs behind cells, curves, bags. Sizes are bounded."""

import json

from workflow_scripts.reporting.bags import read_bags
from workflow_scripts.reporting.curve_rows import curves
from workflow_scripts.reporting.sources import json_file, take

POINTS = 120
BAG_CHARACTERS = 1_000_000


def page_data(name, options, tables, corpora, configs, curve_paths, models, bags_path=None):
    """The block.

    Parameters
    ----------
    name : str
        Of the run.
    options : str
        Of Snakemake, that choose this run.
    tables : dict
        Table name -> Table.
    corpora : iterable of str
        Ids of the corpora.
    configs : sequence of path
        runs/<run>/config.json.
    curve_paths : sequence of path
        curve.parquet of the evaluations of Table 7.
    models : dict
        Of `read_models`.
    bags_path : path or None
        bags.parquet of one evaluation.
    """
    shown = {run for table in tables.values() for row in table.rows for run in row.runs}
    return {
        "name": name,
        "options": options,
        "tables": {key: table.spec.title for key, table in tables.items()},
        "corpora": sorted(corpora),
        "runs": {path.parent.name: run_values(path) for path in configs if path.parent.name in shown},
        "curves": curve_values(curves(curve_paths, models)),
        "bags": bag_values(read_bags(bags_path)) if bags_path else [],
    }


def run_values(path):
    """Corpus, seed and the filled columns of models.tsv of a run, in the order in which they are shown."""
    config = json_file(path)
    values = {key: take(path, config, key) for key in ("corpus", "model", "seed")}
    values |= {key: value for key, value in sorted(take(path, config, "row").items()) if value not in (None, "")}
    return {key: str(value) for key, value in values.items()}


def curve_values(lines):
    """The first seed of each row: label, whether it is shown at first (BERT, or all where there is none), points."""
    any_bert = any(model == "BERT" for model, _, _ in lines)
    return [
        {
            "label": f"{model}+{'sent' if bag == '-' else 'bag'}+{strategy}",
            "shown": model == "BERT" or not any_bert,
            "points": thinned(*seeds[0]),
        }
        for (model, bag, strategy), seeds in lines.items()
    ]


def thinned(recall, precision):
    """At most POINTS [recall, precision], evenly spaced by rank in the list, the first and the last among them."""
    n = len(recall)
    places = sorted({round(i * (n - 1) / (POINTS - 1)) for i in range(POINTS)}) if n > POINTS else range(n)
    return [[round(float(recall[i]), 4), round(float(precision[i]), 4)] for i in places]


def bag_values(bags):
    """Bags of facts first, the surest first, as long as their text stays within BAG_CHARACTERS."""
    ordered = sorted(bags.values(), key=lambda bag: (not bag.labels, -bag.score, bag.pair))
    shown, size = [], 0
    for bag in ordered:
        value = _bag(bag)
        size += len(json.dumps(value, ensure_ascii=False))
        if size > BAG_CHARACTERS:
            break
        shown.append(value)
    return shown


def _bag(bag):
    first = bag.sentences[0]
    return {
        "pair": list(bag.pair),
        "names": [first["text"][first[f"{role}_start"] : first[f"{role}_end"]] for role in ("head", "tail")],
        "labels": list(bag.labels),
        "relation": bag.relation,
        "score": round(bag.score, 4),
        "n": bag.n_sentences,
        "sentences": [
            {
                "t": row["text"],
                "h": [row["head_start"], row["head_end"]],
                "e": [row["tail_start"], row["tail_end"]],
                "p": round(row["probability"], 4),
                "w": round(row["weight"], 4),
                "r": row["predicted"],
            }
            for row in bag.sentences
        ],
    }
