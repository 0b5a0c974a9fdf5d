"""Published word vectors, streamed from their file and restricted to the words of a corpus.

The look-up is by bytes: corpora hold lower-cased words, so an entry with capitals is never met.
"""

import logging
import math
import pathlib

import numpy as np

from workflow_scripts.common.errors import DataError, UsageError

_BLOCK = 1 << 24


def load_vectors(path, kind, width, words):
    """Vectors of those of some words that a file has.

    Parameters
    ----------
    path : str or Path
    kind : "glove_text" | "word2vec_text" | "word2vec_binary"
        Text files have one word a line, word2vec's begin with the number of words and the width; the binary format is
        that header, then word, blank and little-endian float32 for each word.
    width : int
        Numbers per word.
    words : iterable of str

    Returns
    -------
    list of str, float32 array of shape (V, width)
        The words found, sorted by code point, and their vectors; of a word that stands there twice the first.

    Raises
    ------
    DataError
        If the file is missing, has another width or format, is cut off, or holds a vector that is not finite.
    """
    wanted = {word.encode(): None for word in words}
    path = pathlib.Path(path)
    if not path.is_file():
        raise DataError(path, found="no such file", expected=f"word vectors ({kind})", remedy="see config `embeddings`")
    readers = {"glove_text": _read_text, "word2vec_text": _read_text, "word2vec_binary": _read_binary}
    if kind not in readers:
        raise UsageError(f"format {kind} of {path}: one of {', '.join(readers)}")
    with open(path, "rb") as stream:
        header = None if kind == "glove_text" else _header(stream, path, width)
        total = readers[kind](stream, path, width, wanted, header)
    found = sorted(word.decode() for word, vector in wanted.items() if vector is not None)
    logging.info("%s: %d of %d words of the corpus among %d vectors", path.name, len(found), len(wanted), total)
    vectors = np.array([wanted[word.encode()] for word in found], dtype=np.float32).reshape(len(found), width)
    return found, vectors


def _header(stream, path, width):
    line = stream.readline(200)
    try:
        count, found = (int(part) for part in line.split())
    except ValueError:
        raise DataError(
            path,
            line=1,
            found=repr(line[:60]),
            expected="two integers: number of words and width",
            remedy="set `format` of this embedding in the configuration to that of the file",
        ) from None
    if found != width:
        raise _wrong_width(path, found, width, line=1)
    return count


def _wrong_width(path, found, width, **place):
    return DataError(
        path,
        found=f"{found} numbers per word",
        expected=f"{width}",
        remedy="set `width` (and `format`) of this embedding in the configuration to those of the file",
        **place,
    )


def _read_text(stream, path, width, wanted, header):
    first = 1 if header is None else 2
    number = first - 1
    for number, line in enumerate(stream, first):
        line = line.rstrip(b" \r\n")
        if not line:
            raise DataError(path, line=number, found="an empty line", expected=f"a word and {width} numbers")
        if line.count(b" ") != width:
            _check_blank_in_word(line, path, number, width, first)
        elif wanted.get(line[: line.index(b" ")], 0) is None:
            word, *numbers = line.split(b" ")
            wanted[word] = _parsed(numbers, path, number)
    total = number - first + 1
    if header is not None and header != total:
        expected = f"{header} words (first line)"
        raise DataError(path, found=f"{total} words", expected=expected, remedy="the file is cut off: fetch it again")
    return total


def _check_blank_in_word(line, path, number, width, first):
    """A few words of GloVe hold blanks: then not all that stands before the last `width` numbers are numbers too. No
    word of a corpus has a blank."""
    word = line.rsplit(b" ", width)[0]
    surplus = word.split(b" ")[1:]
    if number == first or line.count(b" ") < width or all(_is_number(part) for part in surplus):
        raise _wrong_width(path, line.count(b" "), width, line=number)


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parsed(numbers, path, line):
    try:
        vector = [float(text) for text in numbers]
    except ValueError as error:
        raise DataError(path, line=line, found=str(error), expected="numbers") from None
    if not all(map(math.isfinite, vector)):
        raise DataError(path, line=line, found="a number that is not finite", expected="finite numbers")
    return np.array(vector, dtype=np.float32)


def _read_binary(stream, path, width, wanted, header):
    size, buffer, position = 4 * width, b"", 0
    for record in range(1, header + 1):
        end = buffer.find(b" ", position)
        while end < 0 or end + 1 + size > len(buffer):
            block = stream.read(_BLOCK)
            if not block:
                raise DataError(
                    path, record=record, found="the end of the file", expected=f"{header} words of {width} numbers"
                )
            buffer, position = buffer[position:] + block, 0
            end = buffer.find(b" ")
        word = buffer[position:end].lstrip(b"\n")
        if wanted.get(word, 0) is None:
            vector = np.frombuffer(buffer, "<f4", width, end + 1).copy()
            if not np.isfinite(vector).all():
                raise DataError(path, record=record, found="a number that is not finite", expected="finite numbers")
            wanted[word] = vector
        position = end + 1 + size
    if (buffer[position:] + stream.read(_BLOCK)).strip(b"\n"):
        raise DataError(
            path,
            found="bytes after the last vector",
            expected=f"the end after {header} words (first line)",
            remedy="set `format` of this embedding in the configuration to that of the file, or fetch it again",
        )
    return header
