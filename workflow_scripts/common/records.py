"""Whether what a job really ran with is still what is there: its record against the files of today."""

import functools
import hashlib
import json
import os

from workflow_scripts.common.digests import file_digest

# Files below these folders are edited by hand and read by jobs as they are.
EDITED = ("experiments/", "report/")


def outdated(record, root):
    """Today's digests of the source files that a job read in another state, by their path below the repository.

    A job that was running when a script was edited has run the old one, and Snakemake, which compares at the job's
    end, takes it for current. A record cannot be mistaken.

    Parameters
    ----------
    record : str or Path
        The record that the job wrote (common/command.py). One that is absent, broken or of an older form says nothing.
    root : str or Path
        The repository.

    Returns
    -------
    dict of str to str or None
        None for a file that is gone.
    """
    try:
        with open(record, encoding="utf-8") as stream:
            known = json.load(stream)
        digests = known["code"] | _edited_files(known, root) if "ended" in known else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    today = {name: _today(f"{root}/{name}") for name in digests}
    return {name: today[name] for name in sorted(digests) if today[name] != digests[name]}


def state_of(changed):
    """A short name for what `outdated` gives: another edit has another name."""
    return hashlib.sha256(json.dumps(changed, sort_keys=True).encode()).hexdigest()[:16]


def _edited_files(known, root):
    names = {os.path.relpath(path, root): fingerprint.get("sha256") for path, fingerprint in known["files"].items()}
    return {name: digest for name, digest in names.items() if name.startswith(EDITED) and digest}


@functools.cache
def _today(path):
    try:
        return file_digest(path)
    except OSError:
        return None
