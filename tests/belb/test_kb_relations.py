"""Names, history and homonyms against literal restatements, on drawn rows in any order."""

import collections

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.belb.kbs import assembled, content
from workflow_scripts.belb.kb_raw import FURTHER_PREFERRED
from workflow_scripts.common.errors import DataError

pytestmark = pytest.mark.timeout(300)
few = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
# With the characters that separate identifiers elsewhere, and an order that differs by number and by text.
IDENTIFIERS = st.sampled_from(["9", "10", "11", "A|1", "A+1", "A,1", "A;1", "MESH:D1"])
NAMES = st.sampled_from(["a", "A", "b", "c d", " a", "a\t", "é", "x|y", "'q'", "-", ""])
ROWS = st.lists(st.tuples(IDENTIFIERS, NAMES, st.integers(0, 2)), min_size=1, max_size=25)


def tidy(rows):
    """{identifier: {name: smallest kind}} with one preferred name each, the smallest where none or several are."""
    found = collections.defaultdict(dict)
    for identifier, name, kind in rows:
        name = name.replace("\t", " ").strip(" ")
        if name not in ("", "-"):
            found[identifier][name] = min(kind, found[identifier].get(name, kind))
    for names in found.values():
        preferred = min((name for name in names if names[name] == 0), default=min(names))
        for name, kind in names.items():
            names[name] = 0 if name == preferred else kind or FURTHER_PREFERRED
    return found


@few
@given(ROWS)
@example([("9", "b", 0), ("9", "a", 0), ("9", "c d", 1), ("10", "c d", 1), ("10", "b", 2)])
def test_names(rows):
    wanted = tidy(rows)
    if not wanted:
        with pytest.raises(DataError, match="no name"), assembled(rows, promote=True):
            pass
        return
    with assembled(rows, promote=True) as raw:
        assert content(raw, "names") == sorted(
            ((i, name, kind) for i, names in wanted.items() for name, kind in names.items()), key=repr
        )


def test_an_entity_without_a_preferred_name_is_named():
    with pytest.raises(DataError, match="2 entities without a preferred name: 10, 9"):
        with assembled([("9", "a", 1), ("10", "b", 2), ("11", "c", 0)]):
            pass
    many = [(f"{number:03d}", "a", 1) for number in range(100)]
    with pytest.raises(DataError, match="100 entities without a preferred name: 000, .*019 \\.\\.\\.\n"):
        with assembled(many):
            pass


def test_entities_in_several_rows():
    names = [("9", "a", 0), ("10", "a", 0)]
    rows = [("9", "t1", "z"), ("9", "t1", "y"), ("10", None, "x"), ("10", None, None)]
    with assembled(names, rows) as raw:
        assert content(raw, "entities") == [("10", None, "x"), ("9", "t1", "y")]
    with pytest.raises(DataError, match="1 entities with several foreign entities .*9: t1, t2"):
        with assembled(names, [("9", "t2", None), ("9", "t1", None), ("10", "t1", None)]):
            pass


def ends(old, steps):
    """The ends of the chains from an identifier; None stands for removed; raises RecursionError on a circle."""
    if old not in steps:
        return {old}
    targets = steps[old]
    return set().union(*({None} if new is None else ends(new, steps) for new in targets))


OLD = st.sampled_from([f"o{number}" for number in range(7)])
STEPS = st.lists(st.tuples(OLD, st.one_of(st.none(), OLD, st.sampled_from(["9", "10", "elsewhere"]))), max_size=14)


@few
@given(STEPS, st.lists(OLD, max_size=2))
@example([("o1", "o2"), ("o2", "o1"), ("o3", "o1")], [])
@example([("o1", "o2"), ("o2", "o3"), ("o3", None), ("o4", "o3"), ("o4", "9"), ("o4", "10")], [])
@example([("o1", "o2"), ("o2", "o1")], ["o1"])
@example([("o1", "o1")], [])
def test_history(rows, alive):
    """Chains end where they should, circles are an error that names them; entities of today have no history."""
    names = [(identifier, "n", 0) for identifier in ["9", "10", *alive]]
    steps = collections.defaultdict(set)
    for old, new in rows:
        if old not in alive:
            steps[old].add(new)
    for targets in steps.values():
        if len(targets) > 1:
            targets.discard(None)
    try:
        wanted = {old: ends(old, steps) - {None} for old in steps}
    except RecursionError:
        with pytest.raises(DataError, match="replace one another in a circle: o"), assembled(names, history=rows):
            pass
        return
    with assembled(names, history=rows) as raw:
        found = dict(content(raw, "history"))
        outside = {old for old, new in wanted.items() if new - {"9", "10", *alive}}
        assert raw.counts["replaced by what is no entity"] == len(outside)
    assert {old: set(new.split(";")) if new else set() for old, new in found.items()} == wanted


def test_a_long_chain_and_the_members_of_a_circle():
    chain = [(f"o{number}", f"o{number + 1}") for number in range(60)] + [("o60", "9")]
    with assembled([("9", "a", 0)], history=chain) as raw:
        assert set(content(raw, "history")) == {(f"o{number}", "9") for number in range(61)}
    with pytest.raises(DataError) as caught, assembled([("9", "a", 0)], history=[*chain[:-1], ("o60", "o58")]):
        pass
    assert caught.value.found == (
        "3 identifiers that replace one another in a circle: o58 -> o59, o59 -> o60, o60 -> o58"
    )


def test_numbers_of_a_split_entity_come_in_order():
    with assembled([("9", "a", 0), ("10", "b", 0)], history=[("1", "10"), ("1", "9"), ("1", "x")]) as raw:
        assert content(raw, "history") == [("1", "9;10;x")]


def test_alternatives():
    rows = [("alt", "9"), ("alt", "10"), ("alt", "9"), ("10", "9"), ("", "9")]
    with assembled([("9", "a", 0), ("10", "b", 0)], alternatives=rows) as raw:
        assert content(raw, "alternatives") == [("alt", "10"), ("alt", "9")]
        assert raw.counts["alternative identifiers that are entities"] == 1


TAXA = st.dictionaries(IDENTIFIERS, st.sampled_from(["t1", "t2", None]))


def first(identifiers):
    """The first identifier: numbers by value, before text."""
    return min(identifiers, key=lambda i: (0, int(i), "") if i.isdecimal() else (1, 0, i))


def homonyms(entities, foreign, attribute):
    """The three tables of homonyms, literally: (identifier homonyms, name homonyms, foreign-name homonyms)."""
    alike = collections.defaultdict(list)
    for identifier, names in entities.items():
        ordered = tuple(sorted(names, key=lambda name: (names[name], name)))
        alike[ordered, foreign.get(identifier), attribute.get(identifier)].append(identifier)
    by_identifier = [(i, first(group)) for group in alike.values() for i in group if i != first(group)]
    rows = [(name, foreign.get(i), i) for i, names in entities.items() for name in names]
    within = [row for row in rows if len({i for name, taxon, i in rows if (name, taxon) == row[:2]}) > 1]
    across = [
        row
        for row in rows
        if row[1] is not None and len({taxon for name, taxon, _ in rows if name == row[0]} - {None}) > 1
    ]
    return [sorted(table, key=repr) for table in (by_identifier, within, across)]


@few
@given(
    ROWS, st.dictionaries(IDENTIFIERS, st.sampled_from(["t1", "t2", None])), st.dictionaries(IDENTIFIERS, st.just("x"))
)
@example([("9", "a", 0), ("10", "a", 0), ("A|1", "a", 0)], {"9": "t1", "10": "t1", "A|1": "t2"}, {})
@example([("10", "a", 0), ("10", "b", 1), ("9", "b", 2), ("9", "a", 0), ("11", "a", 1), ("11", "b", 0)], {}, {})
@example([("10", "a", 0), ("9", "a", 0), ("A;1", "a", 0)], {}, {"9": "x"})
def test_homonyms(rows, foreign, attribute):
    wanted = tidy(rows)
    if not wanted:
        return
    entities = [(i, foreign.get(i), attribute.get(i)) for i in wanted]
    tables = ("identifier_homonyms", "name_homonyms", "foreign_name_homonyms")
    with assembled(rows, entities, promote=True) as raw:
        assert [content(raw, table) for table in tables] == homonyms(wanted, foreign, attribute)
