"""Train an encoder of names for a knowledge base, or for a corpus and its knowledge base, and write its run folder.

training none: the pretrained encoder as it is. synonyms: names of one entity come near each other (SapBERT; Liu et al.
2021). corpus: the gold mentions of split train come near the right names among their nearest ones, and the epoch that
does best on split dev is kept (BioSyn; Sung et al. 2020). Stopped by SIGTERM, the command saves its state and exits
with 75; the next call goes on from there to the same weights.
"""

import dataclasses
import logging
import os
import pathlib
import platform
import signal

import numpy as np
import torch

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.labelled_mentions import LABELLED_MENTIONS
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.keyed_random import key64
from workflow_scripts.common.models import bert
from workflow_scripts.common.models.run_folder import write_run
from workflow_scripts.common.tables import read_table
from workflow_scripts.training.name_encoder import pretrained_encoder
from workflow_scripts.training.name_loop import METRIC, State, Task, train
from workflow_scripts.training.name_objectives import Candidates, Synonyms
from workflow_scripts.training.name_tokens import read_names, tokenise
from workflow_scripts.training.train_run import STATE, identity, prepare_torch

TRAININGS = ("none", "synonyms", "corpus")


@dataclasses.dataclass(frozen=True)
class Params:
    """What the rule passes: the system, what its training is set by, and config section `training`."""

    system: str
    training: str
    max_length: int
    threads: int
    device: str
    precision: str
    tokens_per_batch: int
    allow_unused_weights: bool = False
    seed: int = 1
    epochs: int = 0
    max_steps: int | None = None
    batch_size: int = 0
    learning_rate: float = 0.0
    weight_decay: float = 0.0
    training_candidates: int = 0
    temperature: float = 0.0


def read_mentions(path, names, tokenizer):
    """The mentions that an encoder learns from, by split.

    Of the split train each text with the same identifiers counts once, lower-cased.

    Parameters
    ----------
    path : Path
        A table of LABELLED_MENTIONS.
    names : Names
    tokenizer : NameTokenizer

    Returns
    -------
    dict
        "train" and "dev" -> (Texts, list of int64 arrays: codes of the entities of each mention).

    Raises
    ------
    DataError
        If a split has no mention.
    """
    table = read_table(path, LABELLED_MENTIONS)
    codes = {entity: code for code, entity in enumerate(names.entities)}
    found = {}
    for split in ("train", "dev"):
        rows = [row for row in table.to_pylist() if row["split"] == split]
        if not rows:
            raise DataError(path, found=f"no mentions of split {split}", expected="mentions of train and of dev")
        known = [(row["text"].lower(), tuple(sorted(codes.keys() & set(row["identifiers"])))) for row in rows]
        known = list(dict.fromkeys(known)) if split == "train" else known
        gold = [np.array([codes[entity] for entity in entities], np.int64) for _, entities in known]
        found[split] = tokenise([[text for text, _ in known]], tokenizer), gold
        logging.info("%s: %s mentions, %s to learn from or choose by", split, f"{len(rows):,}", f"{len(known):,}")
    return found


def make_objective(args, settings, names, tokenizer):
    """What is learned; UsageError where its file was not given."""
    if settings.training == "synonyms":
        return Synonyms(names, settings.batch_size, settings.seed, args.names)
    if args.mentions is None:
        raise UsageError("training corpus learns from gold mentions\n  remedy: give --mentions")
    sizes = settings.batch_size, settings.training_candidates, settings.temperature
    return Candidates(names, read_mentions(args.mentions, names, tokenizer), *sizes, settings.seed)


def main(args):
    """Write the run folder."""
    settings = params.parse(Params, args.params)
    if settings.training not in TRAININGS:
        raise UsageError(f"--params: training {settings.training}; known: {', '.join(TRAININGS)}")
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if settings.threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(settings.threads)
    device = prepare_torch(settings)
    torch.manual_seed(key64(settings.seed, "weights") >> 1)
    pretrained = pretrained_encoder(args.encoder, settings.max_length, settings.allow_unused_weights)
    encoder, shape, tokenizer, left_out = pretrained
    digests, counts = input_digests(args), {}
    if settings.training == "none":
        state = State(best_epoch=0, best_weights=encoder.state_dict())
    else:
        names = read_names(args.names, tokenizer)
        counts = {"names": len(names.texts.row_of_text), "sequences": len(names), "entities": len(names.entities)}
        counts["truncated"] = tokenizer.truncated
        objective = make_objective(args, settings, names, tokenizer)
        task = task_of(settings, tokenizer, device)
        stopped = []
        signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
        state = train(
            encoder.to(device),
            task,
            objective,
            state_path=args.folder / STATE,
            identity=identity(settings, digests),
            save_every=args.save_every,
            stop=lambda: bool(stopped),
        )
    config = {"settings": dataclasses.asdict(settings), "shape": shape, "pretrained": left_out, "counts": counts}
    config |= {"digests": digests, "selection": selection(state)}
    config["versions"] = {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}
    write_run(args.folder, config, state.best_weights, tokenizer.to_json(), state.history)
    (args.folder / STATE).unlink(missing_ok=True)


def task_of(settings, tokenizer, device):
    """What the loop is told."""
    return Task(
        epochs=settings.epochs,
        max_steps=settings.max_steps,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        seed=settings.seed,
        pad_id=tokenizer.pad_id,
        max_length=settings.max_length,
        tokens_per_batch=settings.tokens_per_batch,
        mixed_precision=device == "cuda" and settings.precision == "bf16",
    )


def selection(state):
    """Which epoch was kept, and by what."""
    validated = np.isfinite(state.best_value)
    value = state.best_value if validated else None
    return {"metric": METRIC if validated else None, "best_epoch": state.best_epoch, "best_value": value}


def input_digests(args):
    """Digests of all files that decide the weights."""
    files = [args.encoder / "config.json", bert.weights_file(args.encoder)]
    names = ("tokenizer.json", "vocab.txt", "tokenizer_config.json")
    files += [args.encoder / name for name in names if (args.encoder / name).is_file()]
    files += [path for path in (args.names, args.mentions) if path is not None]
    return {path.name: file_digest(path) for path in files if path.is_file()}


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--encoder", type=pathlib.Path, required=True, help="folder of the pretrained encoder")
    parser.add_argument("--names", type=pathlib.Path, nargs="?", help="names of the knowledge base with their entities")
    parser.add_argument("--mentions", type=pathlib.Path, nargs="?", help="gold mentions (training corpus)")
    parser.add_argument("--save-every", type=float, default=600.0, help="seconds between full-state checkpoints")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="run folder")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
