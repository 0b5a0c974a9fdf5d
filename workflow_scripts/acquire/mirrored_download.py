"""A file with an .md5 beside it, from the first of several mirrors that gives it whole.

The file grows as `.<name>.part` beside its place; a second start, also after a kill, goes on from there. It gets its
name only after its digest is that of the mirror's .md5 and, when it was downloaded before, that of sources.lock.
"""

import dataclasses
import json
import logging
import pathlib
import time

from workflow_scripts.acquire import pinned_download, sources_lock
from workflow_scripts.acquire.http_download import Passing, Refused, get_part, get_small
from workflow_scripts.acquire.nlm_md5 import digests, gzip_fault, nlm_line, parse_md5
from workflow_scripts.common.errors import DataError, UsageError
from workflow_scripts.common.files import atomic_open
from workflow_scripts.common.progress import Progress

WRONG_BYTES_ALLOWED = 2  # whole downloads from one mirror that do not have the digest of its .md5


@dataclasses.dataclass
class Download:
    """One file, where it comes from and where it goes.

    Parameters
    ----------
    name : str
        File name.
    mirrors : sequence of str
        Addresses of folders that hold the file and its .md5, in the order of trial.
    folder : Path
        Where the file goes.
    lock : Path
        sources.lock.
    policy : http_download.Policy
    label : str
        Name in sources.lock before the file name.
    require_md5 : bool
        False: where no mirror has an .md5, the file is taken when it unpacks to its end, and its own digest is pinned.
    """

    name: str
    mirrors: list
    folder: pathlib.Path
    lock: pathlib.Path
    policy: object
    label: str = "medline"
    require_md5: bool = True

    @property
    def part(self):
        """The growing file."""
        return self.folder / f".{self.name}.part"

    @property
    def state(self):
        """What the growing file is part of: md5, address, validator."""
        return self.folder / f".{self.name}.part.json"


def fetch(download):
    """Get a file, or keep the one that is there when it has the mirror's md5.

    Returns
    -------
    str
        SHA-256 of the file.

    Raises
    ------
    UsageError
        If there is no mirror.
    DataError
        If no mirror gives the file (what each said stands in the message), or its digest is not the pinned one.
    """
    if not download.mirrors:
        raise UsageError("medline.mirrors is empty: name at least one address, or set medline.source: local")
    download.folder.mkdir(parents=True, exist_ok=True)
    said, any_md5 = {}, None
    for mirror in download.mirrors:
        trial = _Mirror(download, mirror.rstrip("/"))
        try:
            md5 = trial.md5() or any_md5
            if md5 is None:
                raise Refused(f"{download.name}.md5: {trial.said[-1]}")
            any_md5 = md5
            return trial.file(md5)
        except Refused as refusal:
            said[mirror] = [*trial.said, str(refusal)]
            logging.warning("%s gives no %s: %s", mirror, download.name, refusal)
    if any_md5 is None and not download.require_md5:
        return _fetch_unstated(download, said)
    raise _no_mirror(download, said)


def _fetch_unstated(download, said):
    """Get a file of which no mirror states a digest; what sources.lock holds decides from then on."""
    target = download.folder / download.name
    for mirror in download.mirrors:
        source = pinned_download.Source(
            url=f"{mirror.rstrip('/')}/{download.name}",
            target=target,
            lock=download.lock,
            label=f"{download.label}/{download.name}",
            fault=gzip_fault if target.suffix == ".gz" else None,
            policy=download.policy,
        )
        try:
            sha256 = pinned_download.fetch(source)
        except pinned_download.NotFetched as trouble:
            said[mirror].append(trouble.found)
            logging.warning("%s gives no %s: %s", mirror, download.name, trouble.found)
            continue
        logging.warning("%s: no mirror states its digest; sha256 %s is pinned", download.name, sha256)
        with atomic_open(f"{target}.md5") as stream:
            stream.write(nlm_line(download.name, digests(target)[1]))
        return sha256
    raise _no_mirror(download, said)


def _no_mirror(download, said):
    lines = [f"\n    {mirror}: {'; '.join(_shortened(words))}" for mirror, words in said.items()]
    hint = "; for mirrors without .md5 files: medline.require_md5: false" if download.require_md5 else ""
    return DataError(
        download.folder / download.name,
        found="no mirror gave the file" + "".join(lines),
        expected=f"{download.name} and {download.name}.md5 from one of medline.mirrors",
        remedy="look at the addresses in a browser and mend medline.mirrors; start again to go on where this ended"
        + hint,
    )


class _Mirror:
    """The trials of one download at one mirror; `said` gathers what went wrong."""

    def __init__(self, download, address):
        self.download, self.policy = download, download.policy
        self.url = f"{address}/{download.name}"
        self.said = []

    def md5(self):
        """The digest that the mirror states; None where it has no (readable) .md5 file."""
        for attempt in range(1, self.policy.attempts + 1):
            try:
                text = get_small(f"{self.url}.md5", self.policy)
            except Refused as refusal:
                self.said.append(str(refusal))
                return None
            except Passing as fault:
                self._wait(attempt, fault)
                continue
            md5 = parse_md5(text, self.download.name)
            if md5 is None:
                self.said.append(f"no line for the file in its .md5: {text[:60]!r}")
            return md5
        raise Refused(f"gave up on {self.download.name}.md5 after {self.policy.attempts} attempts")

    def file(self, md5):
        """Get the file with this digest and give it its name; gives its SHA-256."""
        target = self.download.folder / self.download.name
        if target.is_file():
            sha256, there = digests(target)
            if there == md5:
                logging.info("%s is there and has the mirror's md5", target)
                return self._publish(target, sha256, md5)
        self._match_state(md5)
        wrong = 0
        while wrong < WRONG_BYTES_ALLOWED:
            self._whole_part(md5)
            sha256, found = digests(self.download.part)
            if found == md5:
                return self._publish(self.download.part, sha256, md5)
            size = self.download.part.stat().st_size
            self._discard()
            wrong += 1
            self.said.append(f"wrong bytes: md5 {found} of {size:,} bytes, its .md5 says {md5}")
            logging.warning("%s: %s; discarded", self.url, self.said[-1])
        raise Refused("gave up after wrong bytes")

    def _whole_part(self, md5):
        """Request until the part is as long as the mirror says; raises Refused when the attempts are used up."""
        part, policy = self.download.part, self.policy
        progress = Progress("bytes")
        fruitless = 0
        for _ in range(policy.most_requests):
            before = part.stat().st_size if part.exists() else 0
            try:
                get_part(
                    self.url, part, self._validator(), policy, lambda value: self._remember(md5, value), progress.add
                )
                progress.close()
                return
            except Passing as fault:
                after = part.stat().st_size if part.exists() else 0
                fruitless = 0 if after > before else fruitless + 1
                if fruitless >= policy.attempts:
                    self.said.append(str(fault))
                    raise Refused(f"gave up after {fruitless} attempts without a new byte") from None
                self._wait(max(fruitless, 1), fault)
        raise Refused(f"gave up after {policy.most_requests} requests")

    def _publish(self, path, sha256, md5):
        entry = sources_lock.Pin(f"{self.download.label}/{self.download.name}", sha256, path.stat().st_size, self.url)
        try:
            sources_lock.pin(self.download.lock, entry)
        except DataError:
            self._discard()
            raise
        target = self.download.folder / self.download.name
        with atomic_open(f"{target}.md5") as stream:
            stream.write(nlm_line(self.download.name, md5))
        if path != target:
            path.replace(target)
        self._discard()
        return sha256

    def _match_state(self, md5):
        """Discard a part of a file with another digest."""
        state = self._state()
        if state.get("md5") != md5:
            self._discard()

    def _validator(self):
        state = self._state()
        return state.get("validator") if state.get("url") == self.url else None

    def _remember(self, md5, validator):
        with atomic_open(self.download.state) as stream:
            json.dump({"md5": md5, "url": self.url, "validator": validator}, stream)

    def _state(self):
        try:
            state = json.loads(self.download.state.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _discard(self):
        self.download.part.unlink(missing_ok=True)
        self.download.state.unlink(missing_ok=True)

    def _wait(self, attempt, fault):
        self.said.append(str(fault))
        seconds = self.policy.wait(attempt, fault.retry_after)
        logging.info("%s: %s; next attempt in %.1f s", self.url, fault, seconds)
        time.sleep(seconds)


def _shortened(words, keep=6):
    """Equal neighbours once, and the last few of many."""
    distinct = [word for i, word in enumerate(words) if i == 0 or word != words[i - 1]]
    return distinct if len(distinct) <= keep else ["...", *distinct[-keep:]]
