"""Pack the export of a corpus into one archive with the same bytes every time.

What is derived from the UMLS is packed only where the configuration says that you may pass it on
(export.may_redistribute).
"""

import dataclasses
import gzip
import tarfile
from pathlib import Path

from workflow_scripts.common import command, params
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import atomic_path, read_json


@dataclasses.dataclass(frozen=True)
class Params:
    """May the user pass on what is derived from the UMLS?"""

    may_redistribute: bool


def main(args):
    """Test terms and checksums, then write the archive."""
    settings = params.parse(Params, args.params)
    folder = args.sums.parent
    if read_json(folder / "terms.json")["derived_from_umls"] and not settings.may_redistribute:
        raise UsageError(
            f"{folder} is derived from the UMLS and is not packed for others\n"
            "  expected: export.may_redistribute: true, set by somebody whose licences allow it\n"
            "  remedy:   leave the files where they are; or, if your licences of the UMLS and of its source\n"
            "            vocabularies let you pass them on to people who hold these licences too, set the key"
        )
    pack(folder, checked_files(args.sums), args.output)


def checked_files(sums):
    """The files that SHA256SUMS names, each with the digest that stands there; the list itself last.

    Raises
    ------
    DataError
        If a file is missing or has another digest.
    """
    names = []
    for number, line in enumerate(sums.read_text(encoding="utf-8").splitlines(), 1):
        digest, _, name = line.partition("  ")
        path = sums.parent / name
        found = file_digest(path) if path.is_file() else "no such file"
        if found != digest:
            raise DataError(
                sums, line=number, found=f"{name}: {found}", expected=digest, remedy="export the corpus again"
            )
        names.append(name)
    return [*names, sums.name]


def pack(folder, names, output):
    """Write a .tar.gz of some files under the folder's name: no time, no owner, one order."""
    with (
        atomic_path(output) as temporary,
        open(temporary, "wb") as stream,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in sorted(names):
            member = tarfile.TarInfo(f"{folder.name}/{name}")
            member.size, member.mode = (folder / name).stat().st_size, 0o644
            with open(folder / name, "rb") as content:
                archive.addfile(member, content)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--sums", type=Path, required=True, help="SHA256SUMS of the export")
    parser.add_argument("--output", type=Path, required=True, help="the archive (.tar.gz)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
