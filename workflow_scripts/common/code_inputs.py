"""Which files a script's behaviour depends on: the script and every module of ours that it imports."""

import ast
import functools
import pathlib

PACKAGE = "workflow_scripts"


def code_inputs(script, root):
    """Paths, relative to `root`, of a script and of all modules of the package it reaches by imports.

    The script comes first, the rest is sorted. Imports anywhere in the file count, also inside functions.

    Parameters
    ----------
    script : str
        Path below the package, e.g. "kg/build_kg.py".
    root : str or Path
        The folder that holds the package.

    Raises
    ------
    FileNotFoundError
        If the script does not exist.
    """
    root = pathlib.Path(root)
    first = f"{PACKAGE}/{script}"
    if not (root / first).is_file():
        raise FileNotFoundError(f"no script {first} in {root}")
    seen, waiting = set(), [first]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(_imports(root, path))
    return [first, *sorted(seen - {first})]


@functools.cache
def _imports(root, path):
    tree = ast.parse((root / path).read_text(encoding="utf-8"), filename=path)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    files = set()
    for name in names:
        if name.split(".")[0] == PACKAGE:
            files.update(_module_files(root, name))
    return sorted(files)


def _module_files(root, name):
    """Files executed by importing a dotted name: the __init__ of each package on the way, and the module."""
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        base = "/".join(parts[:depth])
        for candidate in (f"{base}/__init__.py", f"{base}.py"):
            if (root / candidate).is_file():
                yield candidate
