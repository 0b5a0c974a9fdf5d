"""Which files a script's behaviour depends on: the script and every module of ours that it imports."""

import ast
import contextlib
import functools
import hashlib
import json
import pathlib

from workflow_scripts.common.files import atomic_path

PACKAGE = "workflow_scripts"
# Fields of nodes that hold statements or what holds them: imports stand nowhere else.
STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")
_KNOWN, _USED = {}, set()


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
    text = (root / path).read_bytes()
    digest = hashlib.blake2b(text, digest_size=16).hexdigest()
    if digest not in _KNOWN:
        _KNOWN[digest] = imported_names(text, path)
    _USED.add(digest)
    return sorted({file for name in _KNOWN[digest] for file in _module_files(root, name)})


def imported_names(text, path):
    """Dotted names of the package that a module imports, sorted.

    Parameters
    ----------
    text : str or bytes
        The module.
    path : str
        For the message of a syntax error.
    """
    names, waiting = set(), [ast.parse(text, filename=path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        for field in STATEMENTS:
            waiting.extend(getattr(node, field, None) or ())
    return sorted(name for name in names if name.split(".")[0] == PACKAGE)


def recall(path):
    """Take what `keep` wrote: the imports of modules by their digest. A file that cannot be read counts as none."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        known = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        if all(isinstance(names, list) for names in known.values()):
            _KNOWN.update(known)


def keep(path):
    """Write the imports of all modules that were met, unless the file says them already.

    It saves each start of Snakemake, the one of each job on a cluster too, a second of reading our own sources.
    """
    met = {digest: _KNOWN[digest] for digest in sorted(_USED)}
    path = pathlib.Path(path)
    text = json.dumps(met)
    with contextlib.suppress(OSError):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            pathlib.Path(temporary).write_text(text, encoding="utf-8")


def _module_files(root, name):
    """Files executed by importing a dotted name: the __init__ of each package on the way, and the module."""
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        base = "/".join(parts[:depth])
        for candidate in (f"{base}/__init__.py", f"{base}.py"):
            if (root / candidate).is_file():
                yield candidate
