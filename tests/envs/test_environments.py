"""Environment files against the lock, the sources and their pin files."""

import re
import subprocess

import pytest
import yaml

from tests.conftest import REPOSITORY
from tests.envs.environments import (
    TOOLS,
    import_name,
    imported,
    index_name,
    locked,
    post_deployed,
    required,
    rules,
    sources,
)
from workflow_scripts.common.errors import DataError
from workflow_scripts.planning import pin_environments

FILES = sorted((REPOSITORY / "envs").glob("*.yaml"))
# Loaded by its name from the config, not by an import statement.
LOADED_BY_NAME = {"text_spacy": {"biosenter"}}
# Their packages are not those of the lock and not installed here; what those that pip adds require is said by hand.
OWN_VERSIONS = {
    "linking_scispacy": {"click", "joblib", "numpy", "psutil", "pybind11", "requests", "scikit-learn", "scipy"}
    | {"typing-extensions", "duckdb", "ahocorasick-rs", "nmslib-metabrainz", "conllu", "pysbd"}
}
by_name = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def packages(path):
    """Version by index name of all that an environment gets, without Python and pip."""
    conda = {index_name(n): v for n, v in pin_environments.dependencies(path).items() if n not in TOOLS}
    return conda | {name: version for name, version, _ in post_deployed(path)}


@by_name
def test_form(path):
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(content) == {"channels", "dependencies"}
    assert content["channels"] == ["conda-forge", "nodefaults"]
    first, *others = content["dependencies"]
    assert first == "python=3.11"
    assert others == sorted(others), "in the order of the alphabet"
    for entry in others:
        assert re.fullmatch(r"[a-z0-9_-]+=\d+(\.\d+)+", entry), f"not an exact version: {entry}"


@by_name
def test_versions_are_those_of_the_lock(path):
    lock = locked(REPOSITORY)
    if path.stem in OWN_VERSIONS:
        assert any(lock.get(name, version) != version for name, version in packages(path).items())
        return
    assert packages(path) == {name: lock.get(name) for name in packages(path)}


def test_scispacy_gets_what_it_can_work_with():
    """numpy below 2; an index is built by scipy below 1.11; models of 0.5.4 load in spaCy before 3.8.13."""
    versions = packages(REPOSITORY / "envs/linking_scispacy.yaml")
    numbers = {name: tuple(map(int, version.split("."))) for name, version in versions.items()}
    assert numbers["numpy"] < (2,) and numbers["scipy"] < (1, 11) and (3, 7) <= numbers["spacy"] < (3, 8, 13)
    assert versions["scispacy"] == "0.6.2"


def required_by_added(path):
    """Index names of all that the packages of a post-deploy script require: pip is told not to look for it."""
    if path.stem in OWN_VERSIONS:
        return OWN_VERSIONS[path.stem]
    return set().union(*(required(name) for name, _, _ in post_deployed(path)))


@by_name
def test_holds_what_its_code_imports_and_nothing_else(path):
    wanted = imported(REPOSITORY, path.stem) | LOADED_BY_NAME.get(path.stem, set())
    needed = {import_name(name) for name in required_by_added(path)}
    assert {import_name(name) for name in packages(path)} - needed == wanted - needed


@by_name
def test_holds_what_added_packages_require(path):
    assert required_by_added(path) <= set(packages(path))


@pytest.mark.parametrize(("environment", "name"), [(e, n) for e, names in LOADED_BY_NAME.items() for n in names])
def test_what_is_loaded_by_name_is_named_in_the_code(environment, name):
    assert any(f'"{name}"' in (REPOSITORY / path).read_text() for path in sources(REPOSITORY, environment))


@by_name
def test_post_deploy_script(path):
    """pip stands in an environment exactly if a script adds packages with it, of exact bytes."""
    script = path.with_name(f"{path.stem}.post-deploy.sh")
    assert script.is_file() == ("pip" in pin_environments.dependencies(path))
    if script.is_file():
        subprocess.run(["sh", "-n", script], check=True, timeout=10)
        text = script.read_text(encoding="utf-8")
        assert "--require-hashes" in text and "--no-deps" in text
        assert post_deployed(path) and len(post_deployed(path)) == text.count("==")


def test_each_file_is_used_and_exists():
    assert {environment for environment, _ in rules(REPOSITORY).values()} == {path.stem for path in FILES}


def test_every_rule_with_a_script_has_its_environment():
    """All rules are seen, indented ones too."""
    text = "".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "rules").glob("*.smk"))
    assert len(rules(REPOSITORY)) == len(re.findall(r"^ *conda:$", text, re.M)) > 30


def test_pin_files_agree_with_their_environments():
    for pins in (REPOSITORY / "envs").glob("*.pin.txt"):
        environment = pins.with_name(f"{pins.name.partition('.')[0]}.yaml")
        assert environment.is_file(), f"{pins.name} belongs to no environment"
        assert pin_environments.disagreements(environment, pins.read_text(encoding="utf-8")) == []


ENVIRONMENT = "channels: [conda-forge, nodefaults]\ndependencies:\n  - python=3.11\n  - numpy=2.4.6\n"
ADDRESS = "https://channel.invalid/conda-forge/linux-64/"
GOOD = [
    "python-3.11.14-hd63d673_2_cpython.conda#00",
    "numpy-2.4.6-py311h2e04523_0.conda#01",
    "ld_impl-2.44-h1.tar.bz2#02",
]


@pytest.fixture
def small(tmp_path):
    """An environment file, and a function that gives the text of a pin file of these packages."""
    path = tmp_path / "small.yaml"
    path.write_text(ENVIRONMENT)
    line = pin_environments.header(path)
    return path, lambda files: "\n".join([line, "@EXPLICIT", *(ADDRESS + file for file in files)]) + "\n"


def test_pins_that_agree(small):
    path, pins = small
    assert pin_environments.disagreements(path, pins(GOOD)) == []
    assert pin_environments.disagreements(path, pins(GOOD[::-1])) == []
    assert [(p.name, p.version) for p in pin_environments.packages(pins(GOOD))][2] == ("ld_impl", "2.44")


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ([GOOD[0], "numpy-2.4.60-py311_0.conda#01"], "numpy: small.yaml wants 2.4.6, the pin file has 2.4.60"),
        ([GOOD[0], "numpy-base-2.4.6-py311_0.conda#01"], "numpy: small.yaml wants 2.4.6, the pin file has None"),
        (["python-3.12.1-0.conda#0", GOOD[1]], "python: small.yaml wants 3.11, the pin file has 3.12.1"),
        (["python-3.1.1-0.conda#0", GOOD[1]], "python: small.yaml wants 3.11, the pin file has 3.1.1"),
    ],
)
def test_pins_that_disagree(small, files, complaint):
    path, pins = small
    assert pin_environments.disagreements(path, pins(files)) == [complaint]


def test_pins_of_an_earlier_environment(small):
    path, pins = small
    text = pins(GOOD)
    path.write_text(f"# why\n{ENVIRONMENT}")
    assert pin_environments.disagreements(path, text) == [
        "small.yaml was edited since its pin file was made: run `make pins`"
    ]


@pytest.mark.parametrize("entry", ["numpy", "numpy>=2", "numpy==2.4.6", "{pip: [numpy==2.4.6]}", "numpy="])
def test_dependencies_that_are_not_exact(tmp_path, entry):
    path = tmp_path / "loose.yaml"
    path.write_text(f"dependencies:\n  - {entry}\n")
    with pytest.raises(DataError, match=r"loose.yaml\n.*\n.*name=version"):
        pin_environments.dependencies(path)
