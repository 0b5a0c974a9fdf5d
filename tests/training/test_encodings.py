"""Input encodings CM, OM, OC, CT and OT: the strings of DESIGN.md 6 spelled out, markers, and whole runs."""

import json

import numpy as np
import pytest

from tests.training import planted
from tests.training.conftest import build_index, load_task, make_bert
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.models.encodings import ENCODINGS, InputEncoding
from workflow_scripts.common.models.scoring import load_run, score_split
from workflow_scripts.common.models.tokenization import (
    WordPieceTokenizer,
    WordTokenizer,
    choose_markers,
    tokenizer_from_json,
)
from workflow_scripts.training.index import read_encoding
from workflow_scripts.training.index_wordpieces import read_tokenizer
from workflow_scripts.training.loop import Trainer
from workflow_scripts.training.train_run import initial_model

TEXT = "word1 word2 word3 word4 entity word5"
TYPES = {"C1": "cures belongs", "C2": "located"}
# head word2, tail "word4 entity", and the other way round
PIECES = {
    ("CM", True): "[CLS] word1 [H] word2 [/H] word3 [T] word4 entity [/T] word5 [SEP]",
    ("OM", True): "[CLS] [H] word2 [/H] [T] word4 entity [/T] [SEP]",
    ("OC", True): "[CLS] word1 [HEAD] word3 [TAIL] word5 [SEP]",
    ("CT", True): "[CLS] word1 [H] cures belongs [/H] word3 [T] located [/T] word5 [SEP]",
    ("OT", True): "[CLS] [H] cures belongs [/H] [T] located [/T] [SEP]",
    ("CM", False): "[CLS] word1 [T] word2 [/T] word3 [H] word4 entity [/H] word5 [SEP]",
    ("OM", False): "[CLS] [T] word2 [/T] [H] word4 entity [/H] [SEP]",
    ("OC", False): "[CLS] word1 [TAIL] word3 [HEAD] word5 [SEP]",
    ("CT", False): "[CLS] word1 [T] located [/T] word3 [H] cures belongs [/H] word5 [SEP]",
    ("OT", False): "[CLS] [T] located [/T] [H] cures belongs [/H] [SEP]",
}
WORDS = {
    ("CM", True): "word1 word2 word3 word4 entity word5",
    ("OM", True): "word2 word4 entity",
    ("OC", True): "word1 [HEAD] word3 [TAIL] word5",
    ("CT", True): "word1 cures belongs word3 located word5",
    ("OT", True): "cures belongs located",
    ("OC", False): "word1 [TAIL] word3 [HEAD] word5",
    ("CT", False): "word1 located word3 cures belongs word5",
    ("OT", False): "located cures belongs",
}


def spans(head_first):
    first, second = (6, 11), (18, 30)
    return [*first, *second] if head_first else [*second, *first]


def encoding_of(name):
    return InputEncoding(name, TYPES if name in ("CT", "OT") else {})


@pytest.mark.parametrize("name, head_first", list(PIECES))
def test_word_pieces_spelled_out(tmp_path, name, head_first):
    """Markers by role, segments by text order; the states read stand at the head's and the tail's first token."""
    tokenizer = WordPieceTokenizer(
        read_tokenizer(make_bert(tmp_path, [f"[unused{n}]" for n in range(9)])), 64, encoding=encoding_of(name)
    )
    again = tokenizer_from_json(json.loads(json.dumps(tokenizer.to_json())))
    for one in (tokenizer, again):
        ((ids, bounds),) = one.encode([TEXT], [spans(head_first)], [("C1", "C2")])
        names = ["[HEAD]", "[TAIL]"] if name == "OC" else ["[H]", "[/H]", "[T]", "[/T]"]
        markers = dict(zip(one.markers, names, strict=True))
        found = [markers.get(i) or one.tokenizer.id_to_token(int(i)) for i in ids]
        assert " ".join(found) == PIECES[name, head_first]
        assert (found[bounds[0]], found[bounds[2]]) == (names[0], names[len(names) // 2])
        assert (found[bounds[1] - 1], found[bounds[3] - 1]) == (names[len(names) // 2 - 1], names[-1])


@pytest.mark.parametrize("name, head_first", list(WORDS))
def test_words_spelled_out(name, head_first):
    words = [*planted.FILLERS, "entity", "cures", "belongs", "located", "[HEAD]", "[TAIL]"]
    tokenizer = WordTokenizer(words, 64, encoding=encoding_of(name))
    for one in (tokenizer, tokenizer_from_json(json.loads(json.dumps(tokenizer.to_json())))):
        ((ids, bounds),) = one.encode([TEXT], [spans(head_first)], [("C1", "C2")])
        found = [words[i] for i in ids]
        assert " ".join(found) == WORDS[name, head_first]
        head = {"CM": "word2", "OM": "word2", "OC": "[HEAD]"}.get(name, "cures belongs")
        tail = {"CM": "word4 entity", "OM": "word4 entity", "OC": "[TAIL]"}.get(name, "located")
        assert " ".join(found[bounds[0] : bounds[1]]) == head and " ".join(found[bounds[2] : bounds[3]]) == tail


@pytest.mark.parametrize("numbers", [range(0, 9), range(1, 9)])
def test_tokens_for_mentions_are_the_fifth_and_sixth_unused(tmp_path, numbers):
    raw = read_tokenizer(make_bert(tmp_path, [f"[unused{n}]" for n in numbers]))
    tokenizer = WordPieceTokenizer(raw, 64, encoding=InputEncoding("OC"))
    assert [raw.id_to_token(i) for i in tokenizer.markers] == [f"[unused{n}]" for n in list(numbers)[4:6]]


@pytest.mark.parametrize("extra", [[], [f"[unused{n}]" for n in range(5)]])
def test_tokens_for_mentions_are_added_where_two_are_missing(tmp_path, extra):
    raw = read_tokenizer(make_bert(tmp_path, extra))
    size = raw.get_vocab_size()
    tokenizer = WordPieceTokenizer(raw, 64, encoding=InputEncoding("OC"))
    assert tokenizer.markers == [size, size + 1] and raw.id_to_token(size) == "[HEAD]"
    with pytest.raises(DataError, match="two distinct"):
        WordPieceTokenizer(raw, 64, markers=[size, size], encoding=InputEncoding("OC"))


def test_added_markers_where_the_configuration_wants_them(tmp_path):
    raw = read_tokenizer(make_bert(tmp_path, [f"[unused{n}]" for n in range(9)]))
    size = raw.get_vocab_size()
    assert choose_markers(raw, unused=False) == list(range(size, size + 4))


def test_a_concept_without_a_type_is_named(tmp_path):
    tokenizer = WordTokenizer(["a"], 64, encoding=encoding_of("CT"))
    with pytest.raises(DataError, match="no semantic type of C9"):
        tokenizer.encode([TEXT], [spans(True)], [("C1", "C9")])
    with pytest.raises(UsageError, match="--concepts"):
        read_encoding("OT", None)
    planted.write_concepts(tmp_path / "c.parquet", ["C00001", "D5"])
    assert read_encoding("CT", tmp_path / "c.parquet").types == {"C00001": "disease or syndrome", "D5": "word1 word2"}
    assert read_encoding("OM", tmp_path / "absent.parquet").types == {}


def test_other_encodings_leave_the_index_of_cm_alone(corpus, tmp_path, word_index):
    """The default writes nothing of encodings, and CT's words are those of CM but for the mentions."""
    assert set(json.loads((word_index / "vocabulary.json").read_text())) == {"kind", "max_length", "words"}
    folder = tmp_path / "ct"
    folder.mkdir()
    build_index(corpus, folder, encoding="CT")
    vocabulary = json.loads((folder / "vocabulary.json").read_text())
    assert vocabulary["encoding"] == "CT" and sorted(vocabulary["types"]) == sorted(t.lower() for t in planted.TYPES)
    assert "[HEAD]" not in vocabulary["words"]


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "CM"])
@pytest.mark.parametrize("encoder", ["cnn", "gru", "bert"])
def test_each_encoder_reads_each_encoding(corpus, tiny_bert, tmp_path, encoder, encoding):
    """A step of training moves the rows of the words read, and of no mention that is hidden."""
    index = tmp_path / "index"
    index.mkdir()
    folder = tiny_bert if encoder == "bert" else None
    build_index(corpus, index, folder, encoding)
    task, vocabulary = load_task(index, planted.row(encoder, "sent", None, epochs=1, weight_decay=0.0))
    model, *_ = initial_model(task, index, folder, vocabulary)
    words = model.encoder.transformer.words if encoder == "bert" else model.encoder.words
    before = words.weight.detach().clone()
    next(Trainer(model, task).steps())
    moved = (words.weight.detach() != before).any(dim=1).nonzero()[:, 0].tolist()
    read = set(task.train.tokens.tolist())
    assert moved and set(moved) - set(range(len(before) - 5, len(before))) <= read | {task.pad_id}
    names = vocabulary["words"] if encoder != "bert" else list(vocabulary["tokenizer"]["model"]["vocab"])
    assert ("entity" in names and names.index("entity") in read) == (encoding == "OM")
    own = vocabulary["markers"] if encoder == "bert" else [names.index(n) for n in names if n.startswith("[")]
    assert set(own) <= read


def test_commands_from_index_to_scores(run_command, corpus, tiny_bert, tmp_path):
    """As the rules call them: a run folder alone scores the test split again, types included."""
    index, run = tmp_path / "index", tmp_path / "run"
    paths = [part for split in ("train", "valid") for part in (f"--{split}", corpus / f"{split}.parquet")]
    options = ["--rel2id", corpus / "rel2id.json", "--folder", index, "--concepts", corpus / "concepts.parquet"]
    settings = json.dumps({"max_length": 64, "encoding": "CT", "markers": "paper", "window": True})
    command = ["training/index_wordpieces.py", *paths, "--encoder", tiny_bert, "--params", settings]
    done = run_command(*command, *options)
    assert done.returncode == 0, done.stderr
    row = planted.row("bert", "sent", None, epochs=1, encoding="CT")
    values = {"run": "r", "corpus": "c", "model": "m", "seed": 1, "row": row, "threads": 1, "device": "cpu"}
    values |= {"precision": "fp32", "tokens_per_batch": 4096}
    options = ["--index", index, "--rel2id", corpus / "rel2id.json", "--folder", run, "--params", json.dumps(values)]
    done = run_command("training/train_run.py", *options, "--encoder", tiny_bert)
    assert done.returncode == 0, done.stderr
    config = json.loads((run / "config.json").read_text())
    assert config["tokens"]["encoding"] == "CT" and config["mention_beyond_limit"] == 0
    assert config["tokens"]["marker_tokens"] == ["[H]", "[/H]", "[T]", "[/T]"]
    pairs, scores, _ = score_split(load_run(run), corpus / "test.parquet", "avg")
    assert len(pairs) == len(scores) and np.isfinite(scores).all()
