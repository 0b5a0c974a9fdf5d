"""An invented knowledge base whose entities are an organ and a disorder, each with two words, and a BERT for it.

Nothing in the letters says which two words are synonyms: an encoder has to learn it.
"""

import itertools

import pyarrow as pa

from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.grouped_names import GROUPED_NAMES
from workflow_scripts.common.contracts.labelled_mentions import LABELLED_MENTIONS
from workflow_scripts.common.files import write_json
from workflow_scripts.common.tables import write_table
from workflow_scripts.demo.make_demo_encoder import LONGEST, save_model

ORGANS, DISORDERS = 10, 6
WORDS = [f"{kind}{i}{side}" for kind, n in (("o", ORGANS), ("d", DISORDERS)) for i in range(n) for side in "ab"]
ENTITIES = list(itertools.product(range(ORGANS), range(DISORDERS)))
SETTINGS = {
    **{"system": "s", "training": "none", "max_length": 8, "threads": 1, "device": "cpu", "precision": "fp32"},
    **{"tokens_per_batch": 2048, "seed": 1, "weight_decay": 0.01},
}


def entity(organ, disorder):
    """The identifier of an entity."""
    return f"E:{organ:02d}{disorder}"


def name(organ, disorder, sides):
    """A name of an entity: sides "ab" takes the first word of the organ and the second of the disorder."""
    return f"o{organ}{sides[0]} d{disorder}{sides[1]}"


def write_names(path, names):
    """Write GROUPED_NAMES of (identifier, name) pairs."""
    grouped = {}
    for identifier, text in names:
        grouped.setdefault(text, set()).add(identifier)
    rows = [{"name": text, "identifiers": sorted(grouped[text])} for text in sorted(grouped)]
    write_table(path, pa.Table.from_pylist(rows, schema=GROUPED_NAMES.schema), GROUPED_NAMES)
    return path


def write_mentions(path, mentions):
    """Write LABELLED_MENTIONS of split -> list of (text, identifiers)."""
    rows = [
        {"split": split, "number": number, "text": text, "identifiers": list(identifiers)}
        for split in sorted(mentions)
        for number, (text, identifiers) in enumerate(mentions[split])
    ]
    write_table(path, pa.Table.from_pylist(rows, schema=LABELLED_MENTIONS.schema), LABELLED_MENTIONS)
    return path


def write_texts(path, texts):
    """Write DETECTED: each text is a sentence and its mention."""
    rows = [
        {"sentence_id": f"{number:032x}", "start": 0, "end": len(text), "surface": text}
        for number, text in enumerate(texts)
    ]
    write_table(path, pa.Table.from_pylist(rows, schema=DETECTED.schema), DETECTED)
    return path


def write_encoder(folder, words=WORDS, size=32, dropout=0.0):
    """Write a BERT of two layers with random weights: config.json, vocab.txt, model.safetensors."""
    import torch

    from workflow_scripts.common.models import bert

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(words)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    config = {
        **{"model_type": "bert", "vocab_size": len(vocabulary), "hidden_size": size, "num_hidden_layers": 2},
        **{"num_attention_heads": 2, "intermediate_size": 2 * size, "max_position_embeddings": LONGEST},
        **{"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout, "initializer_range": 0.2},
    }
    write_json(folder / "config.json", config)
    config = bert.read_config(folder)
    torch.manual_seed(0)
    model = bert.Transformer(config)
    bert.initialise(model, config)
    save_model(folder, config, model)
    return folder
