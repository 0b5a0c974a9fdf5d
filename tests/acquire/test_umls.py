"""A UMLS release from a service that speaks the UTS protocol, and its tables out of NLM's nested archives."""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import time
import zipfile

import pytest

from tests.acquire.releases import TABLES, full, mrfiles, tables, zipped
from workflow_scripts.acquire.release_tables import extract_tables
from workflow_scripts.acquire.sources_lock import read
from workflow_scripts.common.errors import DataError

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def download(run_command, repository, tmp_path, uts):
    def run(release="2019AB", **environment):
        return run_command(
            "acquire/download_umls.py",
            *("--archive", tmp_path / f"umls-{release}-full.zip", "--lock", tmp_path / "sources.lock"),
            *("--sources", repository / "experiments/sources.tsv", "--params", f'{{"release":"{release}"}}'),
            *("--attempts", 3, "--timeout", 2, "--wait", 0.01, "--longest-wait", 0.05),
            environment=uts.environment | environment,
        )

    return run


def no_key_anywhere(done, uts, folder):
    """The key is neither in the output nor in a file."""
    texts = [done.stdout, done.stderr, *(path.read_bytes().decode("latin-1") for path in folder.iterdir())]
    assert not any(uts.KEY in text for text in texts)


@pytest.mark.parametrize("release", ["2019AB", "2024AA"])
def test_any_release_is_fetched_resumed_pinned_and_kept(download, uts, server, tmp_path, release):
    body = full(release)
    uts.add(release, body)
    server.faults[uts.path(release)] = [server.cut(len(body) // 2), server.status(503), server.cut(10)]
    done = download(release)
    assert done.returncode == 0, done.stderr
    archive = tmp_path / f"umls-{release}-full.zip"
    assert archive.read_bytes() == body
    half = len(body) // 2
    assert server.ranges(uts.path(release)) == [None, f"bytes={half}-", f"bytes={half}-", f"bytes={half + 10}-"]
    (pin,) = read(tmp_path / "sources.lock").values()
    assert (pin.name, pin.sha256) == (f"umls/{archive.name}", hashlib.sha256(body).hexdigest())
    assert pin.url == f"https://download.nlm.nih.gov/umls/kss/{release}/umls-{release}-full.zip"
    no_key_anywhere(done, uts, tmp_path)
    # there already: neither the key nor the service is needed, other bytes are an error
    asked = len(server.asked)
    assert download(release, UMLS_API_KEY="").returncode == 0 and len(server.asked) == asked
    archive.write_bytes(body + b"x")
    done = download(release, UMLS_API_KEY="")
    assert done.returncode == 3 and "pinned before" in done.stderr


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", ["UMLS_API_KEY is not in the environment", "umls.source: local"]),
        ("two words", ["UMLS_API_KEY holds blanks"]),
        ("99990000-wrong", ["HTTP 401", "the key is wrong"]),
    ],
)
def test_keys(download, uts, server, tmp_path, key, words):
    uts.add("2019AB", full())
    server.files[uts.path("2019AB", "99990000-wrong")] = full()
    done = download(UMLS_API_KEY=key)
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr
    assert all(word in done.stderr for word in words)
    assert not key or key not in done.stderr
    assert not (tmp_path / "umls-2019AB-full.zip").exists() and not (tmp_path / "sources.lock").exists()
    no_key_anywhere(done, uts, tmp_path)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("page", ["a page (HTML or XML) instead of a zip archive", "<html>Sign in", "the key is wrong"]),
        ("json", ["a message (JSON)", "no licence"]),
        ("missing", ["HTTP 404", "umls.release"]),
        ("cut", ["connection ended after"]),
        ("long", ["connection ended after"]),
        ("end", ["no zip archive, or one whose end is missing"]),
    ],
)
def test_what_may_come_instead(download, uts, server, tmp_path, fault, words):
    body, path = full(), uts.path("2019AB")
    replies = {
        "page": server.other(b"<html>Sign in</html>"),
        "json": server.other(b'{"error": "no licence"}'),
        "missing": server.status(404),
        "cut": server.cut(0),
        "long": server.length(len(body) + 7),
        "end": server.other(body[:-30]),
    }
    uts.add("2019AB", body)
    server.faults[path] = [replies[fault]] * 70
    done = download()
    assert done.returncode == 3 and "Traceback" not in done.stderr, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert not (tmp_path / "umls-2019AB-full.zip").exists()
    no_key_anywhere(done, uts, tmp_path)
    # the next start gets it
    server.faults[path] = []
    assert download().returncode == 0 and (tmp_path / "umls-2019AB-full.zip").read_bytes() == body


def extract(tmp_path, body, wanted=TABLES):
    (tmp_path / "archive.zip").write_bytes(body)
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "META").mkdir(exist_ok=True)
    extract_tables(tmp_path / "archive.zip", wanted, tmp_path / "META", tmp_path / "work")
    return {path.name: path.read_text() for path in (tmp_path / "META").iterdir()}


def test_tables_out_of_pieces_in_nested_archives(tmp_path):
    found = extract(tmp_path, full())
    assert found == {f"{name}.RRF": body for name, body in tables().items()} | {"MRFILES.RRF": mrfiles(tables())}
    assert list((tmp_path / "work").iterdir()) == []


def test_an_archive_of_plain_tables(tmp_path, caplog):
    body = zipped({f"2024AA/META/{name}.RRF": text for name, text in tables().items()})
    assert extract(tmp_path, body, ["MRSTY", "MRCONSO"]) == {f"{n}.RRF": tables()[n] for n in ("MRSTY", "MRCONSO")}
    assert "no MRFILES" in caplog.text


def test_a_release_without_definitions(tmp_path, caplog):
    contents = {name: body for name, body in tables().items() if name != "MRDEF"}
    assert extract(tmp_path, full(contents=contents))["MRDEF.RRF"] == ""
    assert "no rows of MRDEF" in caplog.text


def edited(body, change):
    """An archive with its members changed: `change` gets and gives a list of (ZipInfo, bytes)."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        members = change([(entry, archive.read(entry)) for entry in archive.infolist()])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for entry, content in members:
            archive.writestr(entry, content)
    return buffer.getvalue()


def as_link(members):
    for entry, _ in members:
        if entry.filename.endswith("2-meta.nlm"):
            entry.external_attr = 0o120777 << 16
    return members


def cut_inner(members):
    return [(e, c[: len(c) // 2] if e.filename.endswith("2-meta.nlm") else c) for e, c in members]


def twice(members):
    entry, content = next(pair for pair in members if pair[0].filename.endswith("2-meta.nlm"))
    again = zipfile.ZipInfo("2019AB-full/2019ab-3-meta.nlm")
    return [*members, (again, content)]


def without_first(members):
    return [(e, c) for e, c in members if not e.filename.endswith("2-meta.nlm")]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (as_link, "found:    a link"),
        (cut_inner, "2-meta.nlm"),
        (twice, "a second time"),
        (without_first, "pieces ab, ac"),
    ],
)
def test_archives_that_are_refused(tmp_path, change, words):
    with pytest.raises(DataError, match=words):
        extract(tmp_path, edited(full(), change))
    assert list((tmp_path / "META").iterdir()) == [] == list((tmp_path / "work").iterdir())


@pytest.mark.parametrize("place", ["middle", "end"])
def test_damaged_bytes_are_met(tmp_path, place):
    body = bytearray(zipped({"META/MRSTY.RRF": tables(2000)["MRSTY"]}))
    body[len(body) // 2 if place == "middle" else 60] ^= 0x5A
    with pytest.raises(DataError):
        extract(tmp_path, bytes(body), ["MRSTY"])
    assert list((tmp_path / "META").iterdir()) == []


@pytest.mark.parametrize("column", [4, 5])
def test_rows_and_bytes_are_those_of_mrfiles(tmp_path, column):
    lines = mrfiles(tables()).splitlines()
    cells = lines[1].split("|")
    cells[column] = str(int(cells[column]) + 1)
    lines[1] = "|".join(cells)
    with pytest.raises(DataError, match="MRREL(.|\n)*MRFILES"):
        extract(tmp_path, full(files="\n".join(lines) + "\n"))
    assert list((tmp_path / "META").iterdir()) == []


def test_a_table_that_is_missing(tmp_path):
    contents = {name: body for name, body in tables().items() if name != "MRREL"}
    with pytest.raises(DataError, match="no MRREL; there is MRCONSO, MRDEF"):
        extract(tmp_path, full(contents=contents))


def test_the_command(run_command, tmp_path):
    (tmp_path / "a.zip").write_bytes(full())
    options = ("--archive", tmp_path / "a.zip", "--folder", tmp_path / "META", "--temporary", tmp_path)
    done = run_command("acquire/extract_umls.py", *options, "--tables", *TABLES)
    assert done.returncode == 0, done.stderr
    assert {path.stem for path in (tmp_path / "META").iterdir()} == set(TABLES)
    done = run_command("acquire/extract_umls.py", "--archive", tmp_path / "none.zip", *options[2:], "--tables", "MRSTY")
    assert done.returncode == 3 and "none.zip" in done.stderr and "Traceback" not in done.stderr


def test_a_download_that_was_killed_goes_on(uts, server, repository, tmp_path):
    body, archive = full(contents=tables(3000)), tmp_path / "umls-2019AB-full.zip"
    uts.add("2019AB", body)
    half = len(body) // 2
    server.faults[uts.path("2019AB")] = [server.hang(half)]
    command = [sys.executable, "-P", repository / "workflow_scripts/acquire/download_umls.py", "--archive", archive]
    command += ["--lock", tmp_path / "sources.lock", "--sources", repository / "experiments/sources.tsv"]
    command += ["--params", '{"release":"2019AB"}']
    environment = os.environ | uts.environment | {"PYTHONPATH": str(repository)}
    part = tmp_path / f".{archive.name}.part"
    running = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    while not part.exists() or part.stat().st_size < half:
        assert running.poll() is None
        time.sleep(0.01)
    running.kill()
    running.wait()
    assert not archive.exists() and uts.KEY not in (tmp_path / f".{archive.name}.part.json").read_text()
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=30)
    assert archive.read_bytes() == body and server.ranges(uts.path("2019AB")) == [None, f"bytes={half}-"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [".sources.lock.guard", "sources.lock", archive.name]


MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_memory_does_not_follow_the_size_of_a_table(repository, tmp_path):
    """200 MB of MRREL out of an archive in an archive."""
    line = tables(1)["MRREL"].encode()
    body = line * ((200 << 20) // len(line))
    inner = zipped({"2019AB/META/MRREL.RRF.gz": gzip.compress(body, compresslevel=1)})
    (tmp_path / "a.zip").write_bytes(zipped({"2019AB-full/2019ab-1-meta.nlm": inner}))
    command = [sys.executable, "-P", repository / "workflow_scripts/acquire/extract_umls.py", "--tables", "MRREL"]
    command += ["--archive", tmp_path / "a.zip", "--folder", tmp_path / "META", "--temporary", tmp_path]
    environment = os.environ | {"PYTHONPATH": str(repository)}
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], env=environment, check=True, capture_output=True, text=True
    )
    assert (tmp_path / "META/MRREL.RRF").read_bytes() == body
    assert int(measured.stdout) < 80 << 10
