"""Species in texts: names of a hand-made table, and of NCBI Taxonomy where it is at hand."""

import collections
import dataclasses
import functools
import logging
import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common.belb_corpora import numbered_rows
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.progress import Progress

KINDS = ("name", "prefix")
# Kinds of names of NCBI Taxonomy (kb_ncbi_taxonomy.KINDS).
SCIENTIFIC, COMMON = (0, 1, 2, 3), (4, 5)
LONGEST = 4
_WORD = re.compile(r"\w+(?:[.\-'/]\w+)*")


@dataclasses.dataclass(frozen=True)
class Words:
    """How texts name species.

    Parameters
    ----------
    names : dict
        Lower-cased name -> tuple of taxa, sorted.
    prefixes : dict
        Letters before a symbol, as written -> tuple of taxa, sorted.
    cased : dict
        Lower-cased name -> the spelling that it must have, for names where the case counts.
    """

    names: dict
    prefixes: dict
    cased: dict = dataclasses.field(default_factory=dict)

    def find(self, text):
        """Yield (start, end, taxa) of the names in a text from left to right, longest first where they overlap.

        A name stands between characters that are no letters or digits.
        """
        for found in self._pattern.finditer(text) if self.names else ():
            name = found[0].lower()
            if self.cased.get(name, found[0]) == found[0] and name in self.names:
                yield found.start(), found.end(), self.names[name]

    @functools.cached_property
    def _pattern(self):
        names = "|".join(re.escape(name) for name in sorted(self.names, key=lambda name: (-len(name), name)))
        return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)


def read_words(path):
    """Words of a table with columns taxon, kind, text (schemas/belb_species.schema.yaml).

    Raises
    ------
    DataError
        With file and line: other columns, a taxon that is no number, an unknown kind, no text, a row twice.
    """
    found, seen = {kind: collections.defaultdict(set) for kind in KINDS}, {}
    for line, row in numbered_rows(path, ["taxon", "kind", "text"]):
        text = row["text"].lower() if row["kind"] == "name" else row["text"]
        key = (row["taxon"], row["kind"], text)
        if not re.fullmatch(r"[1-9]\d*", row["taxon"]) or row["kind"] not in KINDS or not text or key in seen:
            raise DataError(
                path,
                line=line,
                found=" ".join(row.values()) + (f", as in line {seen[key]}" if key in seen else ""),
                expected="taxon (a number), kind (name or prefix), text; each once",
            )
        seen[key] = line
        found[row["kind"]][text].add(row["taxon"])
    return Words(*({text: tuple(sorted(taxa, key=int)) for text, taxa in found[kind].items()} for kind in KINDS))


def first_names(path):
    """Taxon -> its first name in a table of words."""
    read_words(path)
    named = {}
    for _, row in numbered_rows(path, ["taxon", "kind", "text"]):
        if row["kind"] == "name":
            named.setdefault(row["taxon"], row["text"])
    return named


def with_taxonomy(words, names, texts):
    """Words, and the names of a built NCBI Taxonomy that occur in texts; the words come first.

    Scientific names and their synonyms of two words or more count as they are written, since a genus alone is no
    species and many are also words ("Thymus"); common names whatever their case; acronyms not at all. A name of several
    taxa names none.

    Parameters
    ----------
    words : Words
    names : Path
        names.parquet, read in blocks.
    texts : iterable of str

    Returns
    -------
    Words
    """
    wanted = pa.array(sorted({phrase for text in texts for phrase in _phrases(text)}), pa.string())
    found, spelled = collections.defaultdict(set), {}
    with pq.ParquetFile(names) as file:
        progress = Progress("names of species", file.metadata.num_rows)
        for batch in file.iter_batches(columns=["identifier", "name", "kind"]):
            lowered = pc.utf8_lower(batch["name"])
            kept = pc.and_(pc.is_in(lowered, value_set=wanted), pc.less_equal(batch["kind"], max(COMMON)))
            for row in batch.filter(kept).to_pylist():
                name = row["name"].lower()
                if row["kind"] in SCIENTIFIC and " " not in name:
                    continue
                found[name].add(row["identifier"])
                if row["kind"] in SCIENTIFIC:
                    spelled.setdefault(name, row["name"])
                else:
                    spelled[name] = None
            progress.add(batch.num_rows)
        progress.close()
    ambiguous = sum(len(taxa) > 1 for taxa in found.values())
    logging.info("names of the taxonomy in the texts: %d; of several taxa, left out: %d", len(found), ambiguous)
    more = {name: tuple(taxa) for name, taxa in found.items() if len(taxa) == 1 and name not in words.names}
    cased = {name: spelled[name] for name in more if spelled[name] is not None}
    return Words({**more, **words.names}, words.prefixes, cased)


def _phrases(text):
    """Lower-cased runs of one to LONGEST words, with what stands between them."""
    places = [(found.start(), found.end()) for found in _WORD.finditer(text)]
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capitals have a lower case of two characters
        lowered = "".join(character.lower() if len(character.lower()) == 1 else character for character in text)
    for first, (start, _) in enumerate(places):
        for _, end in places[first : first + LONGEST]:
            yield lowered[start:end]
