"""The frame of the commands: exit codes, messages, the record."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import dataclasses, sys
from workflow_scripts.common import command
from workflow_scripts.common.errors import DataError, Resumable, UsageError
def main(args):
    if args.how == "data":
        raise DataError("a.rrf", line=3, found="2 columns", expected="16 columns", remedy="write it again")
    if args.how == "usage":
        raise UsageError("wrong word")
    if args.how == "stopped":
        raise Resumable("saved")
    if args.how == "bug":
        raise ZeroDivisionError("oops")
    if args.how == "memory":
        raise MemoryError("too little")
    print("main was reached", file=sys.stderr)
p = command.parser("example")
p.add_argument("--how", default="well")
p.add_argument("--file", nargs="*")
command.run(p, main)
"""


@pytest.fixture
def run(tmp_path, repository):
    (tmp_path / "example.py").write_text(SCRIPT)

    def call(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-P", str(tmp_path / "example.py"), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            env={"PYTHONPATH": str(repository), "SLURM_JOB_ID": "77", "UMLS_API_KEY": "planted-secret", **environment},
        )

    return call


@pytest.mark.parametrize("how, code", [("well", 0), ("usage", 2), ("data", 3), ("stopped", 75), ("bug", 1)])
def test_exit_codes_and_record_only_on_success(run, tmp_path, how, code):
    result = run("--how", how, "--record", tmp_path / "record.json")
    assert result.returncode == code
    assert (tmp_path / "record.json").exists() == (code == 0)
    assert ("Traceback" in result.stderr) == (how == "bug")


def test_a_data_error_says_where_what_and_what_to_do(run):
    lines = run("--how", "data").stderr.splitlines()
    assert lines == [
        "error: a.rrf, line 3",
        "  found:    2 columns",
        "  expected: 16 columns",
        "  remedy:   write it again",
    ]


def test_record_holds_digests_of_code_and_files_and_no_secret(run, tmp_path):
    (tmp_path / "data.txt").write_text("abc")
    run("--file", tmp_path / "data.txt", tmp_path / "absent", "--params", '{"a":1}', "--record", tmp_path / "r.json")
    text = (tmp_path / "r.json").read_text()
    record = json.loads(text)
    assert record["files"] == {
        str(tmp_path / "data.txt"): {
            "bytes": 3,
            "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        }
    }
    assert "workflow_scripts/common/command.py" in record["code"]
    assert record["options"]["params"] == '{"a":1}' and record["slurm_job"] == "77"
    assert "planted-secret" not in text


def test_options_cannot_be_abbreviated(run):
    assert run("--fil", "x").returncode == 2


@pytest.mark.parametrize(
    "how, code, hopeless", [("bug", 1, True), ("data", 3, True), ("memory", 1, False), ("stopped", 75, False)]
)
def test_only_a_hopeless_failure_is_not_tried_again_and_only_by_the_same_invocation(run, tmp_path, how, code, hopeless):
    record = tmp_path / "record.json"
    first = run("--how", how, "--record", record, MEDDISTANT_INVOCATION="one")
    assert first.returncode == code
    second = run("--record", record, MEDDISTANT_INVOCATION="one")
    assert ("main was reached" not in second.stderr) == hopeless
    if hopeless:
        assert second.returncode == code
        assert first.stderr.strip() in second.stderr and "not tried again" in second.stderr
        third = run("--record", record, MEDDISTANT_INVOCATION="two")
        assert third.returncode == 0 and "main was reached" in third.stderr
        assert not (tmp_path / "record.json.failed").exists()
