"""Names as token ids, the exact search of the nearest, and the losses, against restatements of their definitions."""

import itertools
import random

import numpy as np
import pytest
import torch

from tests.training import name_worlds as worlds
from workflow_scripts.common.errors import DataError
from workflow_scripts.training import name_losses, name_tokens
from workflow_scripts.training.index_wordpieces import read_tokenizer
from workflow_scripts.training.name_objectives import Synonyms, synonym_pairs
from workflow_scripts.training.name_search import nearest_rows
from workflow_scripts.training.name_tokens import NameTokenizer, read_names, tokenise


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = worlds.write_encoder(tmp_path_factory.mktemp("encoder"), words=["renal", "failure", "kidney", "é", "e"])
    return lambda max_length=8: NameTokenizer(read_tokenizer(folder), max_length, folder)


def test_token_ids(tokenizer):
    ours = tokenizer(4)
    found = ours.encode(["Renal FAILURE", "", "kidney", "renal renal renal", "[SEP]"])
    ids = {word: ours.tokenizer.token_to_id(word) for word in ("renal", "failure", "kidney", "[UNK]")}
    assert [list(map(int, own)) for own in found] == [
        [2, ids["renal"], ids["failure"], 3],
        [2, 3],
        [2, ids["kidney"], 3],
        [2, ids["renal"], ids["renal"], 3],
        [2, ids["[UNK]"], ids["[UNK]"], 3],
    ]
    assert ours.truncated == 2
    again = NameTokenizer.from_json(ours.to_json())
    assert again.encode(["Renal x"])[0].tolist() == ours.encode(["Renal x"])[0].tolist()


@pytest.mark.parametrize("size", [1, 3, 100])
def test_each_sequence_once_in_the_order_of_its_first_text(tokenizer, size):
    texts = ["e", "Renal", "kidney", "renal", "é", "E", "failure", "kidney"]
    batches = [texts[start : start + size] for start in range(0, len(texts), size)]
    found = tokenise(batches, tokenizer())
    assert found.row_of_text.tolist() == [0, 1, 2, 1, 0, 0, 3, 2], "lower-cased and without accents"
    assert found.sequences.rows["line"].tolist() == [0, 1, 2, 6]
    starts, lengths = found.sequences.rows["start"], found.sequences.rows["length"]
    first = [
        found.sequences.tokens[start : start + length].tolist() for start, length in zip(starts, lengths, strict=True)
    ]
    assert first == [ids.tolist() for ids in tokenizer().encode(["e", "renal", "kidney", "failure"])]


def test_entities_of_a_sequence(tokenizer, tmp_path, monkeypatch):
    pairs = [("B", "Renal"), ("A", "renal"), ("A", "kidney"), ("C", "kidney"), ("a", "RENAL"), ("A", "failure")]
    path = worlds.write_names(tmp_path / "names.parquet", pairs)
    for size in (1, 2, 1 << 16):
        monkeypatch.setattr(name_tokens, "NAMES_AT_ONCE", size)
        names = read_names(path, tokenizer())
        found = [[names.entities[code] for code in names.entities_of(row)] for row in range(len(names))]
        # names by code point: RENAL, Renal, failure, kidney, renal
        assert found == [["A", "B", "a"], ["A"], ["A", "C"]]
    assert names.entities == ["A", "B", "C", "a"]


def test_no_names_and_no_bert(tokenizer, tmp_path):
    path = worlds.write_names(tmp_path / "names.parquet", [])
    with pytest.raises(DataError, match="no names"):
        read_names(path, tokenizer())
    from tokenizers import Tokenizer, models

    with pytest.raises(DataError, match=r"here\n.*no token \[CLS\]"):
        NameTokenizer(Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]")), 8, "here")


def unit_vectors(seed, n, d, copies=0):
    values = np.random.default_rng(seed).normal(size=(n, d))
    values = (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float16)
    return np.concatenate([values, values[:copies]])


def brute_force(queries, vectors, k):
    """By Python's own exact integers: all numbers are multiples of 2^-24."""
    scale = 1 << 24
    whole = [[[int(float(x) * scale) for x in row] for row in matrix] for matrix in (queries, vectors)]
    scores = [[sum(a * b for a, b in zip(q, v, strict=True)) for v in whole[1]] for q in whole[0]]
    order = [sorted(range(len(vectors)), key=lambda row: (-own[row], row))[:k] for own in scores]
    return order, [[scores[i][row] / scale**2 for row in own] for i, own in enumerate(order)]


@pytest.mark.parametrize(("n", "m", "d", "k"), [(7, 60, 24, 5), (3, 4, 8, 9), (1, 1, 3, 1), (5, 40, 1, 6)])
def test_search_equals_brute_force(n, m, d, k):
    """With copies of vectors, which tie; with more wanted than there are; one column, where nearly all tie."""
    queries, vectors = unit_vectors(1, n, d), unit_vectors(2, m, d, copies=m // 3)
    expected = brute_force(queries, vectors, k)
    for sizes in ((1, 1), (3, 2), (16, 64), (1 << 15, 1 << 9)):
        rows, scores = nearest_rows(queries, vectors, k, rows_at_once=sizes[0], queries_at_once=sizes[1])
        assert rows.tolist() == expected[0] and scores.tolist() == expected[1]


def test_search_tells_near_vectors_apart():
    """Differences far below what float32 can see; the order of rows decides between equal ones only."""
    d, draw = 64, np.random.default_rng(3)
    base = unit_vectors(4, 1, d)[0]
    vectors = np.tile(base, (200, 1))
    vectors[np.arange(200), draw.integers(0, d, 200)] = np.float16(2.0**-24)
    queries = unit_vectors(5, 3, d)
    queries[:, :] = np.where(np.abs(queries) < 0.05, np.float16(2.0**-20), queries)
    assert nearest_rows(queries, vectors, 20, rows_at_once=32)[0].tolist() == brute_force(queries, vectors, 20)[0]


def test_search_of_nothing():
    rows, scores = nearest_rows(unit_vectors(1, 0, 4), unit_vectors(2, 9, 4), 3)
    assert rows.shape == scores.shape == (0, 3)


def literal_multi_similarity(vectors, synonyms, others):
    n, total = len(vectors), 0.0
    cosine = lambda a, b: float(np.dot(vectors[a], vectors[b]))  # noqa: E731
    distance = lambda a, b: float(np.linalg.norm(vectors[a] - vectors[b]))  # noqa: E731
    for a in range(n):
        hard = {
            (p, q)
            for p in range(n)
            for q in range(n)
            if synonyms[a, p] and others[a, q] and distance(a, q) - distance(a, p) <= name_losses.MARGIN
        }
        pulled = sum(np.exp(-name_losses.ALPHA * (cosine(a, p) - name_losses.BASE)) for p in {p for p, _ in hard})
        pushed = sum(np.exp(name_losses.BETA * (cosine(a, q) - name_losses.BASE)) for q in {q for _, q in hard})
        total += np.log1p(pulled) / name_losses.ALPHA + np.log1p(pushed) / name_losses.BETA
    return total / n


@pytest.mark.parametrize("seed", range(4))
def test_multi_similarity_loss(seed):
    draw = np.random.default_rng(seed)
    vectors = draw.normal(size=(12, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    labels = draw.integers(0, 4, 12)
    same = labels[:, None] == labels
    synonyms, others = same & ~np.eye(12, dtype=bool), ~same
    tensors = torch.from_numpy(vectors).requires_grad_(), torch.from_numpy(synonyms), torch.from_numpy(others)
    loss = name_losses.multi_similarity_loss(*tensors)
    assert loss.item() == pytest.approx(literal_multi_similarity(vectors, synonyms, others), rel=1e-9)
    loss.backward()
    assert torch.isfinite(tensors[0].grad).all()


def test_a_batch_without_hard_pairs_has_loss_zero_and_a_gradient():
    vectors = torch.eye(4).requires_grad_()
    no = torch.zeros(4, 4, dtype=torch.bool)
    loss = name_losses.multi_similarity_loss(vectors, no, ~torch.eye(4, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0 and not vectors.grad.any()


def test_marginal_likelihood_loss():
    scores = torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    right = torch.tensor([[True, False, True], [False, True, False]])
    shares = [(np.e**2 + 1) / (np.e**2 + np.e + 1), 1 / 3]
    assert name_losses.marginal_likelihood_loss(scores, right).item() == pytest.approx(-np.log(shares).mean(), rel=1e-6)


def random_names(tokenizer, tmp_path, seed=0):
    draw = random.Random(seed)
    words = ["renal", "failure", "kidney", "e"]
    texts = [" ".join(draw.choices(words, k=draw.randint(1, 4))) for _ in range(60)]
    pairs = [(f"E{draw.choice([1, 2, 2, 2, 3, draw.randrange(9)])}", text) for text in texts]
    return read_names(worlds.write_names(tmp_path / "names.parquet", pairs), tokenizer())


def test_pairs_of_synonyms(tokenizer, tmp_path):
    names = random_names(tokenizer, tmp_path)
    members = {}
    for row in range(len(names)):
        for code in names.entities_of(row).tolist():
            members.setdefault(code, []).append(row)
    everything = sorted(pair for rows in members.values() for pair in itertools.combinations(rows, 2))
    assert sorted(map(tuple, synonym_pairs(names, 1, limit=10**6).tolist())) == everything
    sizes = [min(20, len(rows) * (len(rows) - 1) // 2) for rows in members.values()]
    drawn = list(map(tuple, synonym_pairs(names, 1, limit=20).tolist()))
    assert len(drawn) == sum(sizes) < len(everything) and set(drawn) < set(everything)
    assert drawn == list(map(tuple, synonym_pairs(names, 1, limit=20).tolist()))
    assert drawn != list(map(tuple, synonym_pairs(names, 2, limit=20).tolist()))


def test_names_that_share_an_entity(tokenizer, tmp_path):
    names = random_names(tokenizer, tmp_path)
    objective = Synonyms(names, 8, seed=1)
    rows = np.arange(len(names))
    own = [set(names.entities_of(row).tolist()) for row in rows]
    assert objective._shared(rows).tolist() == [
        [i == j or bool(a & b) for j, b in enumerate(own)] for i, a in enumerate(own)
    ]
    seen = []

    def encode(_, chosen):
        seen.extend(chosen.tolist())
        return torch.nn.functional.normalize(torch.ones(len(chosen), 3), dim=1)

    assert objective.n_steps() == -(-len(objective.pairs) // 4)
    for step in range(objective.n_steps()):
        objective.loss(0, step, encode)
    assert set(seen) == set(objective.pairs.ravel().tolist()), "an epoch has every pair"


def test_no_entity_with_two_names(tokenizer, tmp_path):
    path = worlds.write_names(tmp_path / "names.parquet", [("A", "renal"), ("A", "Renal"), ("B", "kidney")])
    with pytest.raises(DataError, match="none among 2 entities"):
        Synonyms(read_names(path, tokenizer()), 8, 1, path)
