"""The invented MEDLINE baseline and what its sentences tell."""

import collections
import gzip
import hashlib
import re
import struct
from xml.etree import ElementTree

import ahocorasick_rs
import pytest

from workflow_scripts.demo import grammar, graph, telling
from workflow_scripts.demo.medline import markup
from workflow_scripts.demo.plain_text import read_text
from workflow_scripts.demo.semantic_types import kept

FILES = [f"pubmed19n000{number}.xml.gz" for number in range(1, 7)]


@pytest.fixture(scope="module")
def documents(release):
    """The parsed baseline files, in order."""
    return [ElementTree.fromstring(gzip.decompress((release.baseline / name).read_bytes())) for name in FILES]


@pytest.fixture(scope="module")
def sentences(release):
    return read_text(release.text)


@pytest.fixture(scope="module")
def knowledge():
    return graph.build_graph(0, grammar.running_words())


def test_md5_files_have_the_form_of_nlm(release):
    for name in FILES:
        digest = hashlib.md5((release.baseline / name).read_bytes()).hexdigest()
        assert (release.baseline / f"{name}.md5").read_text() == f"MD5({name})= {digest}\n"


def test_gzip_headers_hold_no_time_and_no_name(release):
    for name in FILES:
        magic, method, flags, time = struct.unpack("<HBBI", (release.baseline / name).read_bytes()[:8])
        assert (magic, method, flags, time) == (0x8B1F, 8, 0, 0)


def test_the_release_is_small(release):
    compressed = sum((release.baseline / name).stat().st_size for name in FILES)
    tables = b"".join(path.read_bytes() for path in sorted(release.meta.iterdir()))
    assert compressed + len(gzip.compress(tables)) < 4_000_000


def test_what_the_reader_of_xml_must_see_through(documents, release):
    articles = [article for document in documents for article in document.iter("MedlineCitation")]
    abstracts = [text for article in articles for text in article.findall("Article/Abstract/AbstractText")]
    assert {text.get("Label") for text in abstracts} >= {"BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS", None}
    inline = collections.Counter(child.tag for text in abstracts for child in text)
    assert min(inline[tag] for tag in ("i", "sub", "sup", "b")) >= 20
    assert sum(text.text is None and len(text) > 0 for text in abstracts) >= 30, "abstracts that start with a tag"
    assert sum(not "".join(text.itertext()).strip() for text in abstracts) >= 5, "empty abstracts"
    assert sum(article.find("Article/Abstract") is None for article in articles) >= 5
    others = [article.find("OtherAbstract") for article in articles]
    assert {other.get("Language") for other in others if other is not None} == {"fre", "ger", "spa", "eng"}
    assert {article.findtext("Article/Language") for article in articles} == {"eng", "chi", "ger"}
    assert sum(article.find("Article/Abstract/CopyrightInformation") is not None for article in articles) > 100
    raw = gzip.decompress((release.baseline / FILES[0]).read_bytes()).decode()
    assert "&amp;" in raw and "&lt;" in raw and "&#x3b2;" in raw and "İ" in raw


def test_deleted_and_later_versions(documents, sentences):
    places = collections.defaultdict(list)
    for number, document in enumerate(documents):
        for article in document.iter("MedlineCitation"):
            pmid = article.find("PMID")
            places[int(pmid.text)].append((number, int(pmid.get("Version"))))
    deleted = [int(pmid.text) for pmid in documents[-1].findall("DeleteCitation/PMID")]
    assert len(deleted) >= 20 and all(places[pmid][0][0] < 5 for pmid in deleted)
    again = {pmid: found for pmid, found in places.items() if len(found) > 1}
    assert len(again) >= 20 and all(first[0] < second[0] for first, second in again.values())
    assert {second[1] for _, second in again.values()} == {1, 2}
    texts = [text for text, _ in sentences]
    assert not any("withdrawn report" in text or "superseded report" in text for text in texts)
    whole = " ".join("".join(document.itertext()) for document in documents)
    assert whole.count("This withdrawn report") == len(deleted)
    assert whole.count("This superseded report") == len(again)


def test_the_plain_text_is_the_text_of_the_abstracts(documents, sentences):
    squeeze = lambda text: re.sub(r"\s", "", text)  # noqa: E731
    live = "|".join(
        squeeze("".join(text.itertext()))
        for document in documents
        for text in document.findall("PubmedArticle/MedlineCitation/Article/Abstract/AbstractText")
    )
    assert len(sentences) == len({text for text, _ in sentences}) > 20_000
    assert all(squeeze(text) in live for text, _ in sentences[::37])


def test_a_repeated_sentence_stands_in_two_citations(documents):
    counts = collections.Counter()
    for document in documents:
        for text in document.iter("AbstractText"):
            counts.update(set(re.split(r"(?<=\.) (?=[A-Z])", "".join(text.itertext()))))
    assert sum(count > 1 for count in counts.values()) >= 40


def test_a_dictionary_finds_the_mentions_and_nothing_else(sentences, release):
    names = set()
    for line in (release.meta / "MRCONSO.RRF").read_text(encoding="utf-8").splitlines():
        row = line.split("|")
        if row[1] == "ENG" and row[16] == "N" and len(row[14]) >= 3:
            names.add(row[14].lower())
    names = sorted(names)
    finder = ahocorasick_rs.AhoCorasick(names, matchkind=ahocorasick_rs.MatchKind.LeftmostLongest)
    wrong = 0
    for text, spans in sentences:
        low = text.replace("İ", "I").lower()
        found = [
            (start, end)
            for _, start, end in finder.find_matches_as_indexes(low)
            if not (low[start - 1 : start].isalnum() or low[end : end + 1].isalnum())
        ]
        told = [span for span in spans if not low[slice(*span)].startswith("extrinsic")]
        wrong += [span for span in found if not low[slice(*span)].startswith("extrinsic")] != told
    assert wrong <= len(sentences) // 1000


def test_mentions_and_lengths(sentences):
    counts = collections.Counter(len(spans) for _, spans in sentences)
    assert counts[2] / len(sentences) > 0.75 and counts[3] > 500 and counts[0] and counts[1] > 1000
    lengths = [len(text.split()) for text, spans in sentences if len(spans) >= 2]
    assert sum(lengths) / len(lengths) > 12 and max(lengths) <= 45 and min(lengths) >= 4
    assert len({re.sub(r"\d", "", text) for text, _ in sentences}) > 0.9 * len(sentences)
    assert any(not text[start:end].isascii() for text, spans in sentences for start, end in spans)


def test_no_clause_names_its_relation_alone():
    for clause, uses in grammar.TELLING:
        assert len(uses) >= 2, clause
    assert all(len(clauses) >= 4 for clauses in grammar.CLAUSES_OF.values())
    assert len(grammar.CLAUSES_OF) == 21
    wholes = [frozenset(clause for clause, _ in clauses) for clauses in grammar.CLAUSES_OF.values()]
    assert len(set(wholes)) == 21


def test_told_facts_cover_every_relation_in_bags(knowledge):
    told = telling.told_facts(0, knowledge)
    assert set(told) <= set(knowledge.facts)
    facts = collections.Counter(relation for _, relation, _ in told)
    assert len(facts) == 21 and min(facts.values()) >= 25
    assert 1.5 < sum(told.values()) / len(told) < 3 and max(told.values()) >= 6


def test_unrelated_pairs_fit_types_and_roles_of_facts(knowledge):
    pairs = telling.unrelated_pairs(0, knowledge)
    facts = {(head, tail) for head, _, tail in knowledge.facts}
    heads, tails = {head for head, _ in facts}, {tail for _, tail in facts}
    types = {cui: [tui for tui in concept.tuis if kept(tui)] for cui, concept in knowledge.concepts.items()}
    fitting = {(a, b) for head, tail in facts for a in types[head] for b in types[tail]}
    for head, tail in pairs:
        assert (head, tail) not in facts and (tail, head) not in facts
        assert head in heads and tail in tails
        assert any((a, b) in fitting for a in types[head] for b in types[tail])
    assert sum(pairs.values()) > 9 * sum(telling.told_facts(0, knowledge).values())


def test_most_sentences_of_a_fact_tell_it_and_few_of_an_unrelated_pair_do(knowledge):
    teller = telling.Teller(0, knowledge, list(knowledge.concepts.values())[:3])
    facts = knowledge.facts[::9]
    told = [teller.fact(fact, number) for fact in facts for number in range(3)]
    assert 0.68 < sum(map(tells, told)) / len(told) < 0.76
    assert len({sentence.marked for sentence in told}) > 0.99 * len(told)
    pairs = list(telling.unrelated_pairs(0, knowledge))[::9]
    other = [teller.unrelated(head, tail, 0) for head, tail in pairs]
    assert 0.02 < sum(map(tells, other)) / len(other) < 0.06
    assert any(sentence.marked.startswith(tuple(grammar.DENIALS)) for sentence in other)
    assert teller.fact(facts[0], 1) == teller.fact(facts[0], 1)


def tells(sentence):
    """Whether a sentence is made of a clause that tells a relation, whatever its fillings."""
    return any(pattern.search(sentence.marked) for pattern in CLAUSES)


def _pattern(clause):
    mention = f"(?:[Tt]he )?(?:<.>)?{telling.OPEN}[^{telling.CLOSE}]+{telling.CLOSE}(?:</.>)?"
    pieces = {"{A}": mention, "{B}": mention, "{usual}": r"\w+", "{adv}": r"(?:[a-z ]+ )?"}
    parts = re.split(r"({\w+})", clause)
    return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts), re.IGNORECASE)


CLAUSES = [_pattern(clause) for clause, _ in grammar.TELLING]


def test_markup_escapes_text_and_keeps_tags():
    sentence = telling.Sentence(f"At < 5 & {telling.OPEN}x{telling.CLOSE} , β rose ( 10<sup>6</sup> ) , 5 % .")
    assert markup([sentence]) == "At &lt; 5 &amp; x, &#x3b2; rose (10<sup>6</sup>), 5%."
    text, spans = sentence.plain()
    assert text == "At < 5 & x , β rose ( 106 ) , 5 % ." and [text[a:b] for a, b in spans] == ["x"]
