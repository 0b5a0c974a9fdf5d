"""Sentences to score: OpenNRE JSON lines as the instances table that training and evaluation read."""

import hashlib
import json

import pyarrow as pa

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import open_writer

FORM = '{"text": "...", "h": {"id": "...", "pos": [start, end]}, "t": {...}, "relation": "..."}'


def write_instances(json_lines, path):
    """Write OpenNRE lines as an instances table (INSTANCES), sorted.

    Parameters
    ----------
    json_lines : str or Path
        One JSON object a line: `text` and character positions, or `token` and token positions; `h` and `t` with `id`
        and `pos`; `relation` may be absent (NA). A name that is not text[pos] is replaced by it. Empty lines
        are skipped.
    path : str or Path
        The Parquet file to write.

    Raises
    ------
    DataError
        With the line, where one is not JSON, lacks a key or has a position outside its text; or where there is no line.
    """
    columns = {name: [] for name in INSTANCES.schema.names}
    with open(json_lines, encoding="utf-8", errors="strict") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                for name, value in _instance(json_lines, number, line).items():
                    columns[name].append(value)
    if not columns["text"]:
        raise DataError(json_lines, found="no line", expected=f"lines like {FORM}", remedy="give a file with sentences")
    table = pa.table(columns, schema=INSTANCES.schema)
    with open_writer(path, INSTANCES) as write:
        write(table.sort_by([(name, "ascending") for name in INSTANCES.sort_by]))


def _instance(path, number, line):
    def wrong(found):
        return DataError(path, line=number, found=found, expected=FORM, remedy="correct the line")

    try:
        item = json.loads(line)
    except json.JSONDecodeError as error:
        raise wrong(f"no JSON ({error.msg}, column {error.colno}): {line.strip()[:80]}") from None
    try:
        text, token = item.get("text"), item.get("token")
        values = {"relation": item.get("relation") or "NA", "rui": None}
        for role, key in (("head", "h"), ("tail", "t")):
            start, end = map(int, item[key]["pos"])
            if text is None:
                if not 0 <= start < end <= len(token):
                    raise wrong(f"{key}.pos [{start}, {end}] of {len(token)} tokens")
                start, end = len(" ".join([*token[:start], ""])), len(" ".join(token[:end]))
            sentence = " ".join(token) if text is None else text
            if not 0 <= start < end <= len(sentence):
                raise wrong(f"{key}.pos [{start}, {end}] of a text of {len(sentence)} characters")
            values |= {role: str(item[key]["id"]), f"{role}_name": sentence[start:end]}
            values |= {f"{role}_start": start, f"{role}_end": end}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise wrong(f"{type(error).__name__} {error}: {line.strip()[:120]}") from None
    digest = hashlib.blake2b(sentence.encode(), digest_size=16).hexdigest()
    return values | {"text": sentence, "sentence_id": digest}
