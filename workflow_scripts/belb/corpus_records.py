"""What a corpus reader gives: documents with passages, and annotations that keep what was distributed."""

import dataclasses
import hashlib

JOINT = " "


@dataclasses.dataclass(frozen=True)
class Original:
    """An annotation as it was distributed; offsets are counted from 0, whatever the format counts from.

    `identifiers` is one string, as it stands in the file; `location` a section or figure where the corpus names one.
    """

    start: int
    end: int
    text: str
    entity_type: str
    identifiers: str
    location: str | None = None


@dataclasses.dataclass(frozen=True)
class Annotation:
    """An annotation at `[start, end)` of the document's text (code points); `place` is its file and line."""

    start: int
    end: int
    original: Original
    place: str = ""


@dataclasses.dataclass
class Document:
    """A document: its passages (type, text), which one blank joins, and its annotations.

    A corpus without texts has no passages; its offsets cannot be checked.
    """

    document: str
    passages: list
    annotations: list
    place: str = ""

    @property
    def text(self):
        """The passages joined by one blank."""
        return JOINT.join(text for _, text in self.passages)


def passage_starts(texts):
    """Offset of each text when one blank joins them."""
    starts, position = [], 0
    for text in texts:
        starts.append(position)
        position += len(text) + len(JOINT)
    return starts


def digest(document, original):
    """The name of an annotation in files of predictions (reference part A1.5).

    MD5 of the plain concatenation, without separator, of the texts of document id, location (the word "None" where
    there is none), start, end, text, entity type and identifiers, all as distributed: no repair changes it.
    """
    fields = (document, original.location, original.start, original.end)
    fields += (original.text, original.entity_type, original.identifiers)
    return hashlib.md5("".join(map(str, fields)).encode(), usedforsecurity=False).hexdigest()


def group_digest(digests):
    """The name of annotations that share a span: their own digest where there is one, else MD5 of all, concatenated."""
    if len(digests) == 1:
        return digests[0]
    return hashlib.md5("".join(digests).encode(), usedforsecurity=False).hexdigest()
