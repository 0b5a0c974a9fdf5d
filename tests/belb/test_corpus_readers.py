"""Readers of the released formats, on small invented files with the oddities of real ones."""

import gzip
import json
import re

import pytest

from workflow_scripts.belb.bioc_files import read_bioc
from workflow_scripts.belb.bioid import read_bioid
from workflow_scripts.belb.corpus_records import Original
from workflow_scripts.belb.osiris import read_osiris
from workflow_scripts.belb.pubtator import read_pubtator
from workflow_scripts.belb.seth import read_snp
from workflow_scripts.belb.standoff import Lines, read_brat, read_linnaeus, read_s800
from workflow_scripts.common.errors import DataError

PUBTATOR = """11|t|Zorb fever in öxen.
11|a|Two öxen had zorb fever and mild glim.
11\t0\t10\tZorb fever\tDisease\tD000001
11\t33\t43\tzorb fever\tDisease\tD000001|D000002\tzorb|fever
11\t53\t57\tglim\tDisease
11\tCID\tD000001\tD000002

12|t|A title with a blank at its end 
12|a|
12\t2\t7\ttitle\tDisease\t-1
"""


def file_of(tmp_path, text, name="corpus.txt"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def spans(document):
    """(type, what stands at the annotation's place, what the annotation says) of each annotation."""
    return [
        (annotation.original.entity_type, document.text[annotation.start : annotation.end], annotation.original.text)
        for annotation in document.annotations
    ]


def message(error, path):
    """The text of an error, with the file's name in place of its path."""
    return str(error.value).replace(str(path), path.name)


@pytest.mark.parametrize("change", [str, lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
def test_pubtator(tmp_path, change):
    path = file_of(tmp_path, change(PUBTATOR))
    first, second = read_pubtator(path)
    assert first.passages == [("title", "Zorb fever in öxen."), ("abstract", "Two öxen had zorb fever and mild glim.")]
    assert spans(first) == [
        ("Disease", "Zorb fever", "Zorb fever"),
        ("Disease", "zorb fever", "zorb fever"),
        ("Disease", "glim", "glim"),
    ]
    assert [a.original.identifiers for a in first.annotations] == ["D000001", "D000001|D000002", ""]
    assert first.annotations[1].original == Original(33, 43, "zorb fever", "Disease", "D000001|D000002", None)
    assert first.annotations[2].place == f"{path}, line 5"
    assert second.passages == [("title", "A title with a blank at its end ")]
    assert spans(second) == [("Disease", "title", "title")]


def test_pubtator_needs_no_empty_line_between_documents_and_no_line_end_at_the_end(tmp_path):
    path = file_of(tmp_path, "1|t|A\n1|a|b\n2|t|C\n2|a|d\n2\t0\t1\tC\tX\ty")
    assert [document.text for document in read_pubtator(path)] == ["A b", "C d"]


def test_an_empty_file_has_no_documents(tmp_path):
    assert list(read_pubtator(file_of(tmp_path, ""))) == []


def test_gzipped_files_are_read_and_cut_off_ones_refused(tmp_path):
    path = tmp_path / "corpus.txt.gz"
    whole = gzip.compress(PUBTATOR.encode())
    path.write_bytes(whole)
    assert len(list(read_pubtator(path))) == 2
    path.write_bytes(whole[:-12])
    with pytest.raises(DataError) as error:
        list(read_pubtator(path))
    assert message(error, path) == (
        "corpus.txt.gz\n  found:    a compressed file whose end is missing\n  expected: a whole file\n"
        "  remedy:   get the file again and compare its size and digest with the publisher's"
    )


BAD_PUBTATOR = [
    (
        "1|t|Title\n",
        "corpus.txt\n  found:    no abstract of document 1 before the end of the file\n"
        "  expected: id|a|abstract after id|t|title\n  remedy:   is the file cut off?",
    ),
    ("1|t|T\n\n1|a|B\n", "found:    no abstract of document 1 before line 2"),
    (
        "1|t|T\n1|a|B\n1\t0\t1\n",
        "corpus.txt, line 3\n  found:    3 columns\n  expected: 5 to 7 (annotation) or 4 (relation)",
    ),
    ("1|t|T\n1|a|B\n1\t0\t1\tT\tX\ty\tz\tw\n", "line 3\n  found:    8 columns"),
    ("1|t|T\n1|a|B\n1\tzero\t1\tT\tX\n", "line 3\n  found:    offset 'zero'\n  expected: a whole number"),
    ("1|t|T\n1|a|B\n1\t-1\t1\tT\tX\n", "line 3\n  found:    offset '-1'\n  expected: a whole number"),
    ("1|t|T\n1|a|B\n2\t0\t1\tT\tX\n", "line 3\n  found:    an annotation of document 2 in document 1"),
    ("2\t0\t1\tT\tX\n", "line 1\n  found:    an annotation of document 2 in no document"),
    ("1|t|T\n1|b|B\n", "line 2\n  found:    passage b of document 1\n  expected: a title, then its abstract"),
    ("1|a|T\n", "line 1\n  found:    passage a of document 1"),
    ("1|t|T\n1|a|B\n1|a|B\n", "line 3\n  found:    passage a of document 1"),
    ("1|t|T\n1|a|B\nnonsense\n", "line 3\n  found:    'nonsense'"),
]


@pytest.mark.parametrize(("text", "expected"), BAD_PUBTATOR)
def test_broken_pubtator_files_are_refused(tmp_path, text, expected):
    path = file_of(tmp_path, text)
    with pytest.raises(DataError) as error:
        list(read_pubtator(path))
    assert expected in message(error, path)


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes("1|t|T\n1|a|ö\n".encode("latin-1"))
    with pytest.raises(DataError) as error:
        list(read_pubtator(path))
    assert "corpus.txt, line 2\n  found:    byte 0xf6\n  expected: UTF-8 text" in message(error, path)


def test_lines_become_passages_and_offsets_move_with_them():
    text = "  A title\n\n\tfirst par \n second\n"
    lines = Lines(text)
    assert lines.passages == [("title", "A title"), ("paragraph", "first par"), ("paragraph", "second")]
    joined = " ".join(piece for _, piece in lines.passages)
    for word in ("A", "title", "first", "par", "second"):
        at = lines.moved(text.index(word))
        assert joined[at : at + len(word)] == word
    assert Lines("\n \n").passages == [] and Lines("").moved(3) == 3


LINNAEUS = "#entity id\tdocument\tstart\tend\ttext\tcomment\n"


def test_linnaeus(tmp_path):
    file_of(tmp_path, "On mice\n\nA mouse is no rat.\n", "txt/pmcA22.txt")
    file_of(tmp_path, "Nothing here\n", "txt/pmcA7.txt")
    rows = "species:ncbi:10090\tpmcA22\t3\t7\tmice\t\nspecies:ncbi:0\tpmcA22\t11\t16\tmouse\t4|2\n"
    table = file_of(tmp_path, LINNAEUS + rows + "species:ncbi:10116\tpmcA22\t23\t26\trat\n", "tags.tsv")
    mice, nothing = read_linnaeus(table, tmp_path / "txt")
    assert (mice.document, nothing.document, nothing.annotations) == ("22", "7", [])
    assert spans(mice) == [("species", word, word) for word in ("mice", "mouse", "rat")]
    assert [a.original.identifiers for a in mice.annotations] == ["10090", "0", "10116"]
    assert [(a.start, a.original.start) for a in mice.annotations] == [(3, 3), (10, 11), (22, 23)]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            "species:ncbi:1\tpmcA9\t0\t1\tx\t",
            "tags.tsv, line 2\n  found:    document pmcA9\n  expected: one of the 1 texts, e.g. pmcA22\n"
            "  remedy:   are all texts there?",
        ),
        (
            "species:ncbi:1\tpmcA22\t0",
            "tags.tsv, line 2\n  found:    3 columns\n"
            "  expected: columns #entity id, document, start, end, text, comment\n  remedy:   correct it",
        ),
        ("species:ncbi:1\tpmcA22\t0\tx\tx\t", "tags.tsv, line 2\n  found:    offset 'x'"),
    ],
)
def test_broken_linnaeus_tables_are_refused(tmp_path, row, expected):
    file_of(tmp_path, "On mice\n", "txt/pmcA22.txt")
    table = file_of(tmp_path, LINNAEUS + row, "tags.tsv")
    with pytest.raises(DataError) as error:
        list(read_linnaeus(table, tmp_path / "txt"))
    assert expected in message(error, table)


def test_s800_counts_the_last_character(tmp_path):
    file_of(tmp_path, "Yeast grows.\n\nNot all yeast.\n", "abstracts/fun001.txt")
    file_of(tmp_path, "No name.\n", "abstracts/vir002.txt")
    table = file_of(tmp_path, "4932\tfun001:55\t0\t4\tYeast\n4932\tfun001:55\t22\t26\tyeast\n", "S800.tsv")
    names = file_of(tmp_path, "fun001\tPMID:55\tx\nvir002\tPMID:66\tx\n", "pubmedid.tsv")
    first, second = read_s800(table, tmp_path / "abstracts", names)
    assert (first.document, second.document) == ("55", "66")
    assert spans(first) == [("species", "Yeast", "Yeast"), ("species", "yeast", "yeast")]
    assert first.annotations[1].original == Original(22, 26, "yeast", "species", "4932")
    names.write_text("fun001\tPMID:55\n")
    with pytest.raises(DataError) as error:
        list(read_s800(table, tmp_path / "abstracts", names))
    assert "found:    no PMID of vir002.txt" in message(error, names)
    table.write_text("4932\tfun001-55\t0\t4\tYeast\n")
    with pytest.raises(DataError) as error:
        list(read_s800(table, tmp_path / "abstracts", names))
    assert "S800.tsv, line 1\n  found:    5 columns\n  expected: columns taxon, document:PMID" in message(error, table)


def test_brat(tmp_path):
    file_of(tmp_path, "Cats and\ndogs\n", "x.txt")
    notes = "T1\tSpecies 0 4\tCats\nT2\tSpecies 0 4;9 13\tCats dogs\nN1\tReference T1 Taxonomy:9685\tcat\n#1\tnote\n"
    ann = file_of(tmp_path, notes, "x.ann")
    (document,) = read_brat(tmp_path)
    assert [a.original.identifiers for a in document.annotations] == ["9685", ""]
    assert spans(document)[1] == ("Species", "Cats and dogs", "Cats dogs")
    ann.write_text("N1\tReference T9 Taxonomy:9685\tcat\n")
    with pytest.raises(DataError) as error:
        list(read_brat(tmp_path))
    assert "x.ann, line 1\n  found:    span T9\n  expected: a span of the lines before" in message(error, ann)


OSIRIS = """<?xml version="1.0" encoding="UTF-8"?>
<Articles><Article><Pmid>5</Pmid><Title>The <gene g_id="1" g_lex="AB1">AB1</gene> gene</Title>
<Abstract>Of <variant v_id="123" v_lex="A1G" v_norm="A1G">A1G &amp; co</variant> and <variant v_id="No" v_lex="x"
v_norm="x"><gene g_id="2" g_lex="C2">C2</gene>*3</variant>.</Abstract></Article></Articles>
"""


def test_osiris(tmp_path):
    (document,) = read_osiris(file_of(tmp_path, OSIRIS))
    assert document.text == "The AB1 gene Of A1G & co and C2*3."
    found = sorted(spans(document), key=lambda span: document.text.index(span[1]))
    assert found == [
        ("gene", "AB1", "AB1"),
        ("variant", "A1G & co", "A1G & co"),
        ("gene", "C2", "C2"),
        ("variant", "C2*3", "C2*3"),
    ]
    assert [a.original.identifiers for a in document.annotations] == ["1", "123", "2", "No"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda text: text[:200], "found:    broken XML"),
        (lambda text: text.replace("Articles", "Papers"), "found:    element Papers\n  expected: Articles"),
        (
            lambda text: text.replace("Pmid>", "Id>"),
            "line 2\n  found:    an Article without Pmid\n  expected: one each",
        ),
        (lambda text: text.replace("<gene", "<drug").replace("</gene", "</drug"), "found:    element drug"),
    ],
)
def test_broken_osiris_files_are_refused(tmp_path, change, expected):
    path = file_of(tmp_path, change(OSIRIS))
    with pytest.raises(DataError) as error:
        list(read_osiris(path))
    assert expected in message(error, path)


def test_snp_has_offsets_from_one_and_no_text(tmp_path):
    rows = "8\t'A1G'\tA1G\t5\t8\trs77\tPSM\n9\t'c.1A>T'\tA1T\t1\t7\trs78\tNSM \n8\t'a1g'\tA1G\t11\t14\trs77\tPSM\n"
    path = file_of(tmp_path, rows, "snp.txt")
    first, second = read_snp(path)
    assert (first.document, first.text, len(first.annotations)) == ("8", "", 2)
    assert first.annotations[0].original == Original(4, 7, "A1G", "PSM", "rs77")
    texts = file_of(tmp_path, "8|t|The A1G.\n8|a|A a1g.\n", "texts.PubTator")
    with_text, without = read_snp(path, [texts])
    assert with_text.text == "The A1G. A a1g." and without.text == ""
    for row, expected in (
        ("8\tA1G\tA1G\t5\t8\trs77\tPSM", "found:    mention A1G\n  expected: a mention in single quotes"),
        ("8\t'A1G'\tA1G\t5\t8\trs77", "snp.txt, line 1\n  found:    6 columns\n  expected: 7: PMID, mention"),
    ):
        path.write_text(row)
        with pytest.raises(DataError) as error:
            list(read_snp(path))
        assert expected in message(error, path)


def bioc_xml(annotations, text="An XY1 and YZ2."):
    """A BioC document whose passages leave a gap; `annotations` stand in the second one, at offset 100."""
    return (
        '<?xml version="1.0"?><collection><source>s</source><date>d</date><key>k</key><document><id>31</id>'
        '<passage><infon key="type">title</infon><offset>0</offset><text>Of XY1</text>'
        '<annotation id="1"><infon key="type">Gene</infon><infon key="NCBI Gene identifier">7</infon>'
        '<location offset="3" length="3"/><text>XY1</text></annotation></passage>'
        '<passage><infon key="section_type">ABSTRACT</infon><offset>50</offset></passage>'
        f'<passage><infon key="section_type">ABSTRACT</infon><offset>100</offset><text>{text}</text>{annotations}'
        "</passage></document></collection>"
    )


TWO_PIECES = (
    '<annotation id="2"><infon key="type">Gene</infon><infon key="identifier">8,9</infon>'
    '<location offset="103" length="3"/><location offset="111" length="3"/><text>XY1 and YZ2</text></annotation>'
)


def test_bioc_xml(tmp_path):
    (document,) = read_bioc(file_of(tmp_path, bioc_xml(TWO_PIECES), "a.BioC.xml"))
    assert document.passages == [("title", "Of XY1"), ("ABSTRACT", "An XY1 and YZ2.")]
    assert spans(document) == [("Gene", "XY1", "XY1"), ("Gene", "XY1 and YZ2", "XY1 and YZ2")]
    assert [a.original.identifiers for a in document.annotations] == ["7", "8,9"]
    assert document.annotations[1].original.start == 103 and document.annotations[1].start == 10


def test_bioc_json(tmp_path):
    location = {"offset": 3, "length": 3}
    annotation = {"id": "1", "infons": {"type": "Gene", "identifier": "7"}, "text": "XY1", "locations": [location]}
    passage = {"offset": 0, "infons": {"type": "title"}, "text": "Of XY1", "sentences": [], "relations": []}
    passage["annotations"] = [annotation]
    whole = {"source": "s", "date": "d", "key": "k", "infons": {}}
    whole["documents"] = [{"id": "31", "infons": {}, "passages": [passage], "annotations": [], "relations": []}]
    path = file_of(tmp_path, json.dumps(whole), "a.json")
    (document,) = read_bioc(path)
    assert spans(document) == [("Gene", "XY1", "XY1")]
    path.write_text(json.dumps(whole)[:-20])
    with pytest.raises(DataError) as error:
        list(read_bioc(path))
    assert re.search("a.json\n  found:    no BioC JSON .*\n  expected: a whole BioC file", message(error, path))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bioc_xml(TWO_PIECES)[:-40], "a.xml\n  found:    broken XML"),
        (
            bioc_xml(TWO_PIECES, text=""),
            "a.xml, record 31\n  found:    1 annotations in passages without text\n  expected: annotations of a text",
        ),
        (
            bioc_xml(re.sub("<location.*/>", "", TWO_PIECES)),
            "a.xml, record 31\n  found:    annotation 2 without location\n  expected: an offset and a length",
        ),
    ],
)
def test_broken_bioc_files_are_refused(tmp_path, text, expected):
    path = file_of(tmp_path, text, "a.xml")
    with pytest.raises(DataError) as error:
        list(read_bioc(path))
    assert expected in message(error, path)


def caption(article, figure, text):
    infons = f'<infon key="pmc_id">{article}</infon><infon key="sourcedata_figure_dir">{figure}</infon>'
    passage = f"<passage><offset>0</offset><text>{text}</text></passage>"
    head = "<source>s</source><date>d</date><key>k</key>"
    return f"<collection>{head}<document><id>{article} {figure}</id>{infons}{passage}</document></collection>"


BIOID = "annot id,don_article,figure,first left,last right,text,obj\n"


def test_bioid(tmp_path):
    file_of(tmp_path, caption("77", "Figure_2-B", "HeLa, twice: HeLa."), "caption_bioc/b.xml")
    file_of(tmp_path, caption("77", "Figure_1-A", "Some cells"), "caption_bioc/a.xml")
    rows = "1,77,Figure_2-B,0,4,HeLa,CVCL_0030\n2,77,Figure_2-B,13,17,HeLa,CVCL_0030|CL:1\n"
    rows += '3,77,Figure_1-A,5,10,"cells",cell:\n'
    table = file_of(tmp_path, BIOID + rows, "annotations.csv")
    (document,) = read_bioid(table, tmp_path / "caption_bioc")
    assert document.document == "77"
    assert document.passages == [("figure_caption", "Some cells"), ("figure_caption", "HeLa, twice: HeLa.")]
    assert spans(document) == [("cell", "cells", "cells")] + 2 * [("Cellosaurus", "HeLa", "HeLa")]
    assert document.annotations[1].original.location == "Figure_2-B"
    assert document.annotations[1].original.start == 0
    for text, expected in (
        (BIOID + "1,78,Figure_1-A,0,4,HeLa,CVCL_0030\n", "line 2\n  found:    figure Figure_1-A of article 78"),
        (BIOID + "1,77,Figure_1-A,0,4,HeLa\n", "line 2\n  found:    6 columns\n  expected: 7"),
        (BIOID + "1,77,Figure_1-A,0.0,4,HeLa,x\n", "line 2\n  found:    offset '0.0'"),
        (BIOID.replace(",obj", ""), "line 1\n  found:    columns annot id, don_article, figure"),
    ):
        table.write_text(text)
        with pytest.raises(DataError) as error:
            list(read_bioid(table, tmp_path / "caption_bioc"))
        assert expected in message(error, table)
