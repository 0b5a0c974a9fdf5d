"""Text of instances to token ids: words (cnn, pcnn, gru) or word pieces with entity markers (bert).

Both cut the sentence in five pieces, before, first mention, between, second mention and after, so that no token crosses
the border of a mention (Gao et al. 2021). A sentence longer than `max_length` keeps a window that holds both mentions;
the published code (`windowed=False`) cut the end off, and with it a mention now and then. `truncated` counts the
sentences cut, `beyond` those of them in which a mention starts after the limit.
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.models.arrays import ROW, Sentences
from workflow_scripts.common.models.encodings import CM, InputEncoding
from workflow_scripts.common.tables import check_schema

MARKER_TOKENS = ("[H]", "[/H]", "[T]", "[/T]")
MENTION_TOKENS = ("[HEAD]", "[TAIL]")
_SPANS = ("head_start", "head_end", "tail_start", "tail_end")
_NAMES = ("head_name", "tail_name")
_ORDER = ("head", "tail", "relation", "sentence_id", "text", *_SPANS)


class _Ids(dict):
    """Ids of words; all others are `unknown`."""

    def __missing__(self, word):
        return self.unknown


class WordTokenizer:
    """Lower-cased words on white space, looked up in a vocabulary.

    Ids: the words in their order, then [UNK] = len(words), then [PAD].

    Parameters
    ----------
    words : sequence of str
    max_length : int
    lookup : callable from word to id, or None
        Replaces the vocabulary, to collect one.
    encoding : InputEncoding
        For OC the vocabulary must hold `MENTION_TOKENS`, which no text does: words are lower-cased.
    windowed : bool
        False: what stands after `max_length` tokens is cut off, as in the published code.
    """

    kind = "words"

    def __init__(self, words, max_length, lookup=None, encoding=CM, windowed=True):
        self.words, self.encoding, self.windowed, self.beyond = list(words), encoding, windowed, 0
        self.unk_id, self.pad_id = len(self.words), len(self.words) + 1
        if lookup is None:
            ids = _Ids((word, index) for index, word in enumerate(self.words))
            ids.unknown = self.unk_id
            lookup = ids.__getitem__
        self.lookup, self.max_length, self.truncated = lookup, max_length, 0

    def encode(self, texts, spans, concepts=None):
        """Token ids and mention spans of a block of instances.

        Parameters
        ----------
        texts : sequence of str
        spans : sequence of (head start, head end, tail start, tail end)
            Code points.
        concepts : sequence of (head, tail), or None
            CUIs, for encodings that read types.

        Returns
        -------
        list of (int32 array, four ints)
            Tokens; head start, head end, tail start, tail end in tokens.
        """
        words, sizes, heads_first = [], [], []
        for pieces, head_first in _pieces(self.encoding, texts, spans, concepts):
            parts = [piece.lower().split() for piece in pieces]  # no letter changes with what stands beyond a space
            if self.encoding.hides_mentions:
                tokens = MENTION_TOKENS if head_first else MENTION_TOKENS[::-1]
                parts[1::2] = ([token] for token in tokens)
            for part in parts:
                words += part
                sizes.append(len(part))
            heads_first.append(head_first)
        ids = np.fromiter(map(self.lookup, words), np.int32, len(words))
        bounds = np.cumsum(np.reshape(sizes, (-1, 5)), axis=1, dtype=np.int64)
        ends = np.cumsum(bounds[:, 4]).tolist()
        encoded = []
        for start, end, own, head_first in zip([0, *ends], ends, bounds[:, :4].tolist(), heads_first, strict=False):
            kept, own = self._shorten(ids[start:end], own) if end - start > self.max_length else (ids[start:end], own)
            encoded.append((kept, own if head_first else own[2:] + own[:2]))
        return encoded

    def _shorten(self, ids, bounds):
        self.truncated += 1
        self.beyond += max(bounds[0], bounds[2]) >= self.max_length
        if self.windowed:
            return window(ids, bounds, self.max_length)[:2]
        return ids[: self.max_length], [min(bound, self.max_length) for bound in bounds]

    def to_json(self):
        """What `tokenizer_from_json` builds the same encoder from."""
        return {"kind": self.kind, "max_length": self.max_length, "words": self.words} | _options(self)


class WordPieceTokenizer:
    """[CLS] s0 [H] head [/H] s1 [T] tail [/T] s2 [SEP]: markers by role, segments in the order of the text.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        A BERT tokenizer; markers that it lacks are added to it.
    max_length : int
        [CLS], markers and [SEP] included.
    markers : sequence of int or None
        Ids of head start, head end, tail start and tail end, or (encoding OC) of the tokens that stand for head and
        tail; None: chosen by `choose_markers`.
    source : str or Path
        Names the tokenizer in errors.
    encoding : InputEncoding
    unused : bool
        Whether `choose_markers` may take [unusedN].
    windowed : bool
        False: what stands after `max_length` tokens is cut off, [SEP] with it, as in the published code; a mention that
        started there is read at the last token.

    Raises
    ------
    DataError
        If [CLS], [SEP] or [PAD] is missing, or the markers are not distinct known tokens, four of them or (OC) two.
    """

    kind = "wordpieces"

    def __init__(
        self,
        tokenizer,
        max_length,
        markers=None,
        source="the tokenizer",
        encoding=CM,
        unused=True,
        windowed=True,
    ):
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "[H]" in a text, or "[SEP]", is text
        self.tokenizer, self.max_length, self.encoding, self.windowed = tokenizer, max_length, encoding, windowed
        self.truncated = self.beyond = 0
        self.cls_id, self.sep_id, self.pad_id = (_token_id(tokenizer, name, source) for name in _SPECIAL)
        names = MENTION_TOKENS if encoding.hides_mentions else MARKER_TOKENS
        self.markers = choose_markers(tokenizer, names, unused) if markers is None else list(markers)
        unknown = {tokenizer.token_to_id("[UNK]"), self.cls_id, self.sep_id, self.pad_id}
        if len(set(self.markers)) != len(names) or len(self.markers) != len(names) or unknown & set(self.markers):
            count = {4: "four", 2: "two"}[len(names)]
            raise DataError(
                source, found=f"entity markers {self.markers}", expected=f"{count} distinct ids, none of [UNK]"
            )

    def encode(self, texts, spans, concepts=None):
        """As `WordTokenizer.encode`; a mention's span begins at its start marker and ends after its end marker."""
        cut = _pieces(self.encoding, texts, spans, concepts)
        flat = [piece for pieces, _ in cut for piece in pieces]
        parts = [part.ids for part in self.tokenizer.encode_batch_fast(flat, add_special_tokens=False)]
        return [self._assemble(parts[5 * i : 5 * i + 5], head_first) for i, (_, head_first) in enumerate(cut)]

    def _assemble(self, parts, head_first):
        half = len(self.markers) // 2
        head, tail = self.markers[:half], self.markers[half:]
        first, second = (head, tail) if head_first else (tail, head)
        words = [parts[0], [first[0], *parts[1], *first[1:]], parts[2], [second[0], *parts[3], *second[1:]], parts[4]]
        ids = np.fromiter((index for piece in words for index in piece), dtype=np.int32)
        bounds = np.cumsum([len(piece) for piece in words])[:4].tolist()
        ids, bounds = self._shorten(ids, bounds)
        return ids, bounds if head_first else bounds[2:] + bounds[:2]

    def _shorten(self, ids, bounds):
        """Put [CLS] and [SEP] around the pieces and cut them to `max_length`."""
        is_long = len(ids) > self.max_length - 2
        if is_long:
            self.truncated += 1
            self.beyond += max(bounds[0], bounds[2]) + 1 >= self.max_length
            if self.windowed:
                ids, bounds, _ = window(ids, bounds, self.max_length - 2)
        ids = np.concatenate(([self.cls_id], ids, [self.sep_id])).astype(np.int32)
        bounds = [bound + 1 for bound in bounds]
        if is_long and not self.windowed:
            ids, bounds = ids[: self.max_length], [min(bound, self.max_length - 1) for bound in bounds]
        return ids, bounds

    def to_json(self):
        """What `tokenizer_from_json` builds the same encoder from."""
        tokenizer = json.loads(self.tokenizer.to_str())
        value = {"kind": self.kind, "max_length": self.max_length, "markers": self.markers, "tokenizer": tokenizer}
        return value | _options(self)


_SPECIAL = ("[CLS]", "[SEP]", "[PAD]")


def _token_id(tokenizer, name, source):
    found = tokenizer.token_to_id(name)
    if found is None:
        raise DataError(source, found=f"no token {name}", expected="the vocabulary of a BERT")
    return found


def choose_markers(tokenizer, names=MARKER_TOKENS, unused=True):
    """Ids of marker tokens: [unusedN] where there are enough, else new tokens that are added.

    Four markers of mentions take the first four [unusedN] that exist; two tokens that stand for mentions take the fifth
    and sixth, as the published code. Cased vocabularies have no [unused0] and some have no [unusedN] at all; the
    published code then marked entities with [UNK], without a word.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
    names : sequence of str
        Of the tokens to add: `MARKER_TOKENS` or `MENTION_TOKENS`.
    unused : bool
        False: never take [unusedN].
    """
    first = 0 if len(names) == len(MARKER_TOKENS) else len(MARKER_TOKENS)
    if unused:
        numbers = [n for n in range(1000) if tokenizer.token_to_id(f"[unused{n}]") is not None]
        numbers = numbers[first : first + len(names)]
        names = [f"[unused{n}]" for n in numbers] if len(numbers) == len(names) else names
    tokenizer.add_special_tokens(list(names))
    return [tokenizer.token_to_id(name) for name in names]


def tokenizer_from_json(value):
    """The encoder that `to_json` described."""
    options = {"encoding": InputEncoding.from_json(value), "windowed": value.get("windowed", True)}
    if value["kind"] == WordTokenizer.kind:
        return WordTokenizer(value["words"], value["max_length"], **options)
    from tokenizers import Tokenizer  # only models on word pieces need it

    tokenizer = Tokenizer.from_str(json.dumps(value["tokenizer"]))
    return WordPieceTokenizer(tokenizer, value["max_length"], value["markers"], **options)


def _options(tokenizer):
    """Keys of vocabulary.json for what differs from the default."""
    return tokenizer.encoding.to_json() | ({} if tokenizer.windowed else {"windowed": False})


def _pieces(encoding, texts, spans, concepts):
    if not encoding.reads_types:
        return [encoding.pieces(text, span) for text, span in zip(texts, spans, strict=True)]
    return [encoding.pieces(*instance) for instance in zip(texts, spans, concepts, strict=True)]


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
        If the file breaks its contract, a mention is empty, out of the text, overlaps the other one or is not the text
        at its place, or a relation is not in `rel2id`.
    """
    check_schema(path, INSTANCES)
    tokens, rows, line = [], [], 0
    with pq.ParquetFile(path) as file:
        names = ["head", "tail"] if tokenizer.encoding.reads_types else []
        for batch in file.iter_batches(block, columns=["text", "relation", *_SPANS, *_NAMES, *names]):
            _check_spans(path, batch, line)
            columns = batch.to_pydict()
            spans = list(zip(*(columns[name] for name in _SPANS), strict=True))
            _check_names(path, columns, spans, line)
            concepts = list(zip(*(columns[name] for name in names), strict=True))
            encoded = tokenizer.encode(columns["text"], spans, concepts)
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


def _check_names(path, columns, spans, line):
    instances = zip(columns["text"], spans, columns["head_name"], columns["tail_name"], strict=True)
    for i, (text, (a, b, c, d), head, tail) in enumerate(instances, 1):
        for start, end, name in ((a, b, head), (c, d, tail)):
            if text[start:end] != name:
                raise DataError(
                    path,
                    record=line + i,
                    found=f"{text[start:end]!r} at {start}..{end}",
                    expected=f"the mention {name!r}; offsets count code points, ends exclusive",
                    remedy="offsets in bytes or UTF-16 units, or of another version of the text: convert them",
                )


def _relation_id(rel2id, name, path):
    if name not in rel2id:
        remedy = "give the rel2id.json of this corpus, or train the run again on it"
        raise DataError(path, found=f"relation {name}", expected=f"one of {', '.join(rel2id)}", remedy=remedy)
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
