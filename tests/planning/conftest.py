"""A tiny finished workflow with a checkpoint, a script and params, and stand-ins for commands of a cluster."""

import shutil
import subprocess
import sys

import pytest

SNAKEFILE = """
configfile: "config.yaml"


def digest(wildcards):
    return checkpoints.fingerprint_item.get(item=wildcards.item).output[0]


rule all:
    input:
        "results/tiny/joined.txt",


checkpoint fingerprint_item:
    input:
        "{item}.dat",
    output:
        "results/tiny/{item}.digest",
    log:
        "results/tiny/logs/acquire/{item}.log",
    shell:
        "sha256sum < {input} > {output}"


rule make_part:
    input:
        file=ancient("{item}.dat"),
        digest=digest,
    output:
        "results/tiny/{item}.part",
    log:
        "results/tiny/logs/text/{item}.log",
    benchmark:
        "results/tiny/benchmarks/text/make_part/{item}.jsonl"
    threads: 2
    resources:
        mem_mb=300,
        gpu=1,
        runtime=7,
    shell:
        "cp {input.digest} {output}"


rule join_parts:
    input:
        code="workflow_scripts/join.py",
        parts=expand("results/tiny/{item}.part", item=config["items"]),
    output:
        "results/tiny/joined.txt",
    log:
        "results/tiny/logs/corpus/join.log",
    benchmark:
        "results/tiny/benchmarks/corpus/join_parts.jsonl"
    params:
        params=lambda wildcards: config["params"],
    shell:
        "cat {input.parts} > {output}"
"""
CONFIG = """items: [a, b]\nparams: '{"k": 1, "row": {"lr": 0.1, "name": "x; y now: z"}}'\n"""


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of the finished tiny workflow; copy it before use."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "Snakefile").write_text(SNAKEFILE)
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "workflow_scripts").mkdir()
    (folder / "workflow_scripts" / "join.py").write_text("print(1)\n")
    for item in ("a", "b", "c"):
        # larger than what Snakemake compares by content
        (folder / f"{item}.dat").write_bytes(item.encode() * 1_100_000)
    subprocess.run([sys.executable, "-m", "snakemake", "--cores", "1"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def tiny(finished, tmp_path, monkeypatch):
    """A copy of the finished tiny workflow, as the current folder."""
    shutil.copytree(finished, tmp_path / "tiny", symlinks=True)
    monkeypatch.chdir(tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """Replace commands of the machine: `commands(sinfo="echo x", sacct=None)`; None takes a command away."""
    folder = tmp_path / "commands"
    folder.mkdir()

    def install(**bodies):
        for name, body in bodies.items():
            path = folder / name
            if body is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(f"#!/bin/sh\n{body}\n")
                path.chmod(0o755)
        return folder

    # only the stand-ins and the plain tools of a machine
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "echo", "sleep", "cat", "env", "which"):
        (tools / tool).symlink_to(shutil.which(tool))
    monkeypatch.setenv("PATH", f"{folder}:{tools}")
    return install
