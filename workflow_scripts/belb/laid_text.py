"""A document's text with its passages and mentions, and what changes the text under them (A1.6, steps 9 to 12)."""

import dataclasses
import re

from workflow_scripts.belb.corpus_records import Original

MARKERS = ("[MS]", "[ME]")
FOREIGN_MARKERS = ("[FS]", "[FE]")
_END = re.compile(r"[.!?][\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[]*[A-Z0-9])")
# A point after these, or after one letter, ends no sentence.
_SHORT = re.compile(
    r"(?:^|[\s(\[])(?:[A-Za-z]|[Ff]igs?|[Ee]qs?|Drs?|Mrs?|Prof|St|vs|cf|ca|[Nn]o|resp|approx|spp?|al)\.$"
)


@dataclasses.dataclass
class Mention:
    """A gold mention: its span in the laid text, its identifiers, the annotations behind it and their digests."""

    start: int
    end: int
    entity_type: str
    identifiers: list
    originals: list[Original]
    digests: list
    foreign: bool = False


@dataclasses.dataclass
class Laid:
    """A document: text, passages as (type, offset, length), and mentions in the order of the text."""

    document: str
    text: str
    passages: list
    mentions: list


def put_blanks(laid, places):
    """Put a blank before each of the places (ascending offsets) of a text; passages and mentions move along."""

    def moved(offset, also_at):
        return offset + sum(place < offset or (also_at and place == offset) for place in places)

    pieces = [laid.text[begin:end] for begin, end in zip([0, *places], [*places, len(laid.text)], strict=True)]
    passages = []
    for kind, offset, length in laid.passages:
        start = moved(offset, True)
        passages.append((kind, start, moved(offset + length, False) - start))
    for mention in laid.mentions:
        mention.start, mention.end = moved(mention.start, True), moved(mention.end, False)
    return Laid(laid.document, " ".join(pieces), passages, laid.mentions)


def sentences(text, start, end, mentions):
    """Spans of the sentences of `text[start:end]`; those that a mention crosses are one.

    A sentence ends at a point, question or exclamation mark, with closing quotes and brackets, before a blank and a
    capital or digit; not after initials and common abbreviations. Blanks between sentences belong to none.
    """
    spans, begin = [], start
    for found in _END.finditer(text, start, end):
        stop = len(found[0].rstrip()) + found.start()
        if _SHORT.search(text[max(begin, stop - 10) : stop]):
            continue
        if any(mention.start < found.end() and mention.end > stop for mention in mentions):
            continue
        spans.append((begin, stop))
        begin = found.end()
    return [*spans, (begin, end)] if begin < end else spans


def into_sentences(laid):
    """The same text with sentences as its passages, each of the type of the passage it was in."""
    passages = []
    for kind, offset, length in laid.passages:
        for start, end in sentences(laid.text, offset, offset + length, laid.mentions):
            passages.append((kind, start, end - start))
    return dataclasses.replace(laid, passages=passages)


def parts(laid, most):
    """A document as parts of at most `most` mentions, named `<document>.1` and so on; one that has no more stays whole.

    Parts consist of whole sentences; a sentence with more mentions is a part of its own.
    """
    if len(laid.mentions) <= most or not laid.passages:
        return [laid]
    groups, count = [], 0
    for _, start, length in into_sentences(laid).passages:
        inside = sum(start <= mention.start < start + length for mention in laid.mentions)
        crossed = any(mention.start < start < mention.end for mention in laid.mentions)
        if not groups or (count + inside > most and not crossed):
            groups.append([start, start + length])
            count = 0
        groups[-1][1] = start + length
        count += inside
    return [_part(laid, number, *group) for number, group in enumerate(groups, 1)] if len(groups) > 1 else [laid]


def _part(laid, number, start, end):
    clipped = [(kind, max(at, start), min(at + length, end)) for kind, at, length in laid.passages]
    passages = [(kind, begin - start, stop - begin) for kind, begin, stop in clipped if begin < stop]
    mentions = [
        dataclasses.replace(mention, start=mention.start - start, end=mention.end - start)
        for mention in laid.mentions
        if start <= mention.start < end
    ]
    return Laid(f"{laid.document}.{number}", laid.text[start:end], passages, mentions)


def mark(laid):
    """The text with markers around each mention; its span stays that between its markers.

    Where mentions begin or end together, the longer one is outside.
    """
    events = []
    for index, mention in enumerate(laid.mentions):
        signs = FOREIGN_MARKERS if mention.foreign else MARKERS
        length = mention.end - mention.start
        events.append((mention.end, 0, -mention.start, length, index, f" {signs[1]}"))
        events.append((mention.start, 1, -length, 0, index, f"{signs[0]} "))
    pieces, at, position, added = [], 0, 0, []
    spans = [[0, 0] for _ in laid.mentions]
    for place, begins, _, _, index, sign in sorted(events):
        pieces.append(laid.text[at:place])
        position += place - at
        at = place
        if not begins:
            spans[index][1] = position
        pieces.append(sign)
        position += len(sign)
        added.append((place, begins, len(sign)))
        if begins:
            spans[index][0] = position
    pieces.append(laid.text[at:])
    for mention, (start, end) in zip(laid.mentions, spans, strict=True):
        mention.start, mention.end = start, end
    passages = []
    for kind, offset, length in laid.passages:
        start = offset + sum(
            size for place, begins, size in added if place < offset or (place == offset and not begins)
        )
        stop = offset + length
        end = stop + sum(size for place, begins, size in added if place < stop or (place == stop and not begins))
        passages.append((kind, start, end - start))
    return Laid(laid.document, "".join(pieces), passages, laid.mentions)
