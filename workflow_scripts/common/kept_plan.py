"""A run keeps to its plan: jobs that start days later get the configuration and the tables that the plan was made from.

Each job on a cluster reads the workflow anew. Were it to read files that were edited meanwhile, it would run with other
parameters than Snakemake notes for it, or look for other inputs.
"""

import contextlib
import os
import pathlib
import pickle

from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import UsageError

VARIABLE = "MEDDISTANT_PLAN"


def rules_digests(root):
    """Digests of the Snakefile and the rules, by their path below the repository."""
    paths = [pathlib.Path(root, "Snakefile"), *sorted(pathlib.Path(root, "rules").glob("*.smk"))]
    return {str(path.relative_to(root)): file_digest(path) for path in paths}


def keep(plan, rules, invocation):
    """Write what the jobs of this run need, and tell them by an environment variable where it is.

    Parameters
    ----------
    plan : object
        What `recall` gives back.
    rules : dict
        Of `rules_digests`, when the plan was made.
    invocation : str
        The name of this run.
    """
    path = pathlib.Path(".snakemake", "meddistant", f"{invocation}.plan").absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps((plan, rules)))
    os.environ[VARIABLE] = str(path)


def forget():
    """Remove what `keep` wrote, once no job needs it any more."""
    with contextlib.suppress(KeyError, FileNotFoundError):
        os.unlink(os.environ[VARIABLE])


def recall(root):
    """What the run that started this job was planned with; None where no run says so.

    Raises
    ------
    UsageError
        If the run is over, or the rules are not those that it was planned with.
    """
    path = os.environ.get(VARIABLE)
    if path is None:
        return None
    try:
        plan, rules = pickle.loads(pathlib.Path(path).read_bytes())
    except FileNotFoundError:
        raise UsageError("the run of Snakemake that started this job has ended; nothing waits for this job") from None
    today = rules_digests(root)
    changed = sorted(name for name in rules.keys() | today.keys() if rules.get(name) != today.get(name))
    if changed:
        raise UsageError(
            f"{changed[0]} was edited after this run was planned\n  expected: the rules of the plan\n"
            "  remedy:   let this run end, and run Snakemake again: it does what is left with the new rules"
        )
    return plan
