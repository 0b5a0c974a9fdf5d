"""Keep of a linker's predictions the genes of the species that each mention belongs to.

Takes any predictions file; the species of a mention is assigned by the rules of workflow_scripts/belb/species.py. Where
no predicted gene is of that species, all are kept.
"""

import collections
import dataclasses
import logging
from pathlib import Path

from workflow_scripts.belb import measuring
from workflow_scripts.belb.contracts import SPECIES
from workflow_scripts.belb.predictions import read_predictions, write_predictions
from workflow_scripts.belb.species import RULES, Assignment
from workflow_scripts.belb.species_filter import agreement, filtered, read_species
from workflow_scripts.belb.species_words import read_words
from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_delimited
from workflow_scripts.common.tables import read_table

COLUMNS = ("document", "start", "end", "text", "taxa", "rule", "identifiers", "kept", "done")


@dataclasses.dataclass(frozen=True)
class Params:
    """Name of the system that comes out, and the taxon of documents that mention no species."""

    system: str
    default: str


def main(args):
    """Run the command."""
    settings = params.parse(Params, args.params)
    corpus = measuring.load_corpus(args.corpus)
    predictions = read_predictions(args.predictions, corpus.name)
    texts = dict(zip(corpus.documents["document"].to_pylist(), corpus.documents["text"].to_pylist(), strict=True))
    unknown = [number for number, row in enumerate(predictions.rows, 2) if row.document not in texts]
    if unknown:
        name = predictions.rows[unknown[0] - 2].document
        raise DataError(
            args.predictions, line=unknown[0], found=f"document {name}", expected=f"documents of {corpus.name}"
        )
    prefixes = read_words(args.words).prefixes if args.words else {}
    assigned = Assignment(corpus.documents, read_table(args.species, SPECIES), prefixes, settings.default)
    identifiers = {name for row in predictions.rows for rank in row.candidates for name in rank}
    about = {row.document for row in predictions.rows}
    gold = [row for row in corpus.mentions.to_pylist() if row["document"] in about and not row["foreign"]]
    taxa = read_species(args.names.parent, identifiers.union(*(row["identifiers"] for row in gold)))
    result, report = filtered(predictions, assigned.species_of, taxa)
    if identifiers and identifiers.isdisjoint(taxa):
        raise DataError(
            args.names,
            found=f"no species of any of the {len(identifiers):,} predicted identifiers",
            expected="a knowledge base whose entities have a species, and identifiers of it",
            remedy="filter predictions for genes or cell lines, with the identifiers of the knowledge base",
        )
    logging.info("identifiers without a known species: %d of %d", len(identifiers - set(taxa)), len(identifiers))
    for place, known in ((4, RULES), (7, ("filtered", "all", "none", "empty"))):
        counts = collections.Counter(row[place] for row in report)
        logging.info("mentions: %s", ", ".join(f"{name} {counts[name]:,}" for name in known))
    known, right = agreement(gold, assigned.species_of, taxa)
    logging.info("gold mentions whose species is known: %s; assigned rightly: %s", f"{known:,}", f"{right:,}")
    shown = [(*row[:3], texts[row[0]][row[1] : row[2]], ";".join(row[3]), *row[4:]) for row in report]
    write_delimited(args.assigned, COLUMNS, sorted(shown), delimiter="\t")
    write_predictions(args.filtered, dataclasses.replace(result, system=settings.system))


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--predictions", type=Path, required=True, help="predictions file of any system")
    parser.add_argument("--species", type=Path, required=True, help="species mentions (find_species)")
    parser.add_argument("--words", type=Path, nargs="?", help="table of words, for letters before symbols")
    parser.add_argument("--names", type=Path, required=True, help="names.parquet of the knowledge base")
    parser.add_argument("--filtered", type=Path, required=True, help="output: predictions file")
    parser.add_argument("--assigned", type=Path, required=True, help="output: species of each mention (tsv)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
