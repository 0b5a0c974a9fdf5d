"""Texts in files of their own, annotations beside them: LINNAEUS, S800 and brat.

The texts have lines; they become passages without the blanks around them, empty lines are left out, and offsets move
with their lines.
"""

import bisect
import pathlib
import re

from workflow_scripts.belb.corpus_files import lines, read_text, whole_number
from workflow_scripts.belb.corpus_records import Annotation, Document, Original, passage_starts
from workflow_scripts.common.belb_corpora import find_files
from workflow_scripts.common.errors import DataError

_S800_DOCUMENT = re.compile(r"(\S+):(\d+)")
_LINNAEUS_COLUMNS = ("#entity id", "document", "start", "end", "text", "comment")
_BRAT_SPAN = re.compile(r"(\S+) (\d+) (\d+)")


class Lines:
    """The lines of a text as passages, and where an offset of the text is in them.

    Parameters
    ----------
    text : str
    first : str
        Type of the first passage; the others are paragraphs.
    """

    def __init__(self, text, first="title"):
        self.begins, pieces, position = [], [], 0
        for line in text.split("\n"):
            piece = line.strip()
            if piece:
                self.begins.append(position + len(line) - len(line.lstrip()))
                pieces.append(piece)
            position += len(line) + 1
        self.starts = passage_starts(pieces)
        self.passages = [(first if index == 0 else "paragraph", piece) for index, piece in enumerate(pieces)]

    def moved(self, offset):
        """Offset in the joined passages of an offset of the text."""
        index = max(bisect.bisect_right(self.begins, offset) - 1, 0)
        if not self.begins:
            return offset
        return self.starts[index] + offset - self.begins[index]


def _document(name, path, annotations):
    """A document of a text file; annotations are (Original, start, end in the file's text, place)."""
    laid = Lines(read_text(path))
    moved = [Annotation(laid.moved(start), laid.moved(end - 1) + 1, *rest) for start, end, *rest in annotations]
    return Document(name, laid.passages, moved, str(path))


def _without_rows(path, number, cells, columns):
    return DataError(
        path, line=number, found=f"{len(cells)} columns", expected=f"columns {', '.join(columns)}", remedy="correct it"
    )


def _texts(folder, path):
    folder = pathlib.Path(folder)
    texts = {text.stem: text for text in sorted(folder.glob("*.txt"))}
    if not texts:
        raise DataError(folder, found="no .txt file", expected=f"the texts that {path} annotates", remedy="unpack them")
    return texts


def _known(name, texts, path, number):
    if name not in texts:
        expected = f"one of the {len(texts)} texts, e.g. {next(iter(texts))}"
        raise DataError(path, line=number, found=f"document {name}", expected=expected, remedy="are all texts there?")


def read_linnaeus(table, folder):
    """Yield the full texts of LINNAEUS, named by the digits of their PMCIDs.

    Parameters
    ----------
    table : path
        tags.tsv: entity id ("species:ncbi:9606"), document ("pmcA1036069"), start, end, text, comment.
    folder : path
        The texts, pmcA1036069.txt.
    """
    texts, rows = _texts(folder, table), {}
    for number, line in lines(table):
        cells = line.split("\t")
        if number == 1 and line.startswith("#"):
            continue
        if len(cells) not in (len(_LINNAEUS_COLUMNS), len(_LINNAEUS_COLUMNS) - 1):
            raise _without_rows(table, number, cells, _LINNAEUS_COLUMNS)
        _known(cells[1], texts, table, number)
        start, end = (whole_number(cell, "offset", table, number) for cell in cells[2:4])
        original = Original(start, end, cells[4], "species", cells[0].removeprefix("species:ncbi:"))
        rows.setdefault(cells[1], []).append((start, end, original, f"{table}, line {number}"))
    for name, path in texts.items():
        yield _document(name.removeprefix("pmcA"), path, rows.get(name, []))


def read_s800(table, folder, names):
    """Yield the abstracts of S800, named by PMID.

    Parameters
    ----------
    table : path
        S800.tsv: taxon, "document:PMID", start, end (of the last character: here it becomes one more), text.
    folder : path
        The abstracts, one text file a document.
    names : path
        pubmedid.tsv: document, PMID, more. It also names abstracts without a mention.
    """
    texts, rows, pmids = _texts(folder, table), {}, {}
    for number, line in lines(names):
        cells = line.split("\t")
        if len(cells) < 2:
            raise _without_rows(names, number, cells, ("document", "PMID"))
        pmids[cells[0]] = cells[1].strip().removeprefix("PMID:")
    for number, line in lines(table):
        cells = line.split("\t")
        named = _S800_DOCUMENT.fullmatch(cells[1]) if len(cells) == 5 else None
        if not named:
            raise _without_rows(table, number, cells, ("taxon", "document:PMID", "start", "end", "text"))
        _known(named[1], texts, table, number)
        pmids.setdefault(named[1], named[2])
        start, end = (whole_number(cell, "offset", table, number) for cell in cells[2:4])
        original = Original(start, end, cells[4], "species", cells[0])
        rows.setdefault(named[1], []).append((start, end + 1, original, f"{table}, line {number}"))
    for name, path in texts.items():
        if name not in pmids:
            raise DataError(names, found=f"no PMID of {path.name}", expected="one line a text", remedy="get it again")
        yield _document(pmids[name], path, rows.get(name, []))


def read_brat(folder):
    """Yield the texts of a folder of brat files: x.txt, and x.ann with lines T (span) and N (its identifier).

    Of a discontinuous span the first to the last character counts.
    """
    folder = pathlib.Path(folder)
    for name, path in _texts(folder, folder).items():
        beside = find_files(folder, f"{name}.ann")[0]
        yield _document(name, path, _brat_rows(beside))


def _brat_rows(path):
    spans, identifiers = {}, {}
    for number, line in lines(path):
        cells = line.split("\t")
        if line.startswith("T"):
            if len(cells) != 3 or not _BRAT_SPAN.match(cells[1]):
                raise _without_rows(path, number, cells, ("T1", "type start end", "text"))
            kind, *offsets = re.split("[ ;]", cells[1])
            spans[cells[0]] = (kind, int(offsets[0]), int(offsets[-1]), cells[2], number)
        elif line.startswith("N"):
            parts = cells[1].split(" ") if len(cells) > 1 else []
            if len(parts) != 3:
                raise _without_rows(path, number, cells, ("N1", "Reference T1 database:identifier", "text"))
            if parts[1] not in spans:
                raise DataError(path, line=number, found=f"span {parts[1]}", expected="a span of the lines before")
            identifiers.setdefault(parts[1], []).append(parts[2].rpartition(":")[2])
    for name, (kind, start, end, text, number) in spans.items():
        original = Original(start, end, text, kind, ";".join(identifiers.get(name, [])))
        yield start, end, original, f"{path}, line {number}"
