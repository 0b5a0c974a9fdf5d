"""Reading what other stages wrote: a missing key is an error that names file, key and what is there."""

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import read_json

REMEDY = "the file comes from another version of the workflow: remove it and run again"


def take(path, value, *keys):
    """The value under nested keys of a JSON object.

    Raises
    ------
    DataError
        If a key is missing.
    """
    for depth, key in enumerate(keys):
        if not isinstance(value, dict) or key not in value:
            there = ", ".join(sorted(value)) if isinstance(value, dict) else repr(value)
            place = ".".join(keys[:depth]) or "the top level"
            raise DataError(path, found=f"at {place}: {there}", expected=f"key {key}", remedy=REMEDY)
        value = value[key]
    return value


def json_file(path):
    """A JSON file.

    Raises
    ------
    DataError
        If it is missing or no JSON.
    """
    try:
        return read_json(path)
    except (OSError, ValueError) as error:
        raise DataError(path, found=str(error), expected="a JSON file", remedy="make it again") from None
