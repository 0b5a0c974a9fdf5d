"""Find the species that the documents of a split of a corpus mention.

These are the corpus' annotations of species that are there for context (config belb.corpora.<id>.foreign) and, between
them, names of a table of words and of NCBI Taxonomy (workflow_scripts/belb/species_words.py).
"""

import logging
from pathlib import Path

import pyarrow.compute as pc

from workflow_scripts.belb import measuring
from workflow_scripts.belb.contracts import NAMES, SPECIES
from workflow_scripts.belb.species import find_species
from workflow_scripts.belb.species_words import Words, read_words, with_taxonomy
from workflow_scripts.common import command
from workflow_scripts.common.tables import check_schema, write_table


def main(args):
    """Run the command."""
    corpus = measuring.load_corpus(args.corpus)
    words = read_words(args.words) if args.words else Words({}, {})
    if args.taxonomy:
        check_schema(args.taxonomy, NAMES)
        words = with_taxonomy(words, args.taxonomy, corpus.texts(args.split).values())
    found = find_species(corpus, args.split, words)
    write_table(args.species, found, SPECIES)
    annotated = pc.sum(found["annotated"]).as_py() or 0
    documents = len(set(found["document"].to_pylist()))
    logging.info("%d species mentions, %d of them annotated, in %d documents", found.num_rows, annotated, documents)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--split", default="test", help="train, dev or test (default: test)")
    parser.add_argument("--words", type=Path, nargs="?", help="table of words (schemas/belb_species.schema.yaml)")
    parser.add_argument("--taxonomy", type=Path, nargs="?", help="names.parquet of a built NCBI Taxonomy")
    parser.add_argument("--species", type=Path, required=True, help="output: species mentions (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
