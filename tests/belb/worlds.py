"""Small and random corpora with predictions, made of plain Python values."""

import itertools
import random

import pyarrow as pa

from workflow_scripts.belb.api import Corpus
from workflow_scripts.belb.contracts import DOCUMENTS, MENTIONS, NAMES
from workflow_scripts.belb.predictions import Prediction, Predictions
from workflow_scripts.common.tables import write_table


def corpus_of(mentions, name="made_up"):
    """A corpus of (split, document, text of the mention, identifiers[, entity type]); mentions follow each other."""
    rows, texts = [], {}
    for split, document, text, identifiers, *kind in mentions:
        before = texts.setdefault((split, document), "")
        start = len(before)
        texts[split, document] = f"{before}{text} "
        rows.append(
            {
                "corpus": name,
                "split": split,
                "document": document,
                "start": start,
                "end": start + len(text),
                "text": text,
                "entity_type": kind[0] if kind else "disease",
                "identifiers": list(identifiers),
                "foreign": False,
                "original_start": start,
                "original_end": start + len(text),
                "original_text": text,
                "original_type": "Disease",
                "original_identifiers": "|".join(identifiers),
                "original_location": None,
                "hexdigest": f"{document}/{start}/{kind[0] if kind else ''}",
                "grouped": [],
            }
        )
    rows.sort(key=lambda row: [row[name] for name in MENTIONS.sort_by])
    documents = [
        {"corpus": name, "split": split, "document": document, "text": text, "passages": [whole(text)]}
        for (split, document), text in sorted(texts.items())
    ]
    return Corpus(
        name,
        pa.Table.from_pylist(documents, schema=DOCUMENTS.schema),
        pa.Table.from_pylist(rows, schema=MENTIONS.schema),
    )


def whole(text):
    """The one passage of a text."""
    return {"type": "abstract", "offset": 0, "length": len(text)}


def predictions_of(corpus, candidates, split="test", with_digests=True):
    """Predictions for the mentions of a split in their order; None: no row for the mention."""
    gold = corpus.gold(split)
    rows = [
        Prediction(*span, digest if with_digests else "-", tuple(map(tuple, ranks)))
        for span, digest, ranks in zip(gold.spans, gold.hexdigests, candidates, strict=True)
        if ranks is not None
    ]
    return Predictions(corpus.name, "made_up_kb", "made_up_system", rows)


def random_world(seed, mentions=60, identifiers=6):
    """A random corpus and random predictions that miss some mentions and have ties."""
    draw = random.Random(seed)
    ids = [f"X:{number}" for number in range(identifiers)]
    names = [f"name {letter}" for letter in "abCD"] + ["NAME A"]
    splits = [draw.choice(["train", "dev", "test", "test"]) for _ in range(mentions)]
    corpus = corpus_of(
        (
            split,
            f"{split}{number % 4}",
            draw.choice(names),
            draw.sample(ids, draw.choice([1, 1, 1, 2, 3])),
            draw.choice(["disease", "chemical"]),
        )
        for number, split in enumerate(splits)
    )
    ranks = [
        None
        if draw.random() < 0.2
        else [[draw.choice(ids) for _ in range(draw.choice([1, 1, 2, 3]))] for _ in range(draw.randrange(7))]
        for _ in corpus.gold().spans
    ]
    return corpus, predictions_of(corpus, ranks)


def literal_recall(gold_identifiers, ranks, k, mode):
    """recall@k of one mention, read off its definition: std by going through all draws."""
    ranks = [sorted(set(tied)) for tied in (ranks or [])[:k]]
    right = set(gold_identifiers)
    if mode == "strict":
        return float(any(len(tied) == 1 and tied[0] in right for tied in ranks))
    if mode == "lenient":
        return float(any(identifier in right for tied in ranks for identifier in tied))
    draws = list(itertools.product(*ranks))
    return sum(any(identifier in right for identifier in draw) for draw in draws) / len(draws)


def stored(corpus, folder):
    """Write a corpus; gives its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / "documents.parquet", corpus.documents, DOCUMENTS)
    write_table(folder / "mentions.parquet", corpus.mentions, MENTIONS)
    return folder


def stored_names(path, names):
    """Write names.parquet of (identifier, name) pairs, the first name of an identifier as its preferred one."""
    seen, rows = set(), []
    for identifier, name in names:
        rows.append((identifier, int(identifier in seen), name))
        seen.add(identifier)
    keys = ("identifier", "kind", "name")
    rows = [
        dict(zip(keys, row, strict=True)) | dict.fromkeys(("foreign_identifier", "attribute")) for row in sorted(rows)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, pa.Table.from_pylist(rows, schema=NAMES.schema), NAMES)
    return path
