"""The index of the names of a knowledge base: one file of arrays that all workers of a node map into memory.

`index.json` says what is in it and where; the arrays stand in `names.bin`, one after the other. Names are numbered by
their smallest concept and then by code point, concepts by their identifier.

Names are in two parts: 0, those of a concept with a definition, and 1, the others. For each part and gram the names
with the gram are listed, those first whose norm from that gram on is the largest: a search reads a list until no other
name of it can reach the wanted score, whatever that score is.

| array | type | meaning |
|---|---|---|
| cui_offsets, cui_bytes | int64, uint8 | identifiers of the concepts, UTF-8, one after the other |
| defined | bool | whether a concept has a definition |
| concept_offsets, concepts | int64, int32 | concepts of each name, ascending |
| codes, idf, ranks | int64, float32, int32 | the grams, see `grams.Vocabulary` |
| offsets, grams, weights | int64, int32, float32 | vectors of the names, see `grams.Rows` |
| signatures | uint64 (names, 4) | bit `gram % 256` is set if the name has such a gram |
| list_offsets | int64 (parts, grams + 1) | where the list of each gram begins in the next two |
| list_names, list_norms | int32, uint16 | a name and its norm from this gram on, in 65535ths, rounded up |
| form_high, form_low | uint64 | halves of the BLAKE2b of each literal form (`forms`), ascending together |
| form_offsets, form_concepts | int64, int32 | concepts that have a name of this form, ascending |
"""

import hashlib
import json
from pathlib import Path

import numpy as np

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_path, read_json, write_json
from workflow_scripts.linking.forms import literal_form
from workflow_scripts.linking.grams import Vocabulary

FORMAT = 2
PARTS = 2
UNITS = 65535
SIGNATURE_BITS = 256
_ALIGNMENT = 64


class ArrayWriter:
    """Writes named arrays one after the other; the pieces of arrays of known sizes may come in turns.

    Parameters
    ----------
    stream : binary file, seekable, for writing and reading
    """

    def __init__(self, stream):
        self._stream, self._end, self.arrays = stream, 0, {}

    def write(self, name, values):
        """Write a whole array."""
        self.reserve(name, values.dtype, values.shape)(values)

    def reserve(self, name, kind, shape):
        """Make room for an array; gives `add(values)`, which fills it along the first axis."""
        kind = np.dtype(kind)
        start = self._end + -self._end % _ALIGNMENT
        self.arrays[name] = {"dtype": kind.name, "offset": start, "shape": list(shape)}
        self._end = start + int(np.prod(shape)) * kind.itemsize
        place, end = start, self._end

        def add(values):
            nonlocal place
            block = np.ascontiguousarray(values, kind).data.cast("B") if values.size else b""
            if place + len(block) > end:
                raise ValueError(f"{name}: more values than there is room for")
            self._stream.seek(place)
            self._stream.write(block)
            place += len(block)

        return add

    def read(self, name, start, stop):
        """Elements of an array of one axis that was filled: a copy, so that a pass over it needs no more memory."""
        entry = self.arrays[name]
        kind = np.dtype(entry["dtype"])
        self._stream.seek(entry["offset"] + int(start) * kind.itemsize)
        return np.frombuffer(self._stream.read(int(stop - start) * kind.itemsize), kind)

    def finish(self):
        """End the file behind the last array; returns its size."""
        self._stream.truncate(self._end)
        return self._end


def write_index(folder, arrays, facts):
    """Write `names.bin` and `index.json`.

    Parameters
    ----------
    folder : Path
    arrays : callable
        Gets an ArrayWriter.
    facts : dict
        Further content of index.json.
    """
    with atomic_path(folder / "names.bin") as temporary:
        with open(temporary, "w+b") as stream:
            writer = ArrayWriter(stream)
            arrays(writer)
            size = writer.finish()
        with open(temporary, "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    layout = {"format": FORMAT, "size": size, "sha256": digest, "arrays": writer.arrays}
    write_json(folder / "index.json", facts | layout)


class NameIndex:
    """An index, mapped into memory and read only.

    Each array of the module's table is an attribute.

    Parameters
    ----------
    path : Path
        The file index.json; names.bin stands beside it.

    Raises
    ------
    DataError
        If the files do not belong together.
    """

    def __init__(self, path):
        path = Path(path)
        try:
            self.facts = read_json(path)
            arrays, size = self.facts["arrays"], self.facts["size"]
        except (OSError, json.JSONDecodeError, KeyError, TypeError) as error:
            raise DataError(path, found=str(error), expected="the index of a knowledge base") from None
        binary = path.with_name("names.bin")
        found = binary.stat().st_size if binary.is_file() else "no file"
        if found != size or self.facts["format"] != FORMAT:
            raise DataError(
                binary,
                found=f"{found} bytes, format {self.facts['format']}",
                expected=f"{size} bytes, format {FORMAT}, as {path.name} says",
                remedy="remove both files and run index_names again",
            )
        for name, entry in arrays.items():
            setattr(self, name, _mapped(binary, **entry))
        self.vocabulary = Vocabulary(self.codes, self.idf, self.ranks)

    def cui(self, concept):
        """The identifier of a concept."""
        first, last = self.cui_offsets[concept : concept + 2]
        return self.cui_bytes[first:last].tobytes().decode()

    def literal_concepts(self, surfaces):
        """The concepts (int32, ascending) that have each surface as a name, both in their literal form."""
        wanted = form_digests(surfaces)
        place = np.searchsorted(self.form_high, wanted[:, 0])
        return [self._form_concepts(start, high, low) for start, (high, low) in zip(place, wanted, strict=True)]

    def _form_concepts(self, place, high, low):
        while place < len(self.form_high) and self.form_high[place] == high:
            if self.form_low[place] == low:
                return self.form_concepts[self.form_offsets[place] : self.form_offsets[place + 1]]
            place += 1
        return self.form_concepts[:0]


def form_digests(texts):
    """128-bit BLAKE2b of the literal form of each text, as (n, 2) uint64."""
    blocks = [hashlib.blake2b(literal_form(text).encode(), digest_size=16).digest() for text in texts]
    return np.frombuffer(b"".join(blocks), ">u8").reshape(-1, 2).astype(np.uint64)


def _mapped(path, dtype, offset, shape):
    # Plain arrays over the mapping: memmap's own type is slow to slice and unknown to compiled code.
    array = np.empty(shape, dtype) if 0 in shape else np.asarray(np.memmap(path, dtype, "r", offset, tuple(shape)))
    array.flags.writeable = False
    return array
