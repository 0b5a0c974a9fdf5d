"""Train one model on one corpus with one seed and write its run folder.

The best epoch on the validation split is kept. Stopped by SIGTERM, the command saves its state and exits with 75; the
next call goes on from there to the same weights.
"""

import dataclasses
import hashlib
import logging
import os
import pathlib
import platform
import signal

import numpy as np
import torch

from workflow_scripts.common import command, models, params
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import read_json
from workflow_scripts.common.keyed_random import key64
from workflow_scripts.common.models import bert
from workflow_scripts.common.models.arrays import Sentences
from workflow_scripts.common.models.classifier import build_classifier
from workflow_scripts.common.models.run_folder import write_run
from workflow_scripts.common.params import canonical_json
from workflow_scripts.training.abstract_bags import abstract_bags, read_types
from workflow_scripts.training.loop import Task, selection_metric, train

NA = "NA"
STATE = ".state.pt"


@dataclasses.dataclass(frozen=True)
class Params:
    """What the rule passes: the run and its row of models.tsv, and config section `training`."""

    run: str
    corpus: str
    model: str
    seed: int
    row: dict
    threads: int
    device: str
    precision: str
    tokens_per_batch: int
    allow_unused_weights: bool = False


def main(args):
    """Train the run."""
    settings = params.parse(Params, args.params)
    device = prepare_torch(settings)
    vocabulary, relations = read_json(args.index / "vocabulary.json"), read_rel2id(args.rel2id)
    check_encoding(settings.row, vocabulary, args.index)
    counts = truncation_counts(args.index / "index.json")
    sentences = Sentences.load(args.index, "train")
    task = Task(
        row=settings.row,
        seed=settings.seed,
        train=sentences,
        valid=Sentences.load(args.index, "valid"),
        pad_id=pad_id(vocabulary),
        relations=sorted(relations, key=relations.get),
        na_id=relations[NA],
        max_length=vocabulary["max_length"],
        tokens_per_batch=settings.tokens_per_batch,
        mixed_precision=device == "cuda" and settings.precision == "bf16" and settings.row["encoder"] == "bert",
        bags=bags_of(settings.row, sentences.rows, args),
    )
    model, shape, pretrained = initial_model(task, args.index, args.encoder, vocabulary, settings.allow_unused_weights)
    digests = input_digests(args)
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    state = train(
        model.to(device),
        task,
        state_path=args.folder / STATE,
        identity=identity(settings, digests),
        save_every=args.save_every,
        stop=lambda: bool(stopped),
    )
    config = run_config(settings, task, state, shape, vocabulary, relations, digests)
    config["pretrained"] = pretrained
    config |= counts
    write_run(args.folder, config, state.best_weights, vocabulary, state.history)
    (args.folder / STATE).unlink(missing_ok=True)
    logging.info("best epoch %d: %s %.4f", state.best_epoch, selection_metric(task.row), state.best_value)


def prepare_torch(settings):
    """Threads, deterministic algorithms and the device of a run."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # deterministic matrix products on a GPU
    torch.set_num_threads(settings.threads)
    torch.set_deterministic_debug_mode("warn")  # use_deterministic_algorithms would import the compiler: a second
    torch.utils.deterministic.fill_uninitialized_memory = False
    available = torch.cuda.is_available()
    if settings.device == "cuda" and not available:
        raise UsageError("training.device is cuda, but there is no GPU here\n  remedy: set it to auto or cpu")
    return "cuda" if available and settings.device != "cpu" else "cpu"


def check_encoding(row, vocabulary, index):
    """Raise DataError where the index was made for another input encoding than the row's."""
    expected, found = row.get("encoding") or "CM", vocabulary.get("encoding", "CM")
    if found != expected:
        raise DataError(index, found=f"an index of encoding {found}", expected=f"one of {expected}, as the row says")


def truncation_counts(path):
    """Sentences that the index cut, and those of them with a mention after the limit."""
    statistics, names = read_json(path), ("truncated", "mention_beyond_limit")
    missing = [name for name in names if name not in statistics]
    if missing:
        remedy = "the index comes from another version of the workflow: make it again"
        raise DataError(path, found=f"no {missing[0]}", expected=", ".join(names), remedy=remedy)
    return {name: statistics[name] for name in names}


def bags_of(row, rows, args):
    """The bags of AMIL where the row asks for them, else None.

    Raises
    ------
    UsageError
        If the files with the semantic types were not given.
    """
    if row.get("head") != "amil_l":
        return None
    if args.instances is None or args.concepts is None:
        raise UsageError("head amil_l makes bags by semantic type\n  remedy: give --instances and --concepts")
    return abstract_bags(rows, read_types(args.instances, args.concepts, rows["line"]), row["bag_size"])


def read_rel2id(path):
    """Relation ids of a corpus.

    Raises
    ------
    DataError
        If ids are not 0 .. R - 1 or NA is missing.
    """
    relations = read_json(path)
    if sorted(relations.values()) != list(range(len(relations))) or NA not in relations:
        raise DataError(path, found=str(relations)[:200], expected=f"ids 0 .. R - 1, one of them for {NA}")
    return relations


def pad_id(vocabulary):
    """Token id of [PAD], from vocabulary.json."""
    return len(vocabulary["words"]) + 1 if vocabulary["kind"] == "words" else _piece_id(vocabulary, "[PAD]")


def _piece_id(vocabulary, token):
    pieces = {added["content"]: added["id"] for added in vocabulary["tokenizer"]["added_tokens"]}
    return pieces.get(token, vocabulary["tokenizer"]["model"]["vocab"].get(token))


def _piece(vocabulary, token_id):
    ids = dict(vocabulary["tokenizer"]["model"]["vocab"])
    ids |= {added["content"]: added["id"] for added in vocabulary["tokenizer"]["added_tokens"]}
    return next(token for token, number in ids.items() if number == token_id)


def n_token_ids(vocabulary):
    """Number of token ids of a tokenizer of word pieces."""
    added = [token["id"] for token in vocabulary["tokenizer"]["added_tokens"]]
    return max([*added, *vocabulary["tokenizer"]["model"]["vocab"].values()]) + 1


def initial_model(task, index, encoder, vocabulary, allow_unused_weights=False):
    """The model before its first step, and what fixes its encoder's shape.

    [UNK], the tokens for mentions (encoding OC) and the position indicators start as N(0, 1/d), [PAD] as zeros. The
    draws depend on the seed alone.

    Returns
    -------
    RelationClassifier, dict, dict or None
        The last: which weights of the pretrained encoder were not used, see `bert.load_pretrained`.

    Raises
    ------
    DataError
        If the files of the encoder do not fit, or it reads fewer tokens than the longest input.
    """
    row = task.row
    torch.manual_seed(key64(task.seed, "weights") >> 1)
    if row["encoder"] == "bert":
        shape = bert.read_config(encoder, n_token_ids(vocabulary))
        if task.max_length > shape["max_position_embeddings"]:
            raise DataError(
                encoder / "config.json",
                found=f"max_position_embeddings {shape['max_position_embeddings']}",
                expected=f"at least {task.max_length}, the longest input",
                remedy="lower training.max_length",
            )
        model = build_classifier(row, task.max_length, len(task.relations), shape)
        bert.initialise(model.encoder.transformer, shape)
        return model, shape, bert.load_pretrained(model.encoder.transformer, encoder, allow_unused_weights)
    vectors = torch.from_numpy(np.load(index / "vectors.npy"))
    width = vectors.shape[1]
    drawn = 1 + len(vocabulary["words"]) - len(vectors)  # [UNK], and the tokens that stand for mentions
    special = [torch.randn(drawn, width) / width**0.5, torch.zeros(1, width)]
    if row["encoder"] == "gru":
        special.append(torch.randn(4, width) / width**0.5)
    vectors = torch.cat([vectors, *special])
    shape = {"vectors": list(vectors.shape)}
    model = build_classifier(row, task.max_length, len(task.relations), shape)
    model.encoder.words.weight.data.copy_(vectors)
    return model, shape, None


def input_digests(args):
    """Digests of all files that decide the weights."""
    files = [*sorted(args.index.glob("*.npy")), args.index / "vocabulary.json", args.rel2id]
    if args.encoder is not None:
        files += [args.encoder / "config.json", bert.weights_file(args.encoder)]
    if args.instances is not None:
        files += [args.instances, args.concepts]
    return {path.name: file_digest(path) for path in files}


def identity(settings, digests):
    """Digest of settings, inputs and code: a saved state of another one is not resumed."""
    folders = (pathlib.Path(__file__).parent, pathlib.Path(models.__file__).parent)
    code = [file_digest(path) for folder in folders for path in sorted(folder.glob("*.py"))]
    text = canonical_json([dataclasses.asdict(settings), digests, code, torch.__version__])
    return hashlib.sha256(text.encode()).hexdigest()


def run_config(settings, task, state, shape, vocabulary, relations, digests):
    """The content of config.json."""
    return {
        "run": settings.run,
        "corpus": settings.corpus,
        "model": settings.model,
        "seed": settings.seed,
        "row": settings.row,
        "max_length": task.max_length,
        "rel2id": relations,
        "na_id": task.na_id,
        "shape": shape,
        "tokens": {
            "kind": vocabulary["kind"],
            "encoding": vocabulary.get("encoding", "CM"),
            "markers": vocabulary.get("markers"),
            "marker_tokens": [_piece(vocabulary, marker) for marker in vocabulary.get("markers", [])] or None,
        },
        "training": {
            "threads": settings.threads,
            "device": settings.device,
            "precision": "bf16" if task.mixed_precision else "fp32",
            "tokens_per_batch": settings.tokens_per_batch,
        },
        "selection": {
            "metric": selection_metric(task.row),
            "best_epoch": state.best_epoch,
            "best_value": state.best_value if np.isfinite(state.best_value) else None,
        },
        "digests": digests,
        "versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
    }


def arguments():
    """The command line."""
    parser = input_arguments(command.parser(__doc__))
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="run folder")
    return parser


def input_arguments(parser):
    """Add the options that name what a run is trained on."""
    parser.add_argument("--index", type=pathlib.Path, required=True, help="folder of the corpus' token arrays")
    parser.add_argument("--rel2id", type=pathlib.Path, required=True, help="relation ids")
    parser.add_argument("--encoder", type=pathlib.Path, help="folder of the pretrained encoder (bert)")
    parser.add_argument("--instances", type=pathlib.Path, help="instances of the split train (head amil_l)")
    parser.add_argument("--concepts", type=pathlib.Path, help="concepts of the graph (head amil_l)")
    parser.add_argument("--save-every", type=float, default=600.0, help="seconds between full-state checkpoints")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
