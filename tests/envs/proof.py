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


def scripts(folder, stages=None):
    """Environment by script of the rules of all or some stages that the demo runs.

    It makes its MEDLINE files and downloads none, it does not link with scispaCy and exports no mentions.
    """
    used = {script: env for env, script in rules(folder).values() if env != "linking_scispacy"}
    for script in ("acquire/download_medline.py", "linking/export_mentions.py"):
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
