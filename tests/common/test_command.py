"""The frame of the commands: exit codes, messages, the record."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from workflow_scripts.common import command

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
    if args.how == "full":
        from workflow_scripts.common.files import atomic_path
        with atomic_path(args.file[0]) as path, open(path, "w") as out:
            out.write("half of it")
            out.flush()
            with open("/dev/full", "w") as full:
                full.write("x" * 100_000)
    if args.how == "full of arrays":
        import numpy
        with open("/dev/full", "wb") as full:
            numpy.save(full, numpy.zeros(100_000))
    if args.how.startswith("says: "):
        raise RuntimeError(args.how[6:])
    if args.how == "edit":
        import pathlib, workflow_scripts.common.files as module
        for path in (args.file[0], module.__file__):
            pathlib.Path(path).write_text("edited")
        import workflow_scripts.common.late
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


def test_record_holds_the_code_and_the_files_that_the_command_began_with(run, tmp_path, repository):
    package = tmp_path / "workflow_scripts"
    shutil.copytree(repository / "workflow_scripts" / "common", package / "common")
    (package / "__init__.py").touch()
    (package / "common" / "late.py").write_text("1\n")
    (tmp_path / "data.txt").write_text("abc")
    files = package / "common" / "files.py"
    before = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in (files, tmp_path / "data.txt")}
    result = run(
        "--how", "edit", "--file", tmp_path / "data.txt", "--record", tmp_path / "r.json", PYTHONPATH=str(tmp_path)
    )
    assert result.returncode == 0, result.stderr
    record = json.loads((tmp_path / "r.json").read_text())
    assert record["code"]["workflow_scripts/common/files.py"] == before[files]
    assert record["code"]["workflow_scripts/common/late.py"] == hashlib.sha256(b"1\n").hexdigest()
    assert record["files"][str(tmp_path / "data.txt")]["sha256"] == before[tmp_path / "data.txt"]
    assert record["rewritten"] == {
        str(tmp_path / "data.txt"): {"bytes": 6, "sha256": hashlib.sha256(b"edited").hexdigest()}
    }
    assert record["ended"] > time.time() - 60


def test_a_module_that_was_edited_while_it_was_loaded_has_no_digest(tmp_path):
    module = tmp_path / "module.py"
    module.write_text("1\n")
    os.utime(module, (1000, 1000))
    assert command._digest_as_loaded(module, 999.0) == "edited while it was loaded"
    assert command._digest_as_loaded(module, 1001.0) == hashlib.sha256(b"1\n").hexdigest()
    assert 0 < time.time() - command._process_start() < 24 * 3600


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


# As DuckDB (a file, its temporary folder), safetensors and PyTorch said it on a full disk.
@pytest.mark.parametrize(
    "how",
    [
        "full of arrays",
        'says: IO Error: Async write failed: Could not write file "a.parquet": No space left on device',
        "says: Out of Memory Error: failed to offload data block of size 256.0 KiB (0 bytes used).\nThis limit",
        "says: Error while serializing: I/O error: No space left on device (os error 28)",
        "says: [enforce fail at inline_container.cc:672] . unexpected pos 576 vs 534",
        "says: write failed: Disk quota exceeded",
    ],
)
def test_a_full_disk_is_said_whatever_library_met_it_and_tried_again(run, tmp_path, how):
    done = run("--how", how, "--record", tmp_path / "record.json", MEDDISTANT_INVOCATION="one")
    assert done.returncode == 1 and done.stderr.startswith("error: no room left on a disk ("), done.stderr
    assert "remedy" in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.glob("record.json*"))


def test_a_full_disk_is_said_and_leaves_the_earlier_file_whole(run, tmp_path):
    (tmp_path / "out").write_text("from before")
    done = run("--how", "full", "--file", tmp_path / "out")
    assert done.returncode == 1 and "no room left on a disk" in done.stderr and "remedy" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "out").read_text() == "from before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["example.py", "out"]
