"""Preflight of the software: Python, packages, Snakemake, conda."""

import importlib.metadata
import json
import platform
import re

from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, Finding, ask

PYTHON = "3.11"
CONDA = (24, 7, 1)
PLANNERS = {"snakemake", "snakemake-executor-plugin-slurm", "jsonschema", "pyyaml"}
DEVELOPMENT = {"pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "ruff", "snakefmt", "shfmt-py"}


def check_software(root, settings, version=None):
    """Findings on Python and its packages, Snakemake and, where the profile wants it, conda.

    Parameters
    ----------
    root : Path
        The repository.
    settings : dict or None
        What the profile says; None where it could not be read.
    version : callable, optional
        Gives the installed version of a distribution or raises PackageNotFoundError.
    """
    version = version or importlib.metadata.version
    conda = settings is not None and "conda" in settings["deployment"]
    findings = [_python(), *_packages(root, version, conda), _snakemake(root, version)]
    if settings is not None and settings["executor"] == "slurm":
        findings.append(_plugin(root, version))
    return findings + (check_conda() if conda else [Finding("conda", SKIPPED, "the profile does not use conda")])


def _python():
    found = platform.python_version()
    if found.startswith(f"{PYTHON}."):
        return Finding("python", OK, found)
    return Finding(
        "python", FAILURE, found, f"{PYTHON}, which requirements.lock is made for", f"make PYTHON=python{PYTHON} doctor"
    )


def _lock(root):
    lines = (root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if "==" in line and not line.startswith("#")]
    return {_name(name): found.strip() for name, found in pairs}


def _direct(root):
    lines = (root / "requirements.in").read_text(encoding="utf-8").splitlines()
    return {_name(line.partition("==")[0]) for line in lines if "==" in line and not line.startswith("#")}


def _name(text):
    return re.sub(r"[-_.]+", "-", text.strip()).lower()


def _packages(root, version, conda):
    """Missing packages that jobs import fail, unless jobs have environments of their own; other versions warn."""
    needed = PLANNERS if conda else (_direct(root) - DEVELOPMENT) | PLANNERS
    missing, other = [], []
    for name, wanted in sorted(_lock(root).items()):
        try:
            found = version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
            continue
        if found != wanted:
            other.append(f"{name} {found} (lock: {wanted})")
    remedy = "rm .venv/.installed && make .venv/.installed   # installs requirements.lock"
    findings = []
    absent = [name for name in missing if name in needed]
    if absent:
        findings.append(
            Finding("packages", FAILURE, f"not installed: {', '.join(absent)}", "all of requirements.lock", remedy)
        )
    differences = [f"{name} is missing" for name in missing if name not in needed] + other
    if differences and not (conda and not any(text.split()[0] in PLANNERS for text in differences)):
        text = "; ".join(differences[:8]) + (f"; and {len(differences) - 8} more" if len(differences) > 8 else "")
        findings.append(Finding("packages", WARNING, text, "the versions of requirements.lock", remedy))
    return findings or [Finding("packages", OK, "as in requirements.lock")]


def _numbers(text):
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def _snakemake(root, version):
    match = re.search(r'min_version\("([\d.]+)"\)', (root / "Snakefile").read_text(encoding="utf-8"))
    wanted = match[1] if match else "0"
    remedy = "rm .venv/.installed && make .venv/.installed, and call .venv/bin/snakemake"
    try:
        found = version("snakemake")
    except importlib.metadata.PackageNotFoundError:
        return Finding("snakemake", FAILURE, "not installed", f"at least {wanted}", remedy)
    if _numbers(found) < _numbers(wanted):
        return Finding("snakemake", FAILURE, found, f"at least {wanted}", remedy)
    return Finding("snakemake", OK, found)


def _plugin(root, version):
    name = "snakemake-executor-plugin-slurm"
    wanted = _lock(root).get(name, "any version")
    try:
        found = version(name)
    except importlib.metadata.PackageNotFoundError:
        remedy = f"pip install {name}=={wanted}"
        return Finding("slurm plugin", FAILURE, "not installed", f"{name} {wanted}", remedy)
    if found != wanted:
        remedy = f"pip install {name}=={wanted}"
        return Finding("slurm plugin", WARNING, found, f"{wanted}, which the profile was tested with", remedy)
    return Finding("slurm plugin", OK, found)


def check_conda():
    """Findings on the conda command: there, new enough, strict channel priority."""
    answer = ask(["conda", "--version"])
    wanted = ".".join(map(str, CONDA))
    if answer.status != 0:
        remedy = "install Miniforge or load your site's conda module: `conda` must be on PATH, for a dry-run too"
        return [Finding("conda", FAILURE, answer.trouble, f"conda {wanted} or newer", remedy)]
    found = _numbers(answer.output)
    text = ".".join(map(str, found)) or answer.output.strip()
    if found < CONDA:
        remedy = "conda install -n base 'conda>=24.7.1'"
        return [Finding("conda", FAILURE, text, f"{wanted} or newer (its solver is libmamba)", remedy)]
    return [Finding("conda", OK, text), _priority()]


def _priority():
    answer = ask(["conda", "config", "--get", "channel_priority", "--json"])
    try:
        found = json.loads(answer.output)["get"].get("channel_priority", "not set")
    except (ValueError, KeyError, AttributeError, TypeError):
        found = answer.trouble if answer.status else answer.output.strip() or "no answer"
    if found == "strict":
        return Finding("channel priority", OK, found)
    remedy = "conda config --set channel_priority strict"
    return Finding("channel priority", WARNING, str(found), "strict: else environments may mix channels", remedy)
