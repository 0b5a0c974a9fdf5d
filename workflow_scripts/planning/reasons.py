"""Snakemake's reason for a job, taken apart: which file, which parameter from what to what, which job upstream."""

import ast
import dataclasses
import json
import re

FILES = {
    "Missing output files": "new output",
    "Incomplete output files": "incomplete output",
    "Updated input files": "input changed",
    "Input files updated by another job": "after",
}
PLAIN = {
    "Set of input files has changed since last execution": "inputs added or removed",
    "Code has changed since last execution": "command changed",
    "Software environment definition has changed since last execution": "environment changed",
    "Forced execution": "forced",
    "Rules with neither input nor output files are always executed.": "always",
    "Rules with a run or shell declaration but no output are always executed.": "always",
}
PARAMS = "Params have changed since last execution"
PARAMS_FRAME = "Union of exclusive params before and now across all output: before: "
NOTHING = "<nothing exclusive>"
ABSENT = "(absent)"
_START = re.compile(f"(?:^|; )(?={'|'.join(re.escape(text) for text in [*FILES, *PLAIN, PARAMS])})")
# Snakemake writes a file's flags after its name
_FLAG = re.compile(r" \((?:update|before update|temp|protected|ancient|pipe|service|access: \w+)\)$")


@dataclasses.dataclass(frozen=True)
class Cause:
    """One cause of a job: its kind and what it is about (a file, a changed parameter), "" where that is unknown."""

    kind: str
    about: str = ""

    def __str__(self):
        return f"{self.kind}: {self.about}" if self.about else self.kind


def file_name(text):
    """The path in a file as Snakemake prints it, without flags."""
    return _FLAG.sub("", text)


def job_causes(job):
    """The causes of a planned job: its own ones and `after` for those that come from other jobs of the plan.

    Parameters
    ----------
    job : Job
    """
    found = list(dict.fromkeys(causes(job.reason) + causes(job.own_reason)))
    return [detail for cause in found for detail in _detailed(cause, job)]


def _detailed(cause, job):
    if cause.kind == "environment changed":
        return [Cause(cause.kind, job.environment)]
    if cause.kind == "inputs added or removed" and (job.added or job.removed):
        sides = [("input added", job.added), ("input removed", job.removed)]
        return [_file_cause(kind, name) for kind, names in sides for name in names]
    return [cause]


def causes(reason):
    """The causes in a reason, in Snakemake's order.

    Parameters
    ----------
    reason : str
        As in a dry-run: "Missing output files: a; Params have changed since last execution: ...".

    Returns
    -------
    list of Cause
        `new output`, `incomplete output`, `input changed`, `code changed` (a script or module), `params changed`,
        `inputs added or removed`, `command changed` (the shell text of the rule), `environment changed`, `forced`,
        `always`, and `after` for files that other jobs of the run make. A reason that is not understood is one
        cause `other` with the whole text.
    """
    found = []
    for part in filter(None, _START.split(reason)):
        head, _, rest = part.partition(": ")
        if part in PLAIN:
            found.append(Cause(PLAIN[part]))
        elif head in FILES:
            found += [_file_cause(FILES[head], file_name(name)) for name in rest.split(", ")]
        elif head == PARAMS:
            found += [Cause("params changed", text) for text in params_changes(rest)]
        else:
            found.append(Cause("other", part))
    return found


def _file_cause(kind, name):
    if kind == "input changed" and name.endswith(".py") and "workflow_scripts/" in name:
        return Cause("code changed", name[name.index("workflow_scripts/") :])
    return Cause(kind, name)


def params_changes(text):
    """Sentences such as "threshold 0.7 -> 0.8" from Snakemake's account of changed params."""
    sides = _sides(text)
    if sides is None:
        return [_short(text)]
    old, new = sides
    old_records, old_values = _records(old)
    new_records, new_values = _records(new)
    changes = []
    for before in old_records:
        # of several JSON params those with most keys in common are the same one
        after = max(new_records, key=lambda record: len(record.keys() & before.keys()), default=None)
        if after is None:
            old_values.append(before)
        else:
            new_records.remove(after)
            changes += _differences(before, after)
    new_values += new_records
    if old_values or new_values:
        changes.append(f"{_listed(old_values)} -> {_listed(new_values)}")
    return changes


def _sides(text):
    if not text.startswith(PARAMS_FRAME):
        return None
    body = text[len(PARAMS_FRAME) :].rstrip()
    # a value may hold the separator: the right place is the one where both sides are Python literals
    for match in re.finditer(r" now: ", body):
        try:
            return _literals(body[: match.start()]), _literals(body[match.end() :])
        except (SyntaxError, ValueError):
            continue
    return None


def _literals(text):
    if text == NOTHING:
        return []
    return sorted(ast.literal_eval(f"[{text}]"), key=repr)


def _records(values):
    records, others = [], []
    for value in values:
        try:
            parsed = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            parsed = value
        (records if isinstance(parsed, dict) else others).append(parsed)
    return records, others


def _flat(record, prefix=""):
    flat = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _differences(before, after):
    before, after = _flat(before), _flat(after)
    return [
        f"{key} {_short(before.get(key, ABSENT))} -> {_short(after.get(key, ABSENT))}"
        for key in sorted(before.keys() | after.keys())
        if before.get(key, ABSENT) != after.get(key, ABSENT)
    ]


def _listed(values):
    return ", ".join(map(_short, values)) or ABSENT


def _short(value, width=60):
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)
    return text if len(text) <= width else f"{text[: width - 3]}..."
