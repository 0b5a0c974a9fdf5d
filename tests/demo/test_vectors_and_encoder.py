"""Word vectors and the small BERT of the embedded release."""

import json

import numpy as np
import pytest
import torch

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.models import bert
from workflow_scripts.demo.make_demo_encoder import FILES, make_examples, make_tokenizer
from workflow_scripts.demo.plain_text import read_text
from workflow_scripts.demo.wordpieces import SPECIAL, learn_wordpieces

SHORT = '{"steps":6,"batch_size":16,"hidden_size":32,"vocabulary":400}'


@pytest.fixture(scope="module")
def embeddings(run_command, short_text, tmp_path_factory):
    folders = []
    for hash_seed in ("1", "2"):
        folder = tmp_path_factory.mktemp("vectors")
        options = [f"--{name}={folder / name}" for name in ("biowordvec", "biow2v", "glove")]
        options += ["--text", short_text, "--params", '{"epochs":1,"width":24}']
        done = run_command(
            "demo/train_demo_embeddings.py", *options, environment={"PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"}
        )
        assert done.returncode == 0, done.stderr
        folders.append(folder)
    return folders


def test_vectors_have_the_declared_width_and_format(embeddings, short_text):
    folder = embeddings[0]
    rows = [line.split(" ") for line in (folder / "glove").read_text(encoding="utf-8").splitlines()]
    assert {len(row) for row in rows} == {25}
    header, *lines = (folder / "biowordvec").read_text(encoding="utf-8").splitlines()
    assert header == f"{len(rows)} 24" and {len(line.split(" ")) for line in lines} == {25}
    header, rest = (folder / "biow2v").read_bytes().split(b"\n", 1)
    assert header == f"{len(rows)} 24".encode()
    seen = set()
    while rest:
        word, rest = rest.split(b" ", 1)
        assert np.isfinite(np.frombuffer(rest[:96], "<f4")).all() and rest[96:97] == b"\n"
        seen.add(word.decode())
        rest = rest[97:]
    words = {row[0] for row in rows}
    assert seen == words == {line.split(" ")[0] for line in lines}
    text = short_text.read_text(encoding="utf-8").lower()
    assert all(word == word.lower() and word in text for word in words)


def test_vectors_differ_by_slot_and_not_by_hash_seed(embeddings):
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in embeddings)
    assert first == second
    assert len(set(first.values())) == 3


@pytest.fixture(scope="module")
def encoders(run_command, short_text, tmp_path_factory):
    folders = []
    for hash_seed in ("1", "2"):
        folder = tmp_path_factory.mktemp("encoder")
        options = ["--text", short_text, "--folder", folder, "--params", SHORT]
        environment = {"PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"}
        done = run_command("demo/make_demo_encoder.py", *options, environment=environment)
        assert done.returncode == 0, done.stderr
        folders.append(folder)
    return folders


def test_encoder_files_are_the_same_for_every_hash_seed(encoders):
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in encoders)
    assert sorted(first) == sorted(FILES)
    assert first == second


def test_encoder_loads_offline_and_agrees_with_ours(encoders, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from transformers import AutoModel, AutoTokenizer

    folder = encoders[0]
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    assert tokenizer.vocab_size == model.config.vocab_size == 400
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    assert tokenizer.convert_tokens_to_ids(vocabulary) == list(range(400))
    unused = tokenizer.convert_tokens_to_ids([f"[unused{i}]" for i in range(10)])
    assert len({*unused, tokenizer.unk_token_id}) == 11
    batch = tokenizer(["The Velor gland was small .", "Overall , it was attributed to the fever ."], padding=True)
    ids, attention = torch.tensor(batch["input_ids"]), torch.tensor(batch["attention_mask"])
    assert ids[0, 0] == tokenizer.cls_token_id and tokenizer.sep_token_id in ids[0]
    ours = bert.Transformer(bert.read_config(folder)).eval()
    with torch.no_grad():
        bert.load_pretrained(ours, folder)
        theirs = model(input_ids=ids, attention_mask=attention).last_hidden_state[:, [0, 3]]
        found = ours(ids, attention.sum(1), torch.tensor([[0, 3], [0, 3]]))
    assert torch.allclose(found, theirs, atol=1e-5)


def test_examples_hold_markers_around_the_mentions(short_text):
    sentences = read_text(short_text)
    tokenizer, vocabulary = make_tokenizer(sentences, 400)
    names = ("pad", "unk", "mask", "cls", "sep")
    tokens = {name: vocabulary.index(f"[{name.upper()}]") for name in names}
    tokens["markers"] = [vocabulary.index(f"[unused{i}]") for i in range(4)]
    examples = make_examples(tokenizer, sentences, tokens, seed=3)
    assert len(examples) == len(sentences)
    marked, head_first = 0, 0
    for (text, spans), (ids, first, second) in zip(sentences, examples, strict=True):
        assert ids[0] == tokens["cls"] and ids[-1] == tokens["sep"]
        if first:
            order = [token for token in ids if token in tokens["markers"]]
            assert sorted(order) == tokens["markers"] and ids[first] == order[0] and ids[second] == order[2]
            inside = tokenizer.decode(ids[first + 1 : list(ids).index(order[1])])
            assert inside.replace(" ", "") == _plain(text[slice(*spans[0])])
            marked, head_first = marked + 1, head_first + (order[0] == tokens["markers"][0])
    assert 0.6 * len(sentences) < marked < 0.9 * len(sentences)
    assert 0.4 < head_first / marked < 0.6


def _plain(text):
    from tokenizers import normalizers

    return normalizers.BertNormalizer().normalize_str(text).replace(" ", "")


def test_wordpieces_are_joined_by_count_then_by_text():
    pieces = learn_wordpieces({"abab": 3, "abc": 2, "xy": 5, "xz": 5}, size=len(SPECIAL) + 9)
    letters = sorted({"a", "##b", "##a", "##c", "x", "##y", "##z"})
    assert pieces[: len(SPECIAL) + 7] == SPECIAL + letters
    assert pieces[len(SPECIAL) + 7 :] == ["ab", "xy"]


def test_wordpieces_do_not_depend_on_the_order_of_words():
    counts = {"velorath": 4, "velorum": 3, "tarnoma": 9, "tarnitis": 2, "veloma": 9}
    backwards = dict(reversed(list(counts.items())))
    assert learn_wordpieces(counts, 60) == learn_wordpieces(backwards, 60)
    everything = learn_wordpieces(counts, 10_000)
    assert set(counts) <= set(everything) and len(everything) == len(set(everything))


@pytest.mark.parametrize("line", ["a sentence\t3-5", "a sentence\t4:99", "a sentence\t5:5", "a sentence\tx:y"])
def test_bad_lines_of_the_text_are_named(tmp_path, line):
    path = tmp_path / "text.tsv"
    path.write_text(f"good one\t0:4\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        read_text(path)


def test_an_empty_text_is_refused(run_command, tmp_path):
    (tmp_path / "text.tsv").write_text("")
    options = ["--text", tmp_path / "text.tsv", "--folder", tmp_path / "encoder"]
    done = run_command("demo/make_demo_encoder.py", *options)
    assert done.returncode == 3 and "no line" in done.stderr


def test_the_profile_names_the_files_of_the_stage(repository):
    import yaml

    overlay = yaml.safe_load((repository / "profiles" / "demo" / "config.yaml").read_text(encoding="utf-8"))
    rules = (repository / "rules" / "demo.smk").read_text(encoding="utf-8")
    assert all(f'"{slot["path"]}"' in rules for slot in overlay["embeddings"].values())
    assert {slot["width"] for slot in overlay["embeddings"].values()} == {50}
    assert json.dumps(overlay["encoders"]) == '{"biobert": {"path": "resources/demo/encoder"}}'
