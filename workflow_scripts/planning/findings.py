"""What the preflight found: whether a thing is well, and else what is there, what should be and what to do."""

import dataclasses
import shutil
import subprocess

OK, WARNING, FAILURE, SKIPPED = "ok", "warning", "failure", "skipped"


@dataclasses.dataclass(frozen=True)
class Finding:
    """One result of the preflight; `expected` and `remedy` are given for warnings and failures."""

    check: str
    status: str
    found: str
    expected: str = ""
    remedy: str = ""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a command of the machine said; `status` is None where it does not exist or did not answer in time."""

    status: int | None
    output: str
    trouble: str


def ask(command, timeout=20):
    """Run a command of the machine and give its answer; never raises."""
    if shutil.which(command[0]) is None:
        return Answer(None, "", f"{command[0]} is not on PATH")
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=timeout, errors="replace")
    except subprocess.TimeoutExpired:
        return Answer(None, "", f"{command[0]} did not answer within {timeout} s")
    except OSError as error:
        return Answer(None, "", f"{command[0]}: {error.strerror}")
    said = (process.stderr.strip() or process.stdout.strip()).splitlines()
    trouble = f"{command[0]} ended with status {process.returncode}: {said[0] if said else 'without a word'}"
    return Answer(process.returncode, process.stdout, trouble)
