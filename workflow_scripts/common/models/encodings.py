"""What of a sentence a model reads: context, mentions, semantic types (paper, section 4.2, Figure 5; after Peng et al.
2020).

CM context and mentions, OM mentions alone, OC context alone, CT context and semantic types, OT semantic types alone.
The paper gives CM's form; the texts of CT and OT were never published, these are ours: the lower-cased name of the
concept's one semantic type in place of its mention ("disease or syndrome").
"""

import dataclasses

from workflow_scripts.common.errors import DataError

ENCODINGS = ("CM", "OM", "OC", "CT", "OT")
WITH_TYPES, WITHOUT_CONTEXT = ("CT", "OT"), ("OM", "OT")


@dataclasses.dataclass(frozen=True)
class InputEncoding:
    """One of `ENCODINGS`.

    Parameters
    ----------
    name : str
    types : dict from CUI to str
        Lower-cased name of each concept's semantic type, for CT and OT; else empty.
    """

    name: str = "CM"
    types: dict = dataclasses.field(default_factory=dict)

    @property
    def reads_types(self):
        """Whether `pieces` needs the concepts of a sentence."""
        return self.name in WITH_TYPES

    @property
    def hides_mentions(self):
        """Whether one token of its own stands for each mention (OC)."""
        return self.name == "OC"

    def pieces(self, text, span, concepts=None):
        """The five pieces of a sentence that are read: before, first mention, between, second mention, after.

        Parameters
        ----------
        text : str
        span : (head start, head end, tail start, tail end)
            Code points, ends exclusive; the mentions do not overlap.
        concepts : (CUI of the head, CUI of the tail)
            For CT and OT.

        Returns
        -------
        list of 5 str, bool
            In the order of the text, empty where the encoding leaves something out; whether the head comes first.

        Raises
        ------
        DataError
            If a concept has no semantic type (CT, OT).
        """
        head_first = span[0] <= span[2]
        a, b, c, d = span if head_first else (*span[2:], *span[:2])
        pieces = [text[:a], text[a:b], text[b:c], text[c:d], text[d:]]
        if self.name in WITHOUT_CONTEXT:
            pieces[::2] = "", "", ""
        if self.reads_types:
            pieces[1::2] = (self._type_of(concept) for concept in (concepts if head_first else concepts[::-1]))
        elif self.hides_mentions:
            pieces[1::2] = "", ""
        return pieces, head_first

    def _type_of(self, concept):
        if concept not in self.types:
            raise DataError(
                f"encoding {self.name}",
                found=f"no semantic type of {concept}",
                expected="the type of every head and tail in kg/concepts.parquet",
                remedy="give concepts of the knowledge graph that the corpus was built from",
            )
        return self.types[concept]

    def to_json(self):
        """Keys for vocabulary.json, none for CM: types with the concepts of each."""
        if self.name == "CM":
            return {}
        concepts = {}
        for concept in sorted(self.types):
            concepts.setdefault(self.types[concept], []).append(concept)
        return {"encoding": self.name} | ({"types": concepts} if self.reads_types else {})

    @classmethod
    def from_json(cls, value):
        """The encoding that `to_json` described."""
        types = {concept: name for name, concepts in value.get("types", {}).items() for concept in concepts}
        return cls(value.get("encoding", "CM"), types)


CM = InputEncoding()
