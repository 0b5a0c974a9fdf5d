"""The frame of every command: arguments, log, errors with exit codes, and a record of what really ran."""

import argparse
import errno
import logging
import os
import pathlib
import platform
import re
import sys
import time
import traceback

from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import PipelineError, Resumable
from workflow_scripts.common.files import read_json, write_json

WHOLE_FILE_LIMIT = 64 << 20
INVOCATION = "MEDDISTANT_INVOCATION"
# Libraries that write files without Python's own calls say in words of their own that a disk is full: DuckDB (files,
# and blocks of its temporary folder), safetensors, NumPy, PyTorch.
NO_ROOM = re.compile(
    "|".join([re.escape(os.strerror(code)) for code in (errno.ENOSPC, errno.EDQUOT)])
    + r"|failed to offload data block|\d+ requested and \d+ written|unexpected pos \d+ vs \d+"
)
# Failures that another attempt, with more memory or on another node, may not meet; so are all errors of the system.
WORTH_A_RETRY = (MemoryError, OSError)
WORTH_A_RETRY_NAMES = {"OutOfMemoryError", "OutOfMemoryException", "AcceleratorError"}
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def parser(description):
    """An argument parser with the two options that all commands have."""
    arguments = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    arguments.add_argument("--params", default="{}", metavar="JSON", help="parameters as a JSON object")
    arguments.add_argument("--record", metavar="FILE", help="write what ran (code, inputs, versions) to this file")
    return arguments


def run(arguments, main, argv=None):
    """Parse `argv`, call `main(args)` and exit.

    Exit codes: 0 done, 2 usage, 3 data, 75 stopped after saving, 1 anything else (with a traceback).

    A cluster repeats failed jobs. A bug or bad input would fail again after the same hours, so it leaves a note
    beside the record: a later attempt of the same Snakemake invocation fails at once with the same message.
    """
    args = arguments.parse_args(argv)
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"
    )
    note = pathlib.Path(f"{args.record}.failed") if args.record else None
    _refuse_hopeless_attempt(note)
    begun = _Begun(args) if args.record else None
    try:
        main(args)
        if args.record:
            write_json(args.record, begun.record(args))
            note.unlink(missing_ok=True)
    except Resumable as error:
        _stop(f"error: {error}", error.exit_code)
    except PipelineError as error:
        _stop(f"error: {error}", error.exit_code, note)
    except Exception as error:
        if without_room := _without_room(error):
            _stop(without_room, 1)
        retried = isinstance(error, WORTH_A_RETRY) or type(error).__name__ in WORTH_A_RETRY_NAMES
        _stop(traceback.format_exc(), 1, None if retried else note)


def _without_room(error):
    """What to say when a disk or a quota is full; None for another error."""
    told = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if not told and not NO_ROOM.search(str(error)):
        return None
    files = [str(name) for name in (getattr(error, "filename", None), getattr(error, "filename2", None)) if name]
    return (
        f"error: no room left on a disk ({str(error).splitlines()[0][:300]})\n"
        f"  found:    {', '.join(files) or 'while writing'}\n"
        "  expected: room for the outputs and for the temporary folder (TMPDIR, resource tmpdir)\n"
        "  remedy:   make room and start again: what was finished before is whole and stays"
    )


def _stop(message, code, note=None):
    print(message, file=sys.stderr, flush=True)
    if note and os.environ.get(INVOCATION):
        write_json(note, {"invocation": os.environ[INVOCATION], "message": message, "exit_code": code})
    sys.exit(code)


def _refuse_hopeless_attempt(note):
    if note and note.is_file():
        earlier = read_json(note)
        if earlier["invocation"] == os.environ.get(INVOCATION):
            message = "not tried again: an earlier attempt of this run failed with an error that does not go away"
            print(f"{message}\n{earlier['message']}", file=sys.stderr, flush=True)
            sys.exit(earlier["exit_code"])


class _Begun:
    """What a command began with: files may be edited while it runs, and a job is what it read."""

    def __init__(self, args):
        self.time = time.time()
        self.code = {path: _digest_as_loaded(path, _process_start()) for path in _own_modules()}
        self.files = {path: _fingerprint(path) for path in _named_files(args)}

    def record(self, args):
        """The record of the command, at its end."""
        ended = time.time()
        loaded_later = {path: _digest_as_loaded(path, self.time) for path in _own_modules() if path not in self.code}
        now = {path: _fingerprint(path) for path in _named_files(args) if _changed(path, self.files.get(path))}
        code = {str(path.relative_to(REPOSITORY)): digest for path, digest in (self.code | loaded_later).items()}
        return {
            "command": pathlib.Path(sys.argv[0]).name,
            "options": {name: _plain(value) for name, value in vars(args).items() if name != "record"},
            "code": dict(sorted(code.items())),
            "files": {path: _shown(fingerprint) for path, fingerprint in sorted((now | self.files).items())},
            "rewritten": {path: _shown(now[path]) for path in sorted(now.keys() & self.files.keys())},
            "python": platform.python_version(),
            "versions": _versions(),
            "host": platform.node(),
            "slurm_job": os.environ.get("SLURM_JOB_ID"),
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.time)),
            "seconds": round(ended - self.time, 3),
            "ended": round(ended, 3),
        }


def _named_files(args):
    texts = {text for name, value in vars(args).items() if name != "record" for text in _texts(value)}
    return sorted(text for text in texts if os.path.isfile(text))


def _process_start():
    """When this process began (its shell, after `exec`), in seconds since the epoch."""
    try:
        ticks = int(pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, AttributeError, IndexError):
        return time.time()


def _digest_as_loaded(path, since):
    """A module's digest; no digest if its file was written after `since`, when an older text may have been read."""
    return "edited while it was loaded" if path.stat().st_mtime > since else file_digest(path)


def _texts(value):
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts(item)]
    return [str(value)] if isinstance(value, (str, os.PathLike)) and len(str(value)) < 4096 else []


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, os.PathLike) else value


def _own_modules():
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    paths = {pathlib.Path(name).resolve() for name in files if name}
    return sorted(path for path in paths if (REPOSITORY / "workflow_scripts") in path.parents)


def _versions():
    tops = {name.partition(".")[0] for name in sys.modules}
    known = {name: getattr(sys.modules[name], "__version__", None) for name in tops if name in sys.modules}
    return {name: version for name, version in sorted(known.items()) if isinstance(version, str)}


def _fingerprint(path):
    status = os.stat(path)
    small = status.st_size <= WHOLE_FILE_LIMIT
    digest = {"sha256": file_digest(path)} if small else {}
    return {"bytes": status.st_size, "mtime_ns": status.st_mtime_ns} | digest


def _changed(path, fingerprint):
    if fingerprint is None:
        return True
    status = os.stat(path)
    return (status.st_size, status.st_mtime_ns) != (fingerprint["bytes"], fingerprint["mtime_ns"])


def _shown(fingerprint):
    """A fingerprint without the time stamp where there is a digest."""
    return {name: value for name, value in fingerprint.items() if name != "mtime_ns" or "sha256" not in fingerprint}
