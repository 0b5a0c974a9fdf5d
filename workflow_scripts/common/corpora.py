"""The corpora of a configuration: which ones a run has, and the released files of those that it imports."""

from workflow_scripts.common.errors import UsageError

INDUCTIVE_ONLY = ("strict_inductive", "inductive_negatives")


def chosen_corpora(config):
    """Ids of the corpora of the run: all of section `corpora`, or, with start_from: corpus, those to import.

    Raises
    ------
    UsageError
        If there is none to import, or an option for inductive corpora is set for another one.
    """
    corpora = config["corpora"]
    if config["start_from"] == "corpus":
        corpora = [name for name, entry in corpora.items() if entry.get("import")]
        if not corpora:
            raise UsageError(
                "start_from: corpus, but no corpus names a folder\n"
                "  expected: corpora: {inductive: {import: <folder of the released files>}}\n"
                "  remedy:   name the folder, or set start_from: release"
            )
        return corpora
    for name, entry in corpora.items():
        beyond = [key for key in INDUCTIVE_ONLY if entry.get(key, config["corpus"].get(key))]
        if entry["split"] != "inductive" and beyond:
            raise UsageError(
                f"corpora.{name}: {beyond[0]} needs split: inductive, found split: {entry['split']}\n"
                f"  remedy: set {beyond[0]} in the entries of the inductive corpora only"
            )
    return list(corpora)
