"""Tokens by regular expressions.

White space always separates. Within a chunk between blanks, punctuation is split off at the edges, and words stay
whole around the marks that belong to names in biomedical text: hyphens (`beta-blocker`, `IL-2`), slashes (`mg/kg`),
apostrophes, decimal points and thousands (`0.05`, `1,000`), balanced brackets (`Ca(2+)`, `1,25(OH)2D3`,
`(S)-warfarin`). Comparison signs and percent signs stand alone. Each character that is no white space belongs to
exactly one token.
"""

import re

_LETTER, _SIGN = r"[^\W\d_]", r"[^\W_]"  # letter; letter or digit
# with combining marks and invisible joiners; possessive, so that no input makes the matching slow
_RUN = rf"(?:{_SIGN}|[\u0300-\u036f\u00ad\u200b-\u200d\u2060])++"
_IN_BRACKET = rf"(?:{_SIGN}|[+,.'\u2032*/\u2212-]){{1,10}}"
_BRACKET = rf"(?:\({_IN_BRACKET}\)|\[{_IN_BRACKET}\])"
_ABBREVIATIONS = (
    "vs|cf|al|ca|approx|resp|viz|incl|etc|str|spp|sp|ssp|subsp|var|cv|gen|nov|pp|no|nos|vol|fig|figs|eq|eqs|ref|refs|tab"
    "|Dr|Drs|Prof|Mr|Mrs|Ms|Jr|Sr|St|Fig|Figs|Eq|Eqs|Ref|Refs|No|Nos|Vol|Tab|Inc|Ltd|Co|Corp|Univ|Dept"
    "|Jan|Feb|Aug|Sept|Oct|Nov|Dec"
)

# One rule per line; the first that fits decides.
_TOKEN = re.compile(
    "|".join(
        [
            # web addresses
            r"(?:https?://|www\.)[^\s<>\"()]*[^\s<>\"().,;:!?'\]}]",
            # abbreviations that keep their points
            rf"(?:{_ABBREVIATIONS})\.(?!{_SIGN})",
            rf"(?:[A-Za-z]\.){{2,}}(?!{_SIGN})",
            # words and numbers with the marks that may stand inside
            rf"(?:{_BRACKET}-?(?={_SIGN}))?{_RUN}"
            "(?:"
            rf"[-\u2010\u2011\u2013\u2212'\u2019/_&@+*\u00b7\u2032]++(?={_SIGN}){_RUN}"
            rf"|(?<=\d)[.,:](?=\d){_RUN}"
            rf"|(?<={_LETTER})\.(?=[a-z]){_RUN}"
            rf"|(?<={_LETTER})(?<!{_LETTER}{{4}})\.(?=\d){_RUN}"
            rf"|(?<!{_SIGN}{_SIGN})[.,](?={_LETTER}(?!{_SIGN})){_RUN}"
            rf"|{_BRACKET}(?:-?{_RUN})?"
            ")*"
            # primes, marks of trade and charges at the end
            rf"(?:[\u2032\u2033]+|[\u00ae\u2122]|(?<=[0-9a-z])[+](?!{_SIGN}))?",
            # runs of the same mark
            r"\.{2,}|-{2,}|[=<>\u2264\u2265\u00b1\u00d7\u2248~]=?",
            r"\S",
        ]
    )
)

_SENTENCE_MARKS = frozenset(".?!()[]{}\u3002\uff1f\uff01\u2026")
_CACHE_LIMIT, _CACHED_LENGTH = 1 << 18, 40
_cache = {}


def chunk_tokens(chunk):
    """Tokens of a chunk without white space: (words, starts in the chunk, whether one may bear on sentence ends).

    Chunks repeat as words do, so the answer comes from a cache of bounded size.
    """
    found = _cache.get(chunk)
    if found is None:
        matches = [(match[0], match.start()) for match in _TOKEN.finditer(chunk)]
        words, starts = tuple(word for word, _ in matches), tuple(start for _, start in matches)
        found = words, starts, any(word in _SENTENCE_MARKS or word[-1] == "." for word in words)
        if len(chunk) <= _CACHED_LENGTH:
            if len(_cache) >= _CACHE_LIMIT:
                _cache.clear()
            _cache[chunk] = found
    return found
