"""Citations of the release and their MEDLINE baseline files."""

import dataclasses
import gzip
import hashlib
import io
import re
from xml.sax.saxutils import escape

from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.telling import CLOSE, OPEN, Sentence

FIRST_PMID = 31_000_001
FILES = 6
LABELS = (
    ("BACKGROUND", "BACKGROUND"), ("OBJECTIVE", "OBJECTIVE"), ("METHODS", "METHODS"), ("RESULTS", "RESULTS"),
    ("CONCLUSIONS", "CONCLUSIONS"),
)  # fmt: skip
SPECIAL = 24  # citations that are withdrawn or revised in a later file, each kind
NUMERIC_REFERENCES = {"β": "&#x3b2;", "µ": "&#181;", "±": "&#xB1;"}
_TAG = re.compile(r"</?(?:i|b|sub|sup)>")
_SPACES = (
    (re.compile(r" (?=[.,%)])"), ""),
    (re.compile(r"(?<=\() "), ""),
)


@dataclasses.dataclass
class Citation:
    """One MedlineCitation.

    `sections` holds (label, category, sentences); label is "" in plain abstracts. `live` is False for what a
    later file replaces or deletes.
    """

    pmid: int
    version: int
    sections: list
    language: str = "eng"
    other: tuple = ()
    notice: bool = False
    live: bool = True


def make_citations(seed, teller, sentences):
    """Citations of each baseline file, and the PMIDs that the last file deletes.

    Returns
    -------
    files : list of list of Citation
    deleted : list of int
    """
    citations, position = [], 0
    while position < len(sentences):
        dice = Dice("citation", seed, len(citations))
        size = dice.integer(3, 9)
        citations.append(_citation(dice, FIRST_PMID + len(citations) * 3, sentences[position : position + size]))
        position += size
        if dice.chance(0.012):
            citations.append(Citation(FIRST_PMID + len(citations) * 3, 1, _nothing(dice)))
    share = -(-len(citations) // FILES)
    files = [citations[start : start + share] for start in range(0, len(citations), share)]
    _repeat_sentences(seed, citations)
    _add_other_abstracts(seed, teller, citations)
    deleted = _withdraw_and_revise(seed, teller, files)
    return files, deleted


def _citation(dice, pmid, sentences):
    if dice.chance(0.35) and len(sentences) > 3:
        kinds = LABELS if len(sentences) >= 5 and dice.chance(0.5) else LABELS[1:4]
        bounds = [len(sentences) * i // len(kinds) for i in range(len(kinds) + 1)]
        sections = [(*kind, sentences[bounds[i] : bounds[i + 1]]) for i, kind in enumerate(kinds)]
    else:
        sections = [("", "", list(sentences))]
    if dice.chance(0.05):
        label, category, (first, *rest) = sections[0]
        word, _, tail = first.marked.lstrip(OPEN).partition(" ")
        if OPEN not in first.marked[:1] and word.isalpha():
            sections[0] = (label, category, [Sentence(f"<b>{word}</b> {tail}"), *rest])
        else:
            name, _, tail = first.marked.partition(CLOSE)
            if first.marked.startswith(OPEN):
                sections[0] = (label, category, [Sentence(f"<i>{name}{CLOSE}</i>{tail}"), *rest])
    return Citation(pmid, 1, sections, dice.choose(("chi", "ger")) if dice.chance(0.02) else "eng",
                    notice=dice.chance(0.3))  # fmt: skip


def _nothing(dice):
    """Sections of a citation without text: no Abstract at all, an empty element, or blanks."""
    return dice.choose(([], [("", "", [])], [("", "", [Sentence("  ")])]))


def _with_text(citations):
    return [citation for citation in citations if citation.sections and citation.sections[0][2:] != ([],)]


def _repeat_sentences(seed, citations):
    """Some sentences stand in a second citation, too."""
    dice, rich = Dice("repeat", seed), _with_text(citations)
    for _ in range(80):
        giver, taker = dice.choose(rich), dice.choose(rich)
        if giver.pmid != taker.pmid and giver.sections[0][2]:
            taker.sections[-1][2].append(giver.sections[0][2][0])


def _add_other_abstracts(seed, teller, citations):
    dice = Dice("other abstracts", seed)
    for number in range(60):
        language = dice.choose(("fre", "ger", "spa"))
        dice.choose(citations).other = (language, [teller.foreign(language, number)])
    for number in range(20):
        plain = Sentence(f"A plain-language summary is given here . {teller.single(90_000 + number).marked}")
        dice.choose(citations).other = ("eng", [plain])


def _withdraw_and_revise(seed, teller, files):
    """Add citations that the last file deletes and citations that a later file replaces; give the deleted PMIDs."""
    dice, number = Dice("withdraw", seed), 0
    first = FIRST_PMID + 3_000_000
    deleted = []
    for index in range(SPECIAL):
        pmid = first + index
        old = Sentence(f"This withdrawn report came first , as {_lower(teller.single(95_000 + number).marked)}")
        files[index % 3].append(Citation(pmid, 1, [("", "", [old])], live=False))
        deleted.append(pmid)
        number += 1
    for index in range(SPECIAL):
        pmid = first + 1000 + index
        old = Sentence(f"This superseded report came first , as {_lower(teller.single(95_000 + number).marked)}")
        new = [teller.single(97_000 + number), teller.filler(97_000 + number)]
        files[index % 3].append(Citation(pmid, 1, [("", "", [old])], live=False))
        version = 2 if dice.chance(0.5) else 1
        files[3 + index % 3].append(Citation(pmid, version, [("", "", new)]))
        number += 1
    return deleted


def _lower(text):
    at = next(i for i, letter in enumerate(text) if letter != OPEN)
    return text[:at] + text[at].lower() + text[at + 1 :]


def xml_of(citations, deleted=()):
    """The bytes of one baseline file."""
    out = io.StringIO()
    out.write('<?xml version="1.0" encoding="utf-8"?>\n')
    out.write(
        '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" '
        '"http://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">\n<PubmedArticleSet>\n'
    )
    for citation in citations:
        out.write(_article(citation))
    if deleted:
        out.write("  <DeleteCitation>\n")
        out.writelines(f'    <PMID Version="1">{pmid}</PMID>\n' for pmid in deleted)
        out.write("  </DeleteCitation>\n")
    out.write("</PubmedArticleSet>\n")
    return out.getvalue().encode("utf-8")


def _article(citation):
    vernacular = "      <VernacularTitle>Titre d&#233;pos&#233;.</VernacularTitle>\n" * (citation.language != "eng")
    return (
        "<PubmedArticle>\n"
        f'  <MedlineCitation Status="MEDLINE" Owner="NLM">\n    <PMID Version="{citation.version}">{citation.pmid}'
        "</PMID>\n    <DateRevised><Year>2018</Year><Month>11</Month><Day>30</Day></DateRevised>\n"
        '    <Article PubModel="Print">\n      <Journal><Title>Journal of Invented Medicine</Title></Journal>\n'
        f"      <ArticleTitle>Report {citation.pmid} on invented concepts.</ArticleTitle>\n"
        f"{_abstract(citation)}      <Language>{citation.language}</Language>\n{vernacular}"
        "    </Article>\n    <MedlineJournalInfo><MedlineTA>J Inv Med</MedlineTA></MedlineJournalInfo>\n"
        f"{_other(citation)}  </MedlineCitation>\n</PubmedArticle>\n"
    )


def _abstract(citation):
    if not citation.sections:
        return ""
    out = ["      <Abstract>\n"]
    for label, category, sentences in citation.sections:
        attributes = f' Label="{label}" NlmCategory="{category}"' if label else ""
        text = markup(sentences)
        out.append(f"        <AbstractText{attributes}{f'>{text}</AbstractText>' if text else '/>'}\n")
    if citation.notice:
        out.append("        <CopyrightInformation>© 2018 The Invented Society &amp; Sons.</CopyrightInformation>\n")
    return "".join(out) + "      </Abstract>\n"


def _other(citation):
    if not citation.other:
        return ""
    language, sentences = citation.other
    return (
        f'    <OtherAbstract Type="Publisher" Language="{language}">\n'
        f"      <AbstractText>{markup(sentences)}</AbstractText>\n    </OtherAbstract>\n"
    )


def markup(sentences):
    """XML text of some sentences, set as in print: no blank before a full stop, tags as elements."""
    text = " ".join(sentence.marked for sentence in sentences).replace(OPEN, "").replace(CLOSE, "")
    for pattern, replacement in _SPACES:
        text = pattern.sub(replacement, text)
    pieces, end = [], 0
    for tag in _TAG.finditer(text):
        pieces += [escape(text[end : tag.start()]), tag.group()]
        end = tag.end()
    text = "".join(pieces) + escape(text[end:])
    for letter, reference in NUMERIC_REFERENCES.items():
        text = text.replace(letter, reference)
    return text


def compress(data):
    """Gzip bytes without a time or a name: the same input gives the same file."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def md5_line(name, data):
    """The .md5 file of a baseline file in NLM's format."""
    return f"MD5({name})= {hashlib.md5(data).hexdigest()}\n"
