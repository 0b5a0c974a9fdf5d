"""BERT (Devlin et al. 2019) read at the start markers of the two mentions (Gao et al. 2021; paper, section 4).

A plain module that reads published weights: it starts in a moment, and its last layer computes the two states that are
read instead of one for every token.
"""

import json
import logging
import pathlib
import re

import torch
import torch.nn.functional as F
from torch import nn

from workflow_scripts.common.errors import DataError

_ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
}
_PRETRAINING_HEADS = ("pooler.", "cls.", "embeddings.position_ids")
_CONFIG_KEYS = (
    "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size hidden_act hidden_dropout_prob "
    "attention_probs_dropout_prob max_position_embeddings type_vocab_size layer_norm_eps initializer_range"
).split()
_LAYER_NAMES = {
    "attention.self.query": "query",
    "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "wide",
    "output.dense": "narrow",
    "output.LayerNorm": "norm",
}


class EntityStartEncoder(nn.Module):
    """States of the start markers of head and tail, concatenated -> linear layer without activation.

    Parameters
    ----------
    config : dict
        As `read_config` gives it.
    """

    extra_pads = 0
    tokens_at_once = None
    detached_query = False

    def __init__(self, config):
        super().__init__()
        self.transformer = Transformer(config)
        self.output_size = 2 * config["hidden_size"]
        self.linear = nn.Linear(self.output_size, self.output_size)

    def forward(self, batch):
        """Representations, float (B, 2 * hidden_size)."""
        positions = torch.stack([batch.head_start, batch.tail_start], dim=1)
        return self.linear(self.transformer(batch.ids, batch.lengths, positions).flatten(1))


class Transformer(nn.Module):
    """BERT without pooling layer; all tokens are of type 0."""

    def __init__(self, config):
        super().__init__()
        size, eps = config["hidden_size"], config["layer_norm_eps"]
        self.words = nn.Embedding(config["vocab_size"], size)
        self.positions = nn.Embedding(config["max_position_embeddings"], size)
        self.types = nn.Embedding(config["type_vocab_size"], size)
        self.norm = nn.LayerNorm(size, eps=eps)
        self.dropout = nn.Dropout(config["hidden_dropout_prob"])
        self.layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))

    def forward(self, ids, lengths, positions):
        """States at `positions` (int64, B x P) after the last layer, float (B, P, hidden_size).

        `ids` is int64 (B, W), `lengths` int64 (B,): what lies beyond a sentence's length is not attended to.
        """
        columns = torch.arange(ids.shape[1], device=ids.device)
        states = self.words(ids) + self.positions(columns) + self.types.weight[0]
        states = self.dropout(self.norm(states))
        mask = (columns < lengths[:, None])[:, None, None, :]
        for layer in self.layers[:-1]:
            states = layer(states, states, mask)
        rows = torch.arange(len(ids), device=ids.device)[:, None]
        return self.layers[-1](states[rows, positions], states, mask)

    def all_states(self, ids, lengths):
        """States of all tokens after the last layer, float (B, W, hidden_size); those of pads mean nothing."""
        columns = torch.arange(ids.shape[1], device=ids.device)
        return self(ids, lengths, columns.expand(len(ids), -1))


class Layer(nn.Module):
    """One layer: the states of `queries` after attention over `states`, and the feed-forward network."""

    def __init__(self, config):
        super().__init__()
        size, eps = config["hidden_size"], config["layer_norm_eps"]
        self.heads = config["num_attention_heads"]
        self.attention_dropout = config["attention_probs_dropout_prob"]
        self.activation = _ACTIVATIONS[config["hidden_act"]]
        self.dropout = nn.Dropout(config["hidden_dropout_prob"])
        self.query = nn.Linear(size, size)
        self.key_value = nn.Linear(size, 2 * size)
        self.attended, self.attended_norm = nn.Linear(size, size), nn.LayerNorm(size, eps=eps)
        self.wide = nn.Linear(size, config["intermediate_size"])
        self.narrow, self.norm = nn.Linear(config["intermediate_size"], size), nn.LayerNorm(size, eps=eps)

    def forward(self, queries, states, mask):
        query = self._split(self.query(queries))
        key, value = map(self._split, self.key_value(states).chunk(2, dim=2))
        dropout = self.attention_dropout if self.training else 0.0
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
        mixed = mixed.transpose(1, 2).flatten(2)
        queries = self.attended_norm(queries + self.dropout(self.attended(mixed)))
        return self.norm(queries + self.dropout(self.narrow(self.activation(self.wide(queries)))))

    def _split(self, states):
        return states.unflatten(2, (self.heads, -1)).transpose(1, 2)


def read_config(folder, n_tokens=0):
    """The numbers that fix the architecture, from a folder's config.json.

    `n_tokens` is the number of token ids needed: the vocabulary grows to it where markers were added.

    Raises
    ------
    DataError
        If the file is missing, or describes something else than a BERT.
    """
    path = pathlib.Path(folder) / "config.json"
    if not path.is_file():
        raise DataError(path, found="no such file", expected="a folder with config.json, tokenizer files and weights")
    values = json.loads(path.read_text(encoding="utf-8"))
    kind, activation = values.get("model_type", "bert"), values.get("hidden_act", "gelu")
    if kind != "bert" or activation not in _ACTIVATIONS:
        raise DataError(
            path,
            found=f"model_type {kind}, hidden_act {activation}",
            expected=f"model_type bert, hidden_act one of {', '.join(_ACTIVATIONS)}",
        )
    missing = [key for key in _CONFIG_KEYS[:5] if key not in values]
    if missing:
        raise DataError(path, found=f"no {', '.join(missing)}", expected="the configuration of a BERT")
    defaults = {
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "initializer_range": 0.02,
    }
    config = {key: values.get(key, defaults.get(key)) for key in _CONFIG_KEYS}
    config["vocab_size"] = max(config["vocab_size"], n_tokens)
    return config


def weights_file(folder):
    """model.safetensors, or pytorch_model.bin where a folder has only that."""
    folder = pathlib.Path(folder)
    pickled = folder / "pytorch_model.bin"
    safe = folder / "model.safetensors"
    return pickled if pickled.is_file() and not safe.is_file() else safe


def load_pretrained(transformer, folder, allow_unused=False):
    """Fill a `Transformer` with the weights of a folder; rows of added tokens keep their initial values.

    Heads of pretraining (pooler, masked-language model) have no use here and are left out. Any other weight that a
    plain BERT has no place for, such as the extra embeddings of some expert encoders, means that another encoder would
    be trained than the one named: an error unless `allow_unused`.

    Returns
    -------
    dict
        `unused_weights` and `pretraining_heads`: sorted names of the weights left out; `new_tokens`: rows of the
        vocabulary that keep their initial values.

    Raises
    ------
    DataError
        If the weights are missing, unreadable or do not fit, or some would go unused.
    """
    path = weights_file(folder)
    published = {_plain_name(name): value for name, value in _read_weights(path).items()}
    own = transformer.state_dict()
    renamed, used = _renamed(published, len(transformer.layers))
    missing = sorted(set(own) - set(renamed))
    if missing:
        raise DataError(path, found=f"no weights for {_some(missing)}", expected="all weights of a BERT")
    for name, value in own.items():
        found = renamed[name]
        target = value[: len(found)] if name == "words.weight" else value
        if found.shape != target.shape:
            raise DataError(path, found=f"{name} {tuple(found.shape)}", expected=f"{tuple(target.shape)}")
        target.copy_(found)
    left = sorted(set(published) - used)
    heads = [name for name in left if name.startswith(_PRETRAINING_HEADS)]
    unused = [name for name in left if name not in heads]
    if unused and not allow_unused:
        raise DataError(
            path,
            found=f"weights that a plain BERT has no place for: {_some(unused)}",
            expected="the weights of a BERT and heads of its pretraining",
            remedy="to train without them, set allow_unused_weights to yes in the encoder's row of encoders.tsv",
        )
    if unused:
        logging.warning("%s: %d weights are not used: %s", path, len(unused), _some(unused))
    added = len(own["words.weight"]) - len(renamed["words.weight"])
    logging.info("%s: %d weights of pretraining heads left out, %d new tokens", path, len(heads), added)
    return {"unused_weights": unused, "pretraining_heads": heads, "new_tokens": added}


def _some(names):
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _read_weights(path):
    try:
        if path.suffix == ".bin":
            return torch.load(path, map_location="cpu", weights_only=True)
        from safetensors.torch import load_file

        return load_file(path)
    except FileNotFoundError:
        raise DataError(path, found="no such file", expected="the weights of the encoder") from None
    except Exception as error:  # both readers raise several kinds of their own
        raise DataError(path, found=f"{type(error).__name__}: {error}", expected="readable weights") from None


def _plain_name(name):
    """Names of older files: a prefix for the model, gamma and beta for the layer norms."""
    name = re.sub(r"^bert\.", "", name)
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def _renamed(published, n_layers):
    names = {
        "embeddings.word_embeddings.weight": "words.weight",
        "embeddings.position_embeddings.weight": "positions.weight",
        "embeddings.token_type_embeddings.weight": "types.weight",
        "embeddings.LayerNorm.weight": "norm.weight",
        "embeddings.LayerNorm.bias": "norm.bias",
    }
    for layer in range(n_layers):
        for theirs, ours in _LAYER_NAMES.items():
            for part in ("weight", "bias"):
                names[f"encoder.layer.{layer}.{theirs}.{part}"] = f"layers.{layer}.{ours}.{part}"
    weights = {ours: published[theirs] for theirs, ours in names.items() if theirs in published}
    used = set(names)
    for layer in range(n_layers):
        for part in ("weight", "bias"):
            pair = [f"encoder.layer.{layer}.attention.self.{name}.{part}" for name in ("key", "value")]
            if all(name in published for name in pair):
                weights[f"layers.{layer}.key_value.{part}"] = torch.cat([published[name] for name in pair])
            used.update(pair)
    return weights, used


def initialise(module, config):
    """Draw all weights of a new module as BERT does: normal with `initializer_range`, biases 0."""
    for part in module.modules():
        if isinstance(part, (nn.Linear, nn.Embedding)):
            nn.init.normal_(part.weight, std=config["initializer_range"])
        if isinstance(part, nn.Linear):
            nn.init.zeros_(part.bias)
