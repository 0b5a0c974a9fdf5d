"""Run a tool of others on a file: the command of the configuration, in a folder of its own.

In the command {input} and {output} stand for the files, {input_folder} and {output_folder} for the folders that hold
nothing else, {corpus} and {kb} for those of the corpus and its knowledge base. The file that the tool leaves is the
output, whatever its name where it is the only one.
"""

import csv
import dataclasses
import logging
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import atomic_path

# What a shell says of a program that is not there, or is no program.
NOT_FOUND, NOT_EXECUTABLE = 127, 126


@dataclasses.dataclass(frozen=True)
class Params:
    """Name of the tool, its command, and the name that its output file should have."""

    tool: str
    command: str


def filled(text, places):
    """A command with its places filled, quoted for the shell."""
    for name, value in places.items():
        text = text.replace(f"{{{name}}}", shlex.quote(str(value)))
    return text


def hint(table, tool):
    """How a tool is installed, of its row in the table of tools; where it has none, where to look."""
    with open(table, encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if row["tool"] == tool:
                return f"install it: {row['install']} ({row['address']})"
    return f"install it and correct belb.tools.{tool}.command; {table} knows some tools"


def main(args):
    """Run the command; the output has its name when the tool has ended well and left one file."""
    settings = params.parse(Params, args.params)
    with tempfile.TemporaryDirectory(dir=args.temporary, prefix="tool.") as work:
        folders = {name: pathlib.Path(work, name) for name in ("input", "output")}
        for folder in folders.values():
            folder.mkdir()
        source, made = folders["input"] / args.input.name, folders["output"] / args.input.name
        shutil.copyfile(args.input, source)
        places = {"input": source, "output": made, "input_folder": folders["input"]}
        places |= {"output_folder": folders["output"], "corpus": args.corpus.resolve()}
        if args.kb:
            places["kb"] = args.kb.resolve()
        elif "{kb}" in settings.command:
            raise UsageError(f"belb.tools.{settings.tool}.command: {{kb}}, but the corpus has no knowledge base")
        _call(settings, filled(settings.command, places), work, args.tools)
        result = _only_file(settings.tool, folders["output"], made)
        with atomic_path(args.output) as temporary:
            shutil.copyfile(result, temporary)


def _call(settings, line, work, table):
    logging.info("%s", line)
    # the modules of this house are none of the tool's
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(["bash", "-c", line], cwd=work, env=variables, stdin=subprocess.DEVNULL, check=False)
    if done.returncode in (NOT_FOUND, NOT_EXECUTABLE):
        raise UsageError(
            f"belb.tools.{settings.tool}.command: a program of it is not there, or not executable (exit code "
            f"{done.returncode})\n  found:  {settings.command}\n  remedy: {hint(table, settings.tool)}"
        )
    if done.returncode:
        raise DataError(
            f"belb.tools.{settings.tool}",
            found=f"exit code {done.returncode} of {settings.command}",
            expected="0",
            remedy="its own messages are above; run the command by hand",
        )


def _only_file(tool, folder, made):
    """The file that the tool was told to write, or else the only one it left."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    result = made if made.is_file() else files[0] if len(files) == 1 else None
    if result is None or not result.stat().st_size:
        there = ", ".join(str(path.relative_to(folder)) for path in files) or "no file"
        raise DataError(
            f"belb.tools.{tool}",
            found=f"{there} in its output folder" if result is None else f"an empty file {result.name}",
            expected=f"{made.name}, or one file of another name",
            remedy="its own messages are above; have the command write {output}, or into {output_folder}",
        )
    return result


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--input", type=pathlib.Path, required=True, help="what the tool reads")
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="folder of the corpus")
    parser.add_argument("--kb", type=pathlib.Path, nargs="?", help="folder of its knowledge base")
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="experiments/belb_tools.tsv, for messages")
    parser.add_argument("--temporary", default=tempfile.gettempdir(), help="where the tool gets a folder")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="output: what the tool wrote")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
