"""Build a corpus of the entity-linking benchmark from its released files.

Runs the pipeline of the benchmark (readers, identifiers, knowledge base, repairs, layout) and writes documents.parquet
and mentions.parquet (workflow_scripts/belb/contracts.py), {train,dev,test}.bioc.json (BioC JSON), subsets.json (digests
of the zero-shot and stratified test mentions), repairs.tsv (each repair and each annotation that was lost),
hub/ (Parquet and card in the hub's form) and statistics.json, the last.
"""

import dataclasses
from pathlib import Path

from workflow_scripts.belb import corpus_tables
from workflow_scripts.belb.bioc_files import write_bioc
from workflow_scripts.belb.contracts import DOCUMENTS, MENTIONS, SPLITS
from workflow_scripts.belb.corpus_hub import write_hub
from workflow_scripts.belb.corpus_pipeline import FOREIGN, Steps, build, wanted_identifiers
from workflow_scripts.belb.corpus_splits import read_splits
from workflow_scripts.belb.identifiers import read_known, read_mapping
from workflow_scripts.belb.pubtator import read_pubtator
from workflow_scripts.common import command, params
from workflow_scripts.common.belb_corpora import choose, read_registry
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import write_delimited, write_json
from workflow_scripts.common.tables import write_table

REPAIR_COLUMNS = (
    *("split", "document", "repair", "original_start", "original_end", "original_text"),
    *("start", "end", "there"),
)


@dataclasses.dataclass(frozen=True)
class Params:
    """The options of Steps (workflow_scripts/belb/corpus_pipeline.py) that a configuration sets."""

    in_kb: bool = True
    separate_words: bool = True
    max_mentions: int | None = None
    sentences: bool = False
    markers: bool = False
    max_lost_share: float = 0.01


def main(args):
    """Read, run the pipeline, write; statistics.json comes last."""
    settings = params.parse(Params, args.params)
    if settings.max_mentions is not None and settings.max_mentions < 1:
        raise UsageError(f"--params: max_mentions {settings.max_mentions}, expected at least 1 or null")
    corpus = choose(read_registry(args.registry), args.corpus, args.release)
    documents, again = read_splits(corpus, args.source, args.registry.parent.parent, args.splits)
    mapping = read_mapping(args.not_in_kb, args.corpus) if args.not_in_kb else {}
    known = read_known(args.kb, wanted_identifiers(documents, corpus, mapping)) if args.kb else None
    steps = Steps(mapping, known, foreign=read_foreign(args.foreign, corpus), **dataclasses.asdict(settings))
    built = build(documents, corpus, steps)
    require_mentions(built, args.source, args.kb)
    write_corpus(args.output, args.name or args.corpus, corpus, built, again, known is not None)


def require_mentions(built, source, kb):
    """Raise DataError for a corpus without a mention: identifiers were not found, or none is of the knowledge base."""
    if not any(laid.mentions for documents in built.documents.values() for laid in documents):
        total = sum(counts.get("annotations", 0) for counts in built.counts.values())
        raise DataError(
            source,
            found=f"{total} annotations of the types of the corpus, none with an identifier" + f" in {kb}" * bool(kb),
            expected="mentions",
            remedy="are release and knowledge base those of this corpus?",
        )


def read_foreign(path, corpus):
    """Annotations of a PubTator file by document; none without a file."""
    if path is None:
        return {}
    if corpus.kb not in FOREIGN:
        raise UsageError(f"--foreign {path}: {corpus.kb} has no foreign entity type; {', '.join(FOREIGN)} have one")
    return {document.document: document.annotations for document in read_pubtator(path)}


def write_corpus(folder, name, corpus, built, again=0, with_kb=False):
    """Write all files of a built corpus.

    Parameters
    ----------
    folder : path
    name : str
        Id of the corpus, for its rows.
    corpus : Corpus
    built : Built
    again : int
        Documents left out because they were there before.
    with_kb : bool
        Whether a knowledge base was at hand.
    """
    documents = corpus_tables.document_rows(name, built.documents)
    mentions = corpus_tables.mention_rows(name, built.documents)
    write_table(folder / "documents.parquet", corpus_tables.as_table(documents, DOCUMENTS), DOCUMENTS)
    write_table(folder / "mentions.parquet", corpus_tables.as_table(mentions, MENTIONS), MENTIONS)
    statistics = {}
    for split in SPLITS:
        parts = [[row for row in rows if row["split"] == split] for rows in (documents, mentions)]
        write_bioc(folder / f"{split}.bioc.json", name, *parts)
        statistics[split] = corpus_tables.split_statistics(*parts)
    subsets = corpus_tables.subsets(mentions)
    write_json(folder / "subsets.json", subsets)
    rows = [[repair[column] for column in REPAIR_COLUMNS] for repair in built.repairs]
    write_delimited(folder / "repairs.tsv", REPAIR_COLUMNS, rows, delimiter="\t")
    write_hub(folder / "hub", corpus, documents, mentions, statistics)
    described = {"corpus": name, "release": corpus.release, "entity_type": corpus.entity_type, "kb": corpus.kb}
    described |= {"knowledge_base_at_hand": with_kb, "documents_that_came_again": again, "splits": statistics}
    described |= {"pipeline": built.counts, "subsets": {key: len(digests) for key, digests in subsets.items()}}
    write_json(folder / "statistics.json", described)


def arguments():
    parser = command.parser(__doc__)
    parser.add_argument("--registry", type=Path, required=True, help="experiments/belb_corpora.tsv")
    parser.add_argument("--corpus", required=True, help="corpus of the registry, e.g. ncbi_disease")
    parser.add_argument("--release", default="original", help="release of the registry (default: original)")
    parser.add_argument("--name", help="id of the corpus in all files (default: that of the registry)")
    parser.add_argument("--source", type=Path, required=True, help="folder of the released files, plain or gzipped")
    parser.add_argument("--splits", type=Path, help="table document, split in place of the corpus' own split")
    parser.add_argument("--not-in-kb", type=Path, help="table of identifiers to map (belb_not_in_kb.schema.yaml)")
    parser.add_argument("--kb", type=Path, help="folder of the built knowledge base (default: none is consulted)")
    parser.add_argument(
        "--foreign", type=Path, help="PubTator file with the same documents: species for genes and so on"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
