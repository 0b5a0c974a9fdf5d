"""Write the exact packages of conda environments beside them: envs/<name>.<platform>.pin.txt.

Needs conda and its channels. Snakemake installs a pin file as it stands, without solving, so an environment is the same
on every machine and on every day. Packages that a <name>.post-deploy.sh adds are pinned there.
"""

import dataclasses
import json
import logging
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

from workflow_scripts.common import command
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import atomic_open

ENVIRONMENTS = pathlib.Path(__file__).resolve().parents[2] / "envs"


@dataclasses.dataclass(frozen=True)
class Package:
    """A package of a pin file."""

    name: str
    version: str
    build: str


def dependencies(environment):
    """The packages that an environment file names.

    Parameters
    ----------
    environment : Path

    Returns
    -------
    dict of str to str
        Version by conda name, in the order of the file.

    Raises
    ------
    DataError
        If an entry is not `name=version`.
    """
    named = {}
    for entry in yaml.safe_load(environment.read_text(encoding="utf-8"))["dependencies"]:
        exact = re.fullmatch(r"([\w.-]+)=(\d[\w.]*)", str(entry))
        if not exact:
            raise DataError(
                environment,
                found=f"dependency {entry}",
                expected="name=version",
                remedy="give the exact version; what only the Python index has goes to a .post-deploy.sh",
            )
        named[exact[1]] = exact[2]
    return named


def packages(pins):
    """The packages of the text of a pin file, as `Package`s."""
    found = []
    for line in pins.splitlines():
        if line and line[0] not in "#@":
            file = line.partition("#")[0].rpartition("/")[2]
            found.append(Package(*file.removesuffix(".conda").removesuffix(".tar.bz2").rsplit("-", 2)))
    return found


def disagreements(environment, pins):
    """What in the text of a pin file is not as the environment file says, one sentence each; empty if all is well."""
    pinned = {package.name: package.version for package in packages(pins)}
    found = []
    for name, version in dependencies(environment).items():
        given = pinned.get(name)
        # python=3.11 means any 3.11.x; all others are whole versions
        if given != version and not (name == "python" and given and given.startswith(f"{version}.")):
            found.append(f"{name}: {environment.name} wants {version}, the pin file has {given}")
    if header(environment) not in pins.splitlines():
        found.append(f"{environment.name} was edited since its pin file was made: run `make pins`")
    return found


def header(environment):
    """The line that ties a pin file to the bytes of its environment file."""
    return f"# Made by `make pins` from {environment.name} with sha256 {file_digest(environment)}"


def pin(environment, platform, folder):
    """Let conda solve one environment in a throw-away prefix and write its packages.

    Parameters
    ----------
    environment : Path
    platform : str
        As conda names it, "linux-64".
    folder : Path
        Holds the prefix; is as large as the environment.

    Returns
    -------
    Path
        The pin file.
    """
    prefix = folder / environment.stem
    _conda("env", "create", "--quiet", "--file", environment, "--prefix", prefix)
    listed = _conda("list", "--explicit", "--md5", "--prefix", prefix)
    shutil.rmtree(prefix)
    lines = [line for line in listed.splitlines() if line and not line.startswith("#")]
    text = "\n".join([header(environment), *lines]) + "\n"
    if wrong := disagreements(environment, text):
        raise DataError(environment, found="; ".join(wrong), expected="a solution with the versions of this file")
    if any(package.name == "pytorch" and "cuda" not in package.build for package in packages(text)):
        logging.warning("%s: pytorch without CUDA; for GPUs: CONDA_OVERRIDE_CUDA=<version> make pins", environment)
    target = environment.with_name(f"{environment.stem}.{platform}.pin.txt")
    with atomic_open(target) as stream:
        stream.write(text)
    return target


def _conda(*arguments):
    try:
        done = subprocess.run(["conda", *map(str, arguments)], capture_output=True, text=True)
    except FileNotFoundError:
        raise UsageError("no conda on PATH\n  remedy: run `make pins` where conda and its channels are") from None
    if done.returncode:
        raise UsageError(f"conda {' '.join(map(str, arguments))} failed\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def main(args):
    wanted = [args.envs / f"{name}.yaml" for name in args.names] or sorted(args.envs.glob("*.yaml"))
    if missing := [str(path) for path in wanted if not path.is_file()]:
        raise UsageError(f"no environment file {', '.join(missing)}")
    platform = json.loads(_conda("info", "--json"))["platform"]
    with tempfile.TemporaryDirectory() as folder:
        for environment in wanted:
            logging.info("wrote %s", pin(environment, platform, pathlib.Path(folder)))


def arguments():
    parser = command.parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="environments (kg text); all if none is given")
    parser.add_argument("--envs", type=pathlib.Path, default=ENVIRONMENTS, help="folder of the environment files")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
