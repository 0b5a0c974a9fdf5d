"""Word vectors and semantic groups: plain files and members of zip archives."""

import hashlib
import json

import pytest

from tests.acquire.releases import zipped
from workflow_scripts.acquire.pinned_download import Source, fetch
from workflow_scripts.acquire.sources_lock import read

pytestmark = pytest.mark.timeout(60)
HEADER = "name\trelease\turl\tmember\twhat\tlicence\trestricted\tdigest\n"
VECTORS = b"".join(b"word%d %f %f\n" % (i, i / 7, i / 3) for i in range(5000))


@pytest.fixture
def download(run_command, tmp_path, server):
    def run(path, member="", digest=""):
        row = f"glove\t6B\t{server.address}{path}\t{member}\tw\tl\tno\t{digest}\n"
        (tmp_path / "sources.tsv").write_text(HEADER + row)
        return run_command(
            "acquire/download_source.py",
            *("--file", tmp_path / "data/vectors.txt", "--lock", tmp_path / "sources.lock"),
            *("--sources", tmp_path / "sources.tsv", "--params", json.dumps({"source": "glove"})),
            *("--attempts", 3, "--timeout", 2, "--wait", 0.01, "--longest-wait", 0.05),
        )

    return run


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_fetched_resumed_and_pinned(download, server, tmp_path, packed):
    member = "glove.6B.200d.txt" if packed else ""
    body = zipped({"glove.6B.50d.txt": b"no", member: VECTORS}) if packed else VECTORS
    server.files["/file"] = body
    server.faults["/file"] = [server.cut(len(body) // 3), server.hang(0)]
    done = download("/file", member)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["vectors.txt"]
    assert (tmp_path / "data/vectors.txt").read_bytes() == VECTORS
    pins = read(tmp_path / "sources.lock")
    assert pins["glove"].sha256 == hashlib.sha256(body).hexdigest()
    assert len(pins) == 1 + packed
    # a second start asks nothing and finds other bytes
    asked = len(server.asked)
    assert download("/file", member).returncode == 0 and len(server.asked) == asked
    (tmp_path / "data/vectors.txt").write_bytes(VECTORS[:-1])
    done = download("/file", member)
    assert done.returncode == 3 and "pinned before" in done.stderr


@pytest.mark.parametrize(
    ("member", "body", "digest", "words"),
    [
        ("", b"<!DOCTYPE html>\n<html>moved</html>", "", "a page instead of data"),
        ("", b"", "", "an empty file"),
        ("a.txt", b"<html>moved</html>", "", "a page (HTML or XML) instead of a zip archive"),
        ("a.txt", zipped({"b.txt": b"1"}), "", "no member a.txt; there is b.txt"),
        ("", VECTORS, "sha256:" + "0" * 64, "is published"),
    ],
    ids=["page", "empty", "page for zip", "other member", "digest"],
)
def test_what_may_come_instead(download, server, tmp_path, member, body, digest, words):
    server.files["/file"] = body
    done = download("/file", member, digest)
    assert done.returncode == 3 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not (tmp_path / "data/vectors.txt").exists()


def test_progress_tells_the_share_done(server, policy, tmp_path, caplog):
    server.files["/file"] = VECTORS
    server.faults["/file"] = [server.cut(len(VECTORS) // 2)]
    caplog.set_level("INFO")
    fetch(Source(f"{server.address}/file", tmp_path / "file", tmp_path / "lock", "x", policy=policy))
    assert f"done: {len(VECTORS):,} bytes" in caplog.text and ", 100 %" in caplog.text


def test_an_unknown_row(run_command, tmp_path):
    (tmp_path / "sources.tsv").write_text(HEADER)
    options = ("--file", tmp_path / "f", "--lock", tmp_path / "l", "--sources", tmp_path / "sources.tsv")
    done = run_command("acquire/download_source.py", *options, "--params", '{"source":"glove"}')
    assert done.returncode == 3 and "0 rows glove" in done.stderr
