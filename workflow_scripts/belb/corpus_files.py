"""Files of corpora, plain or compressed, read as text with errors that name file and line."""

from workflow_scripts.belb.released_files import opened
from workflow_scripts.common.errors import DataError


def read_text(path):
    """The whole text of a UTF-8 file; line ends become line feeds, a byte order mark at its begin is left out."""
    with opened(path) as stream:
        data = stream.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(path, line=line, found=f"byte {data[error.start]:#04x}", expected="UTF-8 text") from None
    return text.replace("\r\n", "\n")


def lines(path):
    """Yield (number from 1, line without its end) of a UTF-8 file; only line feeds end lines."""
    text = read_text(path)
    yield from enumerate(text.removesuffix("\n").split("\n"), 1) if text else ()


def whole_number(text, what, path, line):
    """An offset as an integer."""
    if not (text.isascii() and text.isdigit()):
        raise DataError(path, line=line, found=f"{what} {text!r}", expected="a whole number", remedy="correct the line")
    return int(text)
