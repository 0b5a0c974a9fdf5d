"""Resumable downloads over HTTP(S), with nothing but the standard library.

`get_part` makes one request and appends to a partial file; `get_small` reads a short text. Both tell a fault that may
pass (Passing: cut connection, timeout, 5xx, 429) from one that will not (Refused: 404, 403).
"""

import dataclasses
import email.utils
import http.client
import re
import time
import urllib.error
import urllib.request

USER_AGENT = "meddistant19-pipeline (resumable download)"
_PASSING = {408, 425, 429}
_CONTENT_RANGE = re.compile(r"bytes\s+(\d+)-(\d+)/(\d+|\*)")
_SMALL = 1 << 16


@dataclasses.dataclass(frozen=True)
class Policy:
    """How long to wait and how often to try.

    Parameters
    ----------
    attempts : int
        Requests in a row without a new byte after which an address is given up.
    timeout : float
        Seconds without a byte after which a connection counts as dead.
    slowest : float
        Bytes per second, over one `timeout`, below which a connection counts as dead.
    first_wait, longest_wait : float
        Seconds before the second attempt; each later wait is twice as long, up to the longest. A server's
        Retry-After counts up to the longest, too.
    """

    attempts: int = 6
    timeout: float = 60.0
    slowest: float = 100.0
    first_wait: float = 2.0
    longest_wait: float = 120.0

    @property
    def most_requests(self):
        """Requests for one file at one address, also when each brings some bytes."""
        return 20 * self.attempts

    def wait(self, attempt, asked=None):
        """Seconds to wait after fruitless attempt number `attempt` (from 1)."""
        seconds = min(self.first_wait * 2 ** (attempt - 1), self.longest_wait)
        return seconds if asked is None else max(seconds, min(asked, self.longest_wait))


class Refused(Exception):
    """The address will not give the file, now or later."""


class Passing(Exception):
    """A fault that may be gone at the next attempt."""

    def __init__(self, message, retry_after=None):
        super().__init__(message)
        self.retry_after = retry_after


def get_small(url, policy, largest=_SMALL, headers=None):
    """The text of a short file, of `largest` bytes at most.

    Raises
    ------
    Refused, Passing
    """
    with _open(url, headers or {}, policy) as response:
        try:
            body = response.read(largest)
        except (OSError, http.client.HTTPException) as error:
            raise Passing(_words(error)) from None
        length = _whole(response.headers.get("Content-Length"))
        if length is not None and len(body) < min(length, largest):
            raise Passing(f"connection ended after {len(body)} of {length} bytes")
    return body.decode("utf-8", errors="replace")


def retried(request, policy):
    """What `request()` gives, tried again after faults that may pass; the last one leaves as Passing."""
    for attempt in range(1, policy.attempts + 1):
        try:
            return request()
        except Passing as fault:
            if attempt == policy.attempts:
                raise
            time.sleep(policy.wait(attempt, fault.retry_after))
    raise AssertionError("a policy has at least one attempt")


def get_part(
    url,
    part,
    validator,
    policy,
    remember=lambda validator: None,
    report=lambda count: None,
    headers=None,
    expect=lambda size: None,
):
    """Make one request that begins or goes on with the partial file `part`, and append what comes.

    It returns when the body is there as far as the server's own numbers say.

    Parameters
    ----------
    url : str
    part : Path
        The partial file; its size is where the request goes on.
    validator : str or None
        Strong ETag or Last-Modified of the answer that `part` came from, for If-Range.
    policy : Policy
    remember : callable
        Gets the validator of an answer that begins the file, before its first byte is written.
    report : callable
        Gets the number of new bytes, again and again.
    headers : dict, optional
        More headers of the request.
    expect : callable
        Gets the number of bytes that are to come, where the server says it.

    Raises
    ------
    Refused, Passing
        Bytes that came before a Passing stay in `part`, unless the server contradicts them.
    """
    offset = part.stat().st_size if part.exists() else 0
    headers = dict(headers or {})
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator:
            headers["If-Range"] = validator
    try:
        response = _open(url, headers, policy)
    except _Unsatisfiable as fault:
        if fault.total == offset:
            return
        part.unlink(missing_ok=True)
        raise Passing(f"HTTP 416: nothing after byte {offset:,}; begun anew") from None
    with response:
        end = _expected_end(response, part, offset)
        if response.status == 200:
            part.unlink(missing_ok=True)
            remember(_validator(response.headers))
        if end is not None:
            expect(end - (part.stat().st_size if part.exists() else 0))
        _copy(response, part, policy, report)
    size = part.stat().st_size
    if end is not None and size != end:
        raise Passing(f"connection ended after {size:,} of {end:,} bytes")


class _Unsatisfiable(Exception):
    def __init__(self, total):
        super().__init__()
        self.total = total


def _open(url, headers, policy):
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity"} | headers
    secret = headers.pop("Authorization", None)
    request = urllib.request.Request(url, headers=headers)
    if secret is not None:
        request.add_unredirected_header("Authorization", secret)  # never to the host that a hub redirects to
    try:
        return urllib.request.urlopen(request, timeout=policy.timeout)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416:
                total = re.fullmatch(r"bytes\s+\*/(\d+)", error.headers.get("Content-Range", ""))
                raise _Unsatisfiable(int(total[1]) if total else None) from None
            words = f"HTTP {error.code} {error.reason}"
            if error.code in _PASSING or error.code >= 500:
                raise Passing(words, _retry_after(error.headers)) from None
            raise Refused(words) from None
    except (OSError, http.client.HTTPException) as error:
        raise Passing(_words(error)) from None


def _expected_end(response, part, offset):
    """Size that the whole file should have after this answer; None where the server does not say.

    A server that sends another part than the one asked for makes us begin anew.
    """
    length = _whole(response.headers.get("Content-Length"))
    if response.status == 206:
        match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
        if not match or int(match[1]) != offset:
            part.unlink(missing_ok=True)
            stated = response.headers.get("Content-Range")
            raise Passing(f"asked for bytes from {offset:,}, got Content-Range {stated!r}; begun anew")
        if length is not None and length != int(match[2]) - offset + 1:
            part.unlink(missing_ok=True)
            raise Passing(f"Content-Length {length:,} contradicts Content-Range {match[0]!r}; begun anew")
        return int(match[3]) if match[3] != "*" else int(match[2]) + 1
    if response.status != 200:
        raise Passing(f"HTTP {response.status} where 200 or 206 was expected")
    return length


def _copy(response, part, policy, report):
    window, count = time.monotonic(), 0
    with open(part, "ab", buffering=0) as stream:
        while True:
            try:
                chunk = response.read1(1 << 16)
            except (OSError, http.client.HTTPException) as error:
                raise Passing(f"{_words(error)} after {stream.tell():,} bytes") from None
            if not chunk:
                return
            stream.write(chunk)
            report(len(chunk))
            count += len(chunk)
            seconds = time.monotonic() - window
            if seconds > policy.timeout:
                if count < policy.slowest * seconds:
                    raise Passing(f"too slow: {count:,} bytes in {seconds:.0f} s")
                window, count = time.monotonic(), 0


def _validator(headers):
    etag = headers.get("ETag")
    return etag if etag and not etag.startswith("W/") else headers.get("Last-Modified")


def _retry_after(headers):
    value = headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None


def _whole(text):
    return int(text) if text and text.strip().isdecimal() else None


def _words(error):
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return f"{type(reason).__name__}: {reason}" if str(reason) else type(reason).__name__
