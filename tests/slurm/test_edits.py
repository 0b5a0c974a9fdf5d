"""Scripts, tables, configuration and rules that are edited while jobs run or wait."""

import hashlib
import json
import shutil

import pytest

from tests.dag.trees import Tree
from tests.e2e.conftest import checkout, finished_demo, once  # noqa: F401
from tests.e2e.watched import jobs
from tests.slurm.conftest import SITE, Run, until

pytestmark = [pytest.mark.timeout(1200)]
STATISTICS = "results/demo/kg/statistics.json"
OPTIONS = ("--configfile", "profiles/demo/config.yaml")
TARGET = "results/demo/tables/table5.csv"
WAIT = """    import os, time
    open("waits.{name}", "w").close()
    for _ in range(1200):
        if os.path.exists("go.{name}"):
            break
        time.sleep(0.1)
"""


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Edited(Tree):
    """A tree in which jobs wait for a file `go.<name>`, so that a test can edit while they run."""

    def let_wait(self, script, name):
        """Let a script wait at the begin of its main function; the text before."""
        path = self.folder / "workflow_scripts" / script
        text = path.read_text()
        assert text.count('    """Run the command."""\n') == 1
        path.write_text(text.replace('    """Run the command."""\n', WAIT.format(name=name)))
        return text

    def record(self, name):
        """The record of a job."""
        return json.loads((self.folder / "results/demo/provenance" / f"{name}.json").read_text())

    def rules(self):
        """Rules of the jobs that the next run of the target would begin with."""
        return {rule for rule, _ in self.plan("--", TARGET)}


@pytest.fixture(scope="module")
def edited(cluster, finished_demo, tmp_path_factory):  # noqa: F811
    """A run of three jobs on the cluster, one after the other, during which everything is edited."""
    tree = Edited(Tree(finished_demo).copy(tmp_path_factory.mktemp("edits") / "demo").folder)
    scripts = tree.folder / "workflow_scripts/kg"
    tree.let_wait("kg/split_inductive.py", "split")
    tree.let_wait("kg/summarise_kg.py", "summary")
    tree.before = {path: path.read_bytes() for path in scripts.glob("*.py")}
    tree.upstream = {path: path.stat().st_mtime_ns for path in (tree.folder / "results/demo/kg").glob("*.parquet")}
    tree.submitted = {name: digest(scripts / f"{name}.py") for name in ("split_inductive", "summarise_kg")}
    assert tree.rules() >= {"split_inductive", "summarise_kg", "render_table5"} and "build_kg" not in tree.rules()
    arguments = (*OPTIONS, "--jobs", "4", "--retries", "0", "--", TARGET)
    run = tree.cluster_run = Run(tree.folder, *arguments, site=SITE + "slurm-keep-successful-logs: true\n")
    until((tree.folder / "waits.split").exists, seconds=300)
    # the script of a job that runs, the ones of a job that waits and of one that is done, the configuration
    tree.add("workflow_scripts/kg/split_inductive.py", "# edited while it ran\n")
    tree.add("workflow_scripts/kg/build_kg.py", "# edited, and not part of this run\n")
    tree.add("workflow_scripts/kg/summarise_kg.py", "# edited while it waited\n")
    tree.waiting = digest(scripts / "summarise_kg.py")
    (tree.folder / "config.kept").write_bytes((tree.folder / "config.yaml").read_bytes())
    tree.edit("config.yaml", "name: meddistant19\n", "name: other\nno_such_key: 1\n")
    (tree.folder / "go.split").touch()
    until((tree.folder / "waits.summary").exists, seconds=300)
    # and back, before it ends: what it ran with is nowhere but in its record
    (scripts / "summarise_kg.py").write_bytes(tree.before[scripts / "summarise_kg.py"])
    tree.add("rules/reporting.smk", "# edited after the plan\n")
    (tree.folder / "go.summary").touch()
    tree.status = run.wait()
    shutil.move(tree.folder / "config.kept", tree.folder / "config.yaml")
    return tree


def test_jobs_that_run_and_wait_end_well_under_a_broken_configuration(edited):
    assert "rule_split_inductive" in "".join(edited.cluster_run.submissions())
    for name in ("kg/split_inductive", "kg/summarise_kg"):
        assert edited.record(name)["slurm_job"]


def test_nothing_upstream_is_done_again_and_nothing_twice(edited):
    run = edited.cluster_run
    for rule in ("split_inductive", "summarise_kg"):
        assert len(run.submissions(f"rule_{rule}")) == 1
        assert {name for text in run.slurm_logs(rule) for name, _ in jobs(text)} == {rule}
    assert not run.submissions("rule_build_kg")
    assert edited.upstream == {path: path.stat().st_mtime_ns for path in edited.upstream}


def test_records_hold_what_the_jobs_really_ran_with(edited):
    ran = {name: edited.record(f"kg/{name}")["code"][f"workflow_scripts/kg/{name}.py"] for name in edited.submitted}
    assert ran == {"split_inductive": edited.submitted["split_inductive"], "summarise_kg": edited.waiting}
    split = edited.record("kg/split_inductive")
    triples = "results/demo/kg/all_triples.tsv"
    assert split["files"][triples]["sha256"] == digest(edited.folder / triples)
    assert json.loads(split["options"]["params"])["min_edges_left"] == 100


def test_a_job_whose_rules_were_edited_stops_and_says_so(edited):
    assert edited.status == 1
    texts = "".join(edited.cluster_run.slurm_logs("render_table5"))
    assert "rules/reporting.smk was edited after this run was planned" in texts
    assert "run Snakemake again" in texts


def test_the_next_plan_takes_up_each_job_that_is_not_current_and_no_other(edited):
    planned = edited.plan("--", STATISTICS)
    # build_kg.py was edited too, so all below it is planned: put it back
    build = edited.folder / "workflow_scripts/kg/build_kg.py"
    assert ("build_kg", "") in planned
    build.write_bytes(edited.before[build])
    assert edited.plan("--", STATISTICS) == {("split_inductive", ""): 1, ("summarise_kg", ""): 1}


def test_it_runs_once_more_and_then_there_is_nothing_to_do(edited):
    assert "summarise_kg" in edited.rules()
    assert ("summarise_kg", "") in edited.run("--", TARGET)
    assert edited.plan("--", TARGET) == {}
    assert (
        edited.record("kg/summarise_kg")["code"]["workflow_scripts/kg/summarise_kg.py"]
        == edited.submitted["summarise_kg"]
    )
