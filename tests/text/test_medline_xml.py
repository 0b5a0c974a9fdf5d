"""Reading MEDLINE XML: what is text, what is not, and what stops the reading."""

import gzip
import random
import re
import subprocess
import sys

import pytest

from workflow_scripts.common.errors import DataError
from workflow_scripts.text.medline_xml import BadRecord, citations

pytestmark = pytest.mark.timeout(120)


def texts(path):
    return [(section.text, section.published) for found in citations(path) for section in found.sections]


@pytest.mark.parametrize(
    ("inner", "text", "published"),
    [
        ("Plain text.", "Plain text.", "Plain text."),
        ("Vitamin D<sub>3</sub> is low.", "Vitamin D3 is low.", "Vitamin D"),
        ("<i>E. coli</i> grows.", "E. coli grows.", ""),
        ("a<b>b<i>c</i>d</b>e", "abcde", "a"),
        ("a<mml:math xmlns:mml='m'>\n <mml:mi>x</mml:mi>\n</mml:math> b", "a  x  b", "a"),
        ("p &lt; 0.05 &amp; more", "p < 0.05 & more", "p < 0.05 & more"),
        ("a<!-- hidden -->b<?pi hidden?>c", "abc", "abc"),
        ("<![CDATA[a < b]]> c", "a < b c", "a < b c"),
        ("line\none\ttwo\u00a0three\u2009four\u3000five", "line one two three four five", None),
        (" two  blanks ", " two  blanks ", " two  blanks "),
        ("\U0001d6fc-catenin e\u0301", "\U0001d6fc-catenin e\u0301", None),
        ("&#x1F9EC; gene", "\U0001f9ec gene", None),
    ],
)
def test_text_of_a_section(tmp_path, make, inner, text, published):
    path = make.write(tmp_path / "a.xml.gz", make.citation(5, inner))
    assert texts(path) == [(text, text if published is None else published)]


def test_sections_labels_positions_and_places(tmp_path, make):
    record = make.citation(
        7,
        ("BACKGROUND", "One."),
        "",
        ("RESULTS", "Three."),
        version=3,
        language="chi",
        other=make.other_abstract("Autre.", "Encore."),
    )
    (found,) = citations(make.write(tmp_path / "a.xml.gz", record))
    assert (found.record, found.pmid, found.version, found.deletion) == (1, 7, 3, False)
    rows = [(section.position, section.label, section.text, section.other) for section in found.sections]
    assert rows == [
        (0, "BACKGROUND", "One.", False),
        (1, None, "", False),
        (2, "RESULTS", "Three.", False),
        (3, None, "Autre.", True),
        (4, None, "Encore.", True),
    ]


def test_deletions_and_numbers_of_records(tmp_path, make):
    path = make.write(
        tmp_path / "a.xml.gz", make.citation(1, "a"), make.citation(2), make.deletion(4, (5, 2)), make.citation(3, "b")
    )
    found = [(item.record, item.pmid, item.version, item.deletion) for item in citations(path)]
    assert found == [(1, 1, 1, False), (2, 2, 1, False), (3, 4, 1, True), (4, 5, 2, True), (5, 3, 1, False)]


def test_old_files_without_pubmed_article(tmp_path, make):
    inner = re.sub(
        "</?PubmedArticle>|<PubmedData>.*</PubmedData>", "", make.citation(8, "Old.") + make.citation(9, "Older.")
    )
    path = make.write(tmp_path / "a.xml.gz", f"<MedlineCitationSet>{inner}</MedlineCitationSet>", head="", tail="")
    assert [(item.pmid, item.sections[0].text) for item in citations(path)] == [(8, "Old."), (9, "Older.")]


def test_books_are_other(tmp_path, make):
    book = (
        "<PubmedBookArticle><BookDocument><PMID>6</PMID><Abstract><AbstractText>B.</AbstractText></Abstract>"
        "</BookDocument></PubmedBookArticle>"
    )
    (found,) = citations(make.write(tmp_path / "a.xml.gz", book))
    assert found.pmid == 6 and [section.other for section in found.sections] == [True]


@pytest.mark.parametrize(
    ("pmid", "problem"),
    [
        ("<PMID>x12</PMID>", "PMID 'x12'"),
        ("<PMID></PMID>", "PMID ''"),
        ("<PMID>0</PMID>", "PMID '0'"),
        ("<PMID>-4</PMID>", "PMID '-4'"),
        ("<PMID>\u0661\u0662</PMID>", "no number"),
        ('<PMID Version="one">12</PMID>', "Version 'one' of PMID 12"),
        ("", "no PMID"),
    ],
)
def test_bad_records(tmp_path, make, pmid, problem):
    broken = make.citation(1, "lost").replace('<PMID Version="1">1</PMID>', pmid)
    found = list(citations(make.write(tmp_path / "a.xml.gz", make.citation(1, "a"), broken, make.citation(2, "b"))))
    assert [item.record for item in found] == [1, 2, 3]
    assert isinstance(found[1], BadRecord) and problem in found[1].problem and found[1].line == 5


def entity_head(declaration):
    return f'<?xml version="1.0"?>\n<!DOCTYPE PubmedArticleSet [{declaration}]>\n<PubmedArticleSet>\n'


def test_external_entity_is_not_read(tmp_path, make):
    secret = tmp_path / "secret.txt"
    secret.write_text("PASSWORD")
    head = entity_head(f'<!ENTITY x SYSTEM "{secret.as_uri()}">')
    path = make.write(tmp_path / "a.xml.gz", make.citation(1, "before &x; after"), head=head)
    ((text, _),) = texts(path)
    assert "PASSWORD" not in text and text.startswith("before ") and text.endswith(" after")


def test_entities_do_not_grow(tmp_path, make):
    names = "abcdefghij"
    declarations = '<!ENTITY a "lollollollol">' + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip(names, names[1:], strict=False)
    )
    path = make.write(tmp_path / "a.xml.gz", make.citation(1, "x &j; y"), head=entity_head(declarations))
    try:
        ((text, _),) = texts(path)
    except DataError:
        return
    assert len(text) < 100


@pytest.fixture(scope="module")
def whole(tmp_path_factory, make):
    draw = random.Random(3)
    words = [f"w{draw.randrange(10**6)}\u03b1" for _ in range(3000)]
    records = [make.citation(pmid, " ".join(draw.choices(words, k=40))) for pmid in range(1, 200)]
    return make.write(tmp_path_factory.mktemp("xml") / "n.xml.gz", *records)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.999])
def test_truncated_gzip(whole, tmp_path, share):
    path = tmp_path / "n.xml.gz"
    body = whole.read_bytes()
    path.write_bytes(body[: int(len(body) * share)])
    with pytest.raises(DataError) as error:
        list(citations(path))
    assert "cut short" in str(error.value) and str(path) in str(error.value) and "record after" in str(error.value)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
def test_xml_that_ends_in_the_middle(whole, tmp_path, share):
    data = gzip.decompress(whole.read_bytes())
    path = tmp_path / "n.xml.gz"
    path.write_bytes(gzip.compress(data[: int(len(data) * share)].decode("utf-8", errors="ignore").encode()))
    seen = []
    with pytest.raises(DataError, match="well-formed XML") as error:
        seen.extend(citations(path))
    assert error.value.line and "</PubmedArticleSet>" in str(error.value) and str(path) in str(error.value)


def test_not_utf8(whole, tmp_path):
    data = gzip.decompress(whole.read_bytes())
    middle = data.index(b"w", len(data) // 2)
    path = tmp_path / "n.xml.gz"
    path.write_bytes(gzip.compress(data[:middle] + b"na\xefve" + data[middle:]))
    with pytest.raises(DataError, match="UTF-8"):
        list(citations(path))


@pytest.mark.parametrize(
    "body",
    [b"plain", b"", b"\x1f\x8b", gzip.compress(b""), gzip.compress(b"no xml"), gzip.compress(b"<a><b></a>")],
    ids=["plain", "empty", "cut magic", "empty member", "no markup", "unbalanced"],  # not the bytes: they hold the time
)
def test_no_medline_file(tmp_path, body):
    path = tmp_path / "n.xml.gz"
    path.write_bytes(body)
    with pytest.raises(DataError, match=re.escape(str(path))):
        list(citations(path))


def test_corrupt_gzip_data(whole, tmp_path):
    body = bytearray(whole.read_bytes())
    for i in range(len(body) // 2, len(body) // 2 + 50):
        body[i] ^= 0x5A
    path = tmp_path / "n.xml.gz"
    path.write_bytes(bytes(body))
    with pytest.raises(DataError):
        list(citations(path))


_PEAK = """
import re, sys
from workflow_scripts.text.medline_xml import citations
count = sum(len(item.sections) for item in citations(sys.argv[1]))
# not ru_maxrss: it begins with the size of the process that started this one
print(count, re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_does_not_grow_with_the_file(tmp_path, make, repository):
    filler = "<MedlineTA>" + "x" * 2000 + "</MedlineTA>"
    peaks = []
    for count in (500, 15_000):
        records = [
            make.citation(pmid, "A sentence of a few words. " * 20, after=filler) for pmid in range(1, count + 1)
        ]
        path = make.write(tmp_path / f"n{count}.xml.gz", *records)
        done = subprocess.run(
            [sys.executable, "-c", _PEAK, path], cwd=repository, capture_output=True, text=True, timeout=100, check=True
        )
        found, peak = map(int, done.stdout.split())
        assert found == count
        peaks.append(peak)
    assert peaks[1] - peaks[0] < 8_000  # KB; the larger file holds 40 MB of XML


def test_real_file(shared_data):
    found = list(citations(shared_data / "medline/pubmed20n1015.xml.gz"))
    own = [section for item in found for section in item.sections if not section.other]
    others = [section for item in found for section in item.sections if section.other]
    assert (len(found), len(own), len(others)) == (756, 1488, 113)
    assert sum(len(section.text) - len(section.published) for section in own) > 100_000
    marked = [section.text for section in own if section.text != section.published]
    assert len(marked) > 100 and not any("<" in text and "</" in text for text in marked)
