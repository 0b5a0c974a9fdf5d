"""The frame of every command: arguments, log, errors with exit codes, and a record of what really ran."""

import argparse
import logging
import os
import pathlib
import platform
import sys
import time

from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import PipelineError
from workflow_scripts.common.files import write_json

WHOLE_FILE_LIMIT = 64 << 20
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
    """
    args = arguments.parse_args(argv)
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"
    )
    started = time.time()
    try:
        main(args)
        if args.record:
            write_json(args.record, _record(args, started))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(error.exit_code)


def _record(args, started):
    options = {name: value for name, value in vars(args).items() if name != "record"}
    named = [text for value in options.values() for text in _texts(value)]
    return {
        "command": pathlib.Path(sys.argv[0]).name,
        "options": {name: _plain(value) for name, value in options.items()},
        "code": {str(path.relative_to(REPOSITORY)): file_digest(path) for path in _own_modules()},
        "files": {path: _fingerprint(path) for path in sorted(set(named)) if os.path.isfile(path)},
        "python": platform.python_version(),
        "versions": _versions(),
        "host": platform.node(),
        "slurm_job": os.environ.get("SLURM_JOB_ID"),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(time.time() - started, 3),
    }


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
    size = os.path.getsize(path)
    if size <= WHOLE_FILE_LIMIT:
        return {"bytes": size, "sha256": file_digest(path)}
    return {"bytes": size, "mtime_ns": os.stat(path).st_mtime_ns}
