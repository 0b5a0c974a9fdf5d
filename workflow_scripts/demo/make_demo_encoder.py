"""Make the small BERT of the embedded release: a WordPiece vocabulary from its own text, and a short pretraining.

The folder can be loaded with AutoModel and AutoTokenizer of the transformers package. In most pretraining texts two
mentions stand between the markers [unused0]..[unused3], head and tail at random, so that the markers are no strangers
to the model when it is fine-tuned (paper, section 4).
"""

import collections
import dataclasses
import json
import logging
from pathlib import Path

import numpy as np

from workflow_scripts.common import command, params
from workflow_scripts.common.files import atomic_open, write_json
from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.plain_text import read_text
from workflow_scripts.demo.wordpieces import learn_wordpieces

MARKED_SHARE = 0.8
LONGEST = 160
# Parts of a layer of ours -> their names in the transformers package; keys and values are one matrix of ours.
LAYER_NAMES = {
    "query": ["attention.self.query"],
    "key_value": ["attention.self.key", "attention.self.value"],
    "attended": ["attention.output.dense"],
    "attended_norm": ["attention.output.LayerNorm"],
    "wide": ["intermediate.dense"],
    "narrow": ["output.dense"],
    "norm": ["output.LayerNorm"],
}
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")


@dataclasses.dataclass(frozen=True)
class Params:
    """Size and training of the encoder."""

    vocabulary: int = 1500
    hidden_size: int = 64
    layers: int = 2
    heads: int = 4
    steps: int = 1200
    batch_size: int = 64
    learning_rate: float = 3e-3
    seed: int = 19


def main(args):
    """Write the folder."""
    settings = params.parse(Params, args.params)
    sentences = read_text(args.text)
    tokenizer, vocabulary = make_tokenizer(sentences, settings.vocabulary)
    tokens = {name: vocabulary.index(f"[{name.upper()}]") for name in ("pad", "unk", "mask", "cls", "sep")}
    tokens["markers"] = [vocabulary.index(f"[unused{i}]") for i in range(4)]
    examples = make_examples(tokenizer, sentences, tokens, settings.seed)
    logging.info("%d tokens, %.1f a sentence", len(vocabulary), sum(len(ids) for ids, _, _ in examples) / len(examples))
    save_tokenizer(args.folder, tokenizer, vocabulary)
    from workflow_scripts.demo.masked_lm import pretrain

    config = architecture(len(vocabulary), settings)
    model, _ = pretrain(config, examples, tokens, settings)
    save_model(args.folder, config, model)


def make_tokenizer(sentences, size):
    """An uncased BERT tokenizer with a vocabulary learned from the sentences, and its tokens in the order of ids."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    counts = collections.Counter()
    for text, _ in sentences:
        counts.update(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    vocabulary = learn_wordpieces(counts, size)
    ids = {token: index for index, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, ids[name]) for name in ("[CLS]", "[SEP]")],
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return tokenizer, vocabulary


def make_examples(tokenizer, sentences, tokens, seed):
    """Token ids (int32) of the sentences, most of those with two mentions with markers around them.

    Returns
    -------
    list of (int32 array, int, int)
        Ids, and the places of the start markers of the first and second mention (0 and 0: no markers).
    """
    pieces, plans = [], []
    for number, (text, spans) in enumerate(sentences):
        dice = Dice("example", seed, number)
        marked = len(spans) >= 2 and dice.chance(MARKED_SHARE)
        edges = [0, *(edge for span in spans[:2] for edge in span), len(text)] if marked else [0, len(text)]
        plans.append((len(edges) - 1, dice.chance(0.5)))
        pieces += [text[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    encoded = (part.ids for part in tokenizer.encode_batch_fast(pieces, add_special_tokens=False))
    markers, examples = tokens["markers"], []
    for count, head_first in plans:
        parts = [next(encoded) for _ in range(count)]
        around = markers if head_first else markers[2:] + markers[:2]
        ids, places = [tokens["cls"], *parts[0]], []
        for index, part in enumerate(parts[1:]):
            places.append(len(ids))
            ids += [around[index], *part]
        first, _, second, _ = places or (0, 0, 0, 0)
        examples.append((np.array([*ids, tokens["sep"]], dtype=np.int32), first, second))
    return examples


def architecture(vocabulary_size, settings):
    """The config.json of the model, under the names of the transformers package."""
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "vocab_size": vocabulary_size,
        "hidden_size": settings.hidden_size,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": settings.heads,
        "intermediate_size": 2 * settings.hidden_size,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "max_position_embeddings": LONGEST,
        "type_vocab_size": 2,
        "initializer_range": 0.02,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
    }


def save_tokenizer(folder, tokenizer, vocabulary):
    """Write vocab.txt, tokenizer.json and tokenizer_config.json."""
    with atomic_open(folder / "vocab.txt") as stream:
        stream.writelines(token + "\n" for token in vocabulary)
    with atomic_open(folder / "tokenizer.json") as stream:
        json.dump(json.loads(tokenizer.to_str()), stream, ensure_ascii=False, indent=1)
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    write_json(
        folder / "tokenizer_config.json",
        {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": LONGEST, **names},
    )


def save_model(folder, config, model):
    """Write config.json and model.safetensors."""
    from safetensors.torch import save

    write_json(folder / "config.json", config)
    with atomic_open(folder / "model.safetensors", "wb") as stream:
        stream.write(save(published_weights(model), metadata={"format": "pt"}))


def published_weights(model):
    """Weights of a `Transformer` under the published names, with a pooling layer that nobody reads."""
    import torch

    names = {"words": "word_embeddings", "positions": "position_embeddings", "types": "token_type_embeddings"}
    weights = {}
    for name, value in model.state_dict().items():
        where, _, rest = name.partition(".")
        if where == "layers":
            number, part, kind = rest.split(".")
            for theirs, piece in zip(LAYER_NAMES[part], value.chunk(len(LAYER_NAMES[part])), strict=True):
                weights[f"encoder.layer.{number}.{theirs}.{kind}"] = piece.contiguous()
        else:
            weights[f"embeddings.{names.get(where, 'LayerNorm')}.{rest}"] = value
    size = model.words.weight.shape[1]
    return weights | {"pooler.dense.weight": torch.eye(size), "pooler.dense.bias": torch.zeros(size)}


def arguments():
    """Options of the command."""
    parser = command.parser(__doc__)
    parser.add_argument("--text", type=Path, required=True, help="live text of the release")
    parser.add_argument("--folder", type=Path, required=True, help=f"folder to write: {', '.join(FILES)}")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
