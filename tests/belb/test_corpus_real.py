"""The released corpora at hand, through readers and pipeline: counts, offsets, repairs, digests."""

import collections
import hashlib

import pytest

from workflow_scripts.belb.corpus_pipeline import Steps, build
from workflow_scripts.belb.corpus_records import digest
from workflow_scripts.belb.corpus_splits import read_splits
from workflow_scripts.belb.corpus_tables import document_rows, mention_rows, split_statistics, subsets
from workflow_scripts.belb.offset_repairs import repaired
from workflow_scripts.belb.pubtator import read_pubtator
from workflow_scripts.common.belb_corpora import choose, find_files, read_registry

# Of every annotation in a file, mention or not: documents, annotations, where its text is at its offsets, and repairs.
EVERY_ANNOTATION = {
    "belb/BioID_Test_revision": (3993, 1453, 1453, {}),
    "belb/GNormPlus_Test": (262, 4849, 4845, {"case": 1, "moved": 1, "signs": 2}),
    "belb/GNormPlus_Train": (432, 5793, 5758, {"moved": 34, "signs": 1}),
    "belb/Linnaeus_Test": (20, 576, 576, {}),
    "belb/Linnaeus_Train": (80, 2321, 2321, {}),
    "belb/NLMgene_Test": (100, 3053, 3053, {}),
    "belb/NLMgene_Train": (450, 13797, 13786, {"case": 1, "moved": 10}),
    "belb/SPECIES_Test": (160, 739, 739, {}),
    "belb/SPECIES_Train": (639, 3053, 3053, {}),
    "belb/tmVar3_Test": (158, 4625, 4625, {}),
    "belb/tmVar3_Train": (342, 7957, 7936, {"moved": 21}),
    "belb/tmvar_v3": (500, 7837, 7837, {}),
    "pubtator/CDR_DevelopmentSet": (500, 9591, 9591, {}),
    "pubtator/CDR_TestSet": (500, 9809, 9809, {}),
    "pubtator/CDR_TrainingSet": (500, 9385, 9385, {}),
    "pubtator/NCBIdevelopset_corpus": (100, 787, 787, {}),
    "pubtator/NCBItestset_corpus": (100, 960, 960, {}),
    "pubtator/NCBItrainset_corpus": (593, 5145, 5144, {"signs": 1}),
    "pubtator/medmentions_3docs": (3, 115, 115, {}),
}


@pytest.mark.parametrize("name", EVERY_ANNOTATION)
def test_every_annotation_is_at_its_text_or_repaired(shared_data, name):
    (path,) = find_files(shared_data, f"{name}.PubTator*")
    documents = list(read_pubtator(path))
    done = collections.Counter()
    for document in documents:
        for annotation in document.annotations:
            moved, what = repaired(annotation, document.text)
            done[what] += 1
            if what in (None, "moved"):
                at = moved or annotation
                assert document.text[at.start : at.end] == annotation.original.text
    right = done.pop(None, 0)
    assert (len(documents), right + done.total(), right, dict(done)) == EVERY_ANNOTATION[name]


# By corpus and release: (documents, documents with mentions, mentions) of train, dev, test; repairs; annotations of its
# types without identifier, by split; zero-shot and stratified test mentions.
BUILT = {
    ("ncbi_disease", "original"): ([(592, 592, 5134), (100, 100, 787), (100, 100, 960)], 1, [0, 0, 0], (150, 185)),
    ("bc5cdr_disease", "original"): (
        [(500, 500, 4150), (500, 500, 4228), (500, 500, 4363)],
        0,
        [32, 16, 61],
        (391, 762),
    ),
    ("bc5cdr_chemical", "original"): (
        [(500, 500, 5159), (500, 500, 5304), (500, 500, 5355)],
        0,
        [44, 43, 30],
        (1053, 415),
    ),
    ("gnormplus", "aioner"): ([(432, 416, 4223), (0, 0, 0), (262, 254, 3242)], 17, [22, 0, 46], (2850, 159)),
    ("nlm_gene", "aioner"): ([(400, 400, 11103), (50, 50, 1452), (100, 100, 2716)], 11, [190, 16, 40], (1189, 349)),
    ("linnaeus", "aioner"): ([(50, 39, 1462), (17, 16, 537), (33, 29, 890)], 0, [3, 3, 2], (396, 28)),
    ("s800", "aioner"): ([(559, 436, 2593), (80, 63, 386), (160, 125, 813)], 0, [0, 0, 0], (384, 125)),
    ("bioid", "aioner"): ([(0, 0, 0), (0, 0, 0), (3993, 1187, 1453)], 0, [0, 0, 0], (1453, 0)),
    ("snp", "original"): ([(0, 0, 0), (0, 0, 0), (296, 296, 527)], 0, [0, 0, 0], (527, 0)),
    ("osiris", "original"): ([(0, 0, 0), (0, 0, 0), (105, 57, 261)], 0, [0, 0, 302], (261, 0)),
    ("tmvar", "aioner"): ([(0, 0, 0), (0, 0, 0), (500, 214, 1022)], 0, [0, 0, 953], (1022, 0)),
    ("tmvar", "prefixed"): ([(0, 0, 0), (0, 0, 0), (500, 214, 1022)], 0, [0, 0, 953], (1022, 0)),
}


@pytest.mark.parametrize(("corpus", "release"), BUILT)
def test_corpora_are_built_with_every_mention_at_its_text(repository, shared_data, corpus, release):
    row = choose(read_registry(repository / "experiments/belb_corpora.tsv"), corpus, release)
    folder = shared_data / ("pubtator" if corpus.startswith(("ncbi", "bc5cdr")) else "belb")
    documents, again = read_splits(row, folder, repository)
    assert again == (corpus == "ncbi_disease")
    built = build(documents, row, Steps())
    counts, repairs, unlinked, subset_sizes = BUILT[corpus, release]
    rows, texts = mention_rows(corpus, built.documents), document_rows(corpus, built.documents)
    for split, expected, without in zip(("train", "dev", "test"), counts, unlinked, strict=True):
        mine = [mention for mention in rows if mention["split"] == split]
        statistics = split_statistics([text for text in texts if text["split"] == split], mine)
        found = tuple(statistics[name] for name in ("documents", "documents_with_mentions", "mentions"))
        assert found == expected
        assert statistics["mentions_verified_in_text"] == (0 if corpus == "snp" else found[2])
        assert built.counts[split].get("dropped_without_identifier", 0) == without
        assert built.counts[split].get("repair_lost", 0) == 0
    assert len(built.repairs) == repairs
    assert tuple(len(digests) for digests in subsets(rows).values()) == subset_sizes
    by_recipe = [restated(mention) for mention in rows if not mention["grouped"]]
    assert by_recipe == [mention["hexdigest"] for mention in rows if not mention["grouped"]]
    assert len({mention["hexdigest"] for mention in rows}) == len(rows)
    for mention in rows:
        for item in mention["grouped"]:
            assert item["hexdigest"] == restated(
                mention
                | {f"original_{key}": item[key] for key in ("start", "end", "text")}
                | {"original_type": item["entity_type"], "original_identifiers": item["identifiers"]}
            )


def restated(row):
    """The digest recipe in other words, of a row as distributed."""
    joined = f"{row['document']}{row['original_location']}{row['original_start']}{row['original_end']}"
    joined += f"{row['original_text']}{row['original_type']}{row['original_identifiers']}"
    return hashlib.md5(joined.encode("utf-8")).hexdigest()


def test_annotations_without_identifier_are_what_the_published_counts_lack(shared_data):
    """BC5CDR test: 4,424 diseases are 4,363 and 61 without identifier. 5,385 chemicals are 5,355 and 30 without, of
    which the knowledge base of the paper had 5,334."""
    (path,) = find_files(shared_data, "pubtator/CDR_TestSet.PubTator*")
    counts = collections.Counter()
    for document in read_pubtator(path):
        for annotation in document.annotations:
            counts[annotation.original.entity_type, annotation.original.identifiers == "-1"] += 1
    assert counts == {
        ("Disease", False): 4363,
        ("Disease", True): 61,
        ("Chemical", False): 5355,
        ("Chemical", True): 30,
    }


def test_released_digests_are_among_ours(repository, shared_data):
    """Names under which the released prediction files know the first mentions of four corpora."""
    known = {
        (
            "pubtator",
            "NCBItestset_corpus.PubTator*",
        ): "6000d99782f71706c4b843e94d19eb26 4ace634107692b7df07d5ebc1b01e868",
        ("pubtator", "CDR_TestSet.PubTator*"): "d5288b120c5d23e34fdd7178d0a9247a 8c4aab322403bdc1d3a515aa699284d3",
        ("belb", "tmVar3_Test.PubTator*"): "3e6d8955ac5f0fc0eea21189d685a818 6719c5e04fd054ef260b3cd4eb6c1b7b",
    }
    for (folder, pattern), digests in known.items():
        (path,) = find_files(shared_data / folder, pattern)
        found = {digest(d.document, a.original) for d in read_pubtator(path) for a in d.annotations}
        assert found >= set(digests.split())
    for corpus, digests in (
        ("osiris", "b206dfe1581e4c1714445e2df5609c56 81e13a9dab2e4a8cea2543d75d0f741a"),
        ("snp", "b5302537b6a8ae679fafa448eeed9faa 87d68f5a084ac81c912a8775afd94680"),
    ):
        row = choose(read_registry(repository / "experiments/belb_corpora.tsv"), corpus, "original")
        documents, _ = read_splits(row, shared_data / "belb", repository)
        found = {digest(d.document, a.original) for d in documents["test"] for a in d.annotations}
        assert found >= set(digests.split())
