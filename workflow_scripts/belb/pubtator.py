"""PubTator files: `id|t|title`, `id|a|abstract`, then one annotation a line with tabs between its columns.

Columns: document, start, end, text, type and, where there are some, identifiers and the parts of a composite mention.
Lines of four columns are relations of documents. An empty line ends a document.
"""

import re

from workflow_scripts.belb.corpus_files import lines, whole_number
from workflow_scripts.belb.corpus_records import Annotation, Document, Original
from workflow_scripts.common.errors import DataError

_PASSAGE = re.compile(r"([^|\t]+)\|([a-z])\|(.*)")
PASSAGE_TYPES = {"t": "title", "a": "abstract"}
_RELATION, _FEWEST, _MOST = 4, 5, 7
_IDENTIFIERS = 5


def read_pubtator(path):
    """Yield the documents of a PubTator file, in its order.

    A title is followed by its abstract, which may be empty. Offsets count in title, one blank, abstract.

    Raises
    ------
    DataError
        File, line, found and expected: wrong column counts, offsets that are no numbers, annotations outside their
        document, a file that ends after a title.
    """
    document = None
    for number, line in lines(path):
        if not line.strip():
            if document:
                yield _finished(document, path, number)
            document = None
            continue
        passage = _PASSAGE.fullmatch(line)
        if passage:
            if document and document.document != passage[1]:
                yield _finished(document, path, number)
                document = None
            document = document or Document(passage[1], [], [], f"{path}, line {number}")
            _add_passage(document, passage[2], passage[3], path, number)
        elif "\t" in line:
            _add_annotation(document, line.split("\t"), path, number)
        else:
            raise _wrong(path, number, repr(line[:60]), "id|t|title, id|a|abstract, an annotation or an empty line")
    if document:
        yield _finished(document, path, None)


def _wrong(path, number, found, expected):
    return DataError(path, line=number, found=found, expected=expected, remedy="correct the file or get it again")


def _add_passage(document, kind, text, path, number):
    order = len(document.passages)
    if kind not in PASSAGE_TYPES or order != list(PASSAGE_TYPES).index(kind) or document.annotations:
        raise _wrong(path, number, f"passage {kind} of document {document.document}", "a title, then its abstract")
    document.passages.append((PASSAGE_TYPES[kind], text))


def _add_annotation(document, cells, path, number):
    if document is None or cells[0] != document.document:
        around = f"document {document.document}" if document else "no document"
        raise _wrong(path, number, f"an annotation of document {cells[0]} in {around}", "annotations below their text")
    if len(cells) == _RELATION:
        return
    if not _FEWEST <= len(cells) <= _MOST:
        raise _wrong(path, number, f"{len(cells)} columns", f"{_FEWEST} to {_MOST} (annotation) or 4 (relation)")
    start, end = (whole_number(cell, "offset", path, number) for cell in cells[1:3])
    identifiers = cells[_IDENTIFIERS] if len(cells) > _IDENTIFIERS else ""
    original = Original(start, end, cells[3], cells[4], identifiers)
    document.annotations.append(Annotation(start, end, original, f"{path}, line {number}"))


def _finished(document, path, number):
    if len(document.passages) != len(PASSAGE_TYPES):
        where = "the end of the file" if number is None else f"line {number}"
        found = f"no abstract of document {document.document} before {where}"
        raise DataError(path, found=found, expected="id|a|abstract after id|t|title", remedy="is the file cut off?")
    if not document.passages[-1][1]:
        document.passages.pop()
    return document
