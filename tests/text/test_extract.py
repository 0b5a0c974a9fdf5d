"""extract_abstracts as its rule calls it."""

import pyarrow.parquet as pq
import pytest

from workflow_scripts.common.tables import check_file
from workflow_scripts.text.contracts import ABSTRACTS, CITATIONS

pytestmark = pytest.mark.timeout(120)


def rows(stage, table, batch="0001"):
    return pq.read_table(stage.folder / table / f"{batch}.parquet").to_pylist()


def abstracts(stage, *names):
    return [tuple(row[name] for name in names) for row in rows(stage, "abstracts")]


@pytest.fixture
def files(tmp_path, make):
    first = make.write(
        tmp_path / "n1.xml.gz",
        make.citation(30, ("AIM", "To see H<sub>2</sub>O."), "<b>Bold</b> it was.", "  ", language="chi"),
        make.citation(4, "Plain.", other=make.other_abstract("Autre <i>chose</i>.", " ")),
        make.citation(5),
        make.citation(4, "Twice in the file.", "And more."),
        make.deletion(77),
    )
    second = make.write(tmp_path / "n2.xml.gz", make.citation(30, "Again.", version=2), make.citation(4, "Later."))
    return [first, second]


def test_tables(stage, files, make):
    make.succeed(stage.extract(files))
    assert abstracts(stage, "pmid", "version", "file_rank", "field", "label", "text") == [
        (4, 1, 0, "0", None, "Twice in the file."),
        (4, 1, 0, "1", None, "And more."),
        (4, 1, 1, "0", None, "Later."),
        (30, 1, 0, "0", "AIM", "To see H2O."),
        (30, 1, 0, "1", None, "Bold it was."),
        (30, 2, 1, "0", None, "Again."),
    ]
    names = CITATIONS.schema.names
    assert [tuple(row[name] for name in names) for row in rows(stage, "citations")] == [
        (4, 1, 0, 2, False, 1, 6, 6, 2, 12),
        (4, 1, 0, 4, False, 2, 27, 27, 0, 0),
        (4, 1, 1, 2, False, 1, 6, 6, 0, 0),
        (5, 1, 0, 3, False, 0, 0, 0, 0, 0),
        (30, 1, 0, 1, False, 2, 23, 8, 0, 0),
        (30, 2, 1, 1, False, 1, 6, 6, 0, 0),
        (77, 1, 0, 5, True, 0, 0, 0, 0, 0),
    ]
    check_file(stage.folder / "abstracts/0001.parquet", ABSTRACTS)
    check_file(stage.folder / "citations/0001.parquet", CITATIONS)


def test_published_markup(stage, files, make):
    make.succeed(stage.extract(files[:1], inline_markup="published"))
    assert abstracts(stage, "pmid", "field", "text") == [
        (4, "0", "Twice in the file."),
        (4, "1", "And more."),
        (30, "0", "To see H"),
    ]


def test_published_other_abstracts(stage, tmp_path, make):
    path = make.write(
        tmp_path / "n.xml.gz", make.citation(4, "Own.", "", other=make.other_abstract(" ", "Autre <i>chose</i>."))
    )
    make.succeed(stage.extract([path], other_abstracts="published"))
    assert abstracts(stage, "field", "text") == [("0", "Own."), ("3", "Autre chose.")]
    make.succeed(stage.extract([path], other_abstracts="published", inline_markup="published"))
    assert abstracts(stage, "field", "text") == [("0", "Own."), ("3", "Autre ")]


def test_ranks_go_on_over_batches(stage, files, make):
    make.succeed(stage.extract(files[1:], batch="0003", files_per_job=7))
    assert {row["file_rank"] for row in rows(stage, "citations", "0003")} == {14}


def test_fields_of_more_than_ten_sections(stage, tmp_path, make):
    path = make.write(tmp_path / "n.xml.gz", make.citation(4, *[f"Section {i}." for i in range(12)]))
    make.succeed(stage.extract([path]))
    assert abstracts(stage, "field") == sorted((str(i),) for i in range(12))


@pytest.mark.parametrize(("allowed", "code"), [(0, 3), (1, 3), (2, 0)])
def test_bad_records_are_bounded(stage, tmp_path, make, allowed, code):
    broken = [make.citation(1, "x").replace('<PMID Version="1">1</PMID>', text) for text in ("", "<PMID>a</PMID>")]
    path = make.write(tmp_path / "n.xml.gz", make.citation(7, "a"), *broken, make.citation(8, "b"))
    done = stage.extract([path], max_bad_records=allowed)
    assert done.returncode == code, done.stderr
    assert "record 2: no PMID; skipped" in done.stderr
    if code:
        assert "medline.max_bad_records" in done.stderr and f"record {allowed + 2}" in done.stderr
        assert not (stage.folder / "abstracts/0001.parquet").exists()
    else:
        assert [row["pmid"] for row in rows(stage, "citations")] == [7, 8]


def test_broken_file_leaves_nothing(stage, files):
    files[1].write_bytes(files[1].read_bytes()[:-20])
    done = stage.extract(files, environment={})
    assert done.returncode == 3 and str(files[1]) in done.stderr and "cut short" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(stage.folder.rglob("*.parquet"))


def test_file_without_abstracts(stage, tmp_path, make):
    make.succeed(stage.extract([make.write(tmp_path / "n.xml.gz", make.citation(1))]))
    assert rows(stage, "abstracts") == [] and len(rows(stage, "citations")) == 1
    make.succeed(stage.split())
    assert rows(stage, "split") == []


def test_real_file(stage, shared_data, make):
    """The figures of the real file, counted with the published reading beside ours."""
    done = make.succeed(stage.extract([shared_data / "medline/pubmed20n1015.xml.gz"]))
    citations, sections = rows(stage, "citations"), rows(stage, "abstracts")
    assert (len(citations), len(sections)) == (756, 1488), done.stderr
    ours, published = (sum(row[name] for row in citations) for name in ("characters", "published_characters"))
    assert (ours, published) == (988_880, 788_555)
    texts = {row["pmid"]: row["text"] for row in sections if row["label"] in (None, "Results")}
    assert texts[31839801].startswith("V. affinis venom hyaluronidase full sequence")
    assert "a central core (\u03b1/\u03b2)7 composed of Asp107" in texts[31839801]
    assert "two (N-ethylperimidinyl-C2H4)2NCH2- arms" in texts[31839830]


def test_chinese_articles_are_kept(stage, shared_data, make):
    import gzip

    from lxml import etree

    path = shared_data / "medline/pubmed20n1015.xml.gz"
    make.succeed(stage.extract([path]))
    found = {row["pmid"] for row in rows(stage, "abstracts")}
    with gzip.open(path) as stream:
        tree = etree.parse(stream)
    chinese = [
        int(article.findtext("../PMID"))
        for article in tree.iterfind(".//Article")
        if article.findtext("Language") == "chi" and article.find("Abstract") is not None
    ]
    assert len(chinese) == 40 and set(chinese) <= found
