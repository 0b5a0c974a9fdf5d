"""The live text of the embedded release, read back for the word vectors and the encoder."""

from workflow_scripts.common.errors import DataError


def read_text(path):
    """Sentences of the release as (text, [(start, end), ...]), the places in code points.

    Raises
    ------
    DataError
        If a line is not a text and places within it, or the file has no line.
    """
    sentences = []
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            text, *places = line.rstrip("\n").split("\t")
            try:
                spans = [tuple(map(int, place.split(":"))) for place in places]
                good = all(0 <= start < end <= len(text) for start, end in spans)
            except ValueError:
                good = False
            if not good:
                raise DataError(
                    path, line=number, found=line.rstrip("\n")[:80], expected="text<TAB>start:end...", remedy=_REMEDY
                )
            sentences.append((text, spans))
    if not sentences:
        raise DataError(path, found="no line", expected="one sentence a line", remedy=_REMEDY)
    return sentences


_REMEDY = "remove resources/demo and run again"
