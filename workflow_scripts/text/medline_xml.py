"""Citations of a MEDLINE .xml.gz file, one at a time.

The file is never held whole: each record is dropped when it has been read. The DTD is not fetched, entities are not
expanded (a reference stays as the characters `&name;`), comments are not text.
"""

import dataclasses
import gzip
import re
import zlib

from lxml import etree

from workflow_scripts.common.errors import DataError

_RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation", "DeleteCitation")
_BLANK = re.compile(r"[^\S ]")
_REMEDY = "the file is broken: get it again and compare it with its .md5"


@dataclasses.dataclass(frozen=True)
class Section:
    """One AbstractText element.

    Parameters
    ----------
    position : int
        Place among the AbstractText elements of Article/Abstract, from 0; elements elsewhere count on.
    label : str or None
    text : str
        All its characters, also those inside inline markup. Each white-space character (line feed, no-break space,
        thin space ...) is one blank, so that offsets are those of the element's own text.
    published : str
        The characters before the first inline tag, which is all that the published code read.
    other : bool
        The element is not in Article/Abstract (OtherAbstract, abstracts of books).
    """

    position: int
    label: str | None
    text: str
    published: str
    other: bool


@dataclasses.dataclass(frozen=True)
class Citation:
    """A citation with its sections, or the deletion of one."""

    record: int
    pmid: int
    version: int
    deletion: bool
    sections: tuple = ()


@dataclasses.dataclass(frozen=True)
class BadRecord:
    """A record that is no citation: its place in the file, what is wrong with it."""

    record: int
    line: int
    problem: str


def citations(path):
    """Yield the Citation and BadRecord objects of a file in file order.

    Raises
    ------
    DataError
        If the file is cut short, no gzip file, no XML or no UTF-8: names the record and the line where it ends.
    """
    record = 0
    try:
        with gzip.open(path) as stream:
            for element in _elements(stream):
                for parsed in _read(element, record):
                    record = parsed.record
                    yield parsed
                _drop(element)
    except FileNotFoundError:
        _stop(path, record, "no such file", "a .xml.gz file")
    except EOFError:
        _stop(path, record, "the gzip stream ends in the middle: the file is cut short", "a whole .xml.gz file")
    except (gzip.BadGzipFile, zlib.error) as error:
        _stop(path, record, f"no sound gzip file ({error})", "a .xml.gz file")
    except etree.XMLSyntaxError as error:
        encoding = "UTF-8" in str(error) or "encoding" in str(error)
        expected = "UTF-8 text" if encoding else "well-formed XML up to </PubmedArticleSet>"
        _stop(path, record, str(error), expected, line=error.lineno)


def _stop(path, record, found, expected, line=None):
    raise DataError(path, line=line, record=f"after {record}", found=found, expected=expected, remedy=_REMEDY) from None


def _elements(stream):
    options = {"resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
    events = etree.iterparse(stream, tag=_RECORDS, remove_comments=True, remove_pis=True, **options)
    for _, element in events:
        parent = element.getparent()
        if element.tag != "MedlineCitation" or parent is None or parent.tag != "PubmedArticle":
            yield element


def _drop(element):
    """Free a record and everything before it."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]


def _read(element, record):
    """The Citation or BadRecord objects of one record element; they are numbered on from `record`."""
    if element.tag == "DeleteCitation":
        for number, pmid in enumerate(element.iterfind("PMID"), record + 1):
            yield _identified(pmid, number, element, deletion=True)
        return
    citation = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    if citation is None:
        citation = element.find("BookDocument")
    pmid = None if citation is None else citation.find("PMID")
    found = _identified(pmid, record + 1, element)
    yield found if isinstance(found, BadRecord) else dataclasses.replace(found, sections=tuple(_sections(citation)))


def _identified(pmid, record, element, deletion=False):
    if pmid is None:
        return BadRecord(record, element.sourceline, "no PMID")
    text, version = "".join(pmid.itertext()).strip(), pmid.get("Version", "1").strip()
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 1 << 62):
        return BadRecord(record, pmid.sourceline, f"PMID {text[:40]!r} is no number")
    if not (version.isascii() and version.isdecimal() and len(version) < 9):
        return BadRecord(record, pmid.sourceline, f"Version {version[:40]!r} of PMID {text} is no number")
    return Citation(record, int(text), int(version), deletion)


def _sections(citation):
    own = citation.findall("Article/Abstract/AbstractText")
    known = set(own)
    others = [element for element in citation.iterfind(".//AbstractText") if element not in known]
    for position, element in enumerate([*own, *others]):
        yield Section(
            position,
            element.get("Label"),
            _BLANK.sub(" ", "".join(element.itertext())),
            _BLANK.sub(" ", element.text or ""),
            other=position >= len(own),
        )
