"""What an export says of itself: the dataset card (Markdown under YAML front matter) and Croissant 1.0 metadata."""

import json

from workflow_scripts.corpus.release import PUBLISHED_RELATIONS, RELEASED, features, stem_of

CITATION = """@inproceedings{amin-etal-2022-meddistant19,
  title = {MedDistant19: Towards an Accurate Benchmark for Broad-Coverage Biomedical Relation Extraction},
  author = {Amin, Saadullah and Minervini, Pasquale and Chang, David and Stenetorp, Pontus and Neumann, Guenter},
  booktitle = {Proceedings of the 29th International Conference on Computational Linguistics},
  year = {2022}
}"""

RESTRICTED = (
    "**Derived from the UMLS.** Concept identifiers and relations come from the UMLS Metathesaurus and its source "
    "vocabularies: who uses this corpus, and who passes it on, needs their licences. The sentences are from "
    "MEDLINE/PubMed abstracts, under the terms of the U.S. National Library of Medicine."
)
FREE = (
    "Made from a release that is marked as free of the UMLS licence (the workflow's embedded release is invented, "
    "concepts and text alike)."
)
LICENCE_PAGE = "https://www.nlm.nih.gov/research/umls/knowledge_sources/metathesaurus/release/license_agreement.html"

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def card(corpus, names, counts, folder, restricted):
    """The dataset card: README.md with the front matter that the hub reads.

    Parameters
    ----------
    corpus : str
        Id of the corpus.
    names : list of str
        Relations by number.
    counts : dict of int
        Rows of each split.
    folder : Path
        Where the Parquet files stand already, for their sizes.
    restricted : bool
    """
    stem = stem_of(corpus)
    same = "the published benchmark's" if names == PUBLISHED_RELATIONS else "not the published benchmark's"
    parts = [
        "\n".join(["---", *_front_matter(corpus, names, counts, folder, restricted), "---"]),
        f"# MedDistant19, corpus `{corpus}`",
        f"{RESTRICTED if restricted else FREE}",
        "Sentences of MEDLINE abstracts, each with a pair of concepts and a relation that a knowledge graph holds for "
        "the pair; `NA` where it holds none. No person judged whether the sentence states the relation.",
        "| split | rows | OpenNRE lines | Parquet |\n|:--|--:|:--|:--|\n"
        + "\n".join(
            f"| {split} | {counts[split]:,} | `{stem}_{part.opennre}.txt` | `{part.hub_path}` |"
            for split, part in RELEASED.items()
        ),
        "Columns of the Parquet files: `text`; `h` and `t`, each with `id` (CUI), `pos` (start and end in code points "
        "of the text, the end exclusive) and `name`; `relation`, a number; `sentence_id` (BLAKE2b of the text); "
        "`rui`, the row of the graph's source behind a relation, null for NA. The OpenNRE lines hold the same rows in "
        "the same order without the last two.",
        f"Relations by number ({same} numbering; also `{stem}_rel2id.json`): "
        + ", ".join(f"{number} {name}" for number, name in enumerate(names)),
        "`SHA256SUMS` covers every file: `sha256sum -c SHA256SUMS`. `terms.json` says for programs whether the files "
        "may be passed on.",
        f"The benchmark:\n\n```\n{CITATION}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _front_matter(corpus, names, counts, folder, restricted):
    """Lines of YAML, each value as JSON."""
    sizes = {split: (folder / part.hub_path).stat().st_size for split, part in RELEASED.items()}
    front = {
        "pretty_name": f"MedDistant19 ({corpus}), rebuilt",
        "language": ["en"],
        "license": "other" if restricted else "unknown",
        "task_categories": ["text-classification"],
        "tags": ["relation-extraction", "distant-supervision", "biomedical"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": part.hub, "path": part.hub_path} for part in RELEASED.values()],
            }
        ],
        "dataset_info": {
            "features": [_feature(name, kind) for name, kind in features(names).items()],
            "splits": [
                {"name": RELEASED[split].hub, "num_bytes": sizes[split], "num_examples": count}
                for split, count in counts.items()
            ],
            "download_size": sum(sizes.values()),
        },
    }
    if restricted:
        front |= {"license_name": "umls", "license_link": LICENCE_PAGE}
    return [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in front.items()]


def _feature(name, kind):
    """A column in the form of the card's `dataset_info`."""
    if kind.get("_type") == "Value":
        return {"name": name, "dtype": kind["dtype"]}
    if kind.get("_type") == "ClassLabel":
        labels = {str(number): label for number, label in enumerate(kind["names"])}
        return {"name": name, "dtype": {"class_label": {"names": labels}}}
    if kind.get("_type") == "Sequence":
        return {"name": name, "sequence": kind["feature"]["dtype"]}
    return {"name": name, "struct": [_feature(part, inner) for part, inner in kind.items()]}


def croissant(corpus, digests, folder, restricted):
    """Croissant 1.0 metadata as a JSON value: the files with their digests, one record set over the Parquet files.

    Parameters
    ----------
    corpus : str
    digests : dict of str
        SHA-256 of each file by its name in the export.
    folder : Path
        The export, for the sizes.
    restricted : bool
    """
    parquet = [part.hub_path for part in RELEASED.values()]
    text, integer = "sc:Text", "sc:Integer"
    fields = [_field("text", text), _field("relation", integer), _field("sentence_id", text), _field("rui", text)]
    for side in ("h", "t"):
        parts = [("id", text, {}), ("pos", integer, {"repeated": True}), ("name", text, {})]
        inner = [_field(side, kind, path=part) | more for part, kind, more in parts]
        fields.append({"@type": "cr:Field", "@id": f"instances/{side}", "subField": inner})
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": stem_of(corpus),
        "description": f"MedDistant19 ({corpus}), rebuilt: distantly supervised biomedical relation extraction.",
        "license": LICENCE_PAGE if restricted else "free of the UMLS licence",
        "citeAs": CITATION,
        "url": ".",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{(folder / name).stat().st_size} B",
                "encodingFormat": _kind(name),
                "sha256": digest,
            }
            for name, digest in sorted(digests.items())
        ]
        + [
            {
                "@type": "cr:FileSet",
                "@id": "parquet-files",
                "name": "parquet-files",
                "encodingFormat": "application/x-parquet",
                "includes": "data/*.parquet",
                "containedIn": [{"@id": name} for name in parquet],
            }
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "instances", "name": "instances", "field": fields}],
    }


def _field(column, kind, path=None):
    name = column if path is None else f"{column}/{path}"
    source = {"fileSet": {"@id": "parquet-files"}, "extract": {"column": column}}
    if path is not None:
        source["transform"] = {"jsonPath": path}
    return {"@type": "cr:Field", "@id": f"instances/{name}", "name": name, "dataType": kind, "source": source}


def _kind(name):
    endings = {".parquet": "application/x-parquet", ".json": "application/json", ".md": "text/markdown"}
    return next((kind for ending, kind in endings.items() if name.endswith(ending)), "application/jsonlines")
