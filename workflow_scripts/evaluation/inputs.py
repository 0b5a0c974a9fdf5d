"""Sentences to score, without their labels, as the instances table that training and evaluation read."""

import hashlib
import json

import pyarrow as pa

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table, write_table

FORM = '{"text": "...", "h": {"id": "...", "pos": [start, end]}, "t": {...}}'


def write_unlabelled(source, target):
    """Write the sentences of a file as an instances table (INSTANCES) whose relations are all NA.

    Parameters
    ----------
    source : Path
        Instances (.parquet), or else OpenNRE JSON lines.
    target : Path
    """
    if not source.is_file():
        raise DataError(source, found="no such file", expected=f"instances (.parquet), or lines like {FORM}")
    if source.suffix == ".parquet":
        table = read_table(source, INSTANCES)
    else:
        table = read_json_lines(source)
    schema = INSTANCES.schema
    for name, values in (("relation", pa.repeat("NA", len(table))), ("rui", pa.nulls(len(table), pa.string()))):
        table = table.set_column(schema.get_field_index(name), schema.field(name), values)
    write_table(target, table.sort_by([(name, "ascending") for name in INSTANCES.sort_by]), INSTANCES)


def read_json_lines(path):
    """OpenNRE lines as instances (INSTANCES), in their order, all NA: a label in the file is not read.

    Parameters
    ----------
    path : str or Path
        One JSON object a line: `text` and character positions, or `token` and token positions; `h` and `t` with `id`
        and `pos`. Names are taken from the text. Empty lines are skipped.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    DataError
        With the line, where one is not UTF-8 or JSON, lacks a key, has a position outside its text or mentions that
        overlap; or where there is no line.
    """
    columns = {name: [] for name in INSTANCES.schema.names}
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                for name, value in _instance(path, number, line).items():
                    columns[name].append(value)
    if not columns["text"]:
        raise DataError(path, found="no line", expected=f"lines like {FORM}", remedy="give a file with sentences")
    return pa.table(columns, schema=INSTANCES.schema)


def _instance(path, number, line):
    def wrong(found):
        return DataError(path, line=number, found=found, expected=FORM, remedy="correct the line")

    try:
        line = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise wrong(f"bytes that are not UTF-8 ({error.reason}, byte {error.start + 1} of the line)") from None
    try:
        item = json.loads(line)
    except json.JSONDecodeError as error:
        raise wrong(f"no JSON ({error.msg}, column {error.colno}): {line.strip()[:80]}") from None
    try:
        text, token = item.get("text"), item.get("token")
        values = {"relation": "NA", "rui": None}
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
    if values["head_start"] < values["tail_end"] and values["tail_start"] < values["head_end"]:
        raise wrong(f"mentions that overlap: {values['head_name']!r} and {values['tail_name']!r}")
    digest = hashlib.blake2b(sentence.encode(), digest_size=16).hexdigest()
    return values | {"text": sentence, "sentence_id": digest}
