"""The profile and its overlays, read as Snakemake reads them; no cluster is needed."""

import base64
import json
import os
import re
import subprocess
import sys
import zlib

import pytest
import yaml

from workflow_scripts.common.scheduling import DEFAULT_LIMIT

READ = """
import json, sys
from snakemake.cli import parse_args
_, arguments = parse_args(sys.argv[1:])
text = lambda value: f"{value.max_jobs}/{value.timespan}" if hasattr(value, "timespan") else str(value)
print(json.dumps({name: text(value) for name, value in vars(arguments).items() if "_MISSING" not in str(value)}))
"""


@pytest.fixture
def read(repository, tmp_path):
    """`read(site="key: value", sacct=0)`: the options of `--profile slurm`, with a sacct that ends with this status."""

    def options(site=None, sacct=None, profiles=("slurm",)):
        if sacct is not None:
            (tmp_path / "sacct").write_text(f"#!/bin/sh\nexit {sacct}\n")
            (tmp_path / "sacct").chmod(0o755)
        if site is not None:
            (tmp_path / "site.yaml").write_text(site)
            profiles = (*profiles, str(tmp_path / "site.yaml"))
        command = [sys.executable, "-c", READ, *(word for name in profiles for word in ("--profile", name))]
        variables = {**os.environ, "PATH": f"{tmp_path}:{os.path.dirname(sys.executable)}:/bin:/usr/bin"}
        answer = subprocess.run(command, cwd=repository, env=variables, capture_output=True, text=True, timeout=60)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout.splitlines()[-1])

    return options


def template(repository):
    """The text of the template of a site's profile."""
    return (repository / "profiles" / "slurm" / "site.template.yaml").read_text()


@pytest.mark.parametrize("status, command", [(0, "sacct"), (1, "squeue")])
def test_states_come_from_accounting_where_there_is_one(read, status, command):
    assert read(sacct=status)["slurm_status_command"] == command


def test_the_profile_says_nothing_of_a_site(read, repository):
    options = read()
    for name in ("default_resources", "slurm_partition_config", "slurm_qos", "slurm_reservation"):
        assert options.get(name, "None") in ("None", "[]", ""), name
    assert yaml.safe_load(template(repository)) == {"jobs": 200}


def test_at_most_200_jobs_in_the_queue_and_three_more_attempts(read):
    options = read()
    assert (options["executor"], options["jobs"], options["retries"]) == ("slurm", "200", "3")
    assert options["slurm_no_requeue"] == "True"
    assert "conda" in options["software_deployment_method"].lower()


def test_each_line_of_the_template_is_an_option_that_snakemake_knows(read, repository, tmp_path):
    lines = re.findall(r"^#([a-z-]+: .+)$", template(repository), re.M)  # as a user would uncomment them
    assert len(lines) >= 12
    (tmp_path / "partitions.yaml").write_text("partitions: {main: {}}\n")
    plain, seen = read(), set()
    while lines:  # a key that is offered twice takes another turn
        turn = {line.partition(":")[0]: line for line in lines}
        lines = [line for line in lines if line not in turn.values()]
        changed = read(site="\n".join(turn.values()))
        seen |= {key for key in turn if changed.get(key.replace("-", "_")) != plain.get(key.replace("-", "_"))}
    # on a machine without accounting squeue is what the profile says too
    assert set(re.findall(r"^#([a-z-]+): ", template(repository), re.M)) - seen <= {"slurm-status-command"}


def test_a_site_replaces_whole_keys(read):
    options = read(site="default-resources: {slurm_account: lab}\nslurm-no-requeue: false\nslurm-requeue: true\n")
    assert "slurm_account" in options["default_resources"]
    assert options["slurm_requeue"] == "True" and options.get("slurm_no_requeue", "False") == "False"


def test_arrays_hold_back_no_job_that_is_ready(read, tmp_path):
    assert read(site="max-jobs-per-timespan: 5/7s\njobs: 9\n")["max_jobs_per_timespan"] == "5/7.0"
    options = read(profiles=("slurm", str(tmp_path / "site.yaml"), "profiles/slurm/arrays"))
    assert options["slurm_array_jobs"] == "train_run"
    assert int(options["jobs"]) >= 10_000
    # Snakemake's own value, for which the workflow takes the limit away, also where a site has one
    assert options["max_jobs_per_timespan"] == "{}/{:.1f}".format(*DEFAULT_LIMIT)
    # a command takes about 2 KB in the argument of at most 128 KiB
    assert 10 < int(options["slurm_array_limit"]) <= 50


def test_each_task_of_an_array_runs_its_own_command_alone(repository, tmp_path):
    (tmp_path / "sbatch").write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done\n')
    (tmp_path / "sbatch").chmod(0o755)
    commands = {1: "echo 'first one' \"$HOME\"", 2: "echo 'it'\\''s' two; false", 3: "echo {3} | cat"}
    packed = {str(task): zlib.compress(text.encode()).hex() for task, text in commands.items() if task > 1}
    payload = base64.b64encode(json.dumps(packed).encode()).decode()
    wrapped = f"--wrap={commands[1]} --slurm-jobstep-array-execs={payload}"
    mended = repository / "profiles" / "slurm" / "arrays" / "sbatch"
    variables = {**os.environ, "PATH": f"{mended.parent}:{tmp_path}:{os.environ['PATH']}"}
    answer = subprocess.run(
        ["sbatch", "-p", "a b", "--array=1-3", wrapped], env=variables, capture_output=True, text=True, timeout=60
    )
    *words, script, end = answer.stdout.split("\0")
    assert words == ["-p", "a b", "--array=1-3"] and script.startswith("--wrap=") and end == ""
    for task, command in commands.items():
        task_of = {**os.environ, "SLURM_ARRAY_TASK_ID": str(task)}
        own = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60)
        ran = subprocess.run(["sh", "-c", script.removeprefix("--wrap=")], env=task_of, capture_output=True, timeout=60)
        assert (ran.returncode, ran.stdout) == (own.returncode, own.stdout) and ran.stdout


def test_other_submissions_are_passed_on_as_they_are(repository, tmp_path):
    (tmp_path / "sbatch").write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done\ncat\nexit 3\n')
    (tmp_path / "sbatch").chmod(0o755)
    mended = repository / "profiles" / "slurm" / "arrays"
    variables = {**os.environ, "PATH": f"{mended}:{tmp_path}:{os.environ['PATH']}"}
    words = ["--parsable", "--wrap=echo 'a  b' --flag", "/dev/stdin", ""]
    answer = subprocess.run(
        ["sbatch", *words], env=variables, input="script", capture_output=True, text=True, timeout=60
    )
    assert (answer.returncode, answer.stdout) == (3, "\0".join([*words, "script"]))
