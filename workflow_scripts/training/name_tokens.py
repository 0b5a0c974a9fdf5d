"""Names and mentions as token ids, each distinct sequence once, and the entities that a sequence stands for.

Texts are lower-cased, as all linkers by name here do and as the published encoders of names were trained; [CLS] and
[SEP] stand around them, and what is longer than `max_length` loses its end.
"""

import dataclasses
import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common.contracts.grouped_names import GROUPED_NAMES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.models.arrays import ROW, Sentences
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import check_schema

NAMES_AT_ONCE = 1 << 16
_SPECIAL = ("[CLS]", "[SEP]", "[PAD]")


class NameTokenizer:
    """[CLS] name [SEP].

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        A BERT tokenizer.
    max_length : int
        [CLS] and [SEP] included.
    source : str or Path
        Names the tokenizer in errors.

    Raises
    ------
    DataError
        If [CLS], [SEP] or [PAD] is missing.
    """

    def __init__(self, tokenizer, max_length, source="the tokenizer"):
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "[SEP]" in a name is text
        missing = [name for name in _SPECIAL if tokenizer.token_to_id(name) is None]
        if missing:
            raise DataError(source, found=f"no token {missing[0]}", expected="the vocabulary of a BERT")
        self.tokenizer, self.max_length, self.truncated = tokenizer, max_length, 0
        self.cls_id, self.sep_id, self.pad_id = map(tokenizer.token_to_id, _SPECIAL)

    def encode(self, texts):
        """Token ids of texts: a list of int32 arrays."""
        lowered = [text.lower() for text in texts]
        encoded, room = [], self.max_length - 2
        for part in self.tokenizer.encode_batch_fast(lowered, add_special_tokens=False):
            self.truncated += len(part.ids) > room
            encoded.append(np.array([self.cls_id, *part.ids[:room], self.sep_id], np.int32))
        return encoded

    def to_json(self):
        """What `from_json` builds the same tokenizer from."""
        return {"kind": "names", "max_length": self.max_length, "tokenizer": json.loads(self.tokenizer.to_str())}

    @classmethod
    def from_json(cls, value):
        """The tokenizer that `to_json` described."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(json.dumps(value["tokenizer"])), value["max_length"])


@dataclasses.dataclass(frozen=True)
class Texts:
    """Distinct token sequences in the order in which texts first had them.

    Parameters
    ----------
    sequences : Sentences
        Nothing but start, length and line (the number of the first text) is filled in.
    row_of_text : int64 array of shape (n_texts,)
        The sequence of each text.
    """

    sequences: Sentences
    row_of_text: np.ndarray

    def __len__(self):
        return len(self.sequences)


@dataclasses.dataclass(frozen=True)
class Names:
    """The names of a knowledge base: sequences, and the entities of each.

    Parameters
    ----------
    texts : Texts
        Of the names in their order, that of code points.
    entities : list of str
        Sorted by code point.
    starts : int64 array of shape (n_sequences + 1,)
    codes : int64 array
        codes[starts[i]:starts[i + 1]] are the places in `entities` of those that sequence i stands for, ascending.
    """

    texts: Texts
    entities: list
    starts: np.ndarray
    codes: np.ndarray

    def __len__(self):
        return len(self.texts)

    def entities_of(self, row):
        """Codes of the entities that a sequence stands for."""
        return self.codes[self.starts[row] : self.starts[row + 1]]


def tokenise(batches, tokenizer, total=None):
    """The distinct token sequences of texts.

    Parameters
    ----------
    batches : iterable of lists of str
    tokenizer : NameTokenizer
    total : int or None
        Number of texts, for the log.

    Returns
    -------
    Texts
        About 90 bytes a text and 4 a token are in memory.
    """
    tokens, lengths, digests = [], [], []
    progress = Progress("texts", total)
    for texts in batches:
        encoded = tokenizer.encode(texts)
        tokens += [np.concatenate(encoded)] if encoded else []
        lengths.append(np.fromiter(map(len, encoded), np.int64, len(encoded)))
        bytes_of_each = (hashlib.blake2b(ids.tobytes(), digest_size=16).digest() for ids in encoded)
        digests.append(np.frombuffer(b"".join(bytes_of_each), "<u8").reshape(-1, 2))
        progress.add(len(encoded))
    progress.close()
    if not tokens:
        return Texts(Sentences(np.empty(0, np.int32), np.empty(0, ROW)), np.empty(0, np.int64))
    lengths = np.concatenate(lengths)
    first, row_of_text = _first_of_equal(np.concatenate(digests))
    rows = np.zeros(len(first), ROW)
    rows["start"] = (np.cumsum(lengths) - lengths)[first]
    rows["length"], rows["line"] = lengths[first], first
    return Texts(Sentences(np.concatenate(tokens), rows), row_of_text)


def _first_of_equal(digests):
    """Places where digests stand first, ascending, and for each digest the rank of its first place among them."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    ordered = digests[order]
    new = np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(axis=1)))
    group = np.empty(len(digests), np.int64)
    group[order] = np.cumsum(new) - 1
    first_of_group = order[new]  # the sort is stable: the first of a group has the smallest place
    rank = np.empty(len(first_of_group), np.int64)
    rank[np.argsort(first_of_group)] = np.arange(len(first_of_group))
    return np.sort(first_of_group), rank[group]


def read_names(path, tokenizer):
    """The names of a knowledge base.

    Parameters
    ----------
    path : Path
        A table of GROUPED_NAMES, read in blocks.
    tokenizer : NameTokenizer

    Returns
    -------
    Names

    Raises
    ------
    DataError
        If the file breaks its contract or has no names.
    """
    check_schema(path, GROUPED_NAMES)
    identifiers = []
    with pq.ParquetFile(path) as file:
        if not file.metadata.num_rows:
            raise DataError(path, found="no names", expected="a knowledge base with entities")

        def batches():
            for batch in file.iter_batches(NAMES_AT_ONCE):
                identifiers.append(batch["identifiers"])
                yield batch["name"].to_pylist()

        texts = tokenise(batches(), tokenizer, file.metadata.num_rows)
    return Names(texts, *_entities(pa.chunked_array(identifiers).combine_chunks(), texts.row_of_text))


def _entities(identifiers, row_of_text):
    counts = np.diff(identifiers.offsets.to_numpy())
    encoded = identifiers.flatten().dictionary_encode()
    entities = sorted(encoded.dictionary.to_pylist())
    places = {entity: code for code, entity in enumerate(entities)}
    code = np.array([places[entity] for entity in encoded.dictionary.to_pylist()], np.int64)
    keys = np.repeat(row_of_text, counts) * len(entities) + code[encoded.indices.to_numpy()]
    keys = np.unique(keys)
    rows, codes = np.divmod(keys, len(entities))
    starts = np.searchsorted(rows, np.arange(row_of_text.max() + 2))
    return entities, starts, codes
