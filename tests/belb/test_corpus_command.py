"""The command that builds a corpus, its registry and the plan of its files, on invented corpora."""

import json
import pathlib

import bioc.biocjson
import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from workflow_scripts.belb import api
from workflow_scripts.belb.contracts import ALTERNATIVES, DOCUMENTS, HISTORY, MENTIONS, NAMES
from workflow_scripts.belb.corpus_hub import HUB
from workflow_scripts.belb.identifiers import read_known
from workflow_scripts.common.belb_corpora import CORPUS_DEFAULTS, CORPUS_SOURCES, BelbCorpora, read_registry
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.tables import check_file, write_table

DOCUMENTS_OF = {
    "train": [("11", "Zorb fever.", "A zorb fever has glim.", [("Zorb fever", "D000001"), ("glim", "D000002")])],
    "dev": [("21", "Öl and glam.", "", [("glam", "D000003")])],
    "test": [
        ("32", "No GLIM.", "PAX6zorb fever.", [("GLIM", "D000002"), ("zorb fever", "D000001|D000009")]),
        ("31", "Glom of zorb.", "Glum.", [("Glom", "D000004"), ("zorb", "D000001"), ("Glum", "-1")]),
    ],
}
FILES = {
    "train": "NCBItrainset_corpus.txt",
    "dev": "NCBIdevelopset_corpus.txt",
    "test": "NCBItestset_corpus.txt",
}


def write_source(folder, turned=False):
    """The released files of an invented NCBI Disease corpus; `turned`: documents and annotations in another order."""
    folder.mkdir(parents=True, exist_ok=True)
    order = reversed if turned else list
    for split, documents in DOCUMENTS_OF.items():
        blocks = []
        for name, title, abstract, mentions in order(documents):
            text = f"{title} {abstract}"
            lines = [f"{name}|t|{title}", f"{name}|a|{abstract}"]
            for mention, identifiers in order(mentions):
                start = text.index(mention)
                end = start + len(mention)
                lines.append(f"{name}\t{start}\t{end}\t{mention}\tSpecificDisease\t{identifiers}")
            blocks.append("\n".join(lines) + "\n")
        (folder / FILES[split]).write_text("\n".join(blocks), encoding="utf-8")
    return folder


@pytest.fixture
def built(repository, tmp_path, run_command):
    """Build the invented corpus: built(output, *options) gives the completed process."""
    source = write_source(tmp_path / "source")

    def run(output, *options, source=source, corpus="ncbi_disease"):
        registry = repository / "experiments/belb_corpora.tsv"
        fixed = ("--registry", registry, "--corpus", corpus, "--source", source, "--output", output)
        return run_command("belb/build_belb_corpus.py", *map(str, fixed), *map(str, options))

    return run


def mentions_of(folder):
    rows = pq.read_table(folder / "mentions.parquet").to_pylist()
    return [(row["split"], row["document"], row["text"], row["identifiers"]) for row in rows]


EXPECTED = [
    ("dev", "21", "glam", ["MESH:D000003"]),
    ("test", "31", "Glom", ["MESH:D000004"]),
    ("test", "31", "zorb", ["MESH:D000001"]),
    ("test", "32", "GLIM", ["MESH:D000002"]),
    ("test", "32", "zorb fever", ["MESH:D000001", "MESH:D000009"]),
    ("train", "11", "Zorb fever", ["MESH:D000001"]),
    ("train", "11", "glim", ["MESH:D000002"]),
]


def test_a_corpus_is_built(built, tmp_path):
    output = tmp_path / "corpus"
    done = built(output, "--name", "mine")
    assert done.returncode == 0, done.stderr
    assert mentions_of(output) == EXPECTED
    assert check_file(output / "mentions.parquet", MENTIONS) == 7
    assert check_file(output / "documents.parquet", DOCUMENTS) == 4
    texts = {row["document"]: row for row in pq.read_table(output / "documents.parquet").to_pylist()}
    assert texts["32"]["text"] == "No GLIM. PAX6 zorb fever."
    assert [p["type"] for p in texts["32"]["passages"]] == ["title", "abstract"]
    assert texts["21"]["passages"] == [{"type": "title", "offset": 0, "length": 12}]
    corpus = api.load_corpus(output)
    assert corpus.name == "mine" and len(corpus.gold()) == 4
    statistics = json.loads((output / "statistics.json").read_text())
    assert statistics["splits"]["test"]["mentions"] == 4
    assert statistics["splits"]["test"]["mentions_verified_in_text"] == 4
    assert statistics["pipeline"]["test"]["dropped_without_identifier"] == 1
    assert statistics["pipeline"]["test"]["blanks_put_between_words"] == 1
    assert statistics["subsets"] == {"zero_shot": 1, "stratified": 1}
    digests = {row["hexdigest"]: row["text"] for row in pq.read_table(output / "mentions.parquet").to_pylist()}
    subsets = json.loads((output / "subsets.json").read_text())
    assert {name: [digests[d] for d in found] for name, found in subsets.items()} == {
        "zero_shot": ["Glom"],
        "stratified": ["zorb"],
    }


def test_bioc_files_are_read_by_the_package_and_keep_the_distributed_annotation(built, tmp_path):
    output = tmp_path / "corpus"
    assert built(output).returncode == 0
    with open(output / "test.bioc.json", encoding="utf-8") as stream:
        collection = bioc.biocjson.load(stream)
    assert [document.id for document in collection.documents] == ["31", "32"]
    document = collection.documents[1]
    text = " ".join(passage.text for passage in document.passages)
    assert [passage.offset for passage in document.passages] == [0, 9]
    found = [annotation for passage in document.passages for annotation in passage.annotations]
    for annotation in found:
        (place,) = annotation.locations
        assert text[place.offset : place.offset + place.length] == annotation.text
    assert found[1].infons == {
        "type": "disease",
        "identifier": "MESH:D000001;MESH:D000009",
        "foreign": False,
        "hexdigest": found[1].infons["hexdigest"],
        "original": {
            "start": 13,
            "end": 23,
            "text": "zorb fever",
            "entity_type": "SpecificDisease",
            "identifiers": "D000001|D000009",
            "location": None,
        },
    }
    assert found[1].locations[0].offset == 14


def test_the_hub_export_has_a_card_and_readable_splits(built, tmp_path):
    output = tmp_path / "corpus"
    assert built(output).returncode == 0
    hub = output / "hub"
    assert sorted(path.name for path in (hub / "data").iterdir()) == [
        "test.parquet",
        "train.parquet",
        "validation.parquet",
    ]
    assert check_file(hub / "data/test.parquet", HUB) == 2
    table = pq.read_table(hub / "data/test.parquet")
    row = table.to_pylist()[1]
    assert row["id"] == "32" and row["annotations"][0]["ids"] == ["MESH:D000002"]
    features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    assert list(features) == ["id", "text", "passages", "annotations"]
    assert features["annotations"][0]["ids"] == {
        "feature": {"dtype": "string", "_type": "Value"},
        "_type": "Sequence",
    }
    _, header, body = (hub / "README.md").read_text().split("---\n", 2)
    header = yaml.safe_load(header)
    assert [entry["split"] for entry in header["configs"][0]["data_files"]] == ["train", "validation", "test"]
    assert "| test | 2 | 2 | 4 | 4 |" in body


def test_the_same_bytes_for_another_order_of_documents_and_annotations(built, tmp_path):
    turned = write_source(tmp_path / "turned", turned=True)
    options = ("--params", json.dumps({"sentences": True, "markers": True, "max_mentions": 1}))
    assert built(tmp_path / "a", *options).returncode == 0
    assert built(tmp_path / "b", *options, source=turned).returncode == 0
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert len(files) == 12
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert "[MS] GLIM [ME]" in (tmp_path / "a/test.bioc.json").read_text(encoding="utf-8")


def write_kb(folder, identifiers, history=(), alternatives=()):
    folder.mkdir()
    names = [
        {"identifier": name, "name": name, "kind": 0, "foreign_identifier": None, "attribute": None}
        for name in sorted(identifiers)
    ]
    old = [{"old_identifier": name, "new_identifier": new} for name, new in history]
    other = [{"alternative_identifier": name, "identifier": own} for name, own in alternatives]
    for name, rows, contract in (
        ("names", names, NAMES),
        ("history", old, HISTORY),
        ("alternatives", other, ALTERNATIVES),
    ):
        write_table(folder / f"{name}.parquet", pa.Table.from_pylist(rows, schema=contract.schema), contract)
    return folder


def test_a_knowledge_base_follows_its_history_and_leaves_out_what_it_lacks(built, tmp_path):
    kb = write_kb(
        tmp_path / "kb",
        ["MESH:D000001", "MESH:D000022", "MESH:D000003"],
        history=[("MESH:D000002", "MESH:D000022"), ("MESH:D000009", None)],
        alternatives=[("MESH:D000004", "MESH:D000001"), ("MESH:D000004", "MESH:D000003")],
    )
    output = tmp_path / "corpus"
    done = built(output, "--kb", kb)
    assert done.returncode == 0, done.stderr
    assert mentions_of(output) == [
        ("dev", "21", "glam", ["MESH:D000003"]),
        ("test", "31", "Glom", ["MESH:D000001", "MESH:D000003"]),
        ("test", "31", "zorb", ["MESH:D000001"]),
        ("test", "32", "GLIM", ["MESH:D000022"]),
        ("test", "32", "zorb fever", ["MESH:D000001"]),
        ("train", "11", "Zorb fever", ["MESH:D000001"]),
        ("train", "11", "glim", ["MESH:D000022"]),
    ]
    mapping = tmp_path / "map.tsv"
    rows = "ncbi_disease\tMESH:D000004\tMESH:D000099\t\nother\tMESH:D000001\t\t\n"
    mapping.write_text("corpus\tidentifier\treplacement\tnote\n" + rows)
    assert built(output, "--kb", kb, "--not-in-kb", mapping).returncode == 0
    assert [row[2] for row in mentions_of(output) if row[1] == "31"] == ["zorb"]
    assert built(output, "--kb", kb, "--not-in-kb", mapping, "--params", '{"in_kb": false}').returncode == 0
    assert ("test", "31", "Glom", ["MESH:D000099"]) in mentions_of(output)
    chemicals = write_kb(tmp_path / "chemicals", ["MESH:C000001"])
    done = built(tmp_path / "none", "--kb", chemicals)
    assert done.returncode == 3 and not (tmp_path / "none").exists()
    assert f"found:    8 annotations of the types of the corpus, none with an identifier in {chemicals}" in done.stderr


def test_own_splits_take_the_place_of_those_of_the_corpus(built, tmp_path):
    table = tmp_path / "splits.tsv"
    table.write_text("document\tsplit\n11\ttest\n21\ttrain\n31\ttrain\n32\tdev\n")
    assert built(tmp_path / "corpus", "--splits", table).returncode == 0
    assert {row[:2] for row in mentions_of(tmp_path / "corpus")} == {
        ("test", "11"),
        ("train", "21"),
        ("train", "31"),
        ("dev", "32"),
    }
    for text, expected in (
        ("document\tsplit\n11\ttest\n21\ttrain\n31\ttrain\n", "document 32 ("),
        (
            "document\tsplit\n11\tvalid\n",
            "line 2\n  found:    ['11', 'valid']\n  expected: a document and one of train",
        ),
        ("document\tsplit\n11\ttest\n11\ttrain\n", "line 3\n  found:    document 11 again"),
        ("11\ttest\n", "line 1\n  found:    ['11', 'test']\n  expected: columns document, split"),
    ):
        table.write_text(text)
        done = built(tmp_path / "none", "--splits", table)
        assert done.returncode == 3 and expected in done.stderr
    assert not (tmp_path / "none").exists()


def test_bad_input_ends_with_an_error_and_writes_nothing(built, tmp_path):
    source = write_source(tmp_path / "bad")
    path = source / FILES["test"]
    path.write_text(path.read_text().replace("\t3\t7\tGLIM", "\t3\t700\tGLAM"))
    done = built(tmp_path / "none", source=source)
    assert done.returncode == 3
    assert "1 of 8 annotations of ncbi_disease lost; the first is 'GLAM' at [3, 700)" in done.stderr
    path.unlink()
    done = built(tmp_path / "none", source=source)
    assert done.returncode == 3 and "found:    none for **/NCBItestset_corpus*" in done.stderr
    for corpus, options, expected in (
        ("ncbi_diseases", (), "no corpus ncbi_diseases (original) in experiments/belb_corpora.tsv; there is gnormplus"),
        ("ncbi_disease", ("--params", '{"max_mentions": 0}'), "max_mentions 0, expected at least 1 or null"),
        ("ncbi_disease", ("--params", '{"sentence": true}'), "unknown key sentence"),
    ):
        done = built(tmp_path / "none", *options, corpus=corpus)
        assert done.returncode == 2 and expected in done.stderr
    done = built(tmp_path / "none", "--foreign", tmp_path / "x")
    assert done.returncode == 2 and "ctd_diseases has no foreign entity type" in done.stderr
    done = built(tmp_path / "none", "--kb", tmp_path)
    assert done.returncode == 3 and "found:    no file" in done.stderr
    assert not (tmp_path / "none").exists()


def test_documents_that_come_again_are_left_out_and_counted(built, tmp_path):
    source = write_source(tmp_path / "twice")
    path = source / FILES["train"]
    path.write_text(path.read_text() + "\n" + path.read_text())
    assert built(tmp_path / "corpus", source=source).returncode == 0
    assert mentions_of(tmp_path / "corpus") == EXPECTED
    assert json.loads((tmp_path / "corpus/statistics.json").read_text())["documents_that_came_again"] == 1


def test_corpora_without_texts_keep_their_mentions(built, tmp_path):
    source = tmp_path / "snp"
    source.mkdir()
    rows = "8\t'A1G'\tA1G\t5\t8\trs77\tPSM\n7\t'T2C'\tT2C\t3\t6\trs78\tNSM \n"
    (source / "snp_thomas2011.txt").write_text(rows)
    assert built(tmp_path / "corpus", source=source, corpus="snp").returncode == 0
    assert mentions_of(tmp_path / "corpus") == [("test", "7", "T2C", ["78"]), ("test", "8", "A1G", ["77"])]
    statistics = json.loads((tmp_path / "corpus/statistics.json").read_text())
    assert statistics["splits"]["test"]["mentions_verified_in_text"] == 0
    assert statistics["pipeline"]["test"]["annotations_without_text"] == 2
    with open(tmp_path / "corpus/test.bioc.json", encoding="utf-8") as stream:
        collection = bioc.biocjson.load(stream)
    assert [a.text for d in collection.documents for p in d.passages for a in p.annotations] == ["T2C", "A1G"]
    assert not (tmp_path / "corpus/hub/data/train.parquet").exists()


def test_lists_of_documents_and_drawn_development_documents(built, tmp_path):
    source = tmp_path / "nlm"
    (source / "FINAL_ANNOTATION").mkdir(parents=True)
    names = [str(number) for number in range(100, 170)]
    for name in names:
        place = '<location offset="0" length="4"/><text>Gene</text>'
        kind = '<infon key="type">Gene</infon><infon key="NCBI Gene identifier">7</infon>'
        passage = f"<passage><offset>0</offset><text>Gene {name}</text><annotation id='1'>{kind}{place}</annotation>"
        head = "<source>s</source><date>d</date><key>k</key>"
        text = f"<collection>{head}<document><id>{name}</id>{passage}</passage></document></collection>"
        (source / "FINAL_ANNOTATION" / f"{name}.BioC.XML").write_text(text)
    (source / "Pmidlist.Train.txt").write_text("\n".join(names[:60]) + "\n")
    (source / "Pmidlist.Test.txt").write_text("\n".join(names[60:]))
    assert built(tmp_path / "corpus", source=source, corpus="nlm_gene").returncode == 0
    statistics = json.loads((tmp_path / "corpus/statistics.json").read_text())
    assert [statistics["splits"][split]["documents"] for split in ("train", "dev", "test")] == [10, 50, 10]
    (source / "Pmidlist.Test.txt").write_text("\n".join(names[59:]))
    done = built(tmp_path / "none", source=source, corpus="nlm_gene")
    assert done.returncode == 3 and "line 1\n  found:    document 159 in train and test" in done.stderr


def test_the_registry_fits_its_schema_and_names_the_thirteen_instances(repository):
    schema = yaml.safe_load((repository / "schemas/belb_corpora.schema.yaml").read_text())
    rows = read_registry(repository / "experiments/belb_corpora.tsv")
    for row in rows.values():
        jsonschema.validate(vars(row), schema)
    originals = [corpus for corpus, release in rows if release == "original"]
    assert len(originals) == len(set(originals)) == 13
    config = yaml.safe_load((repository / "schemas/config.schema.yaml").read_text())
    entry = config["properties"]["belb"]["properties"]["corpora"]["additionalProperties"]["properties"]
    assert sorted(originals) == sorted(entry["format"]["enum"]) == sorted(schema["properties"]["corpus"]["enum"])
    assert sorted(entry["release"]["enum"]) == sorted({release for _, release in rows})
    assert set(entry) == {*CORPUS_DEFAULTS, "format"}
    assert all(entry[key]["default"] == value for key, value in CORPUS_DEFAULTS.items())


def test_hand_made_mappings_of_the_repository_fit_their_schema(repository):
    schema = yaml.safe_load((repository / "schemas/belb_not_in_kb.schema.yaml").read_text())
    header = (repository / "experiments/belb_not_in_kb.tsv").read_text().splitlines()[0]
    assert header.split("\t") == schema["required"]


class Planned(BelbCorpora):
    """The part of a plan that is tested here."""

    def __init__(self, root, corpora):
        self.root, self.config = pathlib.Path(root), {"belb": {"corpora": corpora}}


def test_the_plan_names_the_files_of_a_corpus(repository, tmp_path):
    source = write_source(tmp_path / "source")
    plan = Planned(repository, {"mine": {"format": "ncbi_disease", "folder": str(source), "splits": "own.tsv"}})
    assert plan.belb_corpus_files("mine") == [str(source / name) for name in FILES.values()] + ["own.tsv"]
    assert plan.belb_corpus_folder("mine") == str(source) and plan.belb_corpus_downloads() == {}
    (source / FILES["test"]).unlink()
    with pytest.raises(UsageError, match="belb.corpora.mine: .*\n  found:    none for .*NCBItestset_corpus"):
        plan.belb_corpus_files("mine")


def test_the_plan_names_folders_by_the_files_in_them_and_our_own_lists(repository, tmp_path):
    (tmp_path / "txt").mkdir()
    for name in ("tags.tsv", "txt/pmcA2.txt", "txt/pmcA1.txt"):
        (tmp_path / name).write_text("")
    files = Planned(repository, {"l": {"format": "linnaeus", "folder": str(tmp_path)}}).belb_corpus_files("l")
    lists = [f"experiments/belb_splits/linnaeus_{split}.txt" for split in ("train", "devel", "test")]
    assert files == [str(tmp_path / name) for name in ("tags.tsv", "txt/pmcA1.txt", "txt/pmcA2.txt")] + lists


def test_the_plan_downloads_what_can_be_downloaded(repository):
    sources = (repository / "experiments/sources.tsv").read_text().splitlines()
    known = {line.split("\t")[0] for line in sources}
    for kind, named in CORPUS_SOURCES.items():
        assert set(named) <= known
        plan = Planned(repository, {"x": {"format": kind}})
        wanted = plan.belb_corpus_downloads()
        assert wanted == {f"belb/downloads/{name}": source for source, name in named.items()}
        own = [name for name in plan.belb_corpus_files("x") if name.startswith("resources/")]
        assert own == [f"resources/{name}" for name in wanted]
    with pytest.raises(UsageError, match="belb.corpora.x.folder is empty\n  found:    s800 .original., which is not"):
        Planned(repository, {"x": {"format": "s800"}}).belb_corpus_downloads()


def test_downloads_get_names_that_the_registry_finds(repository, tmp_path):
    rows = read_registry(repository / "experiments/belb_corpora.tsv")
    for named in CORPUS_SOURCES.values():
        for name in named.values():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("")
    for kind in CORPUS_SOURCES:
        for pattern in rows[kind, "original"].patterns().split():
            assert len(list(tmp_path.glob(pattern))) == 1, pattern


def test_a_knowledge_base_asked_for_no_identifier_knows_none(tmp_path):
    columns = {"names": ("identifier",), "history": ("old_identifier", "new_identifier")}
    for name, own in columns.items():
        pq.write_table(pa.table({column: pa.array(["MESH:D1"]) for column in own}), tmp_path / f"{name}.parquet")
    known = read_known(tmp_path, set())
    assert (known.current, known.alternatives, known.history) == (frozenset(), {}, {})
    assert read_known(tmp_path, {"MESH:D1"}).current == {"MESH:D1"}
