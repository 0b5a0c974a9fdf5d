"""Parameters: canonical text, strict keys."""

import dataclasses

import pytest

from workflow_scripts.common import params
from workflow_scripts.common.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Example:
    a: int
    b: dict = dataclasses.field(default_factory=dict)
    c: str = "x"


def test_equal_values_give_equal_text():
    assert params.canonical_json({"b": [1, {"y": 1, "x": 2}], "a": "β"}) == '{"a":"β","b":[1,{"x":2,"y":1}]}'


def test_parse_round_trip():
    assert params.parse(Example, '{"a": 1, "b": {"z": 2}}') == Example(1, {"z": 2}, "x")


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "not JSON"),
        ("[1]", "must be a JSON object"),
        ('{"a": 1, "typo": 2}', "unknown key typo; known: a, b, c"),
        ('{"c": "y"}', "missing key a of Example"),
    ],
)
def test_wrong_parameters(text, words):
    with pytest.raises(UsageError, match=words):
        params.parse(Example, text)
