"""What jobs get of the plan of their run."""

import pytest

from workflow_scripts.common import configuration, kept_plan
from workflow_scripts.common.errors import UsageError


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small repository, the current folder; no run has left its plan."""
    (tmp_path / "rules").mkdir()
    for name in ("Snakefile", "rules/a.smk", "rules/b.smk"):
        (tmp_path / name).write_text(f"# {name}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(kept_plan.VARIABLE, "")
    monkeypatch.delenv(kept_plan.VARIABLE)
    return tmp_path


def test_without_a_run_there_is_no_plan(root):
    assert kept_plan.recall(root) is None
    kept_plan.forget()


def test_a_job_gets_what_was_kept_whatever_the_files_say_now(root, repository):
    values = configuration.read_yaml(repository / "config.yaml")
    configuration.validate(values, repository / "schemas/config.schema.yaml")
    plan = configuration.Plan(values, repository)
    kept_plan.keep(plan, kept_plan.rules_digests(root), "one")
    (root / "config.yaml").write_text("broken: [")
    kept = kept_plan.recall(root)
    assert kept is not plan and (kept.config, kept.runs) == (plan.config, plan.runs) and len(kept.runs) >= 48
    assert kept.value("kg.seed") == values["kg"]["seed"]


@pytest.mark.parametrize("name", ["Snakefile", "rules/b.smk"])
def test_a_job_stops_where_the_rules_are_others(root, name):
    kept_plan.keep({}, kept_plan.rules_digests(root), "one")
    before = (root / name).read_text()
    (root / name).write_text(before + "# more\n")
    with pytest.raises(UsageError, match=rf"{name} was edited after this run was planned"):
        kept_plan.recall(root)
    (root / name).write_text(before)
    assert kept_plan.recall(root) == {}
    (root / name).unlink()
    with pytest.raises((UsageError, FileNotFoundError)):
        kept_plan.recall(root)


def test_a_job_of_a_run_that_is_over_stops(root):
    kept_plan.keep({}, kept_plan.rules_digests(root), "one")
    kept_plan.forget()
    with pytest.raises(UsageError, match="has ended"):
        kept_plan.recall(root)
