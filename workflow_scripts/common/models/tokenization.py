"""Text of instances to token ids: words (cnn, pcnn, gru) or word pieces with entity markers (bert).

Both cut the sentence in five pieces, before, first mention, between, second mention and after, so that no token crosses
the border of a mention (Gao et al. 2021). A sentence longer than `max_length` keeps a window that holds both mentions;
the published code cut the end off, and with it a mention now and then. `truncated` counts the cases.
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.models.arrays import ROW, Sentences
from workflow_scripts.common.tables import check_schema

MARKER_TOKENS = ("[H]", "[/H]", "[T]", "[/T]")
_SPANS = ("head_start", "head_end", "tail_start", "tail_end")
_ORDER = ("head", "tail", "relation", "sentence_id", "text", *_SPANS)


class WordTokenizer:
    """Lower-cased words on white space, looked up in a vocabulary.

    Ids: the words in their order, then [UNK] = len(words), then [PAD].

    Parameters
    ----------
    words : sequence of str
    max_length : int
    lookup : callable from word to id, or None
        Replaces the vocabulary, to collect one.
    """

    kind = "words"

    def __init__(self, words, max_length, lookup=None):
        self.words = list(words)
        self.unk_id, self.pad_id = len(self.words), len(self.words) + 1
        if lookup is None:
            ids = {word: index for index, word in enumerate(self.words)}
            lookup = lambda word: ids.get(word, self.unk_id)  # noqa: E731
        self.lookup, self.max_length, self.truncated = lookup, max_length, 0

    def encode(self, texts, spans):
        """Token ids and mention spans of a block of instances.

        Returns
        -------
        list of (int32 array, four ints)
            Tokens; head start, head end, tail start, tail end in tokens.
        """
        encoded = []
        for text, span in zip(texts, spans, strict=True):
            pieces, head_first = five_pieces(text, span)
            words = [[self.lookup(word.lower()) for word in piece.split()] for piece in pieces]
            ids = np.fromiter((index for piece in words for index in piece), dtype=np.int32)
            bounds = np.cumsum([len(piece) for piece in words])[:4].tolist()
            ids, bounds, cut = window(ids, bounds, self.max_length)
            self.truncated += cut
            encoded.append((ids, bounds if head_first else bounds[2:] + bounds[:2]))
        return encoded

    def to_json(self):
        """What `tokenizer_from_json` builds the same encoder from."""
        return {"kind": self.kind, "max_length": self.max_length, "words": self.words}


class WordPieceTokenizer:
    """[CLS] s0 [H] head [/H] s1 [T] tail [/T] s2 [SEP]: markers by role, segments in the order of the text.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        A BERT tokenizer; markers that it lacks are added to it.
    max_length : int
        [CLS], markers and [SEP] included.
    markers : sequence of 4 int or None
        Ids of head start, head end, tail start and tail end; None: chosen by `choose_markers`.

    Raises
    ------
    DataError
        If [CLS], [SEP] or [PAD] is missing, or the markers are not four distinct known tokens.
    """

    kind = "wordpieces"

    def __init__(self, tokenizer, max_length, markers=None, source="the tokenizer"):
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "[H]" in a text, or "[SEP]", is text
        self.tokenizer, self.max_length, self.truncated = tokenizer, max_length, 0
        self.cls_id, self.sep_id, self.pad_id = (_token_id(tokenizer, name, source) for name in _SPECIAL)
        self.markers = choose_markers(tokenizer) if markers is None else list(markers)
        unknown = {tokenizer.token_to_id("[UNK]"), self.cls_id, self.sep_id, self.pad_id}
        if len(set(self.markers)) != 4 or unknown & set(self.markers):
            raise DataError(source, found=f"entity markers {self.markers}", expected="four distinct ids, none of [UNK]")

    def encode(self, texts, spans):
        """As `WordTokenizer.encode`; a mention's span begins at its start marker and ends after its end marker."""
        cut = [five_pieces(text, span) for text, span in zip(texts, spans, strict=True)]
        flat = [piece for pieces, _ in cut for piece in pieces]
        parts = [part.ids for part in self.tokenizer.encode_batch_fast(flat, add_special_tokens=False)]
        return [self._assemble(parts[5 * i : 5 * i + 5], head_first) for i, (_, head_first) in enumerate(cut)]

    def _assemble(self, parts, head_first):
        head, tail = self.markers[:2], self.markers[2:]
        (open_1, close_1), (open_2, close_2) = (head, tail) if head_first else (tail, head)
        first, second = [open_1, *parts[1], close_1], [open_2, *parts[3], close_2]
        words = [parts[0], first, parts[2], second, parts[4]]
        ids = np.fromiter((index for piece in words for index in piece), dtype=np.int32)
        bounds = np.cumsum([len(piece) for piece in words])[:4].tolist()
        ids, bounds, truncated = window(ids, bounds, self.max_length - 2)
        self.truncated += truncated
        ids = np.concatenate(([self.cls_id], ids, [self.sep_id])).astype(np.int32)
        bounds = [bound + 1 for bound in bounds]
        return ids, bounds if head_first else bounds[2:] + bounds[:2]

    def to_json(self):
        """What `tokenizer_from_json` builds the same encoder from."""
        tokenizer = json.loads(self.tokenizer.to_str())
        return {"kind": self.kind, "max_length": self.max_length, "markers": self.markers, "tokenizer": tokenizer}


_SPECIAL = ("[CLS]", "[SEP]", "[PAD]")


def _token_id(tokenizer, name, source):
    found = tokenizer.token_to_id(name)
    if found is None:
        raise DataError(source, found=f"no token {name}", expected="the vocabulary of a BERT")
    return found


def choose_markers(tokenizer):
    """Ids of four marker tokens: the first four [unusedN] that exist, else new tokens that are added.

    Cased vocabularies have no [unused0] and some have no [unusedN] at all; the published code then marked entities with
    [UNK], without a word.
    """
    numbers = [n for n in range(1000) if tokenizer.token_to_id(f"[unused{n}]") is not None][:4]
    names = [f"[unused{n}]" for n in numbers] if len(numbers) == 4 else list(MARKER_TOKENS)
    tokenizer.add_special_tokens(names)
    return [tokenizer.token_to_id(name) for name in names]


def tokenizer_from_json(value):
    """The encoder that `to_json` described."""
    if value["kind"] == WordTokenizer.kind:
        return WordTokenizer(value["words"], value["max_length"])
    from tokenizers import Tokenizer  # only models on word pieces need it

    tokenizer = Tokenizer.from_str(json.dumps(value["tokenizer"]))
    return WordPieceTokenizer(tokenizer, value["max_length"], value["markers"])


def five_pieces(text, span):
    """Cut a text at its two mentions.

    Parameters
    ----------
    text : str
    span : (head start, head end, tail start, tail end)
        Code points, ends exclusive; the mentions do not overlap.

    Returns
    -------
    list of 5 str, bool
        The pieces in the order of the text; whether the head comes first.
    """
    head_first = span[0] <= span[2]
    a, b, c, d = span if head_first else (*span[2:], *span[:2])
    return [text[:a], text[a:b], text[b:c], text[c:d], text[d:]], head_first


def window(ids, bounds, limit):
    """Cut a sentence to `limit` tokens around its mentions.

    Parameters
    ----------
    ids : int32 array of shape (n,)
    bounds : list of 4 int
        Start and end of the first mention, start and end of the second.
    limit : int

    Returns
    -------
    ids, bounds, bool
        Whether something was cut. The window has the mentions in its middle; when they lie too far apart, its first
        half begins at the first mention and its second half at the second.
    """
    n = len(ids)
    if n <= limit:
        return ids, bounds, False
    first, last = bounds[0], bounds[3]
    if last - first <= limit:
        begin = min(max(0, first - (limit - (last - first)) // 2), n - limit)
        keep = np.arange(begin, begin + limit)
    else:
        half = limit // 2
        second = min(max(bounds[2], first + half), n - (limit - half))
        keep = np.concatenate((np.arange(first, first + half), np.arange(second, second + limit - half)))
    return ids[keep], np.searchsorted(keep, bounds).tolist(), True


def encode_split(path, tokenizer, rel2id, block=4096):
    """Encode the instances of one split.

    Parameters
    ----------
    path : str or Path
        A table of INSTANCES; the order of its rows does not matter.
    tokenizer : WordTokenizer or WordPieceTokenizer
    rel2id : dict from relation to id
    block : int
        Instances read at once.

    Returns
    -------
    Sentences, list of (head, tail)
        The pairs are sorted; `rows["pair"]` indexes them.

    Raises
    ------
    DataError
        If the file breaks its contract, a mention is empty, out of the text or overlaps the other one, or a relation is
        not in `rel2id`.
    """
    check_schema(path, INSTANCES)
    tokens, rows, line = [], [], 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(block, columns=["text", "relation", *_SPANS]):
            _check_spans(path, batch, line)
            columns = batch.to_pydict()
            spans = list(zip(*(columns[name] for name in _SPANS), strict=True))
            encoded = tokenizer.encode(columns["text"], spans)
            tokens.append(np.concatenate([ids for ids, _ in encoded]))
            rows.append(_rows(encoded, [_relation_id(rel2id, name, path) for name in columns["relation"]], line))
            line += len(encoded)
    if not line:
        raise DataError(path, found="no instances", expected="at least one", remedy="see the corpus' funnel.csv")
    rows, pairs = _sorted_rows(path, np.concatenate(rows))
    return Sentences(np.concatenate(tokens), rows), pairs


def _check_spans(path, batch, line):
    head_start, head_end, tail_start, tail_end = (batch[name].to_numpy() for name in _SPANS)
    lengths = pc.utf8_length(batch["text"]).to_numpy()
    inside = (np.minimum(head_start, tail_start) >= 0) & (np.maximum(head_end, tail_end) <= lengths)
    apart = (head_end <= tail_start) | (tail_end <= head_start)
    bad = np.flatnonzero(~(inside & apart & (head_start < head_end) & (tail_start < tail_end)))
    if bad.size:
        i = bad[0]
        raise DataError(
            path,
            record=line + int(i) + 1,
            found=f"head {head_start[i]}..{head_end[i]}, tail {tail_start[i]}..{tail_end[i]}, {lengths[i]} characters",
            expected="two mentions inside the text that do not overlap",
        )


def _relation_id(rel2id, name, path):
    if name not in rel2id:
        raise DataError(path, found=f"relation {name}", expected=f"one of {', '.join(rel2id)}")
    return rel2id[name]


def _rows(encoded, relations, line):
    rows = np.zeros(len(encoded), ROW)
    rows["length"] = [len(ids) for ids, _ in encoded]
    marks = np.array([bounds for _, bounds in encoded])
    for column, name in enumerate(_SPANS):
        rows[name] = marks[:, column]
    rows["relation"] = relations
    rows["line"] = np.arange(line, line + len(encoded))
    return rows


def _sorted_rows(path, rows):
    rows["start"] = np.concatenate(([0], np.cumsum(rows["length"][:-1], dtype=np.int64)))
    keys = pq.read_table(path, columns=list(_ORDER), partitioning=None)
    order = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in _ORDER]).to_numpy()
    rows = rows[order]
    head, tail = (keys[name].take(pa.array(order)) for name in ("head", "tail"))
    differs = pc.or_(pc.not_equal(head[1:], head[:-1]), pc.not_equal(tail[1:], tail[:-1]))
    new = np.concatenate(([True], differs.to_numpy()))
    rows["pair"] = np.cumsum(new) - 1
    first = pa.array(np.flatnonzero(new))
    return rows, list(zip(head.take(first).to_pylist(), tail.take(first).to_pylist(), strict=True))
