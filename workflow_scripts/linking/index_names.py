"""Index the names of the linker's knowledge base for an exact search by character 3-grams, and by equality.

The vector space is scispaCy's (Neumann et al. 2019; paper, section 3.1): TF-IDF of 3-grams inside word boundaries over
the distinct names, rare grams dropped, float32, unit length. The same names give the same bytes.
"""

import dataclasses
import logging
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.progress import Progress
from workflow_scripts.common.tables import read_table
from workflow_scripts.linking.grams import Rows, Vocabulary, document_frequencies, remaining_norms
from workflow_scripts.linking.name_index import PARTS, SIGNATURE_BITS, UNITS, form_digests, write_index

# Names of one block of vectors, and entries of one block of lists: both bound the memory of the build.
BLOCK = 1 << 17
LIST_ENTRIES = 1 << 23


@dataclasses.dataclass(frozen=True)
class Params:
    """The vector space, and which names the knowledge base was made of (recorded, not used)."""

    candidates: str
    ngram_min_df: int
    vocabularies: list | None
    restriction_levels: list | None
    language: str
    release: str | None = None


class KnowledgeBase:
    """Names and concepts as arrays.

    Parameters
    ----------
    aliases : pyarrow.Table
        Columns cui, name and defined of contract ALIASES, sorted by cui and name.

    Attributes
    ----------
    cuis : pyarrow.Array of string
        Concepts, sorted; a concept is its position here.
    defined : numpy.ndarray of bool, (n_cuis,)
    names : pyarrow.Array of string
        Distinct names, ordered by their smallest concept and then by code point.
    concepts : numpy.ndarray of int32
        Concepts of all names, name by name, ascending within a name.
    offsets : numpy.ndarray of int64, (n_names + 1,)
        Where the concepts of each name begin.
    """

    def __init__(self, aliases):
        encoded = pc.dictionary_encode(aliases["cui"].combine_chunks())
        # The rows are sorted by concept, so the dictionary is sorted too.
        self.cuis = encoded.dictionary
        concept = encoded.indices.to_numpy().astype(np.int32)
        self.defined = np.zeros(len(self.cuis), dtype=bool)
        self.defined[concept] = aliases["defined"].to_numpy()
        names = pc.dictionary_encode(aliases["name"].combine_chunks())
        # First seen in the order of (cui, name): the order that is promised above.
        self.names = names.dictionary
        name = names.indices.to_numpy().astype(np.int64)
        self.concepts = concept[np.argsort(name, kind="stable")]
        self.offsets = _offsets(np.bincount(name, minlength=len(self.names)))

    def blocks(self):
        """The names in blocks, as lists."""
        for start in range(0, len(self.names), BLOCK):
            yield self.names.slice(start, BLOCK).to_pylist()

    def parts(self):
        """The part of each name: 0 where one of its concepts is defined, else 1."""
        if not len(self.names):
            return np.empty(0, np.int8)
        return 1 - np.logical_or.reduceat(self.defined[self.concepts], self.offsets[:-1]).astype(np.int8)


def vocabulary_of(base, min_df):
    """The vocabulary of the names.

    Raises
    ------
    UsageError
        If no gram occurs in `min_df` names.
    """
    codes, counts = document_frequencies(base.blocks())
    vocabulary = Vocabulary.of(codes, counts, len(base.names), min_df)
    if not vocabulary.codes.size:
        raise UsageError(
            f"linking.ngram_min_df: no character 3-gram occurs in {min_df} of the {len(base.names)} names of the "
            "knowledge base\n  remedy: set linking.ngram_min_df to 1, or give a larger knowledge base"
        )
    return vocabulary


def vectors_of(base, vocabulary):
    """Vectors of all names (Rows), the norm of each from each entry on in units (uint16), and their signatures."""
    counts, grams, weights, norms, signatures = [], [], [], [], []
    progress = Progress("names", len(base.names))
    for names in base.blocks():
        rows = vocabulary.transform(names)
        counts.append(np.diff(rows.offsets))
        grams.append(rows.grams)
        weights.append(rows.weights)
        norms.append(np.minimum(np.ceil(remaining_norms(rows) * UNITS), UNITS).astype(np.uint16))
        signatures.append(signatures_of(rows))
        progress.add(len(names))
    progress.close()
    rows = Rows(_offsets(np.concatenate(counts)), np.concatenate(grams), np.concatenate(weights))
    return rows, np.concatenate(norms), np.concatenate(signatures)


def signatures_of(rows):
    """Signatures of vectors, (n, 2) uint64."""
    signatures = np.zeros((len(rows.offsets) - 1, 2), np.uint64)
    used = np.flatnonzero(np.diff(rows.offsets))
    bit = rows.grams % SIGNATURE_BITS
    for half in range(2):
        mask = np.where(bit // 64 == half, np.uint64(1) << (bit % 64).astype(np.uint64), np.uint64(0))
        if used.size:
            signatures[used, half] = np.bitwise_or.reduceat(mask, rows.offsets[used])
    return signatures


def lists_of(rows, norms, parts, n_grams):
    """The names by part and gram: where each list begins, and blocks of (names, norms)."""
    name = np.repeat(np.arange(len(parts), dtype=np.int32), np.diff(rows.offsets))
    key = parts[name].astype(np.int32) * n_grams + rows.grams
    starts = _offsets(np.bincount(key, minlength=PARTS * n_grams))
    offsets = np.stack([starts[part * n_grams : (part + 1) * n_grams + 1] for part in range(PARTS)])

    def blocks():
        first = 0
        while first < PARTS * n_grams:
            last = max(int(np.searchsorted(starts, starts[first] + LIST_ENTRIES, side="right")) - 1, first + 1)
            chosen = np.flatnonzero((key >= first) & (key < last))
            order = np.argsort(key[chosen].astype(np.int64) * (UNITS + 1) + UNITS - norms[chosen], kind="stable")
            yield name[chosen[order]], norms[chosen[order]]
            first = last

    return offsets, blocks()


def forms_of(base):
    """Digests of the literal forms of the names, and the concepts of each: (high, low, offsets, concepts)."""
    digests = np.concatenate([np.empty((0, 2), np.uint64), *map(form_digests, base.blocks())])
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    digests = digests[order]
    new = np.ones(len(digests), bool)
    new[1:] = (digests[1:] != digests[:-1]).any(axis=1)
    forms, form = digests[new], np.empty(len(digests), np.int64)
    form[order] = np.cumsum(new) - 1
    form = np.repeat(form, np.diff(base.offsets))
    pairs = np.unique(form * max(len(base.cuis), 1) + base.concepts)
    form, concept = np.divmod(pairs, max(len(base.cuis), 1))
    return forms[:, 0], forms[:, 1], _offsets(np.bincount(form, minlength=len(forms))), concept.astype(np.int32)


def write_names(writer, base, vocabulary):
    """Write all arrays of an index."""
    cuis = base.cuis.to_pylist()
    writer.write("cui_offsets", _offsets(np.array([len(cui.encode()) for cui in cuis], np.int64)))
    writer.write("cui_bytes", np.frombuffer("".join(cuis).encode(), np.uint8))
    writer.write("defined", base.defined)
    writer.write("concept_offsets", base.offsets)
    writer.write("concepts", base.concepts)
    for name, values in zip(("form_high", "form_low", "form_offsets", "form_concepts"), forms_of(base), strict=True):
        writer.write(name, values)
    for name in ("codes", "idf", "ranks"):
        writer.write(name, getattr(vocabulary, name))
    rows, norms, signatures = vectors_of(base, vocabulary)
    for name in rows._fields:
        writer.write(name, getattr(rows, name))
    writer.write("signatures", signatures)
    offsets, lists = lists_of(rows, norms, base.parts(), vocabulary.codes.size)
    writer.write("list_offsets", offsets)
    with writer.array("list_names", np.int32) as add_names:
        kept = []
        for names, list_norms in lists:
            add_names(names)
            kept.append(list_norms)
    writer.write("list_norms", np.concatenate([np.empty(0, np.uint16), *kept]))


def build(aliases, folder, settings, digest=None):
    """Write the index of a table of aliases; returns what index.json says beside the layout.

    Parameters
    ----------
    aliases : pyarrow.Table
        Columns cui, name and defined of contract ALIASES.
    folder : Path
    settings : Params
    digest : str or None
        SHA-256 of the file of aliases.
    """
    base = KnowledgeBase(aliases)
    if settings.candidates == "tfidf":
        vocabulary = vocabulary_of(base, settings.ngram_min_df)
    else:
        vocabulary = Vocabulary(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int32))
    counts = {"names": len(base.names), "concepts": len(base.cuis), "defined_concepts": int(base.defined.sum())}
    counts |= {"names_of_defined_concepts": int((base.parts() == 0).sum()), "grams": vocabulary.codes.size}
    facts = {"counts": counts, "settings": dataclasses.asdict(settings), "aliases_sha256": digest}
    write_index(folder, lambda writer: write_names(writer, base, vocabulary), facts)
    return facts


def _offsets(counts):
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def main(args):
    """Run the command."""
    if (args.index.name, args.names.name) != ("index.json", "names.bin") or args.index.parent != args.names.parent:
        raise UsageError("--index and --names must be index.json and names.bin of one folder")
    settings = params.parse(Params, args.params)
    aliases = read_table(args.aliases, ALIASES, columns=["cui", "name", "defined"])
    facts = build(aliases, args.index.parent, settings, file_digest(args.aliases))
    for what, number in facts["counts"].items():
        logging.info("%s: %s", what.replace("_", " "), f"{number:,}")


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--aliases", type=Path, required=True, help="names of the knowledge base (Parquet)")
    parser.add_argument("--index", type=Path, required=True, help="output: index.json, what is in the other file")
    parser.add_argument("--names", type=Path, required=True, help="output: names.bin beside it, all arrays")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
