"""Where the numbers come from: versions and code of the jobs, the configuration's digest, the runs behind a table."""

import hashlib

from workflow_scripts.common.params import canonical_json
from workflow_scripts.reporting.sources import json_file, take


def config_digest(config):
    """SHA-256 of a configuration as canonical JSON."""
    return hashlib.sha256(canonical_json(config).encode()).hexdigest()


def versions(paths):
    """Versions of Python and of packages that jobs ran with.

    Parameters
    ----------
    paths : sequence of path
        Provenance records, in any order.

    Returns
    -------
    dict
        package -> sorted list of versions; more than one where jobs differ.
    """
    found = {}
    for path in paths:
        record = json_file(path)
        packages = {"python": take(path, record, "python"), **take(path, record, "versions")}
        for name, version in packages.items():
            if not name.startswith("_"):
                found.setdefault(name, set()).add(version)
    return {name: sorted(found[name]) for name in sorted(found)}


def code_digest(paths):
    """SHA-256 over the digests of all modules of ours that the jobs ran; None without a record."""
    code = {}
    for path in paths:
        for module, digest in take(path, json_file(path), "code").items():
            code.setdefault(module, set()).add(digest)
    if not code:
        return None
    text = canonical_json({module: sorted(digests) for module, digests in code.items()})
    return hashlib.sha256(text.encode()).hexdigest()
