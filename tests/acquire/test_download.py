"""Downloads from servers that cut, lie, stall and refuse."""

import dataclasses
import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from workflow_scripts.acquire.http_download import Policy
from workflow_scripts.acquire.mirrored_download import Download, fetch
from workflow_scripts.acquire.nlm_md5 import parse_md5
from workflow_scripts.acquire.sources_lock import read
from workflow_scripts.common.errors import DataError, UsageError

pytestmark = pytest.mark.timeout(60)
NAME = "pubmed19n0001.xml.gz"
BODY = random.Random(7).randbytes(300_000)


@pytest.fixture
def download(server, policy, tmp_path):
    return Download(NAME, [server.address], tmp_path / "baseline", tmp_path / "sources.lock", policy)


def whole(download):
    assert (download.folder / NAME).read_bytes() == BODY
    assert (download.folder / f"{NAME}.md5").read_text() == f"MD5({NAME})= {hashlib.md5(BODY).hexdigest()}\n"
    assert sorted(path.name for path in download.folder.iterdir()) == [NAME, f"{NAME}.md5"]


def test_plain(server, download):
    server.add(NAME, BODY)
    assert fetch(download) == hashlib.sha256(BODY).hexdigest()
    whole(download)
    (pin,) = read(download.lock).values()
    assert (pin.name, pin.sha256, pin.bytes, pin.url) == (
        f"medline/{NAME}",
        hashlib.sha256(BODY).hexdigest(),
        len(BODY),
        f"{server.address}/{NAME}",
    )


@pytest.mark.parametrize("etags", [True, False])
def test_goes_on_where_the_connection_was_cut(server, download, etags):
    server.add(NAME, BODY)
    server.etags = etags
    server.faults[f"/{NAME}"] = [server.cut(100_000), server.cut(50_000), server.cut(1)]
    fetch(download)
    whole(download)
    assert server.ranges(f"/{NAME}") == [None, "bytes=100000-", "bytes=150000-", "bytes=150001-"]
    conditions = [headers.get("If-Range") for path, headers in server.asked if path == f"/{NAME}"][1:]
    assert all(conditions) if etags else not any(conditions)


def test_many_cuts_with_progress_are_not_given_up(server, download):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.cut(20_000) for _ in range(12)]
    fetch(download)
    whole(download)


def test_server_without_range_begins_anew(server, download):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.cut(100_000), server.whole]
    fetch(download)
    whole(download)


def test_file_that_changed_at_the_server_is_not_mixed(server, download):
    server.add(NAME, BODY)
    old = bytes(len(BODY))

    def cut_old(handler, body):
        server.cut(100_000)(handler, old)

    server.faults[f"/{NAME}"] = [cut_old]
    fetch(download)
    whole(download)
    assert server.ranges(f"/{NAME}") == [None, "bytes=100000-"]  # If-Range failed: the answer was the whole file


@pytest.mark.parametrize(
    "header",
    ["bytes 0-299999/300000", "bytes 100001-299999/300000", "nonsense", "", "bytes 100000-299999/300000"],
)
def test_wrong_content_range_begins_anew(server, download, header):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.cut(100_000), server.part(header)]
    fetch(download)
    whole(download)
    assert server.ranges(f"/{NAME}") == [None, "bytes=100000-", None]


@pytest.mark.parametrize("stated", [len(BODY) + 5000, len(BODY) - 5000, 10])
def test_wrong_content_length(server, download, stated):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.length(stated)]
    fetch(download)
    whole(download)


def test_wrong_bytes_are_discarded_and_fetched_anew(server, download):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.other(BODY[:-1] + bytes([BODY[-1] ^ 1]))]
    fetch(download)
    whole(download)
    assert server.ranges(f"/{NAME}") == [None, None]


def test_wrong_bytes_for_ever(server, download):
    server.add(NAME, BODY, md5="0" * 32)
    with pytest.raises(DataError) as error:
        fetch(download)
    assert hashlib.md5(BODY).hexdigest() in str(error.value) and "0" * 32 in str(error.value)
    assert not list(download.folder.iterdir()) and not download.lock.exists()


def test_empty_answer_of_full_length_zero(server, download):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.other(b"")]
    fetch(download)
    whole(download)


@pytest.mark.parametrize("code", [500, 502, 503, 429, 408])
def test_passing_errors(server, download, code):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.status(code)]
    server.faults[f"/{NAME}.md5"] = [server.status(code), server.status(code)]
    fetch(download)
    whole(download)


def test_retry_after_is_kept_within_bounds(server, download):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.status(503, Retry_After="3600")]
    started = time.monotonic()
    fetch(download)
    assert 0.3 <= time.monotonic() - started < 5


def test_waits_grow_and_are_bounded():
    policy = Policy(first_wait=2, longest_wait=30)
    assert [policy.wait(attempt) for attempt in range(1, 7)] == [2, 4, 8, 16, 30, 30]
    assert policy.wait(1, asked=12) == 12 and policy.wait(1, asked=0.5) == 2 and policy.wait(3, asked=900) == 30


@pytest.mark.parametrize("code", [404, 403, 410, 401])
def test_refusals_are_not_tried_again(server, download, code):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.status(code)] * 5
    with pytest.raises(DataError, match=f"HTTP {code}"):
        fetch(download)
    assert len(server.ranges(f"/{NAME}")) == 1


def test_second_mirror_goes_on_with_the_part_of_the_first(server, download):
    server.add(NAME, BODY, folder="/a")
    server.add(NAME, BODY, folder="/b")
    server.faults[f"/a/{NAME}"] = [server.cut(120_000), *[server.status(404)] * 9]
    two = dataclasses.replace(download, mirrors=[f"{server.address}/a", f"{server.address}/b/"])
    fetch(two)
    whole(two)
    assert server.ranges(f"/b/{NAME}") == ["bytes=120000-"]
    assert read(download.lock)[f"medline/{NAME}"].url == f"{server.address}/b/{NAME}"


def test_second_mirror_with_another_release_begins_anew(server, download):
    server.add(NAME, bytes(len(BODY)), folder="/a")
    server.add(NAME, BODY, folder="/b")
    server.faults[f"/a/{NAME}"] = [server.cut(120_000), *[server.status(404)] * 9]
    two = dataclasses.replace(download, mirrors=[f"{server.address}/a", f"{server.address}/b"])
    fetch(two)
    whole(two)
    assert server.ranges(f"/b/{NAME}") == [None]


def test_mirror_without_md5_is_checked_against_the_other(server, download):
    server.add(NAME, BODY, folder="/a")
    server.add(NAME, BODY, folder="/b")
    server.files.pop(f"/b/{NAME}.md5")
    server.faults[f"/a/{NAME}"] = [server.status(404)]
    two = dataclasses.replace(download, mirrors=[f"{server.address}/a", f"{server.address}/b"])
    fetch(two)
    whole(two)


def test_no_md5_anywhere_means_no_file(server, download):
    server.add(NAME, BODY)
    server.files.pop(f"/{NAME}.md5")
    with pytest.raises(DataError, match=f"{NAME}.md5: HTTP 404"):
        fetch(download)
    assert not list(download.folder.iterdir())


def test_page_in_place_of_an_md5(server, download):
    server.add(NAME, BODY)
    server.files[f"/{NAME}.md5"] = b"<html>Please log in</html>"
    with pytest.raises(DataError, match="Please log in"):
        fetch(download)


def test_error_lists_what_each_mirror_said(server, download):
    server.add(NAME, BODY, folder="/b")
    server.faults[f"/b/{NAME}"] = [server.status(500)] * 40
    mirrors = [f"{server.address}/a", f"{server.address}/b", "http://127.0.0.1:9/dead"]
    with pytest.raises(DataError) as error:
        fetch(dataclasses.replace(download, mirrors=mirrors))
    text = str(error.value)
    assert all(mirror in text for mirror in mirrors)
    assert "HTTP 404" in text and "HTTP 500" in text and "Connection refused" in text and "medline.mirrors" in text


def test_no_mirror(download):
    with pytest.raises(UsageError, match="medline.mirrors"):
        fetch(dataclasses.replace(download, mirrors=[]))


def test_dead_and_dripping_connections_end(server, download):
    server.add(NAME, BODY)
    quick = dataclasses.replace(download.policy, timeout=0.5, slowest=1000)
    server.faults[f"/{NAME}"] = [server.hang(70_000), server.drip]
    started = time.monotonic()
    fetch(dataclasses.replace(download, policy=quick))
    whole(download)
    assert time.monotonic() - started < 15
    assert server.ranges(f"/{NAME}")[1] == "bytes=70000-"


def test_file_that_is_there_is_kept(server, download):
    server.add(NAME, BODY)
    download.folder.mkdir()
    (download.folder / NAME).write_bytes(BODY)
    fetch(download)
    whole(download)
    assert server.ranges(f"/{NAME}") == []


def test_file_that_is_there_and_wrong_is_replaced(server, download):
    server.add(NAME, BODY)
    download.folder.mkdir()
    (download.folder / NAME).write_bytes(BODY[:-7])
    fetch(download)
    whole(download)


def test_complete_part_needs_no_byte(server, download):
    server.add(NAME, BODY)
    download.folder.mkdir()
    download.part.write_bytes(BODY)
    download.state.write_text(json.dumps({"md5": hashlib.md5(BODY).hexdigest()}))
    fetch(download)
    whole(download)
    assert server.ranges(f"/{NAME}") == [f"bytes={len(BODY)}-"]


def test_part_longer_than_the_file_is_discarded(server, download):
    server.add(NAME, BODY)
    download.folder.mkdir()
    download.part.write_bytes(BODY + b"more")
    download.state.write_text(json.dumps({"md5": hashlib.md5(BODY).hexdigest()}))
    fetch(download)
    whole(download)


@pytest.mark.parametrize("state", ["", "[1]", "{", '{"md5": "other"}'])
def test_part_of_unknown_origin_is_discarded(server, download, state):
    server.add(NAME, BODY)
    download.folder.mkdir()
    download.part.write_bytes(b"x" * 1000)
    download.state.write_text(state)
    fetch(download)
    whole(download)
    assert server.ranges(f"/{NAME}") == [None]


def test_other_digest_than_pinned(server, download):
    server.add(NAME, BODY)
    fetch(download)
    (download.folder / NAME).unlink()
    server.add(NAME, BODY[::-1])
    with pytest.raises(DataError) as error:
        fetch(download)
    text = str(error.value)
    assert hashlib.sha256(BODY).hexdigest() in text and hashlib.sha256(BODY[::-1]).hexdigest() in text
    assert f"remove the line of medline/{NAME}" in text
    assert not (download.folder / NAME).exists()


def command(repository, server, folder, *more):
    script = repository / "workflow_scripts/acquire/download_medline.py"
    lock = folder / "sources.lock"
    arguments = ["--file", folder / NAME, "--lock", lock, "--params", json.dumps({"mirrors": [server.address]})]
    environment = {**os.environ, "PYTHONPATH": str(repository), "PYTHONNOUSERSITE": "1"}
    arguments = [sys.executable, "-P", script, *arguments, "--wait", "0.01", "--timeout", "20", *more]
    return subprocess.Popen(list(map(str, arguments)), env=environment, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM])
def test_killed_command_resumes(repository, server, tmp_path, kill):
    server.add(NAME, BODY)
    server.faults[f"/{NAME}"] = [server.hang(130_000)]
    part = tmp_path / f".{NAME}.part"
    process = command(repository, server, tmp_path)
    deadline = time.monotonic() + 30
    while not (part.exists() and part.stat().st_size == 130_000) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(kill)
    process.communicate(timeout=20)
    assert not (tmp_path / NAME).exists()
    process = command(repository, server, tmp_path)
    _, log = process.communicate(timeout=40)
    assert process.returncode == 0, log
    assert (tmp_path / NAME).read_bytes() == BODY
    assert server.ranges(f"/{NAME}") == [None, "bytes=130000-"]


def test_command_fails_with_the_data_code(repository, server, tmp_path):
    process = command(repository, server, tmp_path, "--attempts", "2")
    _, log = process.communicate(timeout=40)
    assert process.returncode == 3 and "HTTP 404" in log and "Traceback" not in log


def test_mirrors_without_md5_need_a_switch_and_the_digest_is_pinned(server, download):
    """Of two mirrors without .md5 the one that gives a whole gzip file counts."""
    body = gzip.compress(BODY, mtime=0)
    server.files[f"/bad/{NAME}"], server.files[f"/good/{NAME}"] = body[:-9], body
    download = dataclasses.replace(download, mirrors=[f"{server.address}/bad", f"{server.address}/good"])
    with pytest.raises(DataError, match="medline.require_md5: false"):
        fetch(download)
    assert not (download.folder / NAME).exists()
    download = dataclasses.replace(download, require_md5=False)
    assert fetch(download) == hashlib.sha256(body).hexdigest()
    assert (download.folder / NAME).read_bytes() == body
    assert sorted(path.name for path in download.folder.iterdir()) == [NAME, f"{NAME}.md5"]
    assert parse_md5((download.folder / f"{NAME}.md5").read_text(), NAME) == hashlib.md5(body).hexdigest()
    (pin,) = read(download.lock).values()
    assert (pin.name, pin.url) == (f"medline/{NAME}", f"{server.address}/good/{NAME}")
    # other bytes at the next download are an error, and nothing is left of them
    (download.folder / NAME).unlink()
    server.files[f"/bad/{NAME}"] = server.files[f"/good/{NAME}"] = gzip.compress(BODY[1:], mtime=0)
    with pytest.raises(DataError, match="pinned before"):
        fetch(download)
    assert not (download.folder / NAME).exists()


def test_a_stated_digest_counts_also_where_none_is_required(server, download):
    server.add(NAME, BODY, md5="0" * 32)
    with pytest.raises(DataError, match="wrong bytes"):
        fetch(dataclasses.replace(download, require_md5=False))
