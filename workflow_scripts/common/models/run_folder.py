"""What a run consists of: config.json, model.safetensors, vocabulary.json and history.jsonl, enough to use the model
anywhere.

config.json: run, corpus, model, seed, row (of models.tsv), max_length, rel2id, na_id, shape (of the encoder), tokens
(kind, markers), training (settings), selection (metric, best epoch and value), truncated, digests, versions.
vocabulary.json: the words, or the whole tokenizer. history.jsonl: one line per epoch.
"""

import json
import pathlib

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, atomic_path, read_json, write_json

CONFIG, WEIGHTS, VOCABULARY, HISTORY = "config.json", "model.safetensors", "vocabulary.json", "history.jsonl"


def write_run(folder, config, weights, vocabulary, history):
    """Write a run folder.

    Parameters
    ----------
    folder : str or Path
    config : dict
    weights : dict from name to CPU tensor
    vocabulary : dict
        `to_json()` of the tokenizer.
    history : list of dict
        One per epoch.
    """
    from safetensors.torch import save_file

    folder = pathlib.Path(folder)
    with atomic_path(folder / WEIGHTS) as path:
        save_file({name: weights[name].contiguous() for name in sorted(weights)}, path)
    with atomic_open(folder / VOCABULARY) as stream:
        json.dump(vocabulary, stream, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        stream.write("\n")
    with atomic_open(folder / HISTORY) as stream:
        stream.writelines(json.dumps(epoch, sort_keys=True) + "\n" for epoch in history)
    write_json(folder / CONFIG, config)


def read_run(folder):
    """Configuration, weights and vocabulary of a run folder.

    Raises
    ------
    DataError
        If a file is missing or broken.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    folder = pathlib.Path(folder)
    for name in (CONFIG, WEIGHTS, VOCABULARY):
        if not (folder / name).is_file():
            raise DataError(folder / name, found="no such file", expected="a run folder", remedy="train the run again")
    try:
        return read_json(folder / CONFIG), load_file(folder / WEIGHTS), read_json(folder / VOCABULARY)
    except (SafetensorError, ValueError) as error:
        raise DataError(folder, found=str(error), expected="a whole run folder", remedy="train the run again") from None
