"""The corpora of a configuration: which ones a run has, and the released files of those that it imports."""

import pathlib

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


def released_files(folder, corpus):
    """Paths of the released files in a folder: the hub's Parquet files where all three are there, else OpenNRE files.

    `*_rel2id.json` comes along where it is there; OpenNRE files need it.

    Raises
    ------
    UsageError
        If the folder has neither.
    """
    folder = pathlib.Path(folder)
    numbers = sorted(folder.glob("*rel2id.json"))
    for form, names, needed in (
        ("{,data/}%s*.parquet", ("train", "validation", "test"), False),
        ("*_%s.txt", ("train", "val", "test"), True),
    ):
        patterns = [form.replace("{,data/}", place) % name for place in ("", "data/") for name in names]
        found = [path for pattern in dict.fromkeys(patterns) for path in sorted(folder.glob(pattern))]
        if len(found) == 3 and len(numbers) in ((1,) if needed else (0, 1)):
            return [str(path) for path in [*found, *numbers]]
    there = ", ".join(sorted(path.name for path in folder.glob("*"))[:12]) if folder.is_dir() else "no such folder"
    raise UsageError(
        f"corpora.{corpus}.import: {folder} holds no released corpus\n  found:    {there or 'nothing'}\n"
        "  expected: <name>_train.txt, <name>_val.txt, <name>_test.txt and <name>_rel2id.json; or the hub's\n"
        "            train*.parquet, validation*.parquet and test*.parquet, one each, there or in data/\n"
        "  remedy:   one corpus per folder; set the key to it"
    )
