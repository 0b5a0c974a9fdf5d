"""Install a subset of a UMLS release with MetamorphoSys in batch mode: SNOMED CT (US), as the paper did.

The release's archive is unpacked to a temporary folder (about twice its size), MetamorphoSys is run on a generated
configuration (published settings, then config umls.metamorphosys), and the tables that the workflow reads are moved
into place when their rows and bytes are those of the subset's own MRFILES.
"""

import dataclasses
import logging
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from workflow_scripts.common import archives, command, params
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import atomic_open, atomic_path
from workflow_scripts.common.release_files import require_stated_size, size_of, stated_sizes
from workflow_scripts.kg import metamorphosys

# A subset need not define a concept.
MAY_BE_EMPTY = frozenset({"MRDEF"})
JAVA_SHARE = 0.8  # of the job's memory; the rest is Java's own


@dataclasses.dataclass(frozen=True)
class Params:
    """The release, and properties that replace the published ones."""

    release: str
    metamorphosys: dict


def unpack_release(archive, work):
    """Unpack a full release; gives the folder of the program and that of the release's own archives."""
    files = archives.unpack(archive, work / "release")
    program = next((path for path in files if path.name == "mmsys.zip"), None)
    packed = [path for path in files if path.suffix == ".nlm"]
    if program is None or not packed:
        raise DataError(
            archive,
            found=f"{', '.join(path.name for path in files[:12])}",
            expected="mmsys.zip and archives .nlm",
            remedy=metamorphosys.REMEDY,
        )
    archives.unpack(program, work / "program")
    program.unlink()
    source = packed[0].parent
    # batch mode looks for release.dat beside the archives
    for path in sorted((work / "program" / "config").glob("*/release.dat")):
        if not (source / "release.dat").exists():
            shutil.copyfile(path, source / "release.dat")
    return work / "program", source


def run_metamorphosys(java, program, source, work, settings, memory_mb):
    """Run the program; gives the folder of the tables."""
    made = work / "subset"
    made.mkdir()
    base = metamorphosys.base_properties(program, settings.release)
    properties = metamorphosys.subset_properties(base, settings.release, str(source), str(made), settings.metamorphosys)
    with atomic_open(work / "subset.prop") as stream:
        stream.writelines(f"{key}={value}\n" for key, value in properties.items())
    called, classpath = metamorphosys.batch_command(
        java, program, source, made, work / "subset.prop", max(int(memory_mb * JAVA_SHARE), 300)
    )
    logging.info("%s", " ".join(called))
    try:
        done = subprocess.run(called, cwd=program, env=os.environ | {"CLASSPATH": classpath}, check=False)
    except OSError as error:
        raise UsageError(
            f"{java} cannot be started ({error})\n  remedy: run with --sdm conda (envs/kg_metamorphosys.yaml), or have "
            "java on the PATH"
        ) from None
    if done.returncode:
        raise DataError(
            program,
            found=f"MetamorphoSys ended with exit code {done.returncode}",
            expected="0",
            remedy="its own messages are above; more memory for Java: set-resources install_subset:mem_mb=...",
        )
    return made


def publish(made, tables, folder):
    """Move checked tables into place, all or none."""
    found = sorted(path.name for path in made.rglob("*.RRF"))
    paths = {table: next(iter(sorted(made.rglob(f"{table}.RRF"))), None) for table in [*tables, "MRFILES"]}
    missing = [table for table in paths if paths[table] is None and table not in MAY_BE_EMPTY]
    if missing:
        raise DataError(
            made,
            found=f"no {', '.join(missing)}; there is {', '.join(found) or 'nothing'}",
            expected="the tables of the subset",
            remedy="MetamorphoSys' own messages are above; its configuration is config umls.metamorphosys",
        )
    with open(paths["MRFILES"], encoding="utf-8") as stream:
        stated = stated_sizes(stream)
    for table in tables:
        size = size_of(paths[table]) if paths[table] else (0, 0)
        require_stated_size(made, table, size, stated, "MetamorphoSys did not write the whole table: its disk is full?")
        if not size[0] and table not in MAY_BE_EMPTY:
            raise DataError(
                made, record=table, found="no rows", expected="rows", remedy="see config umls.metamorphosys"
            )
        logging.info("%s: %s rows, %s bytes", table, f"{size[0]:,}", f"{size[1]:,}")
    for table in tables:
        with atomic_path(folder / f"{table}.RRF") as target:
            if paths[table]:
                shutil.move(paths[table], target)
            else:
                target.touch()


def main(args):
    """Install the subset."""
    settings = params.parse(Params, args.params)
    with tempfile.TemporaryDirectory(prefix="metamorphosys.", dir=args.temporary) as work:
        work = Path(work).resolve()
        (work / "release").mkdir()
        (work / "program").mkdir()
        program, source = unpack_release(args.archive, work)
        made = run_metamorphosys(args.java, program, source, work, settings, args.memory_mb)
        args.folder.mkdir(parents=True, exist_ok=True)
        publish(made, args.tables, args.folder)


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--archive", type=Path, required=True, help="umls-<release>-full.zip")
    parser.add_argument("--tables", nargs="+", required=True, help="names of the tables, such as MRCONSO")
    parser.add_argument("--folder", type=Path, required=True, help="where <table>.RRF go")
    parser.add_argument("--temporary", type=Path, required=True, help="folder for the unpacked release")
    parser.add_argument("--memory-mb", type=int, required=True, help="memory of the job, megabytes")
    parser.add_argument("--java", default="java", help="the Java to run")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
