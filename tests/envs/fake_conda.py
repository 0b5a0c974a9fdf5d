"""A stand-in for the `conda` program where there are no channels: an environment is a venv of the same versions.

It understands what Snakemake and `make pins` ask of conda and refuses the rest. conda names are mapped to the Python
index; an environment holds the wanted packages and what these require, nothing else. Versions that this Python has are
linked from it, others are installed by pip from a folder of wheels that all environments share. Each environment holds
a module, loaded at start-up, whose __version__ is the prefix, so the record of a job tells which Python ran it.
Variables: STANDIN_CONDA=empty makes prefixes whose Python does nothing (fast), STANDIN_CONDA=offline refuses all.

Usage: python -m tests.envs.fake_conda ROOT ...  (ROOT/bin/activate, ROOT/wheels, ROOT/calls.txt)
"""

import importlib.metadata
import json
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import venv

import yaml

from tests.envs.environments import index_name, normal, required

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CHANNEL = "https://channel.invalid/conda-forge/linux-64"
MARKER = "standin_environment"
ACTIVATE = 'export CONDA_PREFIX="$1"\nexport PATH="$1/bin:$PATH"\n'


def install(root):
    """Make ROOT a conda installation; gives the folder to put on PATH."""
    binaries = root / "bin"
    binaries.mkdir(parents=True)
    (binaries / "activate").write_text(ACTIVATE)
    conda = binaries / "conda"
    python = f"PYTHONPATH={shlex.quote(str(REPOSITORY))} exec {shlex.quote(sys.executable)} -P"
    conda.write_text(f'#!/bin/sh\n{python} -m tests.envs.fake_conda {shlex.quote(str(root))} "$@"\n')
    conda.chmod(0o755)
    return binaries


def main(root, arguments):
    with open(root / "calls.txt", "a") as calls:
        print(*arguments, file=calls)
    options = dict(zip(arguments, arguments[1:], strict=False))
    match arguments:
        case ["info", "--json"]:
            print(json.dumps({"conda_prefix": str(root), "platform": "linux-64"}))
        case ["--version"]:
            print("conda 25.9.1")
        case ["config", "--get", "channel_priority", "--json"]:
            print(json.dumps({"get": {"channel_priority": "strict"}}))
        case ["env", "create", *_]:
            create(root, pathlib.Path(options["--prefix"]), *solved(pathlib.Path(options["--file"])))
        case ["create", *_] if "--yes" in arguments:
            create(root, pathlib.Path(options["--prefix"]), *explicit(pathlib.Path(options["--file"])))
        case ["list", "--explicit", *_]:
            print("# platform: linux-64\n@EXPLICIT", *listed(pathlib.Path(options["--prefix"])), sep="\n")
        case ["clean", *_]:
            pass
        case _:
            sys.exit(f"stand-in conda does not know: {arguments}")


def solved(file):
    """(wanted packages, whether to look for what they require) of an environment file."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if content["channels"] != ["conda-forge", "nodefaults"]:
        sys.exit(f"channels of {file}: {content['channels']}")
    return dict(entry.split("=") for entry in content["dependencies"]), True


def explicit(file):
    """(wanted packages, False) of a file of package addresses: all are named, so none is looked for."""
    first, *lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    if first != "@EXPLICIT":
        sys.exit(f"{file} is no list of packages")
    names = [line.partition("#")[0].rpartition("/")[2].rsplit("-", 2) for line in lines]
    return {name: version for name, version, _ in names}, False


def create(root, prefix, wanted, with_required):
    """Make a prefix with the wanted packages (version by conda name)."""
    mode = os.environ.get("STANDIN_CONDA")
    if mode == "offline":
        sys.exit("CondaHTTPError: HTTP 000 CONNECTION FAILED for the channels")
    if mode == "empty":
        (prefix / "bin").mkdir(parents=True)
        (prefix / "bin" / "python").symlink_to("/bin/true")
        return
    if not f"{platform.python_version()}.".startswith(f"{wanted.pop('python')}."):
        sys.exit(f"no python of that version: {wanted}")
    venv.create(prefix, with_pip=False, symlinks=True)
    place = next(prefix.glob("lib/python*/site-packages"))
    (place / f"{MARKER}.py").write_text("import sys\n\n__version__ = sys.prefix\n")
    (place / f"{MARKER}.pth").write_text(f"import {MARKER}\n")
    packages = {index_name(name): version for name, version in wanted.items()}
    here = installed_here({name: version for name, version in packages.items() if name != "pip"}, with_required)
    if here is not None:
        link(here, place)
        packages = {name: version for name, version in packages.items() if name == "pip"}
    if packages:
        install_wheels(root / "wheels", prefix, [f"{name}=={version}" for name, version in packages.items()])


def installed_here(wanted, with_required):
    """Distributions of this Python with the wanted versions and, if asked, all that they require; None if one lacks."""
    here = {normal(found.name): found for found in importlib.metadata.distributions()}
    chosen, waiting = {}, list(wanted)
    while waiting:
        name = waiting.pop()
        found = here.get(name)
        if found is None or wanted.get(name, found.version) != found.version.partition("+")[0]:
            return None
        if name not in chosen:
            chosen[name] = found
            waiting += required(name) if with_required else []
    return list(chosen.values())


def link(distributions, place):
    """Give the files of distributions to another site-packages folder, without commands and compiled code."""
    for distribution in distributions:
        for file in distribution.files:
            if file.parts[0] == ".." or file.suffix == ".pyc":
                continue
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(file.locate(), target)
            except OSError:
                shutil.copy2(file.locate(), target)


def install_wheels(wheels, prefix, packages):
    """Install packages by pip; what is not in the folder of wheels is put there first."""
    python = ["--python", str(prefix / "bin" / "python")]
    local = [*python, "install", "--no-compile", "--no-index", "--find-links", str(wheels), *packages]
    if pip(*local):
        failed = pip("download", "--dest", str(wheels), *packages) or pip(*local)
        if failed:
            sys.exit(f"stand-in conda cannot install {packages}:\n{failed}")


def pip(*arguments):
    """What pip complains of; empty where it succeeds."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr or "failed" if done.returncode else ""


def listed(prefix):
    """Addresses, as of conda packages, of what a prefix holds."""
    conda_names = {index_name(name): name for name in ("python-duckdb", "pytorch", "matplotlib-base")}
    script = "import importlib.metadata as m; print(*(f'{d.name} {d.version}' for d in m.distributions()), sep='\\n')"
    python = prefix / "bin" / "python"
    found = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.split("\n")
    pairs = [line.split() for line in sorted(found) if line] + [["python", platform.python_version()]]
    for name, version in pairs:
        name = conda_names.get(normal(name), normal(name))
        yield f"{CHANNEL}/{name}-{version.partition('+')[0]}-py311_0.conda#{'0' * 32}"


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
