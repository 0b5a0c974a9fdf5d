"""What the environment files, the rules, the sources and the lock say, read independently of the workflow."""

import ast
import importlib.metadata
import re
import sys

from packaging.requirements import Requirement

from workflow_scripts.common.code_inputs import code_inputs

# conda name: Python index name, where they differ
INDEX_NAMES = {"python-duckdb": "duckdb", "pytorch": "torch", "matplotlib-base": "matplotlib"}
# index name: name of the import, where they differ
IMPORT_NAMES = {"scikit-learn": "sklearn", "pyyaml": "yaml", "ahocorasick-rs": "ahocorasick_rs"}
TOOLS = {"python", "pip", "openjdk"}
RULE = re.compile(r"^( *)(?:rule|checkpoint) (\w+):\n((?:\1    .*\n|\n)+)", re.M)
REQUIREMENT = re.compile(r"^([\w-]+)==([\w.]+)((?:\s*\\?\s*--hash=sha256:[0-9a-f]{64})+)$", re.M)


def normal(name):
    """A package name as the Python index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def index_name(conda_name):
    """The name on the Python index of a conda package."""
    return INDEX_NAMES.get(conda_name, normal(conda_name))


def import_name(package):
    """The name to import of a package of the Python index."""
    return IMPORT_NAMES.get(package, package)


def locked(repository):
    """Version by index name of requirements.lock."""
    lines = (repository / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {normal(name): version for name, version in pairs}


def post_deployed(environment):
    """(index name, version, hashes) of the packages that the script beside an environment file adds."""
    script = environment.with_name(f"{environment.stem}.post-deploy.sh")
    text = script.read_text(encoding="utf-8") if script.is_file() else ""
    return [
        (normal(name), version, re.findall("[0-9a-f]{64}", hashes))
        for name, version, hashes in REQUIREMENT.findall(text)
    ]


def required(distribution):
    """Index names of what a distribution needs at run time, here and without extras."""
    needs = map(Requirement, importlib.metadata.requires(distribution) or [])
    return {normal(need.name) for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})}


def rules(repository):
    """(environment, script) of each rule that has an environment, by rule name."""
    found = {}
    for path in sorted((repository / "rules").glob("*.smk")):
        for _, name, body in RULE.findall(path.read_text(encoding="utf-8")):
            environment = re.search(r'"\.\./envs/(\w+)\.yaml"', body)
            if environment:
                found[name] = (environment[1], re.search(r'code\("([\w/]+\.py)"\)', body)[1])
    return found


def sources(repository, environment):
    """Paths of all code that the rules of an environment run."""
    scripts = {script for used, script in rules(repository).values() if used == environment}
    return sorted({path for script in scripts for path in code_inputs(script, repository)})


def imported(repository, environment):
    """Top names of what the code of an environment imports beside itself and the standard library."""
    names = set()
    for path in sources(repository, environment):
        for node in ast.walk(ast.parse((repository / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"workflow_scripts"}
