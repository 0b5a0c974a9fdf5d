"""Download a pretrained encoder from the hub: configuration, vocabulary and weights.

Plain HTTPS in the hub's layout: <endpoint>/api/models/<id>/revision/<revision> says which commit the revision is and
which files it has, <endpoint>/<id>/resolve/<commit>/<file> gives them. Without a revision it is that of the first
download, as sources.lock has it, or else the branch main. The digests are pinned in sources.lock. HF_ENDPOINT in the
environment replaces the hub's address, HF_TOKEN is sent where it is set. Where the hub does not give the encoder, a
note beside its folder says why (<folder>.absent.json): the next run goes on without it where it can, see config
downloads.failed_encoders.
"""

import dataclasses
import json
import logging
import os
import re
import urllib.parse
from pathlib import Path

from workflow_scripts.acquire import download_options, sources_lock
from workflow_scripts.acquire.http_download import Passing, Refused, get_small, retried
from workflow_scripts.acquire.nlm_md5 import digests
from workflow_scripts.acquire.pinned_download import NotFetched, Source, fetch
from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, write_json
from workflow_scripts.common.hub import absence_note, hub_endpoint, hub_file

OPTIONAL = "tokenizer_config.json"
LARGEST_ANSWER = 8 << 20


@dataclasses.dataclass(frozen=True)
class Params:
    """A row of experiments/encoders.tsv: id at the hub, revision (None: pinned at the first download), weights."""

    encoder: str
    hub_id: str
    revision: str | None
    weights: str


class Hub:
    """What the hub says about one model.

    Parameters
    ----------
    settings : Params
    policy : http_download.Policy
    """

    def __init__(self, settings, policy):
        self.settings, self.policy = settings, policy
        self.endpoint = hub_endpoint()
        token = os.environ.get("HF_TOKEN", "").strip()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def describe(self, revision):
        """(commit, files by name) of a revision; raises NotFetched where the hub does not know it."""
        address = f"{self.endpoint}/api/models/{self.settings.hub_id}/revision/{urllib.parse.quote(revision, safe='')}"
        try:
            text = retried(
                lambda: get_small(f"{address}?blobs=true", self.policy, LARGEST_ANSWER, self.headers), self.policy
            )
            answer = json.loads(text)
            files = {entry["rfilename"]: entry for entry in answer["siblings"]}
            commit = answer["sha"]
        except (Refused, Passing) as fault:
            raise self.trouble(address, str(fault)) from None
        except (ValueError, KeyError, TypeError):
            raise self.trouble(address, f"an answer that is not of the hub: {text[:80]!r}") from None
        if not re.fullmatch("[0-9a-f]{40}", str(commit)):
            raise self.trouble(address, f"no commit but {commit!r}")
        return commit, files

    def address(self, commit, name):
        """Where a file is."""
        return hub_file(self.settings.hub_id, commit, name, self.endpoint)

    def trouble(self, address, found):
        """The error that says what to do."""
        encoder = self.settings.encoder
        return NotFetched(
            address,
            found=found,
            expected=f"the encoder {encoder}",
            remedy=f"mend row {encoder} of experiments/encoders.tsv (hub_id, revision, weights); a model that needs an "
            f"account needs HF_TOKEN; without network put the folder in place and set encoders.{encoder}.path, or set "
            "downloads.encoders to false: then the other encoders run, and this one's cell says why it is empty",
        )


def pinned_commit(lock, encoder):
    """The commit that an earlier download of the encoder was, as sources.lock has it; None before the first one."""
    found = {
        match[1]
        for name, pin in sources_lock.read(lock).items()
        if name.startswith(f"encoder/{encoder}/") and (match := re.search("/resolve/([0-9a-f]{40})/", pin.url))
    }
    if len(found) > 1:
        raise DataError(
            lock,
            record=f"encoder/{encoder}",
            found=f"files of {len(found)} commits",
            expected="one commit",
            remedy=f"remove the lines encoder/{encoder}/ and get the encoder again",
        )
    return found.pop() if found else None


def fetch_encoder(settings, files, lock, policy):
    """Get the files of an encoder, or check those that are there.

    Parameters
    ----------
    settings : Params
    files : list of Path
        Where they go; named as at the hub. A tokenizer_config.json that the hub lacks is written as `{}`.
    lock : Path
    policy : http_download.Policy
    """
    hub = Hub(settings, policy)
    pinned = pinned_commit(lock, settings.encoder)
    if all(path.is_file() for path in files) and pinned in (settings.revision or pinned, None):
        logging.info("the files are there: their digests are compared with those in %s", lock)
        _compare(settings, files, lock)
        return
    commit, there = hub.describe(settings.revision or pinned or "main")
    if pinned not in (None, commit):
        raise DataError(
            lock,
            record=f"encoder/{settings.encoder}",
            found=f"commit {pinned}, pinned before",
            expected=f"commit {commit} (revision {settings.revision} of experiments/encoders.tsv)",
            remedy=f"to change the revision remove the lines encoder/{settings.encoder}/ and the files in "
            f"{files[0].parent}",
        )
    missing = [path.name for path in files if path.name not in there and path.name != OPTIONAL]
    if missing:
        raise hub.trouble(
            f"{settings.hub_id} at {commit}", f"no {', '.join(missing)}; there is {', '.join(sorted(there)[:20])}"
        )
    for path in files:
        if path.name not in there:
            with atomic_open(path) as stream:
                stream.write("{}\n")
            continue
        blob = there[path.name]
        large = blob.get("lfs") or {}
        fetch(
            Source(
                url=hub.address(commit, path.name),
                target=path,
                lock=lock,
                label=f"encoder/{settings.encoder}/{path.name}",
                sha256=large.get("sha256"),
                size=large.get("size", blob.get("size")),
                headers=hub.headers,
                remedy="start again to go on where this ended; see row of experiments/encoders.tsv",
                policy=policy,
            )
        )


def _compare(settings, files, lock):
    known = sources_lock.read(lock)
    for path in files:
        pin = known.get(f"encoder/{settings.encoder}/{path.name}")
        if pin is not None:
            sha256, _ = digests(path)
            sources_lock.pin(lock, dataclasses.replace(pin, sha256=sha256, bytes=path.stat().st_size))


def main(args):
    """Download the encoder; where it cannot be had, note why."""
    settings = params.parse(Params, args.params)
    note = absence_note(args.files[0].parent)
    try:
        fetch_encoder(settings, args.files, args.lock, download_options.policy(args))
    except NotFetched as error:
        asked = {name: getattr(settings, name) for name in ("hub_id", "revision", "weights")}
        write_json(note, asked | {"found": error.found})
        logging.info(
            "noted in %s: start the same run again, and it goes on without %s where only a row of Table 11 needs it "
            "(downloads.failed_encoders: skip); remove the note to try again",
            note,
            settings.encoder,
        )
        raise
    note.unlink(missing_ok=True)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=Path, nargs="+", required=True, help="files to write, named as at the hub")
    download_options.add(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)
