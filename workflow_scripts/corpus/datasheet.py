"""The datasheet of a corpus, in Markdown."""

from workflow_scripts.corpus.splits import SPLITS

_WHAT = """
## What it is

Sentences of MEDLINE abstracts, each with one pair of concepts and one relation, for relation extraction under
distant supervision. A relation is a fact of the knowledge graph about the pair; whether the sentence states it
was never judged by a person. `NA` marks pairs for which the graph holds no fact: they were drawn by exchanging
one concept of a fact, so a fact that the graph lacks may be among them.
"""

_FIELDS_AND_TERMS = """
## Fields

`{train,valid,test}.jsonl`: `text`; `h` and `t` with `id` (CUI), `pos` (code points, end exclusive) and `name`
(`text[pos[0]:pos[1]]`); `relation`. The `.parquet` of the same name holds the same rows in the same order with
the sentence id, which leads to the PubMed ids, and the MRREL row of a positive instance.

## Terms

Concept identifiers and relations come from the UMLS and its source vocabularies: whoever uses or passes on this
corpus needs the licences of those sources. Abstracts are subject to the terms of the National Library of
Medicine. The corpus is no medical advice and was not checked for any clinical use.
"""


def datasheet(corpus, settings, statistics, sentences, steps):
    """A description of a corpus for the people who will use it.

    Parameters
    ----------
    corpus : str
        Id of the corpus.
    settings : dict
        Parameters and switches it was built with.
    statistics : dict
        As `summary.statistics` gives it.
    sentences : dict of int
        Funnel of the alignment.
    steps : list of (step, before, after)
        Of the `Funnel`.
    """
    splits = [_split_row(name, statistics["splits"][name]) for name in SPLITS]
    parts = [
        f"# Datasheet: corpus `{corpus}`",
        _WHAT,
        f"{statistics['entities']:,} concepts of {statistics['types']} semantic types and {statistics['groups']} "
        f"groups, {statistics['type_pairs']} pairs of types, {statistics['relations']} relations with NA.",
        _table(["split", "instances", "facts", "bags", "instances per bag", "NA (%)"], splits),
        "## How it was made",
        f"{sentences['sentences']:,} sentences had a linked mention that is long enough; of these",
        "\n".join(f"- {_words(name)}: {n:,}" for name, n in sentences.items() if name.startswith("sentences_")),
        "Then, instances left after each step:",
        _table(
            ["step", *SPLITS],
            [[_words(step), *(f"{count['instances']:,}" for count in after)] for step, _, after in steps],
        ),
        "Parameters:",
        "\n".join(f"- `{name}`: {settings[name]}" for name in sorted(settings)),
        _FIELDS_AND_TERMS,
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _words(name):
    return name.removeprefix("sentences_").replace("_", " ")


def _split_row(name, counts):
    return [
        name,
        f"{counts['instances']:,}",
        f"{counts['facts']:,}",
        f"{counts['bags']:,}",
        f"{counts['instances_per_bag']:.2f}",
        f"{100 * counts['na_share']:.1f}",
    ]


def _table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
