"""A corpus in the hub's form: one Parquet file a split, and a card (README.md) that a dataset viewer reads."""

import json

import pyarrow as pa

from workflow_scripts.belb.contracts import SPLITS
from workflow_scripts.common.files import atomic_open
from workflow_scripts.common.tables import Contract, column, write_table

HUB_NAMES = {"train": "train", "dev": "validation", "test": "test"}
_PASSAGE = pa.struct([("type", pa.string()), ("offset", pa.int32()), ("length", pa.int32())])
_ANNOTATION = pa.struct(
    [
        ("type", pa.string()),
        ("text", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("ids", pa.list_(pa.string())),
        ("foreign", pa.bool_()),
        ("hexdigest", pa.string()),
    ]
)
_FEATURES = {
    "string": {"dtype": "string", "_type": "Value"},
    "int32": {"dtype": "int32", "_type": "Value"},
    "bool": {"dtype": "bool", "_type": "Value"},
}


def _feature(kind):
    """A type as the library `datasets` describes it, in the form that its old and its new releases read."""
    if pa.types.is_list(kind):
        inner = _feature(kind.value_type)
        return [inner] if pa.types.is_struct(kind.value_type) else {"feature": inner, "_type": "Sequence"}
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return _FEATURES[str(kind)]


_COLUMNS = [
    column("id", pa.string(), "document"),
    column("text", pa.string(), "its text"),
    column("passages", pa.list_(_PASSAGE), "title, abstract, paragraphs"),
    column("annotations", pa.list_(_ANNOTATION), "mentions in the order of the text; ids as in the knowledge base"),
]
_INFO = {"info": {"features": {field.name: _feature(field.type) for field in _COLUMNS}}}
HUB = Contract(
    "belb/corpora/<id>/hub/data/<split>: documents with their mentions",
    pa.schema(_COLUMNS, metadata={"huggingface": json.dumps(_INFO)}),
    sort_by=("id",),
    unique=("id",),
)


def write_hub(folder, corpus, documents, mentions, statistics):
    """Write `data/<split>.parquet` of each split that has documents, and README.md.

    Parameters
    ----------
    folder : path
    corpus : Corpus
        Of the registry.
    documents, mentions : list of dict
        Rows of contracts DOCUMENTS and MENTIONS.
    statistics : dict
        By split, for the card.
    """
    by_document = {}
    for row in mentions:
        by_document.setdefault((row["split"], row["document"]), []).append(row)
    written = []
    for split in SPLITS:
        rows = [_hub_row(row, by_document) for row in documents if row["split"] == split]
        path = folder / "data" / f"{HUB_NAMES[split]}.parquet"
        if rows:
            write_table(path, pa.Table.from_pylist(rows, schema=HUB.schema), HUB)
            written.append(split)
        else:
            path.unlink(missing_ok=True)
    with atomic_open(folder / "README.md") as stream:
        stream.write(card(corpus, written, statistics))


def _hub_row(row, by_document):
    annotations = [
        {"type": mention["entity_type"], "text": mention["text"], "start": mention["start"], "end": mention["end"]}
        | {"ids": mention["identifiers"], "foreign": mention["foreign"], "hexdigest": mention["hexdigest"]}
        for mention in by_document.get((row["split"], row["document"]), [])
    ]
    return {"id": row["document"], "text": row["text"], "passages": row["passages"], "annotations": annotations}


def card(corpus, splits, statistics):
    """The text of README.md: the viewer's header, what the corpus is, its sizes, its terms."""
    lines = ["---", "language: [en]", "license: other", f"license_name: {json.dumps(corpus.licence)}"]
    lines += [f"pretty_name: {json.dumps(corpus.name)}", "task_categories: [token-classification]"]
    lines += ["tags: [entity-linking, biomedical, belb]", "configs:", "- config_name: default", "  data_files:"]
    lines += [f"  - {{split: {HUB_NAMES[split]}, path: data/{HUB_NAMES[split]}.parquet}}" for split in splits]
    lines += ["---", "", f"# {corpus.name} for entity linking", ""]
    lines += [f"Mentions of type {corpus.entity_type}, linked to {corpus.kb}, in the form of the benchmark BELB."]
    lines += [f"Release: {corpus.release}. Terms: {corpus.licence}. They bind whoever passes these files on.", ""]
    lines += ["| split | documents | with mentions | mentions | identifiers |", "|---|---|---|---|---|"]
    for split in splits:
        row = statistics[split]
        cells = [row["documents"], row["documents_with_mentions"], row["mentions"], row["distinct_identifiers"]]
        lines.append(f"| {HUB_NAMES[split]} | {' | '.join(f'{cell:,}' for cell in cells)} |")
    lines += [
        "",
        "Offsets count code points of `text`, the end is exclusive. `hexdigest` names a mention in files of",
        "",
    ]
    lines[-1:] = ["predictions: it depends on the annotation as distributed and on no repair.", ""]
    return "\n".join(lines)
