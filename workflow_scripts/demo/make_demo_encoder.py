"""Make the small BERT of the embedded release: a WordPiece vocabulary from its own text, and a short pretraining.

The folder can be loaded with AutoModel and AutoTokenizer of the transformers package. In most pretraining texts two
mentions stand between the markers [unused0]..[unused3], head and tail at random, so that the markers are no strangers
to the model when it is fine-tuned (paper, section 4).
"""

import collections
import dataclasses
import json
import os
import tempfile
from pathlib import Path

import numpy as np

from workflow_scripts.common import command, params
from workflow_scripts.common.files import atomic_open, write_json
from workflow_scripts.demo.dice import Dice
from workflow_scripts.demo.plain_text import read_text
from workflow_scripts.demo.wordpieces import learn_wordpieces

MARKED_SHARE = 0.8
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")


@dataclasses.dataclass(frozen=True)
class Params:
    """Size and training of the encoder."""

    vocabulary: int = 1500
    hidden_size: int = 64
    layers: int = 2
    heads: int = 4
    steps: int = 900
    batch_size: int = 64
    learning_rate: float = 2e-3
    seed: int = 19


def main(args):
    """Write the folder."""
    settings = params.parse(Params, args.params)
    sentences = read_text(args.text)
    tokenizer, vocabulary = make_tokenizer(sentences, settings.vocabulary)
    tokens = {name: vocabulary.index(f"[{name.upper()}]") for name in ("pad", "mask", "cls", "sep")}
    tokens["markers"] = {vocabulary.index(f"[unused{i}]") for i in range(4)}
    examples = make_examples(tokenizer, sentences, tokens, settings.seed)
    save_tokenizer(args.folder, tokenizer, vocabulary)
    model = make_model(len(vocabulary), settings)
    from workflow_scripts.demo.masked_lm import pretrain

    pretrain(model, examples, tokens, settings)
    save_model(args.folder, model)


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
    """Token ids (int32 arrays) of the sentences, most of those with two mentions with markers around them."""
    pieces, plans = [], []
    for number, (text, spans) in enumerate(sentences):
        dice = Dice("example", seed, number)
        marked = len(spans) >= 2 and dice.chance(MARKED_SHARE)
        bounds = [edge for span in spans[:2] for edge in span] if marked else []
        edges = [0, *bounds, len(text)]
        plans.append((len(edges) - 1, dice.chance(0.5)))
        pieces += [text[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    encoded = iter(tokenizer.encode_batch_fast(pieces, add_special_tokens=False))
    markers, examples = sorted(tokens["markers"]), []
    for count, head_first in plans:
        parts = [next(encoded).ids for _ in range(count)]
        around = [[m] for m in (markers if head_first else markers[2:] + markers[:2])] if count > 1 else []
        ids = list(parts[0])
        for marker, part in zip(around, parts[1:], strict=True):
            ids += marker + part
        examples.append(np.array([tokens["cls"], *ids, tokens["sep"]], dtype=np.int32))
    return examples


def make_model(vocabulary_size, settings):
    """A BERT with random weights."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(settings.seed)
    return BertModel(
        BertConfig(
            vocab_size=vocabulary_size,
            hidden_size=settings.hidden_size,
            num_hidden_layers=settings.layers,
            num_attention_heads=settings.heads,
            intermediate_size=4 * settings.hidden_size,
            max_position_embeddings=160,
            pad_token_id=0,
        )
    )


def save_tokenizer(folder, tokenizer, vocabulary):
    """Write vocab.txt, tokenizer.json and tokenizer_config.json."""
    with atomic_open(folder / "vocab.txt") as stream:
        stream.writelines(token + "\n" for token in vocabulary)
    with atomic_open(folder / "tokenizer.json") as stream:
        json.dump(json.loads(tokenizer.to_str()), stream, ensure_ascii=False, indent=1)
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    write_json(
        folder / "tokenizer_config.json",
        {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 160, **names},
    )


def save_model(folder, model):
    """Write config.json and model.safetensors."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        model.save_pretrained(scratch)
        for name in ("config.json", "model.safetensors"):
            with atomic_open(folder / name, "wb") as stream:
                stream.write((Path(scratch) / name).read_bytes())


def arguments():
    """Options of the command."""
    parser = command.parser(__doc__)
    parser.add_argument("--text", type=Path, required=True, help="live text of the release")
    parser.add_argument("--folder", type=Path, required=True, help=f"folder to write: {', '.join(FILES)}")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
