"""One file from one address, with its digest pinned in sources.lock.

The file grows as `.<name>.part` beside its place; a second start, also after a kill, goes on from there. It gets its
name only after it was checked, and when its digest is the one published or, when it was downloaded before, the one in
sources.lock. An address that holds a key is never shown: messages, state and lock have the public one.
"""

import dataclasses
import json
import logging
import pathlib
import time
from collections.abc import Callable

from workflow_scripts.acquire import sources_lock
from workflow_scripts.acquire.http_download import Passing, Policy, Refused, get_part
from workflow_scripts.acquire.nlm_md5 import digests
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open
from workflow_scripts.common.progress import Progress

WRONG_BYTES_ALLOWED = 2  # whole downloads that do not have the published digest


@dataclasses.dataclass
class Source:
    """A file, where it comes from and where it goes.

    Parameters
    ----------
    url : str
        Address to ask; may hold a secret.
    target : Path
    lock : Path
        sources.lock.
    label : str
        Name in sources.lock.
    public_url : str or None
        Address without secrets; None: `url`.
    sha256 : str or None
        Published digest.
    size : int or None
        Published size, bytes.
    fault : callable or None
        Gives what is wrong with the whole file at a path, in a few words; None for a sound one.
    headers : dict
        More headers of the request.
    remedy : str
        What a user can do when the file is not to be had.
    policy : http_download.Policy
    """

    url: str
    target: pathlib.Path
    lock: pathlib.Path
    label: str
    public_url: str | None = None
    sha256: str | None = None
    size: int | None = None
    fault: Callable | None = None
    headers: dict = dataclasses.field(default_factory=dict)
    remedy: str = "look at the address in a browser; start again to go on where this ended"
    policy: Policy = dataclasses.field(default_factory=Policy)

    @property
    def shown(self):
        """The address as it may be shown."""
        return self.public_url or self.url

    @property
    def part(self):
        """The growing file."""
        return self.target.with_name(f".{self.target.name}.part")

    @property
    def state(self):
        """What the growing file is part of: address, validator."""
        return self.target.with_name(f".{self.target.name}.part.json")


class NotFetched(DataError):
    """An address does not give the file, or gives another one than it should."""


def fetch(source):
    """Get a file, or check the one that is there against sources.lock.

    Returns
    -------
    str
        SHA-256 of the file.

    Raises
    ------
    NotFetched
        If the address does not give the file, or gives something else than published.
    DataError
        If the file has another digest than pinned, or the one that is there is damaged.
    """
    if source.target.is_file():
        fault = source.fault(source.target) if source.fault else None
        if fault:
            raise DataError(source.target, found=fault, expected="a whole file", remedy="remove it and start again")
        logging.info("%s is there: its digest is compared with that in %s", source.target, source.lock)
        sha256, _ = digests(source.target)
        sources_lock.pin(source.lock, _pin(source, sha256, source.target))
        return sha256
    source.target.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(1, WRONG_BYTES_ALLOWED + 1):
        _whole_part(source)
        sha256, _ = digests(source.part)
        wrong = _wrong(source, sha256)
        if wrong is None:
            break
        discard(source)
        if attempt == WRONG_BYTES_ALLOWED or source.fault:
            raise _trouble(source, wrong)
        logging.warning("%s: %s; discarded, once more", source.shown, wrong)
    try:
        sources_lock.pin(source.lock, _pin(source, sha256, source.part))
    except DataError:
        discard(source)
        raise
    source.part.replace(source.target)
    discard(source)
    return sha256


def discard(source):
    """Remove what has come of a file."""
    source.part.unlink(missing_ok=True)
    source.state.unlink(missing_ok=True)


def _wrong(source, sha256):
    size = source.part.stat().st_size
    if source.size is not None and size != source.size:
        return f"{size:,} bytes where {source.size:,} are published"
    if source.sha256 is not None and sha256 != source.sha256:
        return f"sha256 {sha256} of {size:,} bytes where {source.sha256} is published"
    return source.fault(source.part) if source.fault else None


def _whole_part(source):
    """Request until the part is as long as the server says."""
    if _state(source).get("url") != source.shown:
        discard(source)
    progress, fruitless, said = Progress("bytes"), 0, []
    for _ in range(source.policy.most_requests):
        before = source.part.stat().st_size if source.part.exists() else 0
        try:
            get_part(
                source.url,
                source.part,
                _state(source).get("validator"),
                source.policy,
                lambda value: _remember(source, value),
                progress.add,
                source.headers,
                lambda left: setattr(progress, "total", progress.done + left),
            )
            if not source.part.exists():
                raise Passing("no bytes came")
            progress.close()
            return
        except Refused as refusal:
            raise _trouble(source, str(refusal)) from None
        except Passing as passing:
            after = source.part.stat().st_size if source.part.exists() else 0
            fruitless = 0 if after > before else fruitless + 1
            said.append(str(passing))
            if fruitless >= source.policy.attempts:
                break
            seconds = source.policy.wait(max(fruitless, 1), passing.retry_after)
            logging.info("%s: %s; next attempt in %.1f s", source.shown, passing, seconds)
            time.sleep(seconds)
    raise _trouble(source, f"gave up: {'; '.join(dict.fromkeys(said[-6:]))}")


def _trouble(source, found):
    return NotFetched(source.target, found=f"{source.shown}: {found}", expected="the file", remedy=source.remedy)


def _pin(source, sha256, path):
    return sources_lock.Pin(source.label, sha256, path.stat().st_size, source.shown)


def _remember(source, validator):
    with atomic_open(source.state) as stream:
        json.dump({"url": source.shown, "validator": validator}, stream)


def _state(source):
    try:
        state = json.loads(source.state.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}
