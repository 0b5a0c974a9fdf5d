"""What the records of jobs tell of the Python that ran them."""

import json

from tests.envs.environments import index_name, rules
from tests.envs.fake_conda import MARKER
from workflow_scripts.planning import pin_environments


def records(folder, name="demo"):
    """(script, record) of each job of a run that is done; script as in code("kg/build_kg.py")."""
    provenance = folder / "results" / name / "provenance"
    for path in sorted(provenance.rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        yield f"{path.relative_to(provenance).parts[0]}/{record['command']}", record


# The demo makes its raw files and fetches none, starts from them, exports nothing, and links no corpora of BELB.
NOT_IN_THE_DEMO = {
    "acquire/download_encoder.py",
    "acquire/download_medline.py",
    "acquire/download_source.py",
    "acquire/download_spacy_model.py",
    "acquire/download_umls.py",
    "acquire/extract_umls.py",
    "corpus/bundle_corpus.py",
    "corpus/export_corpus.py",
    "corpus/import_corpus.py",
    "demo/generate_treatments.py",
    "kg/compare_installs.py",
    "kg/install_subset.py",
    "linking/export_mentions.py",
    "linking/index_names_scispacy.py",
    "linking/link_surfaces_scispacy.py",
    "reporting/render_belb_table.py",
    "reporting/write_effects.py",
    "text/parse_abstracts.py",
    "training/encode_names.py",
    "training/repeat_run.py",
    "training/search_names.py",
    "training/train_name_encoder.py",
}


def scripts(folder, stages=None):
    """Environment by script of the rules of all or some stages that the demo runs."""
    used = {script: env for env, script in rules(folder).values()}
    for script in [*NOT_IN_THE_DEMO, *(script for script in used if script.startswith("belb/"))]:
        del used[script]
    return {script: used[script] for script in used if not stages or script.partition("/")[0] in stages}


def distinct(folder, names):
    """How many environments these files make: files of equal content share one."""
    return len({(folder / "envs" / f"{name}.yaml").read_bytes() for name in names})


def assert_jobs_ran_in_their_environments(site, folder, name="demo"):
    """Each record names the prefix of its rule's environment and the versions of its file. Gives the scripts seen."""
    seen, used = set(), scripts(folder)
    for script, record in records(folder, name):
        environment = used[script]
        assert record["versions"][MARKER] == str(site.environment(environment, folder)), script
        wanted = pin_environments.dependencies(folder / "envs" / f"{environment}.yaml")
        wanted = {index_name(package): version for package, version in wanted.items()}
        for module, version in record["versions"].items():
            assert wanted.get(module, version) == version.partition("+")[0], f"{script} ran with {module} {version}"
        seen.add(script)
    return seen
