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
from workflow_scripts.linking.grams import Vocabulary, document_frequencies, remaining_norms, sorted_runs
from workflow_scripts.linking.name_index import PARTS, SIGNATURE_BITS, UNITS, form_digests, write_index

# Names of one block of vectors, and entries of one block of lists: both bound the memory of the build.
BLOCK = 1 << 14
LIST_ENTRIES = 1 << 22


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
    """The vocabulary of the names, and how many entries their vectors have in it.

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
    return vocabulary, int(counts[counts >= min_df].sum())


def write_vectors(writer, base, vocabulary, entries):
    """Write the vectors and signatures of all names block by block: in memory they take as much as the index.

    Returns
    -------
    offsets : numpy.ndarray of int64, (n_names + 1,)
    """
    counts = [np.empty(0, np.int64)]
    add_offsets = writer.reserve("offsets", np.int64, (len(base.names) + 1,))
    add_grams, add_weights = (
        writer.reserve(name, kind, (entries,)) for name, kind in (("grams", np.int32), ("weights", np.float32))
    )
    add_signatures = writer.reserve("signatures", np.uint64, (len(base.names), SIGNATURE_BITS // 64))
    progress = Progress("names", len(base.names))
    for names in base.blocks():
        rows = vocabulary.transform(names)
        counts.append(np.diff(rows.offsets))
        add_grams(rows.grams)
        add_weights(rows.weights)
        add_signatures(signatures_of(rows))
        progress.add(len(names))
    progress.close()
    offsets = _offsets(np.concatenate(counts))
    add_offsets(offsets)
    return offsets


def signatures_of(rows):
    """Signatures of vectors, (n, SIGNATURE_BITS / 64) uint64."""
    signatures = np.zeros((len(rows.offsets) - 1, SIGNATURE_BITS // 64), np.uint64)
    used = np.flatnonzero(np.diff(rows.offsets))
    bit = rows.grams % SIGNATURE_BITS
    for word in range(signatures.shape[1] if used.size else 0):
        mask = np.where(bit // 64 == word, np.uint64(1) << (bit % 64).astype(np.uint64), np.uint64(0))
        signatures[used, word] = np.bitwise_or.reduceat(mask, rows.offsets[used])
    return signatures


def write_lists(writer, offsets, parts, n_grams):
    """Write the names by part and gram: first put each behind the others of its list, then order the lists.

    The vectors are read back block by block; in memory are a name and a norm for each entry, 6 bytes.
    """
    starts = np.zeros(PARTS * n_grams, np.int64)
    for _, _, key in _entries(writer, offsets, parts, n_grams):
        starts += np.bincount(key, minlength=starts.size)
    starts = _offsets(starts)
    names, norms, free = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.uint16), starts[:-1].copy()
    progress = Progress("names in lists", len(parts))
    for bounds, name, key in _entries(writer, offsets, parts, n_grams):
        norm = remaining_norms(bounds - bounds[0], writer.read("weights", bounds[0], bounds[-1]))
        key, order = np.divmod(np.sort(key * max(key.size, 1) + np.arange(key.size)), max(key.size, 1))
        counts = np.bincount(key, minlength=free.size)
        place = np.repeat(free - _offsets(counts)[:-1], counts) + np.arange(key.size)
        names[place], norms[place] = name[order], np.minimum(np.ceil(norm * UNITS), UNITS)[order]
        free += counts
        progress.add(len(bounds) - 1)
    progress.close()
    writer.write("list_offsets", np.stack([starts[part * n_grams : (part + 1) * n_grams + 1] for part in range(PARTS)]))
    _order_lists(starts, names, norms)
    writer.write("list_names", names)
    writer.write("list_norms", norms)


def _entries(writer, offsets, parts, n_grams):
    """The entries of the vectors in blocks of names: where each name's begin, their names, their lists."""
    for start in range(0, len(parts), BLOCK):
        bounds = offsets[start : start + BLOCK + 1]
        name = np.repeat(np.arange(start, start + len(bounds) - 1), np.diff(bounds))
        yield bounds, name, parts[name] * np.int64(n_grams) + writer.read("grams", bounds[0], bounds[-1])


def _order_lists(starts, names, norms):
    """Sort each list in place: norms descending, then names; lists of some million entries at once, in one integer."""
    first = 0
    while first < starts.size - 1:
        last = int(np.searchsorted(starts, starts[first] + LIST_ENTRIES, side="right")) - 1
        last = min(max(last, first + 1), first + UNITS + 1)
        part = slice(starts[first], starts[last])
        key = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        packed = np.sort((key << 16 | UNITS - norms[part].astype(np.int64)) << 31 | names[part])
        names[part], norms[part] = packed & (1 << 31) - 1, UNITS - (packed >> 31 & UNITS)
        first = last


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
    pairs, _ = sorted_runs(form * max(len(base.cuis), 1) + base.concepts)
    form, concept = np.divmod(pairs, max(len(base.cuis), 1))
    return forms[:, 0], forms[:, 1], _offsets(np.bincount(form, minlength=len(forms))), concept.astype(np.int32)


def write_names(writer, base, vocabulary, entries):
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
    offsets = write_vectors(writer, base, vocabulary, entries)
    write_lists(writer, offsets, base.parts(), vocabulary.codes.size)


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
    # The names stand in the table a second time.
    del aliases
    if settings.candidates == "tfidf":
        vocabulary, entries = vocabulary_of(base, settings.ngram_min_df)
    else:
        vocabulary, entries = Vocabulary(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int32)), 0
    counts = {"names": len(base.names), "concepts": len(base.cuis), "defined_concepts": int(base.defined.sum())}
    counts |= {"names_of_defined_concepts": int((base.parts() == 0).sum()), "grams": vocabulary.codes.size}
    facts = {"counts": counts, "settings": dataclasses.asdict(settings), "aliases_sha256": digest}
    write_index(folder, lambda writer: write_names(writer, base, vocabulary, entries), facts)
    return facts


def _offsets(counts):
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def main(args):
    """Run the command."""
    if (args.index.name, args.names.name) != ("index.json", "names.bin") or args.index.parent != args.names.parent:
        raise UsageError("--index and --names must be index.json and names.bin of one folder")
    settings = params.parse(Params, args.params)
    digest, columns = file_digest(args.aliases), ["cui", "name", "defined"]
    facts = build(read_table(args.aliases, ALIASES, columns), args.index.parent, settings, digest)
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
