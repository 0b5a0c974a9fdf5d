"""The index of similar names gives what scoring every name gives: the same names, scores and order."""

import gzip
import random

import numpy as np
import pytest
from rapidfuzz import fuzz, process

from tests.belb.worlds import stored_names
from workflow_scripts.belb import similar_names, systems
from workflow_scripts.belb.similar_names import SimilarNames

LIMIT = 5


def plain(text, names, limit=LIMIT):
    """The definition: every name is scored; equal scores by code point."""
    best = process.extract(text, names, scorer=fuzz.WRatio, limit=limit)
    return [(score, name) for name, score, _ in best if score > 0]


def assert_equal(names, texts, limit=LIMIT):
    names = sorted(set(names))
    index = SimilarNames(names)
    for text in texts:
        assert index.best(text, limit) == plain(text, names, limit), repr(text)
        scores = process.cdist([text], names, scorer=fuzz.WRatio, dtype=np.float64)[0]
        above = np.flatnonzero(scores > index.bounds(text))
        assert not above.size or not scores[above[0]], (text, names[above[0]])


def made_up(draw, letters, blanks, words, longest):
    """A string of words of few letters between blanks; words come again."""
    known = ["".join(draw.choices(letters, k=draw.randint(1, longest))) for _ in range(4)]
    string = "".join(draw.choice(known) + draw.choice(blanks) for _ in range(draw.randint(1, words)))
    return string[: draw.choice([90, -1])]


@pytest.mark.parametrize(
    ("letters", "blanks", "words", "longest"),
    [
        ("ab", [" "], 3, 4),
        ("abcdefgh", [" ", " ", "-"], 5, 7),
        ("abcé", [" ", "  ", "\u00a0", "\u2003", "\x1c", "\x85", "\u200b", "\t"], 4, 5),
        ("abcdefghijklmnopqrst", [" ", ", "], 14, 11),
        ("abcdefgh", [" "], 1, 60),
    ],
    ids=["two letters", "words", "blanks", "many words", "long words"],
)
def test_random_names(letters, blanks, words, longest):
    draw = random.Random(repr((letters, blanks)))
    for _ in range(10):
        names = [made_up(draw, letters, blanks, words, longest) for _ in range(draw.choice([1, 4, 80, 300]))]
        texts = [made_up(draw, letters, blanks, words, longest) for _ in range(8)]
        texts += [draw.choice(names), draw.choice(names)[1:] + "x", names[0] + " " + names[-1]]
        assert_equal(names, texts, draw.choice([1, 2, 5]))


def test_nothing_in_common():
    names = ["", " ", "a", "a a", "ab", "b " * 40]
    assert_equal(names, ["", " ", "z", "a", "a a a", "b", "ba", "b" * 40])
    assert_equal(["lbd\u2003qd\x1c", "gr\u2003", "c e"], ["ckc  k "])
    assert SimilarNames([]).best("a", 5) == [] and SimilarNames(["a"]).best("z", 5) == []


def test_real_names(shared_data):
    file = shared_data / "belb" / "medic_06Jul2012.txt.gz"
    if not file.is_file():
        pytest.skip(f"no {file}")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        names = {name.lower() for line in lines for name in line.rstrip("\n").split("||")[1].split("|")}
    draw = random.Random(5)
    names = draw.sample(sorted(names), 5_000)
    texts = draw.sample(names, 8) + [name[: len(name) // 2] + name[-3:] for name in draw.sample(names, 8)]
    texts += ["aids", "cancer of the breast and ovary", "pain", "type 2 diabetes", "deficiency of vitamin"]
    assert_equal(names, texts)


def test_few_names_are_scored(monkeypatch):
    draw, scored = random.Random(2), []
    names = sorted({made_up(draw, "abcdefghijklmno", [" "], 4, 9) for _ in range(1000)})
    cdist = similar_names.process.cdist
    monkeypatch.setattr(
        similar_names.process,
        "cdist",
        lambda text, some, **rest: scored.append(len(some)) or cdist(text, some, **rest),
    )
    texts = draw.sample(names, 20)
    index = SimilarNames(names)
    for text in texts:
        index.best(text, LIMIT)
    assert sum(scored) < 0.5 * len(names) * len(texts)


def test_names_in_several_indexes(tmp_path, monkeypatch):
    draw = random.Random(3)
    names = sorted({made_up(draw, "abc", [" "], 3, 3) for _ in range(400)})
    path = stored_names(tmp_path / "names.parquet", [(f"X:{number % 90}", name) for number, name in enumerate(names)])
    texts = [name.upper() for name in names[::40]] + ["ab", "none of it: xyz"]
    whole = systems.fuzzy_ranks(path, texts)
    monkeypatch.setattr(systems, "BLOCK", 37)
    assert systems.fuzzy_ranks(path, texts) == whole
    assert all(len(ranks) == LIMIT for text, ranks in whole.items() if "x" not in text)
