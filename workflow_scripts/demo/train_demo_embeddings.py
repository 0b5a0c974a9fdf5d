"""Train the word vectors of the embedded release on its own text, lower-cased: one file for each embedding slot.

The three slots differ in kind as the paper's do (Appendix E): subword vectors (fastText, as BioWordVec) in
word2vec's text format, continuous bag of words in its binary format, and skip-gram in GloVe's headerless text.
"""

import dataclasses
import logging
from pathlib import Path

import numpy as np

from workflow_scripts.common import command, params
from workflow_scripts.common.files import atomic_path
from workflow_scripts.demo.plain_text import read_text

SPREAD = 0.6
COMMON = {"min_count": 2, "workers": 1, "window": 5, "negative": 5, "seed": 19}


@dataclasses.dataclass(frozen=True)
class Params:
    """Numbers per word, and passes over the text."""

    width: int = 50
    epochs: int = 3


def main(args):
    """Write the three files."""
    settings = params.parse(Params, args.params)
    logging.getLogger("gensim").setLevel(logging.WARNING)
    texts = [text.lower().split() for text, _ in read_text(args.text)]
    save(args.biowordvec, subword_vectors(texts, settings), binary=False)
    save(args.biow2v, bag_of_words_vectors(texts, settings), binary=True)
    save(args.glove, skip_gram_vectors(texts, settings), binary=False, header=False)


def subword_vectors(texts, settings):
    """FastText skip-gram vectors: a name shares the vectors of its character n-grams with names of its kind."""
    from gensim.models import FastText

    model = FastText(
        texts, vector_size=settings.width, sg=1, epochs=settings.epochs, min_n=3, max_n=5, bucket=20_000, **COMMON
    )
    return model.wv


def bag_of_words_vectors(texts, settings):
    """CBOW vectors; twice the passes, as each is about three times faster."""
    from gensim.models import Word2Vec

    return Word2Vec(texts, vector_size=settings.width, sg=0, epochs=2 * settings.epochs, **COMMON).wv


def skip_gram_vectors(texts, settings):
    """Skip-gram vectors."""
    from gensim.models import Word2Vec

    return Word2Vec(texts, vector_size=settings.width, sg=1, epochs=settings.epochs, **COMMON).wv


def save(path, vectors, binary, header=True):
    """Write vectors, float32, centred and of equal length, sorted by frequency and then by word.

    The length is that of a vector of independent numbers with standard deviation `SPREAD`: what a few passes over
    this text give lies far from the origin, and rare words close to it.
    """
    matrix = vectors.vectors - vectors.vectors.mean(axis=0)
    matrix *= SPREAD * vectors.vector_size**0.5 / np.linalg.norm(matrix, axis=1, keepdims=True)
    words = sorted(vectors.index_to_key, key=lambda word: (-vectors.get_vecattr(word, "count"), word))
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        if header:
            stream.write(f"{len(words)} {vectors.vector_size}\n".encode())
        for word in words:
            vector = matrix[vectors.key_to_index[word]].astype("<f4")
            if binary:
                stream.write(word.encode() + b" " + vector.tobytes() + b"\n")
            else:
                stream.write(f"{word} {' '.join(f'{number:.5f}' for number in vector)}\n".encode())


def arguments():
    """Options of the command."""
    parser = command.parser(__doc__)
    parser.add_argument("--text", type=Path, required=True, help="live text of the release")
    parser.add_argument("--biowordvec", type=Path, required=True, help="output, word2vec text format")
    parser.add_argument("--biow2v", type=Path, required=True, help="output, word2vec binary format")
    parser.add_argument("--glove", type=Path, required=True, help="output, text without a header line")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
