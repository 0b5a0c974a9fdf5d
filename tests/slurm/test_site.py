"""What a site's own profile adds: account, partitions, GPUs by --gres, arrays, requeue; Snakemake inside a job."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.slurm.conftest import SITE, Run, note_sbatch, until

pytestmark = [pytest.mark.timeout(600)]


def facts(path):
    """The words key=value of a file."""
    words = path.read_text().split()
    return dict(word.split("=", 1) for word in words if "=" in word)


@pytest.fixture(scope="module")
def overlaid(cluster, start, folder_of):
    """A run with a site profile: an account, partitions made by the generator, GPUs by --gres."""
    folder = folder_of("site")
    tools = {"PATH": note_sbatch(folder)["PATH"]}
    accounts = folder / "tools" / "sacctmgr"  # this cluster keeps no accounts, the plugin asks for them
    accounts.write_text("#!/bin/sh\necho lab_account\n")
    accounts.chmod(0o755)
    generator = f"{sys.prefix}/bin/generate-slurm-partition-config"
    subprocess.run([generator, "-o", folder / "partitions.yaml"], check=True, timeout=60, capture_output=True)
    site = f"""{SITE}
default-resources: {{slurm_account: lab_account}}
slurm-partition-config: partitions.yaml
slurm-qos: normal
set-resources: {{gpu_facts: {{gpu: 0, gres: "gpu:v100:1"}}}}
"""
    partitions = (folder / "partitions.yaml").read_text()
    assert "short:" in partitions and "max_runtime" in partitions
    # the cluster does not account for its GPUs, so the generator cannot know them: a line by hand
    text = partitions.replace("  main:\n", "  main:\n    max_gpu: 2\n")
    (folder / "partitions.yaml").write_text(text)
    run = start(folder, "facts", site=site, environment=tools)
    run.status = run.wait()
    return run


def test_account_and_quality_of_service_reach_sbatch(overlaid):
    assert overlaid.status == 0, overlaid.output[-3000:]
    for rule in ("cpu_facts", "gpu_facts"):
        (call,) = overlaid.submissions(f"rule_{rule}")
        assert "-A lab_account" in call and "--qos=normal" in call
        assert facts(overlaid.folder / f"{rule[:3]}.txt")["Account"] == "lab_account"


def test_each_job_goes_to_the_partition_that_fits(overlaid):
    assert facts(overlaid.folder / "cpu.txt")["Partition"] == "short"
    assert facts(overlaid.folder / "gpu.txt")["Partition"] == "main"


def test_gpus_only_by_gres(overlaid):
    (call,) = overlaid.submissions("rule_gpu_facts")
    assert "--gres=gpu:v100:1" in call and "--gpus" not in call
    assert facts(overlaid.folder / "gpu.txt")["devices"] in ("0", "1")


def test_resources_of_the_rules_reach_the_jobs(overlaid):
    cpu, gpu = facts(overlaid.folder / "cpu.txt"), facts(overlaid.folder / "gpu.txt")
    assert (cpu["NumCPUs"], cpu["TimeLimit"], cpu["MinMemoryNode"]) == ("2", "00:10:00", "300M")
    assert (gpu["NumCPUs"], gpu["TimeLimit"], gpu["MinMemoryNode"]) == ("1", "02:00:00", "700M")
    assert cpu["Requeue"] == gpu["Requeue"] == "0"
    assert "gpu" not in cpu["TRES"]


def test_the_name_of_the_invocation_reaches_every_job(overlaid):
    names = {facts(overlaid.folder / name)["invocation"] for name in ("cpu.txt", "gpu.txt")}
    assert len(names) == 1 and len(names.pop()) == 32


def test_an_array_is_submitted_and_late_jobs_are_not_forgotten(arrays):
    assert arrays.status == 1, arrays.output[-3000:]
    assert arrays.submissions("--array=1-2", "timed_member") and arrays.submissions("--array=1-3", "rule_member")
    for number in range(4):
        assert (arrays.folder / f"member{number}.json").is_file()
        assert len(arrays.times(f"member{number}")) == 1


def test_a_bug_in_one_member_is_met_once(arrays):
    assert len(arrays.times("member4")) == 1
    log = (arrays.folder / "logs" / "member4.log").read_text()
    assert log.startswith("not tried again: ") and "a key that is not there" in arrays.output


def test_a_member_out_of_time_goes_on(arrays):
    for number in range(2):
        assert 2 <= len(arrays.times(f"train{number}")) <= 4
        assert (arrays.folder / f"timed{number}.json").is_file()
        log = (arrays.folder / "logs" / f"timed{number}.log").read_text()
        assert int(log.split("begins after")[1].split()[0]) > 30


def test_snakemake_inside_a_job(cluster, folder_of):
    """For login nodes on which nothing may run."""
    folder = folder_of("inside")
    run = Run(folder, "--version")
    assert run.wait() == 0
    (folder / "job.sh").write_text(f"#!/bin/sh\nexec timeout -k 10 200 {' '.join(run.command[:-1])} fine.json\n")
    call = ["sbatch", "--parsable", "-t", "5", "--mem", "1000", "-o", "job.log", "job.sh"]
    subprocess.run(call, cwd=folder, env=run.environment, check=True, timeout=60, capture_output=True)
    until((folder / "fine.json").exists, seconds=150)
    until(lambda: not cluster.jobs(), seconds=60)
    assert "1 of 1 steps (100%) done" in (folder / "job.log").read_text()
    assert "-t 5" in run.submissions("rule_misbehave_wildcards_fine")[0]


def test_tests_that_are_told_to_end_stop_the_cluster(cluster):
    """`timeout` sends SIGTERM; pytest ends its fixtures at an interrupt."""
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)


def test_two_runs_in_one_checkout(cluster, start, folder_of):
    first = start(folder_of("twice"), "sleeper.json")
    cluster.wait_for("misbehave_wildcards_sleeper")
    second = start(first.folder, "sleeper.json", "fine.json")
    assert second.wait() == 1
    assert "Directory cannot be locked" in second.output and "--unlock" in second.output
    assert first.wait() == 0
    assert (first.folder / "sleeper.json").is_file() and not (first.folder / "fine.json").exists()


@pytest.mark.soak  # SLURM lets a requeued job wait for two minutes
def test_a_preempted_job_runs_again_where_slurm_may_requeue(cluster, start, folder_of, faults, arrays):
    site = SITE + "slurm-requeue: true\nslurm-no-requeue: false\ndefault-resources: {slurm_partition: spare}\n"
    run = start(folder_of("preempted"), "sleeper.json", site=site)
    job = cluster.wait_for("misbehave_wildcards_sleeper")
    until(lambda: (run.folder / "state" / "sleeper.calls").exists())
    call = ["sbatch", "--parsable", "-p", "main", "-c", "8", "-t", "1", "-o", "/dev/null", "--wrap", "sleep 5"]
    subprocess.run(call, check=True, timeout=60, capture_output=True)
    until(lambda: len(run.times("sleeper")) == 2, seconds=300)
    assert run.wait() == 0, run.output[-3000:]
    assert len(run.submissions("misbehave_wildcards_sleeper")) == 1 and job
    assert (run.folder / "sleeper.json").is_file()


def test_a_lost_node_costs_only_what_ran_on_it(cluster, start, folder_of, faults, arrays):
    run = start(folder_of("lost"), "fine.json", "sleeper.json")
    until(lambda: "Finished jobid" in run.output)
    cluster.wait_for("misbehave_wildcards_sleeper")
    cluster.lose_node()
    cluster.return_node()
    assert run.wait() == 0, run.output[-3000:]
    assert len(run.times("fine")) == 1
    assert len(run.submissions("misbehave_wildcards_sleeper")) == 2
