"""The tables of the entity-linking benchmark BELB: keys, columns and units, by that paper's number."""

from workflow_scripts.reporting.table import Column, Key, Spec

SECTION = "linkers"
_BY_SYSTEM = (Key("corpus", "Corpus"), Key("system", "System"))
_ABSENT = "this run has no predictions of this system"
_NOT_AT_HAND = "the paper's own table is not at hand"
_NOT_SAID = "neither the paper's text nor the sources at hand say it"
_NO_REFERENCE = "no reference system: belb.reference_systems"
_NONE = "no such mention"


def _share(name, label, **options):
    """A column in the unit of Table 4: a share with two decimals."""
    return Column(name, label, decimals=2, undefined=options.pop("undefined", _NONE), **options)


def _percent(name, label, **options):
    return Column(name, label, decimals=2, scale=100.0, undefined=options.pop("undefined", _NONE), **options)


TABLE4 = Spec(
    "belb_table4",
    "BELB, Table 4",
    _BY_SYSTEM,
    (
        _share("recall", "Recall@1", undefined=_NO_REFERENCE),
        _share("ours_full", "Recall@1, full test", paper=False),
    ),
    absent=_ABSENT,
    section=SECTION,
)

TABLE4_GROUPS = Spec(
    "belb_table4_groups",
    "BELB, Table 4 by mentions",
    (Key("mentions", "Mentions"), Key("system", "System")),
    (
        _share("recall", "Recall@1", undefined=_NO_REFERENCE),
        _share("ours_full", "Recall@1, full test", paper=False),
        Column("ours_mentions", "Mentions, full test", "count", paper=False),
    ),
    absent=_ABSENT,
    section=SECTION,
)

TABLE5 = Spec(
    "belb_table5",
    "BELB, Table 5",
    _BY_SYSTEM,
    (_percent("std", "std"), _percent("strict", "strict")),
    absent=_ABSENT,
    section=SECTION,
)


def _cited(name, label, **options):
    return Column(name, label, "text", undefined=_NOT_SAID, wrap=True, **options)


_SOURCE = Column("source", "Source", "names", paper=False)

TABLE7 = Spec(
    "belb_table7",
    "BELB, Table 7",
    (Key("approach", "Approach"),),
    (
        _cited("corpora", "Corpora"),
        _cited("kb", "Knowledge base"),
        _cited("training", "Training"),
        _cited("abbreviations", "Abbreviations resolved"),
        _cited("evaluation", "Evaluation"),
        _SOURCE,
    ),
    absent=_NOT_SAID,
    section=SECTION,
    unprinted=None,
    cited=True,
)

TABLE8 = Spec(
    "belb_table8",
    "BELB, Table 8",
    (Key("kind", "Entity type"), Key("resource", "Resource")),
    (
        Column("location", "Location", "names"),
        Column("licence", "Licence", "text", wrap=True),
        Column("access", "Fetched by the workflow", "text", paper=False),
    ),
    absent=_NOT_AT_HAND,
    section=SECTION,
    unprinted=None,
)

TABLE9 = Spec(
    "belb_table9",
    "BELB, Table 9",
    (Key("group", "Semantic group"),),
    (
        Column("mentions", "Mentions", "count"),
        _percent("share", "Share of mentions", undefined="the paper does not say which groups these are"),
    ),
    absent="belb.corpora has no MedMentions, or the paper does not say which groups these are",
    section=SECTION,
    unprinted="the paper's text says nothing of this group, and its table is not at hand",
)

TABLE11 = Spec(
    "belb_table11",
    "BELB, Table 11",
    (Key("system", "System"),),
    (
        _cited("entities", "Entities"),
        _cited("corpora", "Corpora"),
        _cited("implementation", "Implementation"),
        _SOURCE,
    ),
    absent=_NOT_SAID,
    section=SECTION,
    unprinted=None,
    cited=True,
)

TABLE14 = Spec(
    "belb_table14",
    "BELB, Table 14",
    _BY_SYSTEM,
    (
        Column("mentions", "Mentions", "count", undefined=_NO_REFERENCE),
        *(_percent(mode, mode, undefined=_NO_REFERENCE) for mode in ("std", "strict", "lenient")),
    ),
    absent=_ABSENT,
    section=SECTION,
)

TABLE15 = Spec(
    "belb_table15",
    "BELB, Table 15",
    _BY_SYSTEM,
    (
        Column("mentions", "Mentions", "count"),
        *(_percent(mode, mode) for mode in ("std", "strict", "lenient")),
        _percent("strict@5", "strict@5", undefined="belb.ranks has no 5"),
        _percent("lenient@5", "lenient@5", undefined="belb.ranks has no 5"),
        Column("ambiguous", "Ambiguous", "count", paper=False),
        Column("unanswered", "Unanswered", "count", paper=False),
    ),
    absent=_ABSENT,
    section=SECTION,
)

CORPORA = Spec(
    "belb_corpora",
    "BELB, corpora",
    (Key("corpus", "Corpus"),),
    (
        *(
            Column(f"{what}_{split}", f"{what.capitalize()}, {split}", "count")
            for what in ("documents", "mentions")
            for split in ("train", "dev", "test")
        ),
        Column("zero_shot", "Zero-shot", "count"),
        Column("stratified", "Stratified", "count"),
    ),
    absent="not a corpus of this run",
    section=SECTION,
)

_NO_KB = "built without a knowledge base"

TABLE10 = Spec(
    "belb_table10",
    "BELB, Table 10",
    (Key("corpus", "Corpus"),),
    (
        Column("replaced", "Replaced", "count", undefined=_NO_KB),
        Column("removed", "Removed", "count", undefined=_NO_KB),
        Column("alternative", "Alternative", "count", undefined=_NO_KB, paper=False),
        Column("not_in_kb", "Not in the knowledge base", "count", undefined=_NO_KB, paper=False),
    ),
    absent="not a corpus of this run",
    section=SECTION,
    unprinted=_NOT_AT_HAND,
)

END_TO_END = Spec(
    "belb_end_to_end",
    "BELB, end to end",
    _BY_SYSTEM,
    (
        Column("gold", "Gold mentions", "count", paper=False),
        Column("found", "Found spans", "count", paper=False),
        *(
            _percent(f"{what}_{metric}", f"{label}, {metric[0].upper() if metric != 'f1' else 'F1'}", paper=False)
            for what, label in (("detection", "Spans"), ("linking", "Linked"))
            for metric in ("precision", "recall", "f1")
        ),
    ),
    absent=_ABSENT,
    section=SECTION,
)

_IN_ORDER = (
    TABLE4,
    TABLE4_GROUPS,
    TABLE5,
    TABLE7,
    TABLE8,
    TABLE9,
    TABLE10,
    TABLE11,
    TABLE14,
    TABLE15,
    CORPORA,
    END_TO_END,
)
BELB_TABLES = {spec.name: spec for spec in _IN_ORDER}
