"""From released annotations to gold mentions: the steps of the benchmark in their order (reference part A1.6).

Every annotation that is dropped and every repair is counted by split, and repairs are listed one by one.
"""

import collections
import dataclasses

from workflow_scripts.belb.contracts import SPLITS
from workflow_scripts.belb.corpus_records import digest, group_digest, passage_starts
from workflow_scripts.belb.identifiers import KnownIdentifiers, parse_identifiers
from workflow_scripts.belb.laid_text import Laid, Mention, into_sentences, mark, parts, put_blanks
from workflow_scripts.belb.offset_repairs import blanks_between_words, repaired
from workflow_scripts.common.errors import DataError


@dataclasses.dataclass(frozen=True)
class Steps:
    """What the pipeline does.

    mapping: hand-made replacements of identifiers. known: what the knowledge base knows, None without one. in_kb:
    mentions without an identifier (in the knowledge base, where there is one) are left out. separate_words: blanks
    are put where a mention begins or ends inside a word. max_mentions: longer documents are split, None for no limit.
    sentences: passages are sentences. markers: mentions are marked in the text. max_lost_share: more annotations than
    this share may not be lost because their text is not found or their identifier has no known form. foreign: for
    context, annotations of another entity type by document.
    """

    mapping: dict = dataclasses.field(default_factory=dict)
    known: KnownIdentifiers | None = None
    in_kb: bool = True
    separate_words: bool = True
    max_mentions: int | None = None
    sentences: bool = False
    markers: bool = False
    max_lost_share: float = 0.01
    foreign: dict = dataclasses.field(default_factory=dict)


# The foreign entity type of a knowledge base: how its annotations are called, its name here, its identifiers.
FOREIGN = {
    "ncbi_gene": ("Species", "species", "taxon"),
    "cellosaurus": ("Species", "species", "taxon"),
    "dbsnp": ("Gene", "gene", "gene"),
}


@dataclasses.dataclass
class Built:
    """What came out: laid documents and counts by split, and the repairs (dict a repair)."""

    documents: dict
    counts: dict
    repairs: list


def wanted_identifiers(documents, corpus, mapping):
    """All identifiers of the corpus' annotations after the hand-made mapping, to ask a knowledge base for."""
    wanted = set()
    for split in SPLITS:
        for document in documents[split]:
            for annotation in document.annotations:
                if corpus.keeps(annotation.original.entity_type):
                    found, _ = parse_identifiers(annotation.original.identifiers, corpus.identifiers)
                    wanted.update(name for name in (mapping.get(name, name) for name in found) if name)
    return wanted


def build(documents, corpus, steps):
    """Run the pipeline.

    Parameters
    ----------
    documents : dict of str to list of Document
        By split.
    corpus : Corpus
    steps : Steps

    Returns
    -------
    Built
        Documents sorted by name, mentions by span; the same for any order of documents and annotations.

    Raises
    ------
    DataError
        If more annotations are lost than `max_lost_share` allows; it names the first.
    """
    built = Built({}, {}, [])
    for split in SPLITS:
        counts, laid = collections.Counter(), []
        for document in sorted(documents[split], key=lambda document: document.document):
            laid += _Work(document, split, corpus, steps, counts, built.repairs).done()
        built.documents[split], built.counts[split] = laid, dict(sorted(counts.items()))
    _bound(built, steps, corpus)
    return built


def _bound(built, steps, corpus):
    lost = [repair for repair in built.repairs if repair["repair"] in ("lost", "unknown_form")]
    total = sum(counts.get("annotations", 0) for counts in built.counts.values())
    if len(lost) > steps.max_lost_share * total:
        first = lost[0]
        what = f"{first['original_text']!r} at [{first['original_start']}, {first['original_end']})"
        why = f"there is {first['there']!r}" if first["repair"] == "lost" else f"its identifier is {first['there']!r}"
        raise DataError(
            first["place"],
            record=first["document"],
            found=f"{len(lost)} of {total} annotations of {corpus.corpus} lost; the first is {what}, {why}",
            expected=f"at most {steps.max_lost_share:.2%} whose text or identifier cannot be read",
            remedy="are text and annotations of one release? Else raise max_lost_share",
        )


class _Work:
    """The steps for one document."""

    def __init__(self, document, split, corpus, steps, counts, repairs):
        self.document, self.split, self.corpus, self.steps = document, split, corpus, steps
        self.counts, self.repairs, self.text = counts, repairs, document.text

    def done(self):
        """The laid document, or its parts."""
        self.counts["documents_read"] += 1
        annotations = sorted(self.document.annotations, key=_order)
        placed = []
        for annotation in annotations:
            identifiers = self._identifiers(annotation)
            at = None if identifiers is None else self._placed(annotation)
            if at is not None:
                placed.append((at, identifiers))
        return self._laid(self._with_foreign(self._grouped(self._distinct(placed))))

    def _repair(self, annotation, repair, start, end, there):
        original = annotation.original
        self.counts[f"repair_{repair}"] += 1
        self.repairs.append(
            {"split": self.split, "document": self.document.document, "place": annotation.place, "repair": repair}
            | {"original_start": original.start, "original_end": original.end, "original_text": original.text}
            | {"start": start, "end": end, "there": there}
        )

    def _identifiers(self, annotation):
        """The identifiers of an annotation (steps 2 to 5); None where it is left out."""
        original = annotation.original
        if not self.corpus.keeps(original.entity_type):
            self.counts["dropped_other_type"] += 1
            return None
        self.counts["annotations"] += 1
        found, odd = parse_identifiers(original.identifiers, self.corpus.identifiers)
        if odd and not found:
            self._repair(annotation, "unknown_form", None, None, odd[0])
            return None
        self.counts["identifiers_of_unknown_form"] += len(odd)
        if not found:
            self.counts["annotations_without_identifier"] += 1
        found = self._known(self._mapped(found))
        if self.steps.in_kb and not found:
            self.counts["dropped_without_identifier"] += 1
            return None
        return found

    def _mapped(self, identifiers):
        kept = []
        for identifier in identifiers:
            replacement = self.steps.mapping.get(identifier, identifier)
            if replacement != identifier:
                self.counts["identifiers_mapped_by_hand" if replacement else "identifiers_removed_by_hand"] += 1
            kept += [replacement] if replacement else []
        return kept

    def _known(self, identifiers):
        if self.steps.known is None:
            return list(dict.fromkeys(identifiers))
        kept = {}
        for identifier in identifiers:
            now, done = self.steps.known.resolve(identifier)
            if done != "kept":
                self.counts[f"identifiers_{done}"] += 1
            for name in now:
                if name in self.steps.known.current or not self.steps.in_kb:
                    kept[name] = None
                else:
                    self.counts["identifiers_not_in_kb"] += 1
        return list(kept)

    def _placed(self, annotation):
        """The annotation at the place of its text; None where it is lost."""
        if not self.text:
            self.counts["annotations_without_text"] += 1
            return annotation
        moved, done = repaired(annotation, self.text)
        if done is None:
            self.counts["offsets_right_as_distributed"] += 1
            return annotation
        start, end = (moved.start, moved.end) if moved else (annotation.start, annotation.end)
        there = self.text[max(start, 0) : max(end, 0)]
        self._repair(annotation, done, *((start, end) if moved else (None, None)), there)
        return moved

    def _distinct(self, placed):
        """Without annotations that came before with equal fields (step 7)."""
        seen = {}
        for annotation, identifiers in placed:
            name = digest(self.document.document, annotation.original)
            self.counts["dropped_duplicates"] += name in seen
            seen.setdefault(name, (annotation, identifiers))
        return seen

    def _grouped(self, by_digest):
        spans = collections.defaultdict(list)
        for name, (annotation, identifiers) in by_digest.items():
            spans[annotation.start, annotation.end].append((annotation, identifiers, name))
        mentions = []
        for (start, end), group in sorted(spans.items()):
            if len(group) > 1:
                self.counts["annotations_grouped"] += len(group)
            identifiers = list(dict.fromkeys(name for _, names, _ in group for name in names))
            originals, digests = [item.original for item, _, _ in group], [name for _, _, name in group]
            mentions.append(Mention(start, end, self.corpus.entity_type, identifiers, originals, digests))
        return mentions

    def _with_foreign(self, mentions):
        """The mentions and, between them, foreign ones; not those that overlap a mention or have a mention's text."""
        taken, texts = list(mentions), {self.text[mention.start : mention.end].lower() for mention in mentions}
        for annotation in sorted(self.steps.foreign.get(self.document.document, ()), key=_order):
            called, kind, rule = FOREIGN[self.corpus.kb]
            identifiers, _ = parse_identifiers(annotation.original.identifiers, rule)
            moved, done = repaired(annotation, self.text)
            place = annotation if done is None else moved
            if annotation.original.entity_type != called or not identifiers or place is None:
                continue
            crossed = any(place.start < mention.end and mention.start < place.end for mention in taken)
            if crossed or self.text[place.start : place.end].lower() in texts:
                self.counts["foreign_left_out"] += 1
                continue
            name = digest(self.document.document, annotation.original)
            taken.append(
                Mention(place.start, place.end, kind, identifiers, [annotation.original], [name], foreign=True)
            )
            self.counts["foreign_added"] += 1
        return sorted(taken, key=lambda mention: (mention.start, mention.end))

    def _laid(self, mentions):
        starts = passage_starts(text for _, text in self.document.passages)
        passages = [(kind, at, len(text)) for (kind, text), at in zip(self.document.passages, starts, strict=True)]
        laid = Laid(self.document.document, self.text, passages, mentions)
        if not self.text:
            return [laid]
        if self.steps.separate_words:
            places = blanks_between_words(self.text, [(mention.start, mention.end) for mention in mentions])
            self.counts["blanks_put_between_words"] += len(places)
            laid = put_blanks(laid, places)
        pieces = [laid] if self.steps.max_mentions is None else parts(laid, self.steps.max_mentions)
        self.counts["documents_split"] += len(pieces) > 1
        pieces = [into_sentences(piece) for piece in pieces] if self.steps.sentences else pieces
        return [mark(piece) for piece in pieces] if self.steps.markers else pieces


def _order(annotation):
    *fields, location = dataclasses.astuple(annotation.original)
    return *fields, location or "", annotation.start


def mention_digest(mention):
    """The name of a mention in files of predictions."""
    return group_digest(mention.digests)
