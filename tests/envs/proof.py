"""What the records of jobs tell of the Python that ran them."""

import json

from tests.envs.environments import index_name, rules
from tests.envs.fake_conda import MARKER
from workflow_scripts.planning import pin_environments


def records(folder, name="demo"):
    """(stage, rule, record) of each job of a run that is done."""
    provenance = folder / "results" / name / "provenance"
    for path in sorted(provenance.rglob("*.json")):
        stage, rule, *_ = path.relative_to(provenance).with_suffix("").parts
        yield stage, rule, json.loads(path.read_text(encoding="utf-8"))


def distinct(folder, names):
    """How many environments these files make: files of equal content share one."""
    return len({(folder / "envs" / f"{name}.yaml").read_bytes() for name in names})


def assert_jobs_ran_in_their_environments(site, folder, name="demo"):
    """Each record names the prefix of its rule's environment and the versions of its file. Gives the rules seen."""
    seen, used = set(), rules(folder)
    for _, rule, record in records(folder, name):
        environment = used[rule][0]
        assert record["versions"][MARKER] == str(site.environment(environment, folder)), rule
        wanted = pin_environments.dependencies(folder / "envs" / f"{environment}.yaml")
        wanted = {index_name(package): version for package, version in wanted.items()}
        for module, version in record["versions"].items():
            assert wanted.get(module, version) == version.partition("+")[0], f"{rule} ran with {module} {version}"
        seen.add(rule)
    return seen
