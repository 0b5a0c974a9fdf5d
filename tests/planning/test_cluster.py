"""Preflight of SLURM and conda with stand-ins for their commands: each trouble with its remedy."""

import pytest

from tests.planning.made_up import job
from workflow_scripts.planning.check_cluster import UNLIMITED, check_cluster, read_partitions
from workflow_scripts.planning.check_software import check_conda
from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, ask

SLURM = {"executor": "slurm", "status_command": "sacct"}
GPU_NODES = "main*|up|gpu:v100:2|192000|32|infinite\nshort|up|(null)|64000+|16|1:00:00"
CPU_NODES = "main*|up|(null)|64000|16|2-00:00:00"
JOBS = [job(1, "train_run", memory_mb=16000, threads=4, gpus=1, minutes=720), job(2, "join", memory_mb=32000)]


def by_check(findings):
    return {finding.check: finding for finding in findings}


def lines(text):
    return f"cat <<'X'\n{text}\nX"


def test_a_cluster_that_is_well(commands):
    commands(sinfo=lines(GPU_NODES), sacct="exit 0")
    found = by_check(check_cluster(SLURM, JOBS))
    assert {finding.status for finding in found.values()} == {OK}
    assert found["GPU partitions"].found == "main (2 a node)"
    assert found["slurm"].found == "partitions main, short"
    assert set(found) == {
        "slurm",
        "accounting",
        "GPU partitions",
        "memory of nodes",
        "cores of nodes",
        "time limit",
    }


@pytest.mark.parametrize(
    ("sinfo", "expected"),
    [
        (None, "not on PATH"),
        ("echo 'slurm_load_partitions: Unable to contact slurm controller' >&2; exit 1", "Unable to contact"),
        (lines("main*|down|gpu:2|192000|32|infinite"), "no partition is up"),
        ("exit 0", "no partition"),
    ],
)
def test_controller(commands, sinfo, expected):
    commands(sinfo=sinfo, sacct="exit 0")
    (found,) = check_cluster(SLURM, JOBS)
    assert (found.check, found.status) == ("slurm", FAILURE)
    assert expected in found.found
    assert "administrators" in found.remedy


def test_accounting(commands):
    commands(sinfo=lines(GPU_NODES), sacct="echo 'Slurm accounting storage is disabled' >&2; exit 1")
    found = by_check(check_cluster(SLURM, JOBS))["accounting"]
    assert found.status == FAILURE
    assert "storage is disabled" in found.found
    assert "--slurm-status-command squeue" in found.remedy
    commands(scontrol="echo 'MinJobAge               = 300 sec'")
    squeue = by_check(check_cluster(SLURM | {"status_command": "squeue"}, JOBS))
    assert squeue["accounting"].status == OK and "squeue memory" not in squeue
    commands(scontrol="echo 'MinJobAge               = 60 sec'")
    squeue = by_check(check_cluster(SLURM | {"status_command": "squeue"}, JOBS))
    assert squeue["squeue memory"].status == WARNING
    assert "60 s" in squeue["squeue memory"].found and "MinJobAge" in squeue["squeue memory"].remedy


def test_no_gpus_only_where_jobs_want_them(commands):
    commands(sinfo=lines(CPU_NODES), sacct="exit 0")
    found = by_check(check_cluster(SLURM, JOBS))["GPU partitions"]
    assert found.status == FAILURE
    assert "train_run" in found.expected and "device: cpu" in found.remedy
    assert "GPU partitions" not in by_check(check_cluster(SLURM, JOBS[1:]))


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ("memory of nodes", {"memory_mb": 64001}),
        ("cores of nodes", {"threads": 17}),
        ("time limit", {"minutes": 2881}),
    ],
)
def test_jobs_larger_than_the_nodes(commands, check, change):
    commands(sinfo=lines(CPU_NODES), sacct="exit 0")
    fits = {name: value - 1 for name, value in change.items()}
    assert by_check(check_cluster(SLURM, [job(1, "big", **fits)]))[check].status == OK
    found = by_check(check_cluster(SLURM, [job(1, "big", **change), job(2, "a")]))[check]
    assert found.status == FAILURE
    assert "big" in found.expected and "--set-" in found.remedy


def test_partitions_are_read_in_all_forms():
    text = (
        "a*|up|gpu:2|1|1|infinite\nb|up|gpu:a100:4(S:0-1)|1|1|1-12:30:00\nc|up|gpu:v100:2,gpu:a100:1|1|1|2:30:00\n"
        "d|inact|shard:8|1|1|45:00\ne|up|gpu|1+|x|30\nnonsense\n"
    )
    found = read_partitions(text)
    assert [(item.name, item.gpus) for item in found] == [("a", 2), ("b", 4), ("c", 3), ("d", 0), ("e", 1)]
    assert [item.minutes for item in found] == [UNLIMITED, 2190, 150, 45, 30]
    assert [item.up for item in found] == [True, True, True, False, True]


def test_needs_are_unknown_without_a_plan_and_nothing_is_asked_for_other_executors(commands):
    commands(sinfo=lines(GPU_NODES), sacct="exit 0")
    assert by_check(check_cluster(SLURM, None))["cluster resources"].status == SKIPPED
    commands(sinfo="exit 9")
    assert [finding.status for finding in check_cluster({"executor": "local"}, None)] == [SKIPPED]


def conda(version, priority):
    return f"""case "$1" in
--version) echo "conda {version}" ;;
*) echo '{{"get": {{{priority}}}}}' ;;
esac"""


@pytest.mark.parametrize(
    ("version", "status"), [("24.7.1", OK), ("25.1", OK), ("24.7.0", FAILURE), ("4.12.0", FAILURE), ("24.11.0", OK)]
)
def test_conda_version(commands, version, status):
    commands(conda=conda(version, '"channel_priority": "strict"'))
    found = by_check(check_conda())
    assert found["conda"].status == status
    if status == FAILURE:
        assert version in found["conda"].found and "24.7.1" in found["conda"].expected
        assert "conda install" in found["conda"].remedy


def test_conda_priority_and_absence(commands):
    commands(conda=conda("24.9.2", '"channel_priority": "strict"'))
    assert by_check(check_conda())["channel priority"].status == OK
    for answer, shown in [('"channel_priority": "flexible"', "flexible"), ("", "not set")]:
        commands(conda=conda("24.9.2", answer))
        found = by_check(check_conda())["channel priority"]
        assert (found.status, found.found) == (WARNING, shown)
        assert found.remedy == "conda config --set channel_priority strict"
    commands(conda=None)
    (found,) = check_conda()
    assert found.status == FAILURE and "not on PATH" in found.found and "Miniforge" in found.remedy
    commands(conda="echo broken >&2; exit 3")
    assert "status 3: broken" in check_conda()[0].found


def test_a_command_that_hangs_is_a_trouble(commands):
    commands(sinfo="exec sleep 20")
    answer = ask(["sinfo"], timeout=0.5)
    assert answer.status is None and "within 0.5 s" in answer.trouble
