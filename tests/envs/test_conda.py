"""Stages in their own environments, through Snakemake's conda path, with a stand-in conda.

The light stages acquire, kg and text; all others stand in test_all_stages.py, which `make soak` runs.
"""

import re
import shutil

import pytest

from tests.envs.fake_conda import MARKER
from tests.envs.proof import assert_jobs_ran_in_their_environments, distinct, records, scripts
from workflow_scripts.planning import pin_environments

STAGES = {"acquire", "kg", "text"}
# What pip brings for these files: the packages themselves, for they require nothing. Empty: Python alone.
CONTENTS = {
    "acquire": set(),
    "kg": {"duckdb", "numpy", "pyarrow"},
    "text": {"duckdb", "lxml", "pyarrow"},
}
TARGETS = ["results/demo/kg/statistics.json", "results/demo/text/statistics.json"]
FIRST_RULES = {"generate_demo_release", "fingerprint_medline"}
KG_RULES = {"build_kg", "split_inductive", "split_transductive", "summarise_kg"}


def planned(output):
    """Job counts by rule of a dry-run's table."""
    rows = re.findall(r"^(\w+) +(\d+)$", output, re.M)
    return {rule: int(count) for rule, count in rows if rule != "total"}


def plan(site, checkout, *arguments, **options):
    result = site.snakemake(checkout, "--cores", 1, "-n", *arguments, "--", *TARGETS, **options)
    assert result.returncode == 0, result.stdout[-4000:]
    return planned(result.stdout)


@pytest.fixture(scope="module")
def finished(site, checkout):
    """A site with the environments of the light stages, and a checkout in which these stages ran inside them."""
    machine, folder = site(), checkout()
    result = machine.snakemake(folder, "--cores", 2, "--", *TARGETS)
    assert result.returncode == 0, result.stdout[-6000:]
    return machine, folder


def test_jobs_ran_in_the_environments_of_their_rules(finished):
    machine, folder = finished
    expected = scripts(folder, STAGES) | {"demo/generate_demo_release.py": "demo"}
    assert assert_jobs_ran_in_their_environments(machine, folder) == set(expected)
    assert len(machine.creations()) == distinct(folder, expected.values()) == 5


@pytest.mark.parametrize("name", CONTENTS)
def test_environments_are_minimal(finished, name):
    machine, folder = finished
    script = "import importlib.metadata as m; print(*(d.name.lower() for d in m.distributions()))"
    assert set(machine.python(name, folder, script).stdout.split()) == CONTENTS[name]


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("kg", "torch"),
        ("kg", "lxml"),
        ("text", "numpy"),
        ("acquire", "numpy"),
        ("acquire", "yaml"),
        ("text_spacy", "torch"),
        ("demo", "duckdb"),
    ],
)
def test_what_a_stage_does_not_import_is_absent(finished, name, module):
    machine, folder = finished
    assert f"No module named '{module}'" in machine.python(name, folder, f"import {module}").stderr


def test_what_post_deploy_scripts_add_works_inside_the_environment(finished):
    machine, folder = finished
    script = "import spacy; nlp = spacy.load('biosenter'); print(len(list(nlp('It failed. They left.').sents)))"
    done = machine.python("text_spacy", folder, script)
    assert done.stdout.split() == ["2"], done.stderr


def test_nothing_is_left_to_do(finished):
    assert plan(*finished) == {}


def test_an_edit_of_an_environment_runs_its_jobs_again(finished, tmp_path):
    """A comment, a pin file and a post-deploy script are edits too; `--touch` accepts them."""
    machine, folder = finished
    copy = shutil.copytree(folder, tmp_path / "copy", symlinks=True)
    added = {"kg.linux-64.pin.txt": "@EXPLICIT\n", "kg.post-deploy.sh": "#!/bin/sh\n"}
    for name, text in added.items():
        (copy / "envs" / name).write_text(text)
        assert set(plan(machine, copy)) == KG_RULES, name
        (copy / "envs" / name).unlink()
    assert plan(machine, copy) == {}
    environment = copy / "envs" / "kg.yaml"
    environment.write_text("# a comment\n" + environment.read_text())
    assert set(plan(machine, copy)) == KG_RULES
    touched = machine.snakemake(copy, "--cores", 1, "--touch", "--", *TARGETS)
    assert touched.returncode == 0, touched.stdout[-4000:]
    assert plan(machine, copy) == {}


@pytest.mark.soak
def test_runs_with_and_without_conda_repeat_each_other(finished, tmp_path):
    """Snakemake counts that as a change of every environment; `--touch` accepts it."""
    machine, folder = finished
    copy = shutil.copytree(folder, tmp_path / "copy", symlinks=True)
    command = ["snakemake", "--profile", "profiles/demo", "--cores", "1"]
    plain = machine.run(copy, [*command, "-n", "--", *TARGETS])
    assert "Software environment definition has changed" in plain.stdout
    assert set(planned(plain.stdout)) >= FIRST_RULES, "the others follow when the checkpoints are done"
    touched = machine.run(copy, [*command, "--touch", "--", *TARGETS])
    assert touched.returncode == 0, touched.stdout[-4000:]
    assert planned(machine.run(copy, [*command, "-n", "--", *TARGETS]).stdout) == {}
    assert set(plan(machine, copy)) >= FIRST_RULES


def test_a_moved_checkout_on_a_machine_without_network(finished, tmp_path):
    """The fixed prefix serves a checkout elsewhere; nothing is made, for nothing could be."""
    machine, folder = finished
    moved = shutil.copytree(folder, tmp_path / "moved", symlinks=True)
    test_split = "results/demo/kg/inductive/test.tsv"
    (moved / test_split).unlink()
    before = len(machine.creations())
    result = machine.snakemake(moved, "--cores", 1, "--", test_split, mode="offline")
    assert result.returncode == 0, result.stdout[-4000:]
    assert (moved / test_split).read_bytes() == (folder / test_split).read_bytes()
    assert len(machine.creations()) == before


def test_without_network_and_environment_the_error_tells(finished, tmp_path):
    machine, folder = finished
    copy = shutil.copytree(folder, tmp_path / "copy", symlinks=True)
    (copy / "results/demo/kg/inductive/test.tsv").unlink()
    result = machine.snakemake(copy, "--cores", 1, "--conda-prefix", tmp_path / "other", "--", *TARGETS, mode="offline")
    assert result.returncode == 1
    assert "Could not create conda environment" in result.stdout and "CONNECTION FAILED" in result.stdout


@pytest.mark.parametrize("profile", [pytest.param("profiles/demo", marks=pytest.mark.soak), "slurm"])
def test_environments_are_made_ahead_of_all_jobs(site, checkout, profile):
    """Where the network is, before any job: `--conda-create-envs-only` makes all of them; a dry-run lists them."""
    machine, folder = site(), checkout()
    names = set(scripts(folder).values())
    options = ["--cores", 1, "--configfile", "profiles/demo/config.yaml"]
    listed = machine.snakemake(folder, *options, "-n", profile=profile)
    assert listed.returncode == 0, listed.stdout[-4000:]
    assert {name for name in names if f"envs/{name}.yaml will be created" in listed.stdout} == names
    assert machine.creations() == []
    made = machine.snakemake(folder, *options, "--conda-create-envs-only", mode="empty", profile=profile)
    assert made.returncode == 0, made.stdout[-4000:]
    assert len(machine.creations()) == distinct(folder, names)
    assert all((machine.environment(name, folder) / "bin" / "python").exists() for name in names)
    assert not (folder / "results" / "demo").exists(), "no job may run"
    assert "will be created" not in machine.snakemake(folder, *options, "-n", profile=profile, mode="offline").stdout


@pytest.fixture(scope="module")
def with_pins(site, checkout):
    """A site and a checkout with a pin file of acquire and kg, made by `make pins`' command."""
    machine, folder = site(), checkout()
    command = ["python", "-P", "workflow_scripts/planning/pin_environments.py", "acquire", "kg"]
    result = machine.run(folder, ["env", f"PYTHONPATH={folder}", *command])
    assert result.returncode == 0, result.stdout[-4000:]
    return machine, folder


def test_pin_files_are_made(with_pins):
    _, folder = with_pins
    assert sorted(path.name for path in (folder / "envs").glob("*.pin.txt")) == [
        "acquire.linux-64.pin.txt",
        "kg.linux-64.pin.txt",
    ]
    environment = folder / "envs" / "kg.yaml"
    text = (folder / "envs" / "kg.linux-64.pin.txt").read_text()
    assert text.splitlines()[1] == "@EXPLICIT" and "# platform" not in text
    assert pin_environments.disagreements(environment, text) == []
    assert {package.name for package in pin_environments.packages(text)} == {
        "python",
        "numpy",
        "pyarrow",
        "python-duckdb",
    }


@pytest.mark.soak
def test_pin_files_are_what_snakemake_installs(with_pins):
    machine, folder = with_pins
    before = len(machine.creations())
    result = machine.snakemake(folder, "--cores", 2, "--", "results/demo/kg/statistics.json")
    assert result.returncode == 0, result.stdout[-6000:]
    calls = sorted(call for call in machine.creations()[before:])
    assert [call.partition(" --")[0] for call in calls] == ["create", "create", "env create"], calls
    assert all((".pin.txt" in call) == call.startswith("create") for call in calls), calls
    (pins,) = [path for path in machine.prefix.glob("*.pin.txt") if "pyarrow" in path.read_text()]
    prefix = str(pins).removesuffix(".pin.txt")
    found = {script: record["versions"][MARKER] for script, record in records(folder)}
    for script in scripts(folder, {"kg"}):
        assert found[script] == prefix


def test_pins_need_conda(run_command, tmp_path):
    result = run_command("planning/pin_environments.py", "kg", environment={"PATH": str(tmp_path)})
    assert result.returncode == 2 and "no conda on PATH" in result.stderr


def test_pins_of_an_environment_that_is_not_there(run_command):
    result = run_command("planning/pin_environments.py", "kg", "kgg")
    assert result.returncode == 2 and "kgg.yaml" in result.stderr and "kg.yaml," not in result.stderr
