"""Whether what a job really ran with is still what is there: its record against the files of today."""

import functools
import json
import os

from workflow_scripts.common.digests import file_digest

# Files below these folders are edited by hand and read by jobs as they are.
EDITED = ("experiments/", "report/")


def outdated(record, root, planned=None):
    """The first source file that a job read in another state than today's, or None.

    A job that was running when a script was edited has run the old one, and Snakemake, which compares at the job's
    end, takes it for current. A record cannot be mistaken.

    Parameters
    ----------
    record : str or Path
        The record that the job wrote (common/command.py). One that is absent, broken or of an older form says nothing.
    root : str or Path
        The repository.
    planned : float, optional
        When Snakemake says that the job began, in seconds since the epoch. A job that "began" after its record was
        written was accepted by --touch.
    """
    try:
        with open(record, encoding="utf-8") as stream:
            known = json.load(stream)
        digests, ended = known["code"] | _edited_files(known, root), known["ended"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # one second for the clocks of two machines
    if planned is not None and planned > ended + 1:
        return None
    return next((name for name, digest in digests.items() if _today(f"{root}/{name}") != digest), None)


def _edited_files(known, root):
    names = {os.path.relpath(path, root): fingerprint.get("sha256") for path, fingerprint in known["files"].items()}
    return {name: digest for name, digest in names.items() if name.startswith(EDITED) and digest}


@functools.cache
def _today(path):
    try:
        return file_digest(path)
    except OSError:
        return None
