"""OSIRIS: abstracts with genes and variants marked in their XML."""

from lxml import etree

from workflow_scripts.belb.corpus_records import Annotation, Document, Original, passage_starts
from workflow_scripts.belb.released_files import REMEDY, opened
from workflow_scripts.common.errors import DataError

_IDENTIFIER = {"gene": "g_id", "variant": "v_id"}


def read_osiris(path):
    """Yield the documents of an OSIRIS file: Article elements with Pmid, Title and Abstract.

    The text of an element is that without its marks; `gene` and `variant` elements become annotations.
    """
    with opened(path) as stream:
        try:
            root = etree.parse(stream, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
        except etree.XMLSyntaxError as error:
            raise DataError(path, found=f"broken XML: {error}", expected="a whole file", remedy=REMEDY) from None
    if root.tag != "Articles":
        raise DataError(path, found=f"element {root.tag}", expected="Articles", remedy="is this the OSIRIS corpus?")
    for article in root.iterfind("Article"):
        yield _document(article, path)


def _document(article, path):
    parts = {name: article.find(name) for name in ("Pmid", "Title", "Abstract")}
    missing = [name for name, part in parts.items() if part is None]
    if missing:
        raise DataError(path, line=article.sourceline, found=f"an Article without {missing[0]}", expected="one each")
    read = [_marked(parts[name], path) for name in ("Title", "Abstract")]
    passages, annotations = [], []
    for kind, (text, marks), start in zip(("title", "abstract"), read, passage_starts(t for t, _ in read), strict=True):
        if text:
            passages.append((kind, text))
        for begin, end, mark, line in marks:
            identifier = mark.get(_IDENTIFIER[mark.tag], "")
            original = Original(start + begin, start + end, text[begin:end], mark.tag, identifier)
            annotations.append(Annotation(start + begin, start + end, original, f"{path}, line {line}"))
    return Document((parts["Pmid"].text or "").strip(), passages, annotations, f"{path}, line {article.sourceline}")


def _marked(element, path):
    """The text of an element without its marks, and (start, end, mark, line) of each."""
    pieces, marks, length = [], [], 0

    def walk(node):
        nonlocal length
        begin = length
        pieces.append(node.text or "")
        length += len(pieces[-1])
        for child in node:
            walk(child)
            pieces.append(child.tail or "")
            length += len(pieces[-1])
        if node is not element:
            if node.tag not in _IDENTIFIER:
                known = ", ".join(_IDENTIFIER)
                raise DataError(path, line=node.sourceline, found=f"element {node.tag}", expected=f"one of {known}")
            marks.append((begin, begin + sum(map(len, node.itertext())), node, node.sourceline))

    walk(element)
    return "".join(pieces), marks
