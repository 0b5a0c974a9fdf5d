"""Files of word vectors: three formats, restriction to a corpus, and every way to be wrong."""

import struct

import numpy as np
import pytest

from workflow_scripts.common.errors import DataError
from workflow_scripts.training import embeddings
from workflow_scripts.training.embeddings import load_vectors

VECTORS = {"heart": [0.5, -1.0, 2.0], "Heart": [9.0, 9.0, 9.0], "α": [1.0, 1.5, 0.25], "zone": [0.0, 3.0, -2.0]}


def write(path, kind, vectors, count=None, width=3, newline=b""):
    vectors = list(vectors.items() if isinstance(vectors, dict) else vectors)
    header = b"" if kind == "glove_text" else f"{len(vectors) if count is None else count} {width}\n".encode()
    if kind == "word2vec_binary":
        body = b"".join(w.encode() + b" " + struct.pack(f"<{len(v)}f", *v) + newline for w, v in vectors)
    else:
        body = b"".join(f"{w} {' '.join(map(str, v))}\n".encode() for w, v in vectors)
    path.write_bytes(header + body)
    return path


@pytest.mark.parametrize("kind", ["glove_text", "word2vec_text", "word2vec_binary"])
@pytest.mark.parametrize("block", [7, 1 << 24])
def test_the_words_of_the_corpus_are_found(tmp_path, monkeypatch, kind, block):
    monkeypatch.setattr(embeddings, "_BLOCK", block)
    path = write(tmp_path / "v", kind, VECTORS)
    words, vectors = load_vectors(path, kind, 3, ["zone", "heart", "absent", "α"])
    assert words == ["heart", "zone", "α"]
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [VECTORS[word] for word in words]


@pytest.mark.parametrize("block", [1, 2, 1 << 24])
def test_binary_with_line_feeds_and_of_a_repeated_word_the_first(tmp_path, monkeypatch, block):
    monkeypatch.setattr(embeddings, "_BLOCK", block)
    pairs = [("a", [1.0, 2.0, 3.0]), ("b", [4.0, 5.0, 6.0]), ("a", [7.0, 8.0, 9.0])]
    for kind in ("word2vec_binary", "glove_text"):
        path = write(tmp_path / kind, kind, pairs, newline=b"\n")
        words, vectors = load_vectors(path, kind, 3, ["b", "a"])
        assert (words, vectors.tolist()) == (["a", "b"], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_no_word_in_common(tmp_path):
    words, vectors = load_vectors(write(tmp_path / "v", "glove_text", VECTORS), "glove_text", 3, ["x"])
    assert words == [] and vectors.shape == (0, 3)


def test_glove_words_with_blanks_are_passed_over(tmp_path):
    path = write(tmp_path / "v", "glove_text", {"heart": [1, 2, 3], ". . .": [4, 5, 6], "at name@x": [7, 8, 9]})
    assert load_vectors(path, "glove_text", 3, ["heart", "at"])[0] == ["heart"]


@pytest.mark.parametrize(
    ("kind", "found"), [("glove_text", 4), ("word2vec_text", 4), ("word2vec_binary", 4), ("glove_text", 2)]
)
def test_wrong_width(tmp_path, kind, found):
    vectors = {word: [1.0] * found for word in VECTORS}
    path = write(tmp_path / "vectors.bin", kind, vectors, width=found)
    with pytest.raises(DataError) as error:
        load_vectors(path, kind, 3, ["heart"])
    text = str(error.value)
    assert "vectors.bin, line 1" in text and f"{found} numbers" in text and "expected: 3" in text and "width" in text


@pytest.mark.parametrize("numbers", [[1.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
def test_wrong_width_in_a_later_line(tmp_path, numbers):
    path = write(tmp_path / "v", "glove_text", {"heart": [1, 2, 3], "odd": numbers})
    with pytest.raises(DataError, match="line 2"):
        load_vectors(path, "glove_text", 3, ["heart"])


def test_text_in_place_of_numbers(tmp_path):
    (tmp_path / "v").write_text("heart 1 2 3\nzone 1 x 3\n")
    with pytest.raises(DataError, match="line 2"):
        load_vectors(tmp_path / "v", "glove_text", 3, ["zone"])


@pytest.mark.parametrize("kind", ["glove_text", "word2vec_binary"])
def test_numbers_that_are_not_finite(tmp_path, kind):
    path = write(tmp_path / "v", kind, {"heart": [1.0, float("nan"), 3.0]})
    with pytest.raises(DataError, match="not finite"):
        load_vectors(path, kind, 3, ["heart"])


@pytest.mark.parametrize("kind", ["word2vec_text", "word2vec_binary"])
def test_a_file_that_ends_too_early(tmp_path, kind):
    path = write(tmp_path / "v", kind, VECTORS, count=6)
    with pytest.raises(DataError, match="6 words"):
        load_vectors(path, kind, 3, ["heart"])


def test_a_binary_file_cut_within_a_vector(tmp_path):
    path = write(tmp_path / "v", "word2vec_binary", VECTORS)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(DataError, match="record 4"):
        load_vectors(path, "word2vec_binary", 3, ["heart"])


def test_glove_given_as_word2vec(tmp_path):
    path = write(tmp_path / "v", "glove_text", VECTORS)
    with pytest.raises(DataError, match="two integers"):
        load_vectors(path, "word2vec_text", 3, ["heart"])


@pytest.mark.parametrize("block", [7, 1 << 24])
def test_text_given_as_binary(tmp_path, monkeypatch, block):
    """Every record would fit, as text is longer, and the vectors would be nonsense."""
    monkeypatch.setattr(embeddings, "_BLOCK", block)
    path = write(tmp_path / "v", "word2vec_text", {word: [1.234567] * 3 for word in VECTORS})
    with pytest.raises(DataError, match="bytes after the last vector\n.*after 4 words.*\n.*set `format`"):
        load_vectors(path, "word2vec_binary", 3, ["heart"])


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load_vectors(tmp_path / "none", "glove_text", 3, ["heart"])
