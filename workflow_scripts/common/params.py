"""Parameters of a command: canonical JSON from the workflow into a frozen dataclass."""

import dataclasses
import json

from workflow_scripts.common.errors import UsageError


def canonical_json(value):
    """JSON with sorted keys and no blanks: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def parse(cls, text):
    """Build the dataclass `cls` from a JSON object.

    Raises
    ------
    UsageError
        If the text is no JSON object, a key is unknown, or a field without default is missing.
    """
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"--params is not JSON ({error}): {text[:200]}") from None
    if not isinstance(values, dict):
        raise UsageError(f"--params must be a JSON object, found {type(values).__name__}")
    fields = {field.name: field for field in dataclasses.fields(cls)}
    unknown = sorted(set(values) - set(fields))
    if unknown:
        raise UsageError(f"--params: unknown key {', '.join(unknown)}; known: {', '.join(fields)}")
    missing = [
        name
        for name, field in fields.items()
        if name not in values and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise UsageError(f"--params: missing key {', '.join(missing)} of {cls.__name__}")
    return cls(**values)
