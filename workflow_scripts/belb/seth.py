"""The SNP corpus (Thomas et al. 2011) as SETH distributes it: annotations without texts.

Columns, tabs between: PMID, mention in quotes, normal form, start and end (counted from 1), dbSNP identifier, type.
"""

from workflow_scripts.belb.corpus_files import lines, whole_number
from workflow_scripts.belb.corpus_records import Annotation, Document, Original
from workflow_scripts.belb.pubtator import read_pubtator
from workflow_scripts.common.errors import DataError

_COLUMNS = ("PMID", "mention", "normal form", "start", "end", "dbSNP identifier", "type")


def read_snp(path, texts=()):
    """Yield the documents of the SNP corpus.

    Parameters
    ----------
    path : path
    texts : sequence of path
        PubTator files with titles and abstracts; a document that is in none of them has no text.
    """
    known = {document.document: document.passages for file in texts for document in read_pubtator(file)}
    documents = {}
    for number, line in lines(path):
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            columns = f"{len(_COLUMNS)}: {', '.join(_COLUMNS)}"
            raise DataError(path, line=number, found=f"{len(cells)} columns", expected=columns, remedy="correct it")
        pmid, mention, _, start, end, identifier, kind = cells
        if len(mention) < 2 or mention[0] != "'" or mention[-1] != "'":
            raise DataError(path, line=number, found=f"mention {mention}", expected="a mention in single quotes")
        start, end = (whole_number(cell, "offset", path, number) - 1 for cell in (start, end))
        place = f"{path}, line {number}"
        original = Original(start, end, mention[1:-1], kind, identifier)
        document = documents.setdefault(pmid, Document(pmid, known.get(pmid, []), [], place))
        document.annotations.append(Annotation(start, end, original, place))
    yield from documents.values()
