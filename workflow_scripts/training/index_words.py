"""Turn the instances of a corpus into flat arrays of word ids, with the word vectors that the corpus needs.

Words are lower-cased; those without a vector are [UNK]. The vocabulary covers all three splits (a published vector
tells nothing about labels), the arrays train and valid. Output: {train,valid}.{tokens,rows}.npy, vectors.npy,
vocabulary.json, index.json.
"""

import dataclasses
import logging
import pathlib

import numpy as np

from workflow_scripts.common import command, params
from workflow_scripts.common.distinct_splits import require_distinct_splits
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, read_json, write_json
from workflow_scripts.common.models.arrays import Sentences
from workflow_scripts.common.models.tokenization import MENTION_TOKENS, WordTokenizer, encode_split
from workflow_scripts.training.embeddings import load_vectors
from workflow_scripts.training.index import read_encoding, split_statistics, truncation, write_vocabulary


@dataclasses.dataclass(frozen=True)
class Params:
    """What the rule passes."""

    format: str
    width: int
    max_length: int
    window: bool = True
    encoding: str = "CM"


class _Collector(dict):
    """Numbers words in the order in which they are met."""

    def __missing__(self, word):
        self[word] = len(self)
        return self[word]


def index_words(paths, rel2id, embedding, settings, concepts=None):
    """Encode train and valid and load the vectors of all words of the corpus.

    Parameters
    ----------
    paths : dict from split to Path
        INSTANCES tables of train, valid and test.
    rel2id : dict
    embedding : Path
    settings : Params
    concepts : Path or None
        Table of CONCEPTS, for encodings that read types.

    Returns
    -------
    splits : dict from split to Sentences
        Of train and valid, with final ids.
    tokenizer : WordTokenizer
    vectors : float32 array of shape (V, width)
        Of the words in their order, but for `MENTION_TOKENS`, the last two words for encoding OC: training draws them.
    statistics : dict
    """
    require_distinct_splits(paths)
    collected = _Collector()
    options = {"encoding": read_encoding(settings.encoding, concepts), "windowed": settings.window}
    first_pass = WordTokenizer([], settings.max_length, lookup=collected.__getitem__, **options)
    encoded = {split: encode_split(paths[split], first_pass, rel2id) for split in ("train", "valid", "test")}
    known, vectors = load_vectors(embedding, settings.format, settings.width, collected)
    if not known:
        raise DataError(
            embedding,
            found="no word of the corpus",
            expected="lower-case words in UTF-8",
            remedy="check `path` and `format` of this embedding in the configuration",
        )
    own = MENTION_TOKENS if options["encoding"].hides_mentions else ()
    tokenizer = WordTokenizer([*known, *own], settings.max_length, **options)
    final = np.array([tokenizer.lookup(word) for word in collected], dtype=np.int32)
    del encoded["test"]
    splits = {split: Sentences(final[sentences.tokens], sentences.rows) for split, (sentences, _) in encoded.items()}
    unknown = {split: float((sentences.tokens == tokenizer.unk_id).mean()) for split, sentences in splits.items()}
    statistics = {
        split: split_statistics(sentences, len(encoded[split][1])) | {"unknown_share": unknown[split]}
        for split, sentences in splits.items()
    }
    statistics |= {"words": len(collected), "words_with_vector": len(known)} | truncation(first_pass)
    return splits, tokenizer, vectors, statistics


def main(args):
    """Write the index of one corpus for one embedding."""
    settings = params.parse(Params, args.params)
    paths = {"train": args.train, "valid": args.valid, "test": args.test}
    rel2id = read_json(args.rel2id)
    splits, tokenizer, vectors, statistics = index_words(paths, rel2id, args.embedding, settings, args.concepts)
    for split, sentences in splits.items():
        sentences.save(args.folder, split)
    with atomic_open(args.folder / "vectors.npy", "wb") as stream:
        np.save(stream, vectors, allow_pickle=False)
    write_vocabulary(args.folder, tokenizer)
    write_json(args.folder / "index.json", statistics)
    logging.info("%s", statistics)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    for split in ("train", "valid", "test"):
        parser.add_argument(f"--{split}", type=pathlib.Path, required=True, help=f"instances of the split {split}")
    parser.add_argument("--rel2id", type=pathlib.Path, required=True, help="relation ids")
    parser.add_argument("--embedding", type=pathlib.Path, required=True, help="file of word vectors")
    parser.add_argument("--concepts", type=pathlib.Path, help="concepts of the graph (encodings CT and OT)")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="folder for the arrays")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
