"""Files of corpora, plain or gzipped, read as text with errors that name file and line."""

import contextlib
import gzip
import zlib

from workflow_scripts.common.errors import DataError

AGAIN = "get the file again from its publisher"


@contextlib.contextmanager
def opened(path):
    """A binary stream of a file, unpacked where its name ends in .gz; DataError where it is broken or cut off."""
    try:
        with gzip.open(path) if str(path).endswith(".gz") else open(path, "rb") as stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(path, found=f"a broken gzip file ({error})", expected="a whole file", remedy=AGAIN) from None


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
