"""Turn the instances of a corpus into flat arrays of word-piece ids with entity markers, for one pretrained encoder.

Output: {train,valid}.{tokens,rows}.npy, vocabulary.json (the whole tokenizer and the ids of the markers), index.json.
"""

import dataclasses
import logging
import os
import pathlib

from workflow_scripts.common import command, params
from workflow_scripts.common.distinct_splits import require_distinct_splits
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json, write_json
from workflow_scripts.common.models.tokenization import WordPieceTokenizer, encode_split
from workflow_scripts.training.index import read_encoding, split_statistics, truncation, write_vocabulary


@dataclasses.dataclass(frozen=True)
class Params:
    """What the rule passes: `markers` is "paper" ([unusedN] where there are enough) or "added"."""

    max_length: int
    window: bool = True
    markers: str = "paper"
    encoding: str = "CM"


def read_tokenizer(folder):
    """The tokenizer of an encoder's folder: tokenizer.json, else vocab.txt with the case rule of tokenizer_config.json.

    Without that file the vocabulary tells: text keeps its case where a piece has capitals. (BioBERT is cased and came
    as vocab.txt alone; a default of lower case would never meet its pieces with capitals.)

    Raises
    ------
    DataError
        If the folder has neither, or the file cannot be read.
    """
    from tokenizers import BertWordPieceTokenizer, Tokenizer

    folder = pathlib.Path(folder)
    whole, vocabulary, config = (folder / name for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json"))
    if not whole.is_file() and not vocabulary.is_file():
        raise DataError(folder, found="neither tokenizer.json nor vocab.txt", expected="one of them")
    try:
        if whole.is_file():
            return Tokenizer.from_file(str(whole))
        lowercase = read_json(config).get("do_lower_case") if config.is_file() else None
        if lowercase is None:
            lowercase = not _has_capitals(vocabulary)
            logging.info(
                "%s says nothing of case: text %s", folder, "is lower-cased" if lowercase else "keeps its case"
            )
        return Tokenizer.from_str(BertWordPieceTokenizer(str(vocabulary), lowercase=lowercase).to_str())
    except Exception as error:  # the library raises plain exceptions
        raise DataError(folder, found=str(error), expected="a readable tokenizer") from None


def _has_capitals(vocabulary):
    pieces = vocabulary.read_text(encoding="utf-8").split("\n")
    return any(piece != piece.lower() for piece in pieces if not (piece.startswith("[") and piece.endswith("]")))


def index_wordpieces(paths, rel2id, folder, settings, concepts=None):
    """Encode train and valid.

    Parameters
    ----------
    paths : dict from split to Path
        INSTANCES tables of train and valid.
    rel2id : dict
    folder : Path
        The encoder's folder.
    settings : Params
    concepts : Path or None
        Table of CONCEPTS, for encodings that read types.

    Returns
    -------
    splits : dict from split to Sentences
    tokenizer : WordPieceTokenizer
    statistics : dict
    """
    tokenizer = WordPieceTokenizer(
        read_tokenizer(folder),
        settings.max_length,
        source=folder,
        encoding=read_encoding(settings.encoding, concepts),
        unused=settings.markers == "paper",
        windowed=settings.window,
    )
    names = [tokenizer.tokenizer.id_to_token(marker) for marker in tokenizer.markers]
    splits, statistics = {}, {"markers": tokenizer.markers, "marker_tokens": names}
    for split, path in paths.items():
        splits[split], pairs = encode_split(path, tokenizer, rel2id)
        statistics[split] = split_statistics(splits[split], len(pairs))
    return splits, tokenizer, statistics | truncation(tokenizer)


def main(args):
    """Write the index of one corpus for one encoder."""
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if args.threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(args.threads)
    settings = params.parse(Params, args.params)
    paths = {"train": args.train, "valid": args.valid}
    require_distinct_splits(paths | ({"test": args.test} if args.test else {}))
    rel2id = read_json(args.rel2id)
    splits, tokenizer, statistics = index_wordpieces(paths, rel2id, args.encoder, settings, args.concepts)
    for split, sentences in splits.items():
        sentences.save(args.folder, split)
    write_vocabulary(args.folder, tokenizer)
    write_json(args.folder / "index.json", statistics)
    logging.info("%s", statistics)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    for split in ("train", "valid"):
        parser.add_argument(f"--{split}", type=pathlib.Path, required=True, help=f"instances of the split {split}")
    parser.add_argument("--test", type=pathlib.Path, help="instances of the split test: checked to be another split")
    parser.add_argument("--rel2id", type=pathlib.Path, required=True, help="relation ids")
    parser.add_argument("--encoder", type=pathlib.Path, required=True, help="folder of the pretrained encoder")
    parser.add_argument("--concepts", type=pathlib.Path, help="concepts of the graph (encodings CT and OT)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the tokenizer")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="folder for the arrays")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
