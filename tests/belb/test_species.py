"""Species in texts, the species of a mention, the filter by it, and names that say which gene is meant."""

import collections
import gzip
import random

import pyarrow as pa
import pytest

from tests.belb import chain
from tests.belb.kbs import built, gene, gene_info, write
from tests.belb.worlds import stored, whole
from workflow_scripts.belb.contracts import DOCUMENTS, MENTIONS, NAMES, SPECIES
from workflow_scripts.belb.kb_disambiguation import disambiguate
from workflow_scripts.belb.measuring import Corpus
from workflow_scripts.belb.predictions import Prediction, Predictions, read_predictions, write_predictions
from workflow_scripts.belb.species import Assignment, find_species
from workflow_scripts.belb.species_filter import agreement, filtered, read_species
from workflow_scripts.belb.species_words import Words, first_names, read_words, with_taxonomy
from workflow_scripts.common import duck
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import check_file, write_table

WORDS = Words(
    {"human": ("9606",), "mouse": ("10090",), "mice": ("10090",), "rat": ("10116",), "yeast": ("4932", "559292")},
    {"h": ("9606",), "m": ("10090",), "y": ("4932", "559292")},
)


def corpus_of_texts(texts, mentions=()):
    """Documents of a test split, and (document, text, type, identifiers, foreign) at the first place of the text."""
    documents = [
        {"corpus": "c", "split": "test", "document": name, "text": text, "passages": [whole(text)]}
        for name, text in sorted(texts.items())
    ]
    rows = []
    for document, text, kind, identifiers, foreign in mentions:
        start = texts[document].index(text)
        row = dict.fromkeys(MENTIONS.schema.names, "")
        row |= {"corpus": "c", "split": "test", "document": document, "start": start, "end": start + len(text)}
        row |= {"text": text, "entity_type": kind, "identifiers": identifiers, "foreign": foreign, "grouped": []}
        row |= {"original_start": start, "original_end": start + len(text), "hexdigest": f"{document}/{start}/{kind}"}
        rows.append(row)
    rows.sort(key=lambda row: [row[name] for name in MENTIONS.sort_by])
    return Corpus("c", *(pa.Table.from_pylist(r, s.schema) for r, s in ((documents, DOCUMENTS), (rows, MENTIONS))))


def named(text, words=WORDS):
    return [(text[start:end], *taxa) for start, end, taxa in words.find(text)]


def test_names_are_whole_words_whatever_their_case():
    assert named("Human TIF1, humanised; rat-liver in MICE (Yeast).") == [
        *(("Human", "9606"), ("rat", "10116"), ("MICE", "10090")),
        ("Yeast", "4932", "559292"),
    ]
    assert named("rate of mousetraps") == [] and named("any text", Words({}, {})) == []


def test_the_longest_name_counts():
    words = Words({"xenopus": ("8355",), "xenopus tropicalis": ("8364",)}, {})
    assert named("Xenopus tropicalis and Xenopus", words) == [("Xenopus tropicalis", "8364"), ("Xenopus", "8355")]


def test_annotated_species_come_before_names():
    corpus = corpus_of_texts(
        {"1": "wild mouse and a rat", "2": "nothing"}, [("1", "wild mouse", "species", ["10092"], True)]
    )
    found = find_species(corpus, "test", WORDS)
    assert [tuple(row.values())[3:] for row in found.to_pylist()] == [
        ("wild mouse", ["10092"], True),
        ("rat", ["10116"], False),
    ]
    assert find_species(corpus, "train", WORDS).num_rows == 0


def assigned(text, mention, default="9606", words=WORDS):
    corpus = corpus_of_texts({"1": text})
    found = find_species(corpus, "test", words)
    start = text.index(mention)
    return Assignment(corpus.documents, found, words.prefixes, default).species_of("1", start, start + len(mention))


@pytest.mark.parametrize(
    ("text", "mention", "taxa", "rule"),
    [
        ("Human and mouse: hZIP2 is here.", "hZIP2", ("9606",), "prefix"),
        ("A mouse. Then mZIP2 in human cells.", "mZIP2", ("10090",), "prefix"),
        # no mouse is mentioned: m is no prefix
        ("In human cells mTOR is active.", "mTOR", ("9606",), "left"),
        # no capital or digit follows
        ("A mouse. The human mortalin.", "mortalin", ("9606",), "left"),
        ("In the mouse and human TIF1 gene of the rat.", "TIF1", ("9606",), "left"),
        ("Unlike rat, the human TIF1 gene.", "human TIF1", ("9606",), "left"),
        ("The TIF1 gene of mouse and human.", "TIF1", ("10090",), "right"),
        ("Mice were used. TIF1 binds. Rat and mouse too.", "TIF1", ("10090",), "document"),
        ("Rat, mouse. TIF1 binds.", "TIF1", ("10116",), "document"),
        ("In yeast TIF1 binds.", "TIF1", ("4932", "559292"), "left"),
        ("TIF1 binds.", "TIF1", ("7227",), "default"),
    ],
)
def test_the_species_of_a_mention(text, mention, taxa, rule):
    assert assigned(text, mention, default="7227") == (taxa, rule)


def test_a_longer_prefix_counts_before_a_shorter_one():
    words = Words({"zebrafish": ("7955",), "fly": ("7227",)}, {"z": ("7227",), "zf": ("7955",)})
    assert assigned("fly or zebrafish. zfF1", "zfF1", words=words) == (("7955",), "prefix")
    assert assigned("fly or zebrafish. zF1", "zF1", words=words) == (("7227",), "prefix")


def test_a_sentence_ends_at_its_passage():
    text = "The rat TIF1 binds in mice"
    corpus = corpus_of_texts({"1": text})
    passages = [{"type": "title", "offset": 0, "length": 7}, {"type": "abstract", "offset": 8, "length": 18}]
    rows = corpus.documents.to_pylist()
    rows[0]["passages"] = passages
    found = find_species(corpus, "test", WORDS)
    split = Assignment(pa.Table.from_pylist(rows, DOCUMENTS.schema), found, {}, "9606")
    assert split.species_of("1", 8, 12) == (("10090",), "right"), "the title is another sentence"


def predictions_of(*candidates, name="theirs"):
    rows = [Prediction("1", 10 * n, 10 * n + 4, "-", tuple(map(tuple, ranks))) for n, ranks in enumerate(candidates)]
    return Predictions("c", "genes", name, rows)


TAXA = {"1": {"9606"}, "2": {"10090"}, "3": {"10090"}, "4": {"9606", "10116"}}


@pytest.mark.parametrize(
    ("ranks", "wanted", "kept", "done"),
    [
        ([["1", "2"], ["3"]], ("10090",), (("2",), ("3",)), "filtered"),
        ([["1"], ["3", "2"]], ("10090",), (("3", "2"),), "filtered"),
        ([["2", "3"]], ("10090",), (("2", "3"),), "all"),
        # of none of them: all stay
        ([["1", "2"], ["3"]], ("7227",), (("1", "2"), ("3",)), "none"),
        ([["unknown", "4"]], ("10116",), (("4",),), "filtered"),
        ([["1", "2"]], ("4932", "9606"), (("1",),), "filtered"),
        ([], ("9606",), (), "empty"),
    ],
)
def test_the_filter(ranks, wanted, kept, done):
    result, report = filtered(predictions_of(ranks), lambda *_: (wanted, "left"), TAXA)
    assert result.rows[0].candidates == kept
    assert report == [
        ("1", 0, 4, wanted, "left", sum(map(len, ranks)), sum(map(len, kept)), done),
    ]


def test_agreement_with_the_gold_standard():
    rows = [
        {"document": "1", "start": n, "end": n + 1, "identifiers": names}
        for n, names in enumerate([["1"], ["2"], ["1", "2"], ["4"], ["unknown"]])
    ]
    assert agreement(rows, lambda *_: (("9606",), "default"), TAXA) == (4, 3)
    assert agreement(rows, lambda *_: (("7227",), "default"), TAXA) == (4, 0)


GENES = gene_info(
    gene("1", "A2M", "9606", Synonyms="FWP|p1", description="alpha-2-macroglobulin", map_location="12p13"),
    gene("2", "A2m", "10090", description="alpha-2-macroglobulin", map_location="6"),
    gene("3", "XYZ", "9606", Synonyms="P1", map_location="7q"),
    gene("4", "LONE", "9606"),
    gene("5", "TWIN", "9606", map_location="Xp"),
    gene("6", "TWIN", "9606", map_location="Xp"),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kb")
    built("ncbi_gene", write(tmp_path_factory.mktemp("released"), gene_info=GENES), folder=folder, history=False)
    return folder


def test_species_of_a_built_knowledge_base(kb):
    assert read_species(kb, ["1", "2", "9", "1"]) == {"1": {"9606"}, "2": {"10090"}}


def run_filter(folder, kb, corpus, predictions, words):
    stored(corpus, folder / "corpus")
    write_predictions(folder / "p.jsonl", predictions)
    files = ("--corpus", folder / "corpus", "--species", folder / "species.parquet", "--words", words)
    chain.run("belb/find_species", *files)
    check_file(folder / "species.parquet", SPECIES)
    options = ("--predictions", folder / "p.jsonl", "--names", kb / "names.parquet")
    options += ("--filtered", folder / "f.jsonl", "--assigned", folder / "a.tsv")
    chain.run("belb/filter_by_species", *files, *options, parameters={"system": "ours", "default": "9606"})
    return read_predictions(folder / "f.jsonl")


def test_the_commands_take_any_predictions_file(kb, tmp_path, repository):
    """Whatever the order of its lines."""
    text = "A2m of the mouse. Human A2M. The A2M there."
    corpus = corpus_of_texts({"1": text})
    candidates = (("1", "2"),)
    rows = [Prediction("1", start, start + 3, "-", candidates) for start in (0, 24, 33)]
    words, found = repository / "experiments/belb_species.tsv", set()
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        predictions = Predictions("c", "genes", "theirs", list(rows))
        result = run_filter(tmp_path, kb, corpus, predictions, words)
        assert result.system == "ours" and result.kb == "genes"
        assert [row.candidates for row in result.rows] == [(("2",),), (("1",),), (("2",),)], "mouse comes first"
        found.add((tmp_path / "a.tsv").read_text())
    assert found == {
        "document\tstart\tend\ttext\ttaxa\trule\tidentifiers\tkept\tdone\n"
        "1\t0\t3\tA2m\t10090\tright\t2\t1\tfiltered\n"
        "1\t24\t27\tA2M\t9606\tleft\t2\t1\tfiltered\n"
        "1\t33\t36\tA2M\t10090\tdocument\t2\t1\tfiltered\n"
    }


def test_predictions_that_are_no_genes_or_of_another_corpus(kb, tmp_path, repository):
    corpus, words = corpus_of_texts({"1": "a text"}), repository / "experiments/belb_species.tsv"
    with pytest.raises(DataError, match="no species of any of the 1 predicted identifiers"):
        run_filter(tmp_path, kb, corpus, predictions_of([["MESH:D1"]]), words)
    other = Predictions("c", "genes", "s", [Prediction("7", 0, 1, "-", ())])
    with pytest.raises(DataError, match="line 2.*\n.*document 7"):
        run_filter(tmp_path, kb, corpus, other, words)
    assert not (tmp_path / "f.jsonl").exists()


def taxonomy(path, rows):
    rows = [(*row, None, None) for row in sorted(rows)]
    columns = zip(*[(taxon, name, kind, *rest) for taxon, kind, name, *rest in rows], strict=True)
    table = pa.table([pa.array(c, f.type) for c, f in zip(columns, NAMES.schema, strict=True)], NAMES.schema)
    write_table(path, table, NAMES)
    return path


def test_names_of_the_taxonomy(tmp_path):
    rows = [
        ("9986", 0, "Oryctolagus cuniculus"),
        ("9986", 5, "rabbit"),
        ("9913", 4, "cow"),
        ("5", 4, "cow"),
        ("49990", 0, "Thymus"),
        ("10090", 0, "Mus musculus"),
        ("10090", 7, "MM"),
        ("1", 4, "mouse"),
        ("2", 0, "Not There"),
    ]
    text = "Oryctolagus cuniculus, oryctolagus cuniculus; Rabbit, cow, Thymus, MM, mouse (Mus musculus)"
    words = with_taxonomy(WORDS, taxonomy(tmp_path / "names.parquet", rows), [text])
    assert named(text, words) == [
        ("Oryctolagus cuniculus", "9986"),
        ("Rabbit", "9986"),
        ("mouse", "10090"),  # the table of words comes first
        ("Mus musculus", "10090"),
    ]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("9606\tname\thuman\n9606\tname\tHuman", "line 3.*\n.*as in line 2"),
        ("human\tname\thuman", "line 2"),
        ("9606\tword\thuman", "line 2"),
        ("9606\tname\t", "line 2"),
    ],
)
def test_a_wrong_table_of_words(tmp_path, rows, words):
    (tmp_path / "w.tsv").write_text(f"taxon\tkind\ttext\n{rows}\n")
    with pytest.raises(DataError, match=words):
        read_words(tmp_path / "w.tsv")


def test_our_table_of_words(repository):
    words = read_words(repository / "experiments/belb_species.tsv")
    assert words.names["human"] == ("9606",) and words.names["yeast"] == ("4932", "559292")
    assert (
        words.prefixes["m"] == ("10090",)
        and first_names(repository / "experiments/belb_species.tsv")["9606"] == "human"
    )


def test_our_words_mean_what_the_corpora_of_species_say(repository, shared_data):
    """LINNAEUS and S800: the taxon that a word is annotated with most often is one of ours."""
    annotated = collections.defaultdict(collections.Counter)
    for path in sorted((shared_data / "belb").glob("[LS][iP]*_T*.PubTator.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for cells in (line.rstrip("\n").split("\t") for line in stream):
                if len(cells) == 6 and cells[4] == "Species":
                    annotated[cells[3].lower()][cells[5]] += 1
    names = read_words(repository / "experiments/belb_species.tsv").names
    seen = [name for name in names if name in annotated]
    other = {name for name in seen if annotated[name].most_common(1)[0][0] not in names[name]}
    assert len(seen) > 70
    assert other == {"canine"}, "the wolf there; NCBI Gene has the genes of the dog"


def disambiguated(folder, species=None):
    """identifier -> names, and the counts."""
    with duck.database(1, 500, folder) as database:
        counts = disambiguate(database, folder, species or {})
        rows = database.execute("SELECT identifier, name, kind FROM disambiguated ORDER BY identifier, kind, name")
        found = {}
        for identifier, name, _ in rows.fetchall():
            found.setdefault(identifier, []).append(name)
    return found, counts


def test_disambiguated_names(kb):
    found, counts = disambiguated(kb, {"9606": "human"})
    assert found == {
        # the preferred name is shared, as is the only other name without a homonym's mark but FWP
        "1": ["A2M (FWP, human)", "alpha-2-macroglobulin (A2M, human)", "FWP", "p1 (A2M)"],
        # nothing of its own: what it shares stands in the brackets
        "2": ["A2m (alpha-2-macroglobulin, 10090)", "alpha-2-macroglobulin (A2m, 10090)"],
        "3": ["XYZ", "P1 (XYZ)"],
        "4": ["LONE"],
        "5": ["TWIN (Xp, 5)"],
        "6": ["TWIN (Xp, 6)"],
    }
    assert counts == {"names": 11, "homonyms": 8, "with_identifier": 2}
    names = [name.lower() for names in found.values() for name in names]
    assert len(names) == len(set(names))


def test_the_command_writes_names(kb, tmp_path, repository):
    options = ("--names", kb / "names.parquet", "--words", repository / "experiments/belb_species.tsv")
    chain.run("belb/disambiguate_names", *options, "--disambiguated", tmp_path / "d.parquet")
    check_file(tmp_path / "d.parquet", NAMES)
    chain.run("belb/write_belb_aliases", "--names", tmp_path / "d.parquet", "--aliases", tmp_path / "a.parquet")
