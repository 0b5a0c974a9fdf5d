"""Tools of others: what they get, how they are called, what their output says, and the table that names them.

The tools are small scripts that behave like one.
"""

import csv
import sys
import textwrap

import jsonschema
import pytest
import yaml

from tests.belb import chain
from tests.belb.worlds import corpus_of, stored, stored_names
from workflow_scripts.belb import run_belb_tool
from workflow_scripts.belb.api import evaluate, load_corpus
from workflow_scripts.belb.predictions import read_predictions
from workflow_scripts.belb.tool_files import Kept, predictions_of, read_annotations, texts_of
from workflow_scripts.common.belb_corpora import read_registry
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import read_json

MENTIONS = [
    ("train", "0", "fever", ["MESH:D005334"]),
    ("test", "1", "fever", ["MESH:D005334"]),
    ("test", "1", "Überempfindlichkeit 𝛼", ["MESH:D006967"]),
    ("test", "2", "fever", ["MESH:D005334"]),
    ("test", "3", "cough", ["MESH:D003371"]),
]
# The words that the stand-in knows. It gives a longer span than that of cough.
KNOWN = {
    "fever": "MESH:D005334",
    "Überempfindlichkeit 𝛼": "MESH:D006967|MESH:D004342",
    "cough ": "MESH:D003371",
}
PUBTATOR_TOOL = """
import sys
known = {known}
with open(sys.argv[1], encoding="utf-8") as source, open(sys.argv[2], "w", encoding="utf-8") as out:
    for block in source.read().split("\\n\\n"):
        lines = [line.split("|", 2) for line in block.splitlines()]
        if not lines:
            continue
        text = lines[0][2] + " " + lines[1][2]
        out.write(block + "\\n")
        for word, name in known.items():
            if word in text:
                start = text.index(word)
                cells = lines[0][0], str(start), str(start + len(word)), word, "Disease", name
                out.write("\\t".join(cells) + "\\n")
        out.write("\\t".join((lines[0][0], "0", "1", text[0], "Species", "9606")) + "\\n\\n")
"""
BIOC_TOOL = """
import sys
from bioc import BioCAnnotation, BioCLocation, biocjson, biocxml
known = {known}
form = biocjson if sys.argv[1].endswith("json") else biocxml
with open(sys.argv[1], encoding="utf-8") as source:
    collection = form.loads(source.read())
for document in collection.documents:
    for passage in document.passages:
        for word, name in known.items():
            if word in passage.text:
                annotation = BioCAnnotation()
                annotation.id, annotation.text = word, word
                annotation.infons = {{"type": "Disease", "identifier": name}}
                annotation.add_location(BioCLocation(passage.offset + passage.text.index(word), len(word)))
                passage.add_annotation(annotation)
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write(form.dumps(collection))
"""


@pytest.fixture
def folder(tmp_path):
    """A stored corpus, its knowledge base, and a stand-in for each format."""
    stored(corpus_of(MENTIONS), tmp_path / "corpus")
    stored_names(
        tmp_path / "kb" / "names.parquet",
        [("MESH:D005334", "Fever"), ("MESH:D006967", "Hypersensitivity"), ("MESH:D003371", "Cough")],
    )
    for name, text in (("pubtator", PUBTATOR_TOOL), ("bioc", BIOC_TOOL)):
        (tmp_path / f"with_{name}.py").write_text(textwrap.dedent(text.format(known=KNOWN)), encoding="utf-8")
    return tmp_path


def export(folder, form, name):
    exported = folder / name
    chain.run("belb/export_belb_corpus", "--corpus", folder / "corpus", "--format", form, "--exported", exported)
    return exported


def call(folder, line, exported, repository, tool="standin"):
    written = folder / f"out.{exported.name}"
    options = ("--input", exported, "--corpus", folder / "corpus", "--kb", folder / "kb", "--output", written)
    options += ("--tools", repository / "experiments/belb_tools.tsv", "--temporary", folder)
    chain.run("belb/run_belb_tool", *options, parameters={"tool": tool, "command": line})
    return written


def read(folder, written, form, repository, types=("Disease",)):
    options = ("--written", written, "--registry", repository / "experiments/belb_corpora.tsv")
    options += ("--corpus", folder / "corpus", "--kb", folder / "kb")
    options += ("--predictions", folder / "p.jsonl", "--report", folder / "r.json")
    header = {"system": "standin", "kb": "medic", "format": form, "corpus": ["ncbi_disease", "original"]}
    chain.run("belb/read_belb_tool", *options, parameters=header | {"types": types and list(types)})
    return read_predictions(folder / "p.jsonl"), read_json(folder / "r.json")


FORMS = [("pubtator", "c.pubtator", "pubtator"), ("bioc", "c.bioc.xml", "bioc"), ("biocjson", "c.bioc.json", "bioc")]


@pytest.mark.parametrize(("form", "name", "tool"), FORMS)
def test_a_tool_from_export_to_figures(folder, repository, form, name, tool):
    command = f"{sys.executable} {folder}/with_{tool}.py {{input}} {{output}}"
    written = call(folder, command, export(folder, form, name), repository)
    found, report = read(folder, written, form, repository)
    # what the knowledge base lacks stays, as it may be of another release
    assert [(row.document, row.start, row.candidates) for row in found.rows] == [
        ("1", 0, (("MESH:D005334",),)),
        ("1", 6, (("MESH:D006967", "MESH:D004342"),)),
        ("2", 0, (("MESH:D005334",),)),
        ("3", 0, (("MESH:D003371",),)),
    ]
    assert found.system == "standin" and found.kb == "medic"
    assert report == {
        **{"tool": "standin", "format": form, "annotations": 4, "without_identifier": 0, "unknown_form": 0},
        **{"wrong_text": 0, "other_types": {"Species": 3} if form == "pubtator" else {}, "spans": 4, "gold": 4},
        **{"found": 3, "overlapped": 1, "missed": 0, "spans_that_are_no_gold": 1, "gold_with_predictions": 3},
        "distinct_identifiers": {"kept": 3, "unknown": 1},
    }
    recall = evaluate(load_corpus(folder / "corpus"), found)["full"]["recall@1"]
    assert recall == {"std": 2.5 / 4, "strict": 0.5, "lenient": 0.75}


def test_a_tool_for_given_mentions(folder, repository):
    """It gets the mentions without candidates, and fills them."""
    exported = export(folder, "predictions", "c.jsonl")
    assert [row.candidates for row in read_predictions(exported).rows] == [()] * 4
    script = """
    import json, pathlib, sys
    source, out, corpus, kb = map(pathlib.Path, sys.argv[1:])
    assert (corpus / "documents.parquet").is_file() and (kb / "names.parquet").is_file()
    lines = [json.loads(line) for line in source.read_text().splitlines()]
    for line in lines[1:]:
        line["candidates"] = [["MESH:D005334"]]
    out.write_text("".join(json.dumps(line) + "\\n" for line in lines))
    """
    (folder / "linker.py").write_text(textwrap.dedent(script))
    command = f"{sys.executable} {folder}/linker.py {{input}} {{output}} {{corpus}} {{kb}}"
    found, report = read(folder, call(folder, command, exported, repository), "predictions", repository)
    assert report["gold_with_predictions"] == 4 and found.system == "standin"
    assert evaluate(load_corpus(folder / "corpus"), found)["full"]["recall@1"]["std"] == 0.5


def test_folders_and_a_file_of_another_name(folder, repository):
    exported = export(folder, "pubtator", "c.pubtator")
    command = "test -f {input_folder}/c.pubtator && cp {input_folder}/* {output_folder}/other.PubTator"
    assert call(folder, command, exported, repository).read_bytes() == exported.read_bytes()


def test_places_are_quoted_and_other_brackets_stay():
    line = run_belb_tool.filled("awk '{print}' {input} > {output}", {"input": "/a b/c", "output": "/d"})
    assert line == "awk '{print}' '/a b/c' > /d"


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ("exit 3", DataError, "exit code 3 of exit 3"),
        ("no_such_program {input} {output}", UsageError, "not there.*\n.*no_such_program.*\n.*experiments/belb_tools"),
        ("{input} {output}", UsageError, "exit code 126"),
        ("true", DataError, "no file in its output folder"),
        (": > {output}", DataError, "an empty file c.pubtator"),
        ("touch {output_folder}/a {output_folder}/b", DataError, "a, b in its output folder"),
    ],
)
def test_a_tool_that_fails(folder, repository, line, error, words):
    exported = export(folder, "pubtator", "c.pubtator")
    with pytest.raises(error, match=words):
        call(folder, line, exported, repository)
    assert not (folder / "out.c.pubtator").exists()
    assert not list(folder.glob("tool.*")), "its folder is gone"


def test_what_is_known_of_a_tool_is_shown_where_it_is_missing(folder, repository):
    exported = export(folder, "pubtator", "c.pubtator")
    with pytest.raises(UsageError, match=r"install it: unpack; sh Installation.sh .*\(https://www.ncbi"):
        call(folder, "cd /no/such/folder || exit 127", exported, repository, tool="gnormplus")


TEXTS = {"1": ("Fever and cough", []), "2": ("More fever", [])}


def pubtator(path, *documents):
    blocks = []
    for name, title, abstract, *rows in documents:
        rows = ["\t".join(map(str, row)) for row in rows]
        blocks.append("\n".join([f"{name}|t|{title}", f"{name}|a|{abstract}", *rows]) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([("1", "Fever and cough", "")], "1 of 2 documents are missing: 2"),
        ([("1", "Fever and cough", ""), ("7", "x", "")], "document 7 that it did not get"),
        ([("1", "Fever and cough", ""), ("2", "More fewer", "")], "record 2.*\n.*from character 7 on: 'wer'"),
        ([("1", "Fever and cough ", "")], "from character 15 on"),
        ([("1", "Fever and cough", ""), ("1", "Fever and cough", "")], "document 1 again"),
    ],
)
def test_a_tool_that_changes_what_it_gets(tmp_path, documents, words):
    with pytest.raises(DataError, match=words):
        read_annotations(pubtator(tmp_path / "out", *documents), "pubtator", TEXTS)


def gold():
    return corpus_of([("test", "1", "Fever", ["1"]), ("test", "2", "cough", ["2"])]).gold()


def annotated(tmp_path, *rows):
    texts = {"1": ("Fever ", []), "2": ("cough ", [])}
    by_document = {name: [row for row in rows if row[0] == name] for name in texts}
    path = pubtator(tmp_path / "out", *((name, texts[name][0], "", *found) for name, found in by_document.items()))
    # a title with a blank at its end is followed by no abstract here
    return read_annotations(path, "pubtator", texts), texts


def test_annotations_of_one_span_tie(tmp_path):
    rows = [("1", 0, 5, "Fever", "Gene", "3"), ("1", 0, 5, "Fever", "Gene", "1,3"), ("2", 0, 5, "cough", "Gene", "x1")]
    rows += [("2", 0, 3, "cou", "Gene", "-")]
    annotations, texts = annotated(tmp_path, *rows)
    kept = Kept({"Gene"}.__contains__, "gene")
    found, report = predictions_of(annotations, texts, kept, gold(), "s")
    assert [(row.document, row.candidates) for row in found.rows] == [("1", (("3", "1"),))]
    assert (report["unknown_form"], report["without_identifier"], report["missed"]) == (1, 1, 1)
    reordered = {name: found[::-1] for name, found in annotations.items()}
    again, _ = predictions_of(reordered, texts, kept, gold(), "s")
    assert {frozenset(rank) for row in again.rows for rank in row.candidates} == {frozenset({"1", "3"})}


def test_offsets_of_another_text(tmp_path):
    annotations, texts = annotated(tmp_path, ("1", 1, 6, "Fever", "Gene", "3"))
    with pytest.raises(DataError, match="1 of 1 are not the text.*'Fever'\n.*'ever '"):
        predictions_of(annotations, texts, Kept({"Gene"}.__contains__, "gene"), gold(), "s")


def test_a_corpus_without_texts(tmp_path):
    corpus = corpus_of([("test", "1", "a", ["1"])])
    rows = [row | {"text": "", "passages": []} for row in corpus.documents.to_pylist()]
    with pytest.raises(DataError, match="1 documents without text: 1"):
        texts_of(type(corpus.documents).from_pylist(rows, corpus.documents.schema), "test")
    with pytest.raises(DataError, match="no document of dev"):
        texts_of(corpus.documents, "dev")


def test_the_table_of_tools(repository):
    schema = yaml.safe_load((repository / "schemas/belb_tools.schema.yaml").read_text())
    corpora = {corpus for corpus, _ in read_registry(repository / "experiments/belb_corpora.tsv")}
    with open(repository / "experiments/belb_tools.tsv", encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t")
        rows = list(reader)
    assert reader.fieldnames == schema["required"]
    for row in rows:
        jsonschema.validate(row, schema)
        assert set(row["corpora"].split()) <= corpora
        assert bool(row["command"]) == bool(row["format"])
        if row["command"]:
            assert "{input" in row["command"] and "{output" in row["command"]
    names = [row["tool"] for row in rows]
    asked = "taggerone gnormplus gnorm2 sr4gn tmvar3 bc7t2w arboel biosyn genbioel scispacy ab3p".split()
    assert sorted(names) == sorted(asked)


def test_exports_are_the_same_bytes_each_time(folder):
    for form, name, _ in FORMS:
        first = export(folder, form, name).read_bytes()
        assert export(folder, form, name).read_bytes() == first
        assert form == "pubtator" or b"<date></date>" in first or b'"date": ""' in first, "no day of the run"
