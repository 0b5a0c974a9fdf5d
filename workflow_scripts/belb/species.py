"""The species of a gene: species that a text mentions, and which of them a mention of a gene belongs to.

The rules are those of Wei and Kao (2011, BMC Bioinformatics 12, suppl. 8, S5, Table 6), which SR4GN (Wei, Kao and Lu
2012) and GNormPlus build on, in this order:

1. prefix: letters before the gene's symbol name a species (hZIP2) that the document mentions, too: without the second
   condition mTOR would be a gene of the mouse wherever it stands;
2. left: the nearest species that begins before the end of the mention, in its sentence ("human TIF1", and "human" in a
   mention "human TIF1");
3. right: the nearest species after the mention, in its sentence;
4. document: the species that the document mentions most often, of several the first;
5. default: none is mentioned.

A species is a tuple of taxa, as one word may stand for a species and a strain.
"""

import bisect
import collections

import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.belb.contracts import SPECIES
from workflow_scripts.belb.laid_text import sentences

RULES = ("prefix", "left", "right", "document", "default")


def find_species(corpus, split, words):
    """Species in the documents of a split: annotated ones, and names between them.

    Parameters
    ----------
    corpus : Corpus
        Its mentions of type species that are there for context (`foreign`) count as annotated.
    split : str
    words : Words

    Returns
    -------
    pyarrow.Table
        Of contract SPECIES.
    """
    mentions = corpus.mentions
    kept = pc.and_(mentions["foreign"], pc.equal(mentions["entity_type"], "species"))
    annotated = collections.defaultdict(list)
    for row in mentions.filter(pc.and_(kept, pc.equal(mentions["split"], split))).to_pylist():
        annotated[row["document"]].append((row["start"], row["end"], tuple(row["identifiers"])))
    rows = []
    for document, text in corpus.texts(split).items():
        rows += [(document, start, end, text[start:end], taxa, True) for start, end, taxa in annotated[document]]
        taken = [span[:2] for span in annotated[document]]
        for start, end, taxa in words.find(text):
            if not any(start < there and here < end for here, there in taken):
                rows.append((document, start, end, text[start:end], taxa, False))
    columns = zip(*sorted(rows), strict=True) if rows else [()] * len(SPECIES.schema)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, SPECIES.schema, strict=True)], SPECIES.schema)


class Assignment:
    """Which species a mention of a gene belongs to.

    Parameters
    ----------
    documents : pyarrow.Table
        Of contract DOCUMENTS.
    species : pyarrow.Table
        Of contract SPECIES.
    prefixes : dict
        Letters before a symbol -> taxa (`species_words.Words.prefixes`).
    default : str
        Taxon where no species is mentioned.
    """

    def __init__(self, documents, species, prefixes, default):
        self._rows = dict(zip(documents["document"].to_pylist(), documents.to_pylist(), strict=True))
        self._species = collections.defaultdict(list)
        for row in species.to_pylist():
            self._species[row["document"]].append((row["start"], row["end"], tuple(row["taxa"])))
        # longest first, so that zf is not taken for z
        self._prefixes = sorted(prefixes.items(), key=lambda item: (-len(item[0]), item[0]))
        self._default, self._sentences = (default,), {}

    def species_of(self, document, start, end):
        """Taxa of a mention, and the rule (of RULES) that gave them."""
        found = self._species.get(document, [])
        if not found:
            return self._default, "default"
        text = self._rows[document]["text"]
        mentioned = {taxon for *_, taxa in found for taxon in taxa}
        for letters, taxa in self._prefixes:
            if _is_prefix(letters, text[start:end]) and mentioned.intersection(taxa):
                return taxa, "prefix"
        begin, stop = self._sentence(document, start)
        inside = [row for row in found if begin <= row[0] < stop]
        left = [row for row in inside if row[0] < end]
        if left:
            return left[-1][2], "left"
        if inside:
            return inside[0][2], "right"
        # a Counter keeps the order in which its keys came
        return collections.Counter(taxa for *_, taxa in found).most_common(1)[0][0], "document"

    def _sentence(self, document, place):
        """Start and end of the sentence that a place is in."""
        if document not in self._sentences:
            row = self._rows[document]
            self._sentences[document] = [
                span
                for passage in row["passages"]
                for span in sentences(row["text"], passage["offset"], passage["offset"] + passage["length"], ())
            ]
        spans = self._sentences[document]
        return spans[max(bisect.bisect_right(spans, (place, len(self._rows[document]["text"]))) - 1, 0)]


def _is_prefix(letters, text):
    rest = text.removeprefix(letters)
    return rest != text and bool(rest) and (rest[0].isupper() or rest[0].isdigit())
