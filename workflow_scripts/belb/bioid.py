"""BioID: figure captions in BioC files, annotations in annotations.csv (those in the BioC files are misplaced)."""

import csv
import io

from workflow_scripts.belb.bioc_files import read_collection
from workflow_scripts.belb.corpus_files import read_text, whole_number
from workflow_scripts.belb.corpus_records import Annotation, Document, Original, passage_starts
from workflow_scripts.common.errors import DataError

_ARTICLE, _FIGURE, _START, _END, _TEXT, _OBJECT = _COLUMNS = (
    *("don_article", "figure", "first left", "last right"),
    *("text", "obj"),
)


def read_bioid(table, folder):
    """Yield one document an article, named by PMCID; its captions are the passages.

    Parameters
    ----------
    table : path
        annotations.csv; offsets count in the caption.
    folder : path
        caption_bioc: one file a caption, with infons pmc_id and sourcedata_figure_dir.
    """
    captions = {}
    for path in sorted(folder.glob("*.xml")):
        for document in read_collection(path).documents:
            if len(document.passages) != 1:
                found = f"{len(document.passages)} passages"
                raise DataError(path, record=document.id, found=found, expected="one caption", remedy="get it again")
            key = (document.infons.get("pmc_id", ""), document.infons.get("sourcedata_figure_dir", ""))
            captions[key] = (document.passages[0].text or "", path)
    if not captions:
        raise DataError(folder, found="no .xml file", expected="the captions", remedy="unpack the corpus")
    rows = _rows(table, captions)
    for article in sorted({article for article, _ in captions}):
        figures = sorted(figure for name, figure in captions if name == article)
        yield _document(article, [(figure, captions[article, figure][0]) for figure in figures], rows)


def _rows(table, captions):
    """Annotations by (article, figure): (start, end, Original, place)."""
    reader, rows = csv.DictReader(io.StringIO(read_text(table))), {}
    missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        found = f"columns {', '.join(reader.fieldnames or ())}"
        raise DataError(table, line=1, found=found, expected=f"a column {missing[0]}", remedy="is it annotations.csv?")
    for row in reader:
        number = reader.line_num
        if None in row or None in row.values():
            found = f"{sum(value is not None for value in row.values())} columns"
            raise DataError(table, line=number, found=found, expected=f"{len(reader.fieldnames)}", remedy="correct it")
        key = (row[_ARTICLE], row[_FIGURE])
        if not captions.get(key, ("",))[0]:
            found = f"figure {row[_FIGURE]} of article {row[_ARTICLE]}"
            raise DataError(table, line=number, found=found, expected="a figure with a caption", remedy="unpack all")
        start, end = (whole_number(row[name], "offset", table, number) for name in (_START, _END))
        original = Original(start, end, row[_TEXT], _kind(row[_OBJECT]), row[_OBJECT], row[_FIGURE])
        rows.setdefault(key, []).append((start, end, original, f"{table}, line {number}"))
    return rows


def _kind(identifier):
    """The type of an annotation: the database its identifier names; Cellosaurus identifiers name none."""
    return "Cellosaurus" if identifier.startswith("CVCL_") else identifier.partition(":")[0]


def _document(article, captions, rows):
    kept = [(figure, text) for figure, text in captions if text]
    annotations = []
    for (figure, _), shift in zip(kept, passage_starts(text for _, text in kept), strict=True):
        for start, end, original, place in rows.get((article, figure), []):
            annotations.append(Annotation(start + shift, end + shift, original, place))
    return Document(article, [("figure_caption", text) for _, text in kept], annotations, f"article {article}")
