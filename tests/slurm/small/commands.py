"""Commands that train, need too much memory, have a bug, get bad input or wait, framed like those of the workflow.

Each call of the main function adds a line to <folder>/<what>.calls: the time at which it began.
"""

import os
import pathlib
import signal
import time

from workflow_scripts.common import command
from workflow_scripts.common.errors import DataError, Resumable
from workflow_scripts.common.files import atomic_path

SAVING_SECONDS = 5
MEGABYTE = 1 << 20


def main(args):
    """Do what `args.what` says."""
    args.folder.mkdir(exist_ok=True)
    with open(args.folder / f"{args.what}.calls", "a", encoding="utf-8") as calls:
        calls.write(f"{time.time():.1f}\n")
    what = args.what.rstrip("0123456789")
    {"train": train, "hungry": hungry, "bug": bug, "bad_input": bad_input, "member": member}.get(what, wait)(args)


def train(args):
    """Count seconds up to `args.seconds`; stopped by SIGTERM save the count, slowly, and go on from it next time."""
    stopped, state = [], args.folder / f"{args.what}.state"
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    done = int(state.read_text()) if state.is_file() else 0
    print(f"begins after {done}", flush=True)
    while done < args.seconds:
        time.sleep(1)
        done += 1
        if stopped:
            with atomic_path(state) as temporary:
                for _ in range(SAVING_SECONDS):
                    time.sleep(1)
                pathlib.Path(temporary).write_text(str(done))
            raise Resumable(f"stopped after {done}")


def hungry(args):
    """Fill memory until the first attempt's limit is passed, and stay there until killed."""
    block = bytearray(1200 * MEGABYTE)
    for start in range(0, len(block), 4096):
        block[start] = 1
    time.sleep(12)


def bug(args):
    """Fail like a program with a mistake."""
    return {}["a key that is not there"]


def bad_input(args):
    """Fail like a program that found a broken record."""
    raise DataError("some.RRF", line=7, found="3 columns", expected="18 columns", remedy="download it again")


def member(args):
    """One of many alike; the last one has a bug when a file says so."""
    if args.what == "member4" and os.path.exists("break_member4"):
        bug(args)
    time.sleep(2)


def wait(args):
    """Take a while; `cancelled` takes long the first time."""
    calls = (args.folder / f"{args.what}.calls").read_text().splitlines()
    time.sleep({"cancelled": 120 if len(calls) == 1 else 1, "sleeper": 25}.get(args.what, 1))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("what")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=0)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
