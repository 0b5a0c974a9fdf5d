"""Download a spaCy model by the address of its published archive, and unpack the folder that spaCy loads.

A cut connection is taken up where it broke. The digest of the archive is that of sources.lock, or pinned there at the
first download; the archive goes when the model is unpacked. A model that is there and came from this address stays.
"""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.acquire import download_options, model_archive, sources_lock
from workflow_scripts.acquire.pinned_download import Source, fetch
from workflow_scripts.common import command, params


@dataclasses.dataclass(frozen=True)
class Params:
    """Address of the archive, a .tar.gz."""

    url: str


def main(args):
    """Download and unpack the model."""
    settings = params.parse(Params, args.params)
    folder, file = args.meta.parent, settings.url.rpartition("/")[2]
    source = Source(
        url=settings.url,
        target=folder.with_name(file),
        lock=args.lock,
        label=f"spacy/{file}",
        fault=model_archive.fault,
        remedy="look at the address in a browser and correct it in text.model and linking.model; without network "
        "unpack the archive and name its folder with config.cfg there; start again to go on where this ended",
        policy=download_options.policy(args),
    )
    pin = sources_lock.read(args.lock).get(source.label)
    if args.meta.is_file() and pin is not None and pin.url == settings.url:
        logging.info("%s is there, unpacked from the archive that %s names", folder, args.lock)
        return
    fetch(source)
    model_archive.unpack(source.target, folder)
    source.target.unlink()
    logging.info("%s: unpacked", folder)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--meta", type=Path, required=True, help="meta.json in the folder to unpack to")
    download_options.add(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
