"""Measure what one construction switch does: build the corpora again with the switch on its other side.

The run stands in a copy of the finished one (results of the stages up to the corpora and Snakemake's metadata; sources
and inputs are linked), so only what the switch reaches is built again. The finished run is not touched.
"""

import dataclasses
import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import write_json
from workflow_scripts.reporting.effects import headline_of
from workflow_scripts.reporting.switches import SWITCHES

STAGES = ("acquire", "text", "linking", "kg", "corpus", "provenance")
NOT_LINKED = ("results", ".snakemake", ".git")
OTHER = {"mended": "published", "published": "mended"}


@dataclasses.dataclass(frozen=True)
class Params:
    """The whole configuration of the run, and its corpora."""

    config: dict
    corpora: list


def main(args):
    """Build with the other side and write the statistics."""
    settings = params.parse(Params, args.params)
    if args.switch not in SWITCHES:
        raise UsageError(f"--switch: {args.switch} is not one of {', '.join(SWITCHES)}")
    config, side = turned(settings.config, args.switch)
    with tempfile.TemporaryDirectory(prefix="effect.") as folder:
        folder = pathlib.Path(folder)
        copy_run(pathlib.Path.cwd(), folder, args.results)
        (folder / "turned.json").write_text(json.dumps(config), encoding="utf-8")
        error = build(folder, args.results, settings.corpora, args.cores)
        found = {} if error else headline_of(folder / args.results, settings.corpora)
    write_json(args.output, {"switch": args.switch, "side": side, "statistics": found, "error": error})


def turned(config, switch):
    """The configuration with one switch on its other side, and that side."""
    config = json.loads(json.dumps(config))
    construction = config["construction"]
    side = OTHER[construction["switches"].get(switch, construction["preset"])]
    construction["switches"][switch] = side
    return config, side


def copy_run(source, target, results):
    """Make a working directory: results up to the corpora and metadata as copies, all else as links."""
    for path in source.iterdir():
        if path.name not in NOT_LINKED:
            (target / path.name).symlink_to(path)
    for stage in STAGES:
        if (source / results / stage).is_dir():
            shutil.copytree(source / results / stage, target / results / stage)
    if (source / ".snakemake/metadata").is_dir():
        shutil.copytree(source / ".snakemake/metadata", target / ".snakemake/metadata")


def build(folder, results, corpora, cores):
    """Run the workflow up to the statistics; gives the error messages of the jobs that failed, None if none did."""
    wanted = ["text/statistics.json", "kg/statistics.json", *(f"corpus/{name}/statistics.json" for name in corpora)]
    arguments = [sys.executable, "-m", "snakemake", "--snakefile", "Snakefile", "--cores", str(cores), "--keep-going"]
    arguments += ["--configfile", "turned.json", "--", *(f"{results}/{name}" for name in wanted)]
    environment = {name: value for name, value in os.environ.items() if name != command.INVOCATION}
    run = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    logging.info("%s", run.stdout[-2000:] + run.stderr[-4000:])
    if run.returncode == 0:
        return None
    logs = sorted((folder / results / "logs").rglob("*.log"))
    texts = (log.read_text(encoding="utf-8", errors="replace").partition("error: ")[2] for log in logs)
    failed = [text.strip() for text in texts if text]
    if not failed:
        raise UsageError(f"the run with the switch on its other side could not be planned\n{run.stderr[-2000:]}")
    return "\n".join(failed)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    path = pathlib.Path
    parser.add_argument("--results", type=path, required=True, help="folder of the finished run, relative to here")
    parser.add_argument("--switch", required=True, help="construction switch to turn")
    parser.add_argument("--cores", type=int, default=1, help="cores of the run")
    parser.add_argument("--output", type=path, required=True, help="statistics under the other side (JSON)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
